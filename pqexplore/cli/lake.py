"""`pqexplore lake DIR`: many files at once: what is wrong with them, and stored questions about them."""

from __future__ import annotations

import argparse
import fnmatch
import glob
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from pqexplore.cli import files, html_page, linting, notebook_variables, progress, text_tables
from pqexplore.cli.out import DONE, FOUND, Out, Refused

if TYPE_CHECKING:
    from pqexplore.lake.lake import Lake
    from pqexplore.lake.report.report import ActionReport

DESCRIPTION = """\
Read the footers of all files of DIR: a folder, a URL, or a Delta or Iceberg table, where only the live files count. Say
whether they are sound, what grew, what to compact, what to sort by, and who wrote them; then what is wrong, the worst
first, and which others lie in the folder. --report says what to do, first
things first, with what it saves, what breaks in which engine if nothing is done, and commands. --view answers a stored
question; --list names them. --history compares the runs of a folder of --out."""


DELETED_ROWS = "deletion_vector_*.bin"
"""The names of a Delta table's files of deleted rows."""


def add_options(made: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb that are its own."""
    made.add_argument("dir", nargs="?", metavar="DIR", help="a folder, a URL or a table")
    made.add_argument("--view", metavar="NAME", help="answer this stored question")
    made.add_argument("--list", action="store_true", help="list the stored questions")
    made.add_argument("--sql", metavar="QUERY", help="ask DuckDB about the tables (files, chunks, …) and views")
    made.add_argument(
        "--where",
        action="append",
        default=[],
        metavar="SQL",
        help="a condition that queries ask: what to sort by is tried for it; may be given several times",
    )
    made.add_argument("--history", action="store_true", help="compare the runs of DIR, a folder of --out")
    made.add_argument(
        "--level",
        choices=("chunks", "pages"),
        default="chunks",
        help="what is read: footers; page headers and indexes, too",
    )
    made.add_argument("--processes", type=int, metavar="N", help="read with N processes; 0: with this one")
    made.add_argument("--out", metavar="FOLDER", help="keep what was read in this folder, or at this URL")
    made.add_argument("--resume", action="store_true", help="go on with a scan into this folder that did not finish")
    made.add_argument("--report", action="store_true", help="say what to do, first things first")
    made.add_argument(
        "--html", metavar="PAGE", help="write the first screen, or with --report the report, as an HTML page, too"
    )
    made.add_argument(
        "--fail-on",
        type=linting.rule_list,
        action="extend",
        metavar="NAME[,NAME]",
        help="exit status 1 from this severity on (damage, wrong, portability, wasteful, slow, note; error is wrong, "
        "warning is slow), or for this rule (docs/rules.md); wrong if it is not given: damage, wrong answers, and a "
        "table that an engine cannot read",
    )


def run(asked: argparse.Namespace, out: Out) -> int:
    """Run the verb. Returns the exit status."""
    from pqexplore.insight.terminal import wrap
    from pqexplore.lake.views import VIEWS

    if asked.list:
        if asked.json:
            out.document("views", {"views": {one.name: one.question for one in VIEWS.values()}})
        else:
            for one in VIEWS.values():
                out.lines(wrap(f"{one.name:<22} {one.question}", out.room, " " * 23))
        return DONE
    _check(asked, list(VIEWS))
    linting.selection(asked)  # before the work
    from pqexplore import lake as lakes
    from pqexplore.engine.errors import ParquetError, UsageError

    try:
        asked.dir = notebook_variables.one(asked.dir)
        if asked.history:
            return _compared(lakes.open(asked.dir, follow_outside=asked.follow_outside), asked, out)
        with _page(asked, out) as write, out.using(_scanned(asked)) as lake:
            if lake.spark is not None:
                print(by_spark(lake), file=out.troubles)
            if asked.view is None and asked.sql is None:
                return _diagnosed(lake, asked, out, write)
            return _answered(lake, asked, out)
    except (ParquetError, UsageError, OSError) as error:
        return out.fail(asked.dir, error, asked.json)


def _check(asked: argparse.Namespace, views: Sequence[str]) -> None:
    """Refuse arguments that do not go together."""
    questions = (asked.view is not None, asked.sql is not None, asked.history)
    for wrong, said in (
        (asked.processes is not None and asked.processes < 0, "--processes is a number from 0 on"),
        (asked.dir is None, "DIR is missing; --list goes without it"),
        (asked.resume and asked.out is None, "--resume goes with --out: the folder of the scan that did not finish"),
        (asked.view not in (None, *views), f"there is no view {asked.view!r}; there are {', '.join(views)}"),
        (sum(questions) > 1, "--view, --sql and --history do not go together"),
        (asked.html is not None and any(questions), "--html goes without --view, --sql and --history"),
        (
            bool(asked.where) and (any(questions) or asked.report),
            "--where goes without --view, --sql, --history and --report",
        ),
        (
            (asked.report or asked.fail_on) and any(questions),
            "--report and --fail-on do not go with --view, --sql and --history",
        ),
    ):
        if wrong:
            raise Refused(said)


def _scanned(asked: argparse.Namespace) -> Lake:
    """The lake of DIR."""
    from pqexplore import lake as lakes

    with progress.shown(asked.dir) as shown:
        return lakes.scan(
            notebook_variables.session(),
            getattr(asked.dir, "table", "") or files.source(asked.dir),
            asked.level,
            asked.out,
            version=files.number(asked.version),
            snapshot=files.number(asked.snapshot),
            timestamp=asked.timestamp,
            follow_outside=asked.follow_outside,
            spark_from=notebook_variables.MANY,
            processes=asked.processes,
            resume=asked.resume,
            progress=shown and (lambda one: shown(one.files / max(1, one.total))),
        )


def _page(asked: argparse.Namespace, out: Out) -> AbstractContextManager[Callable[[str], None] | None]:
    """What writes the page of the first screen or of the report; None without --html."""
    if asked.html is None:
        return nullcontext()
    return html_page.writing(asked, _read(files.source(asked.dir)), out, quiet=True)


def _read(folder: object) -> Iterator[str]:
    """The files that a scan of a folder or pattern may read: Parquet files, and those of a table's log."""
    from pqexplore.lake.listing.names import PATTERNS

    if not isinstance(folder, str):
        return
    yield from glob.iglob(folder, recursive=True)
    yield folder
    for place, _, below in os.walk(folder):
        in_log = os.path.basename(place) in ("_delta_log", "metadata")
        for name in below:
            if in_log or any(fnmatch.fnmatch(name, pattern) for pattern in (*PATTERNS, DELETED_ROWS)):
                yield os.path.join(place, name)


def by_spark(lake: Lake) -> str:
    """Says that Spark read the files, which nobody asked for by name."""
    return f"{lake.manifest.run['num_files']:,} files: read by the active Spark session"


def _answered(lake: Lake, asked: argparse.Namespace, out: Out) -> int:
    """Print the rows of a view or a query."""
    import pyarrow as pa

    from pqexplore.insight.json_values import plain
    from pqexplore.insight.terminal import indented
    from pqexplore.lake.views import VIEWS

    table = lake.sql(VIEWS[asked.view].sql() if asked.sql is None else asked.sql)
    if not isinstance(table, pa.Table):  # of Spark; 3.5 has no toArrow
        table = pa.Table.from_pandas(table.toPandas(), preserve_index=False)
    out.kept.append(table)
    if asked.json:
        rows = text_tables.arrow_rows(table)
        out.document("lake-rows", {"name": plain(asked.dir), "view": asked.view, "rows": rows})
        return DONE
    out.say(f"{asked.dir}: {asked.view or asked.sql}")
    if asked.view is not None:
        out.lines(indented(VIEWS[asked.view].question, out.room, 2))
    out.lines(text_tables.arrow_lines(table, out.room) if table.num_rows else ["  no rows"])
    return DONE


def _compared(lake: Lake, asked: argparse.Namespace, out: Out) -> int:
    """Print how the lake changed from run to run."""
    from pqexplore.insight.json_values import plain
    from pqexplore.insight.terminal import indented

    history = lake.history()
    out.kept.append(history)
    found = {name: getattr(history, name) for name in ("growth", "drift", "overlap", "problems")}
    if asked.json:
        rows = {name: text_tables.arrow_rows(table) for name, table in found.items()}
        said = {"sentence": history.sentence, "remarks": list(history.remarks)}
        out.document("lake-history", {"name": plain(asked.dir), **said, **rows})
        return DONE
    out.say(asked.dir)
    for text in (history.sentence, *history.remarks):
        out.lines(indented(text, out.room, 2))
    for name, table in found.items():
        if table.num_rows:
            out.say()
            out.say(name)
            out.lines(text_tables.arrow_lines(table, out.room))
    return DONE


def _diagnosed(lake: Lake, asked: argparse.Namespace, out: Out, write: Callable[[str], None] | None) -> int:
    """Print how many files there are, and what is wrong with them; or the report."""
    from pqexplore.insight.json_values import plain
    from pqexplore.insight.terminal import indented
    from pqexplore.lake.doctor.diagnosis_text import lake_document, lake_lines, table_lines
    from pqexplore.lake.logs.vacuum_candidates import state_lines, states
    from pqexplore.lake.report.answers import answers_of
    from pqexplore.lake.report.report import with_commands

    wanted = linting.selection(asked).fail_on
    if asked.report:
        return FOUND if _reported(lake, asked, out, write).failing(wanted) else DONE
    report = with_commands(lake, lake.diagnose(processes=asked.processes))
    answers = answers_of(lake, report, asked.where)
    out.kept.append(lake)
    if write is not None:
        from pqexplore.lake.panels.page import page

        write(page(lake, report=report))
    status = FOUND if report.failing(wanted) else DONE
    if asked.json:
        more = {
            "answers": plain(answers),
            "states": plain(states(lake)),
            "tables": text_tables.arrow_rows(lake.dataset("tables").to_table()),
        }
        out.document("lake-diagnosis", lake_document(report) | more)
        return status
    out.say(asked.dir)
    out.lines(lake_lines(report, out.room, answers.lines))
    for line in state_lines(lake):
        out.lines(indented(line, out.room, 2))
    out.lines(table_lines(lake, out.room))
    return status


def _reported(lake: Lake, asked: argparse.Namespace, out: Out, write: Callable[[str], None] | None) -> ActionReport:
    """Print the report, and write its page."""
    report = lake.report(processes=asked.processes)
    out.kept.append(report)
    if write is not None:
        write(report.to_html())
    if asked.json:
        out.document("lake-report", report.document())
    else:
        out.say(asked.dir)
        out.lines(report.to_text(out.room).splitlines())
    return report
