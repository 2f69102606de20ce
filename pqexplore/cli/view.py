"""`pqexplore view`: the living explorer in a browser, without a notebook."""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import os
import sys
from typing import TYPE_CHECKING

from pqexplore.cli import notebook_variables
from pqexplore.cli.out import DONE, Out, Refused
from pqexplore.engine.errors import UsageError

if TYPE_CHECKING:
    from pqexplore.app.process import Asked, Process

DESCRIPTION = (
    "Open the explorer of a file, a folder or a URL in the browser. A server on 127.0.0.1 with a token of its own serves it "
    "until Ctrl-C; it offers the explorer and nothing else. A file that is dropped into the page opens, too: the browser "
    "reads the parts that are looked at, and nothing is copied."
)

MISSING = "pqexplore view needs jupyter_server: pip install 'pqexplore[app]'"


def add_options(made: argparse.ArgumentParser) -> None:
    """Add the source and the options of the server."""
    made.add_argument("source", metavar="FILE|DIR|URL", help="what to explore; a folder is explored as a lake")
    made.add_argument("--no-browser", action="store_true", help="print the address, and open no browser")
    made.add_argument("--port", type=int, default=0, metavar="N", help="the port (a free one)")


def run(asked: argparse.Namespace, out: Out) -> int:
    """Serve until it is interrupted."""
    if not 0 <= asked.port < 1 << 16:
        raise Refused("--port is 1 to 65535")
    if notebook_variables.VARIABLES.get() is not None:
        raise UsageError("view serves a browser of its own; in a notebook it is %pqexplore FILE")
    if importlib.util.find_spec("jupyter_server") is None:
        raise UsageError(MISSING)
    source = _source(asked.source)
    begun = _begun(source)  # it imports the engine while the server is imported here
    try:
        for unused in ("rfc3987_syntax", "isoduration"):
            # jsonschema has them for formats that jupyter_server does not use; the first takes a second for its grammar.
            sys.modules.setdefault(unused, None)  # type: ignore[arg-type]  # importing it raises ImportError
        from pqexplore.app.serve import serve

        title = os.path.basename(source["path"].rstrip("/")) or source["path"]
        with contextlib.suppress(KeyboardInterrupt):
            serve(source, title, begun, port=asked.port, browser=not asked.no_browser, say=lambda url: _say(out, url))
    finally:
        begun.end()
    return DONE


def _say(out: Out, url: str) -> None:
    out.lines([f"pqexplore serves {url}", "Ctrl-C ends it."])


def _source(given: str) -> Asked:
    """What to open; UsageError or OSError where there is nothing."""
    from pqexplore.engine.file.source import local_path

    path = local_path(given)
    if path is None:
        return {"kind": "url", "path": given}
    path = os.path.realpath(os.path.expanduser(path), strict=True)
    return {"kind": "folder" if os.path.isdir(path) else "file", "path": path}


def _begun(source: Asked) -> Process:
    from pqexplore.app import root
    from pqexplore.app.process import Process

    descriptor = None
    if source["kind"] == "file":
        try:
            folder, name = os.path.split(source["path"])
            descriptor = root.opened(folder, name, hidden=True).descriptor
        except root.OutsideError:
            raise UsageError(f"{source['path']} is not a regular file") from None
    return Process(source, descriptor)
