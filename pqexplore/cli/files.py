"""The FILEs of a verb: paths, URLs, quoted patterns, folders, standard input; each is opened, answered and closed."""

from __future__ import annotations

import argparse
import errno
import fnmatch
import glob
import os
import re
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
    add_follow_outside(parser)
    keys.add_options(parser)


def add_follow_outside(parser: argparse.ArgumentParser) -> None:
    """Add the option that allows files outside of a folder or table."""
    parser.add_argument(
        "--follow-outside", action="store_true", help="also read what links and logs name outside of a folder or table"
    )


class NotFollowed(str):
    """Stands in the place of a link that leads out of a folder; `refusal` says where to."""

    refusal: str

    def __new__(cls, path: str, refusal: str) -> NotFollowed:
        """Make one of the link's path and the reason."""
        made = super().__new__(cls, path)
        made.refusal = refusal
        return made


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
    given = paths(asked.file, folders=folder is not None, follow_outside=asked.follow_outside)
    for position, path in enumerate(given):
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
    from pqexplore.insight.trouble import faults, unexpected

    try:
        with faults() as found:
            if folder is not None and os.path.isdir(path) and not isinstance(path, NotFollowed):
                status = folder(path)
            else:
                with out.using(opened(path, asked)) as file:
                    status = answer(file)
        for fault in found:  # each cost one part of the answer
            out.fail(path, fault)
        return UNREADABLE if found else status
    except UsageError as error:
        out.fail(path, error, asked.json)
        return USAGE
    except (ParquetError, OSError) as error:
        out.fail(path, error, asked.json)
        return UNREADABLE
    except ImportError:  # an extra is not installed: its message says what to do
        raise
    except Exception as error:  # the net: a fault of ours costs one file
        out.fail(path, unexpected(error), asked.json)
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
    """What to open for a path that was given: the path, standard input, or what a variable holds.

    PermissionError for a link that is not followed.
    """
    from pqexplore.engine.file.local_file import STANDARD_INPUT

    if isinstance(path, names.Held):
        return path.source
    if isinstance(path, NotFollowed):
        raise PermissionError(errno.EPERM, f"{path}: {path.refusal}", str(path))
    return STANDARD_INPUT if path == "-" else path


def local_names(asked: argparse.Namespace, *given: str) -> list[str]:
    """The paths of the files that are read: those of what is given, and of keys."""
    from pqexplore.engine.output_file import source_names

    return [*keys.key_files(asked), *(name for one in given for name in source_names(source(one)))]


def number(text: str | None) -> int | str | None:
    """A version that was given: a number, or the name of a branch or tag."""
    return int(text) if text and text.isdecimal() else text


def paths(
    given: Sequence[str], *, folders: bool = False, frames: bool = False, follow_outside: bool = False
) -> list[str]:
    """What is given, with the Parquet files of patterns in their place, sorted; and of folders, unless `folders` stay.

    A variable of a notebook stands for what it holds. A Spark DataFrame stands for its files, unless `frames` stay.

    A link that leads out of a folder or of that of a pattern is a `NotFollowed`, unless `follow_outside`.

    A folder without Parquet files and a pattern that matches nothing stay as they are: opening them says what is wrong.
    """
    found: list[str] = []
    for path in names.spread(given):
        if isinstance(path, names.Held):
            found += [path] if frames else names.each_file(path)
        elif os.path.isdir(path):
            found += [path] if folders else below(path, follow_outside) or [path]
        elif glob.has_magic(path) and "://" not in path and not os.path.lexists(path):
            found += _matches(os.path.expanduser(path), folders, follow_outside) or [path]
        else:
            found.append(path)
    return found


def below(folder: str, follow_outside: bool = False) -> list[str]:
    """The Parquet files in a folder and in those below it, by their names; `NotFollowed` for links that lead out."""
    from pqexplore.lake.allowed_paths import Boundary
    from pqexplore.lake.listing.names import PATTERNS
    from pqexplore.lake.places.disk import Disk

    items, refused = Boundary(Disk(), folder, follow_outside).walk(folder, lambda _: True)
    files = {item.path for item in items}
    found = [
        _allowed(path, refused.get(path))
        for path in files | refused.keys()
        if path not in files or any(fnmatch.fnmatch(os.path.basename(path), p) for p in PATTERNS)
    ]
    return sorted(found)


def _matches(pattern: str, folders: bool, follow_outside: bool) -> list[str]:
    """What a pattern names, sorted."""
    from pqexplore.lake.allowed_paths import Boundary
    from pqexplore.lake.places.disk import Disk

    fixed = os.path.dirname(re.split(r"[*?\[]", pattern, maxsplit=1)[0])
    boundary = Boundary(Disk(), os.path.abspath(fixed), follow_outside)
    return [
        _allowed(one, boundary.refusal(os.path.abspath(one)))
        for one in sorted(glob.glob(pattern, recursive=True))
        if folders or not os.path.isdir(one)
    ]


def _allowed(path: str, refusal: str | None) -> str:
    return path if refusal is None else NotFollowed(path, refusal)
