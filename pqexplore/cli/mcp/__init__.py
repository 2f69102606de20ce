"""`pqexplore mcp FOLDER…`: the verbs as tools for a client of the Model Context Protocol, over standard input and output.

`tools` has the tools: each makes the words of a command out of its typed arguments. `calls` runs them in a process of their
own (`one_call`), which prints the verb's JSON, cut to a length (`shortening`). `folders` decides what may be opened.
"""

from __future__ import annotations

import argparse

from pqexplore.cli import keys, notebook_variables
from pqexplore.cli.out import DONE, Out, Refused

DESCRIPTION = """\
Serve describe, diagnose, check, ask, diff, what_if, rows, schema, stats, explain and lake_report as tools of the Model Context
Protocol (MCP), over standard input and output, until the client goes. The tools read, and change no file. They open what
lies in each FOLDER, and no address unless --allow-url names its beginning. It needs the package mcp:
pip install pqexplore[mcp]"""


def add_options(made: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb that are its own."""
    made.add_argument(
        "folder", nargs="*", metavar="FOLDER", help="what lies here may be opened; the current folder if none is given"
    )
    made.add_argument(
        "--allow-url",
        action="append",
        default=[],
        metavar="PREFIX",
        help="also open addresses that are PREFIX, or begin with PREFIX and a slash; may be given several times",
    )
    made.add_argument("--seconds", type=float, default=60.0, metavar="N", help="how long a call may take (60)")


def run(asked: argparse.Namespace, out: Out) -> int:
    """Run the verb. Returns the exit status."""
    from pqexplore.engine.errors import UsageError

    if not asked.seconds > 0:
        raise Refused("--seconds is more than 0")
    if notebook_variables.VARIABLES.get() is not None:
        raise UsageError("mcp serves a client that starts it as a process: it is not for a notebook")
    from pqexplore.cli.mcp.folders import Folders

    folders = Folders.of(asked.folder or ["."], asked.allow_url, keys.key_files(asked))
    keys.decryption(asked)  # a key that cannot be read is said now, not in each call
    try:
        import mcp  # noqa: F401
    except ImportError:
        raise UsageError(
            "the Model Context Protocol needs a package that is not installed: pip install pqexplore[mcp]"
        ) from None
    from pqexplore.cli.mcp import tools

    tools.serve(tools.Tools(folders, asked.seconds, keys.words(asked)))
    return DONE
