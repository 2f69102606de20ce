"""The page of --html: a file that is refused before the work, and complete or absent; or standard output."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from pqexplore.cli.out import Out


@contextmanager
def writing(
    asked: argparse.Namespace, sources: Iterable[str], out: Out, *, quiet: bool = False
) -> Iterator[Callable[[str], None]]:
    """Gives a function that writes the page, and says so unless `quiet`. Raises as `output_file.writing` does."""
    from pqexplore.engine import output_file

    if asked.html == "-":
        yield lambda page: out.write(page + "\n")
        return
    written = 0
    with output_file.writing(asked.html, overwrite=asked.force, sources=sources) as file:

        def write(page: str) -> None:
            nonlocal written
            written += file.write(page.encode())

        yield write
    if not quiet:
        out.say(f"wrote {asked.html}, {written:,} bytes")
