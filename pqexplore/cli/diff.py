"""`pqexplore diff A B…`: what differs between two files, folders or tables, or which of many files is the odd one out."""

from __future__ import annotations

import argparse

from pqexplore.cli import files, keys, names, page
from pqexplore.cli.out import DONE, FOUND, UNREADABLE, USAGE, Out, add_force, add_output, of_verb

DESCRIPTION = """\
Say what differs between two files: schema, layout, sizes with their causes, and, at level data, values. Of two folders,
Delta or Iceberg tables, or versions of one table (diff TABLE --version 3 --to 5): which files, rows and columns. Of three
files or more: which have something that the others do not.

Exit status: 0 nothing differs, 1 something differs, 2 usage, 3 a file could not be read or written."""

SAME, DIFFERENT = DONE, FOUND


def parser() -> argparse.ArgumentParser:
    """The options of the verb."""
    made = of_verb("diff", DESCRIPTION)
    made.add_argument("file", nargs="+", metavar="FILE", help="two or more paths or URLs, or one table")
    made.add_argument(
        "--level",
        choices=("footer", "pages", "data"),
        default="footer",
        help="what is read of two files: the footers; page headers, too; all values",
    )
    made.add_argument("--columns", metavar="A,B", help="the columns of two files to compare, dotted")
    made.add_argument("--version", metavar="N", help="the version or snapshot of the first table")
    made.add_argument("--to", metavar="N", help="that of the second, or of the same table; the newest by default")
    add_output(made)
    files.add_follow_outside(made)
    keys.add_options(made)
    made.add_argument(
        "--html", metavar="PAGE", help="write the explorer of two files, with their map, as one page; - to print it"
    )
    add_force(made)
    return made


def run(words: list[str], out: Out) -> int:
    """Run the verb. Returns the exit status."""
    options = parser()
    asked = options.parse_args(words)
    asked.file = files.paths(asked.file, folders=True, follow_outside=asked.follow_outside)
    if len(asked.file) < 2 and asked.version is None:
        options.error("diff needs two files or more, or a table and --version")
    if len(asked.file) > 2:
        if asked.level != "footer" or asked.columns or asked.version or asked.to:
            options.error("--level, --columns, --version and --to are for two files or tables")
        if asked.html is not None:
            options.error("--html is for two files")
        if any(isinstance(path, names.Held) for path in asked.file):
            options.error("three files or more are paths or URLs")
        return _many(asked, out)
    if asked.html is not None:
        if len(asked.file) < 2 or asked.version or asked.to:
            options.error("--html is for two files")
        if asked.json or asked.columns:
            options.error("--html goes with neither --json nor --columns")
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
        out.fail(" and ".join(asked.file), error, asked.json)
        return USAGE if isinstance(error, UsageError) else UNREADABLE
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
        page.writing(asked, files.local_names(asked, first, second), out) as write,
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
