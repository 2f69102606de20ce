"""The FILEs of a verb: paths, URLs, quoted patterns, folders, standard input; each is opened, answered and closed."""

from __future__ import annotations

import argparse
import errno
import functools
import glob
import os
import re
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from pqexplore.cli import keys, notebook_variables
from pqexplore.cli.out import DONE, UNREADABLE, Out

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.format.encryption.keys import Decryption
    from pqexplore.lake.rows.lake_table import LakeTable

ONE = "one file: a path, a URL, or - for standard input"
HELP = "a path, URL, pattern or folder of Parquet files, or - for standard input"


def add_files(parser: argparse.ArgumentParser) -> None:
    """Add FILE."""
    parser.add_argument("file", nargs="+", metavar="FILE", help=HELP)


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


def add_versions(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose an earlier state of a table."""
    for name, words in (("version", "N"), ("snapshot", "ID"), ("timestamp", "TIME")):
        parser.add_argument(f"--{name}", metavar=words, help=f"read the table at this {name}")


def each(
    asked: argparse.Namespace,
    out: Out,
    answer: Callable[[ParquetFile], int],
    folder: Callable[[str], int] | None = None,
    *,
    tables: Callable[[LakeTable], int] | None = None,
    apart: bool | None = None,
) -> int:
    """Open each file, and give it to `answer`; or a folder as a whole to `folder`. The highest of their statuses.

    With `tables`, folders, patterns and tables of libraries are given to it as tables, each with its live rows.

    `apart` says whether an empty line is between two answers; by default it is, unless they are JSON. A file that cannot be
    read is reported, and the others are answered all the same.
    """
    from pqexplore.engine.errors import UsageError

    status = DONE
    apart = not asked.json if apart is None else apart
    whole = folder is not None or tables is not None
    given = paths(asked.file, folders=whole, patterns=tables is not None, follow_outside=asked.follow_outside)
    for position, path in enumerate(given):
        if position and apart:
            out.say()

        def work(path: str = path) -> int:
            if tables is not None and is_many(path):
                return _each_table(path, asked, out, tables, answer, apart)
            if folder is not None and os.path.isdir(path) and not isinstance(path, NotFollowed):
                return folder(path)
            if tables is not None and (asked.version, asked.snapshot, asked.timestamp) != (None, None, None):
                raise UsageError("--version, --snapshot and --timestamp are for tables; this is a file")
            return _of_file(path, asked, out, answer)

        status = max(status, _guarded(path, asked, out, work))
    return status


def _guarded(path: str, asked: argparse.Namespace, out: Out, work: Callable[[], int]) -> int:
    """The status of some work on a FILE; what cannot be read is reported."""
    from pqexplore.engine.errors import ParquetError, UsageError
    from pqexplore.insight.trouble import faults, unexpected

    try:
        with faults() as found:
            status = work()
        for fault in found:  # each cost one part of the answer
            out.fail(path, fault)
        return UNREADABLE if found else status
    except (ParquetError, UsageError, OSError) as error:
        return out.fail(path, error, asked.json)
    except ImportError:  # an extra is not installed: its message says what to do
        raise
    except Exception as error:  # the net: a fault of ours costs one file
        return out.fail(path, unexpected(error), asked.json)


def _of_file(path: str, asked: argparse.Namespace, out: Out, answer: Callable[[ParquetFile], int]) -> int:
    with out.using(opened(path, asked)) as file:
        return answer(file)


def _each_table(
    path: str,
    asked: argparse.Namespace,
    out: Out,
    of_table: Callable[[LakeTable], int],
    of_file: Callable[[ParquetFile], int],
    apart: bool,
) -> int:
    """Answer for each table of a folder, a pattern, or a table of a library. Returns the highest status.

    Files that a pattern names are answered one by one, as if the shell had named them, unless a log has them.
    """
    from pqexplore.lake.logs.table_log import version_of
    from pqexplore.lake.places.opening import How
    from pqexplore.lake.rows.opening_tables import tables_of

    how = How(keys.decryption(asked), follow_outside=asked.follow_outside)
    version = version_of(number(asked.version), number(asked.snapshot), asked.timestamp)
    works: list[tuple[str, Callable[[], int]]] = []
    for table in tables_of(source(path), how, version):
        if (
            table.format
            or isinstance(path, notebook_variables.Held)
            or not glob.has_magic(path)
            or os.path.lexists(path)
        ):
            works.append((table.path, functools.partial(of_table, table)))
        else:
            found = [_allowed(one.entry.path, one.entry.error) for one in table.parts]
            works += [(one, functools.partial(_of_file, one, asked, out, of_file)) for one in found]
    status = DONE
    for position, (name, work) in enumerate(works):
        if position and apart:
            out.say()
        status = max(status, _guarded(name, asked, out, work))
    return status


def is_many(path: str) -> bool:
    """Whether a FILE is a folder, a pattern, or a table of a library."""
    if isinstance(path, NotFollowed) or path == "-":
        return False
    if not isinstance(path, notebook_variables.Held) and os.path.isfile(path):
        return False  # without the imports of a lake
    from pqexplore.lake.listing.catalog import is_table
    from pqexplore.lake.listing.choice import is_file

    what = source(path)
    return is_table(what) if isinstance(path, notebook_variables.Held) else not is_file(what, None, None)


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

    if isinstance(path, notebook_variables.Held):
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
    given: Sequence[str],
    *,
    folders: bool = False,
    patterns: bool = False,
    frames: bool = False,
    follow_outside: bool = False,
) -> list[str]:
    """What is given, with the files of folders and patterns in their place, unless `folders` and `patterns` stay.

    Of a table, these are the live files by its log; of other folders, the Parquet files that are not hidden. A link that
    leads out of a folder or of that of a pattern is a `NotFollowed`, unless `follow_outside`.

    A variable of a notebook stands for what it holds. A Spark DataFrame stands for its files, unless `frames` stay.

    A folder without Parquet files and a pattern that matches nothing stay as they are: opening them says what is wrong.
    """
    found: list[str] = []
    for path in notebook_variables.spread(given):
        if isinstance(path, notebook_variables.Held):
            found += [path] if frames else notebook_variables.each_file(path)
        elif os.path.isdir(path):
            found += [path] if folders else live_files(path, follow_outside) or [path]
        elif not patterns and glob.has_magic(path) and "://" not in path and not os.path.lexists(path):
            found += _matches(os.path.expanduser(path), folders, follow_outside) or [path]
        else:
            found.append(path)
    return found


def live_files(source: str, follow_outside: bool = False) -> list[str]:
    """The files that a scan of a folder or pattern reads, by their names; `NotFollowed` for links that lead out.

    None if it names no files.
    """
    from pqexplore.engine.errors import UsageError
    from pqexplore.lake.listing import listing

    try:
        listed = listing(source, follow_outside=follow_outside)
    except UsageError:
        return []
    found = [one.path for one in listed.entries]
    found += [NotFollowed(one.path, one.error) for one in listed.others if one.error is not None]
    return sorted(found)


def _matches(pattern: str, folders: bool, follow_outside: bool) -> list[str]:
    """What a pattern names, sorted; folders only if they stay."""
    matches = sorted(glob.glob(pattern, recursive=True)) if folders else []
    if any(map(os.path.isdir, matches)):
        from pqexplore.lake.places.allowed_paths import Boundary
        from pqexplore.lake.places.disk import Disk

        fixed = os.path.dirname(re.split(r"[*?\[]", pattern, maxsplit=1)[0])
        boundary = Boundary(Disk(), os.path.abspath(fixed), follow_outside)
        return [_allowed(one, boundary.refusal(os.path.abspath(one))) for one in matches]
    return live_files(pattern, follow_outside)


def _allowed(path: str, refusal: str | None) -> str:
    return path if refusal is None else NotFollowed(path, refusal)
