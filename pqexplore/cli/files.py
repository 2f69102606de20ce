"""The FILEs of a verb: paths, URLs, quoted patterns, folders, standard input; each is opened, answered and closed."""

from __future__ import annotations

import argparse
import fnmatch
import glob
import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from pqexplore.cli import keys, names
from pqexplore.cli.out import DONE, UNREADABLE, USAGE, Out, add_output

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.format.encryption.keys import Decryption

ONE = "one file: a path, a URL, or - for standard input"
HELP = "a path, URL, pattern or folder of Parquet files, or - for standard input"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add FILE, the options of encrypted files, and --json."""
    parser.add_argument("file", nargs="+", metavar="FILE", help=HELP)
    add_output(parser, "print JSON, a line for each FILE")
    keys.add_options(parser)


def each(
    asked: argparse.Namespace,
    out: Out,
    answer: Callable[[ParquetFile], int],
    folder: Callable[[str], int] | None = None,
    *,
    apart: bool | None = None,
) -> int:
    """Open each file, and give it to `answer`; or a folder as a whole to `folder`. The highest of their statuses.

    `apart` says whether an empty line is between two answers; by default it is, unless they are JSON. A file that cannot be read is reported, and the others are answered all the same.
    """
    status = DONE
    for position, path in enumerate(paths(asked.file, folders=folder is not None)):
        if position and (not asked.json if apart is None else apart):
            out.say()
        status = max(status, _one(path, asked, out, answer, folder))
    return status


def _one(
    path: str,
    asked: argparse.Namespace,
    out: Out,
    answer: Callable[[ParquetFile], int],
    folder: Callable[[str], int] | None,
) -> int:
    from pqexplore.engine.errors import ParquetError, UsageError

    try:
        if folder is not None and os.path.isdir(path):
            return folder(path)
        with out.using(opened(path, asked)) as file:
            return answer(file)
    except UsageError as error:
        out.fail(path, error, asked.json)
        return USAGE
    except (ParquetError, OSError) as error:
        out.fail(path, error, asked.json)
        return UNREADABLE


def opened(path: str, asked: argparse.Namespace) -> AbstractContextManager[ParquetFile]:
    """The file at a path, with the keys that were given."""
    return file_of(path, keys.decryption(asked))


def file_of(path: str, decryption: Decryption | None = None) -> AbstractContextManager[ParquetFile]:
    """The file at a path, with keys; closed at the end, unless a variable holds it open."""
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.file.file import open as open_file

    what = source(path)
    if isinstance(what, ParquetFile):
        return nullcontext(what)
    return open_file(what, decryption=decryption)


def source(path: str) -> Any:
    """What to open for a path that was given: the path, standard input, or what a variable holds."""
    from pqexplore.engine.file.local_file import STANDARD_INPUT

    if isinstance(path, names.Held):
        return path.source
    return STANDARD_INPUT if path == "-" else path


def local_names(*given: str) -> list[str]:
    """The paths of the files that are read, for what is given."""
    from pqexplore.engine.writer.file import source_names

    return [name for one in given for name in source_names(source(one))]


def number(text: str | None) -> int | str | None:
    """A version that was given: a number, or the name of a branch or tag."""
    return int(text) if text and text.isdecimal() else text


def paths(given: Sequence[str], *, folders: bool = False, frames: bool = False) -> list[str]:
    """What is given, with the Parquet files of patterns in their place, sorted; and of folders, unless `folders` stay.

    A variable of a notebook stands for what it holds. A Spark DataFrame stands for its files, unless `frames` stay.

    A folder without Parquet files and a pattern that matches nothing stay as they are: opening them says what is wrong.
    """
    found: list[str] = []
    for path in names.spread(given):
        if isinstance(path, names.Held):
            found += [path] if frames else names.each_file(path)
        elif os.path.isdir(path):
            found += [path] if folders else below(path) or [path]
        elif glob.has_magic(path) and "://" not in path and not os.path.lexists(path):
            matches = sorted(glob.glob(os.path.expanduser(path), recursive=True))
            found += [one for one in matches if folders or not os.path.isdir(one)] or [path]
        else:
            found.append(path)
    return found


def below(folder: str) -> list[str]:
    """The Parquet files in a folder and in those below it, by their names."""
    from pqexplore.lake.listing.names import PATTERNS

    return sorted(
        os.path.join(place, name)
        for place, _, names in os.walk(folder)
        for name in names
        if any(fnmatch.fnmatch(name, pattern) for pattern in PATTERNS)
    )
