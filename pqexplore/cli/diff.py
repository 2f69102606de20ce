"""`pqexplore diff A B…`: what differs between two files, folders or tables, or which of many files is the odd one out."""

from __future__ import annotations

import argparse

from pqexplore.cli import files, html_page, keys, notebook_variables
from pqexplore.cli.out import DONE, FOUND, UNREADABLE, Out, Refused

DESCRIPTION = """\
Say what differs between two files: schema, layout, sizes with their causes, and, at level data, values. Of two folders,
Delta or Iceberg tables, or versions of one table (diff TABLE --version 3 --to 5): which files, rows and columns. Of three
files or more: which have something that the others do not."""

SAME, DIFFERENT = DONE, FOUND


def add_options(made: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb that are its own."""
    made.add_argument("file", nargs="+", metavar="FILE", help="two or more paths or URLs, or one table")
    made.add_argument(
        "--level",
        choices=("footer", "pages", "data"),
        help="what is read of two files: the footers; page headers, too; all values. Without it the footers, and all values of "
        "two local files of up to 8 MB if the footers show other values, or do not explain the sizes",
    )
    made.add_argument("--columns", "--column", metavar="A,B", help="the columns of two files to compare, dotted")
    made.add_argument("--version", metavar="N", help="the version or snapshot of the first table")
    made.add_argument("--to", metavar="N", help="that of the second, or of the same table; the newest by default")
    made.add_argument(
        "--html", metavar="PAGE", help="write the explorer of two files, with their map, as one page; - to print it"
    )


def run(asked: argparse.Namespace, out: Out) -> int:
    """Run the verb. Returns the exit status."""
    asked.file = files.paths(asked.file, folders=True, follow_outside=asked.follow_outside)
    if len(asked.file) < 2 and asked.version is None:
        raise Refused("diff needs two files or more, or a table and --version")
    if len(asked.file) > 2:
        if asked.level or asked.columns or asked.version or asked.to:
            raise Refused("--level, --columns, --version and --to are for two files or tables")
        if asked.html is not None:
            raise Refused("--html is for two files")
        if any(isinstance(path, notebook_variables.Held) for path in asked.file):
            raise Refused("three files or more are paths or URLs")
        return _many(asked, out)
    if asked.html is not None:
        if len(asked.file) < 2 or asked.version or asked.to:
            raise Refused("--html is for two files")
        if asked.json or asked.columns:
            raise Refused("--html goes with neither --json nor --columns")
    return _two(asked, out)


def _two(asked: argparse.Namespace, out: Out) -> int:
    from pqexplore.engine.errors import ParquetError, UsageError
    from pqexplore.insight.diff.diff import Diff
    from pqexplore.lake.comparing import diff

    columns = asked.columns.split(",") if asked.columns else None
    first, second = (*asked.file, None)[:2]
    version, to = files.number(asked.version), files.number(asked.to)
    try:
        if asked.html is not None:
            return _page(first, second, asked, out)
        found = diff(
            files.source(first),
            None if second is None else files.source(second),
            asked.level,
            version=version,
            to=to,
            columns=columns,
            decryption=keys.decryption(asked),
            follow_outside=asked.follow_outside,
        )
    except (ParquetError, UsageError, OSError) as error:
        return out.fail(" and ".join(asked.file), error, asked.json)
    out.kept.append(found)
    if asked.json:
        out.document("diff" if isinstance(found, Diff) else "lake-diff", found.document)
    else:
        out.lines(found.lines(out.room))
    if not isinstance(found, Diff) and found.unread:
        return UNREADABLE
    return SAME if found.same else DIFFERENT


def _page(first: str, second: str, asked: argparse.Namespace, out: Out) -> int:
    """Writes the explorer of the first file, with the lens diff, as a page."""
    from pqexplore.insight.diff.second_file import compared
    from pqexplore.insight.steps import finish
    from pqexplore.widget.explorer import explore

    with (
        html_page.writing(asked, files.local_names(asked, first, second), out) as write,
        files.opened(first, asked) as file,
        files.opened(second, asked) as other,
    ):
        found = finish(compared(file, other, asked.level))
        write(explore(file, against=other).to_html())
    return SAME if found.same else DIFFERENT


def _many(asked: argparse.Namespace, out: Out) -> int:
    from pqexplore.insight.diff import odd_files

    found = odd_files.compare(asked.file, decryption=keys.decryption(asked))
    out.kept.append(found)
    if asked.json:
        out.document("many-diffs", found.document)
    else:
        out.lines(found.lines(out.room))
    if found.unread:
        return UNREADABLE
    return DIFFERENT if found.odd else SAME
