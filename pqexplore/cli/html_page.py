"""The page of --html: a file that is refused before the work, and complete or absent; or standard output."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from pqexplore.cli.out import Out


@contextmanager
def writing(
    asked: argparse.Namespace, sources: Iterable[str], out: Out, *, quiet: bool = False
) -> Iterator[Callable[[str], None]]:
    """Gives a function that writes the page, and says so unless `quiet`.

    Raises as `output_file.writing` does, and TargetError for a Parquet file: a page replaces none.
    """
    from pqexplore.engine import output_file

    if asked.html == "-":
        yield lambda page: out.write(page + "\n")
        return
    written = 0
    sources = list(sources)
    _refuse_parquet(asked.html, sources)
    with output_file.writing(asked.html, overwrite=asked.force, sources=sources) as file:

        def write(page: str) -> None:
            nonlocal written
            written += file.write(page.encode())

        yield write
    if not quiet:
        out.say(f"wrote {asked.html}, {written:,} bytes")


def require(asked: argparse.Namespace, sources: list[str]) -> None:
    """Raise what `writing` raises before the work."""
    from pqexplore.engine import output_file

    if asked.html != "-":
        _refuse_parquet(asked.html, sources)
        output_file.require(asked.html, overwrite=asked.force, sources=sources)


def _refuse_parquet(path: str, sources: list[str]) -> None:
    from pqexplore.engine import output_file

    if os.path.isfile(path) and not output_file.is_one_of(path, sources):
        from pqexplore.engine.errors import TargetError
        from pqexplore.lake.listing.names import has_magic

        if has_magic(path):
            raise TargetError(path, "is a Parquet file, which a page does not replace; name another one")
