"""`pqexplore doctor FILE…`: what is wrong with files, what it costs, and what to do."""

from __future__ import annotations

import argparse
import dataclasses
import os
from typing import TYPE_CHECKING

from pqexplore.cli import files, keys, linting, notebook_variables, progress
from pqexplore.cli.out import DONE, UNREADABLE, Out

if TYPE_CHECKING:
    from pqexplore.insight.doctor.diagnose import Report
    from pqexplore.insight.doctor.readers.file_readers import Readers

DESCRIPTION = """\
Say what is wrong with each FILE, what it costs, and what to do, the worst first. Of a folder, say what is wrong with all
its files together: how many have which fault, and who wrote them. --each says it of each file in it, too."""

PREDICT, RUN = "predict", "run"


def add_options(made: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb that are its own."""
    made.add_argument(
        "--level",
        choices=("footer", "pages", "sample", "data", "all"),
        help="what is read: the footer; headers and indexes, too; a part of the pages, too (sample, of a folder footer); everything (data, also called all)",
    )
    linting.add_options(made, "the same as --fail-on slow")
    made.add_argument(
        "--readers",
        choices=(PREDICT, RUN),
        help="who can read it, by its features (predict, the default); by running the installed readers (run)",
    )
    made.add_argument(
        "--each",
        action="store_true",
        help="after a folder, each file in it; --readers and the formats of other tools say it of each file anyway",
    )
    made.add_argument(
        "--notes",
        action="store_true",
        help="notes with their places, what they cost and what to do; without it, and without --select, a line each",
    )
    made.add_argument("--sarif", action="store_true", help="the same as --output-format sarif")


def run(asked: argparse.Namespace, out: Out) -> int:
    """Run the verb. Returns the exit status."""
    asked.file = list(notebook_variables.spread(asked.file))
    from pqexplore.engine.errors import ParquetError, UsageError
    from pqexplore.insight.doctor.diagnose import diagnose
    from pqexplore.insight.trouble import unexpected

    lint = linting.linting(asked)
    own = lint.form in (linting.TEXT, linting.JSON)
    status = DONE
    for path in asked.file:
        if os.path.isdir(path) and own:
            status = max(status, _folder(path, asked, lint, out))
    for number, path in enumerate(_paths(asked, asked.each or not own or asked.readers is not None)):
        try:
            with progress.shown(path) as progressing:
                report = diagnose(
                    files.source(path), asked.level, decryption=keys.decryption(asked), progress=progressing
                )
            readers = report.readers(run=asked.readers == RUN) if asked.readers else None
        except ImportError:
            raise
        except Exception as error:  # any other exception than these is a fault of ours; it costs one file
            foreseen = isinstance(error, (ParquetError, UsageError, OSError))
            status = max(status, lint.fail(out, path, error if foreseen else unexpected(error)))
            continue
        wanted, others = lint.selection.split(report.findings)
        all_findings, report = report.findings, dataclasses.replace(report, findings=tuple(wanted), others=others)
        out.kept.append(report)
        status = max(status, lint.status(wanted))
        if not own:
            lint.report(out, report)
            continue
        if not asked.json and (number or any(map(os.path.isdir, asked.file))):
            out.say("")
        asked.notes = asked.notes or bool(lint.selection.select)
        _print(report, linting.others_line(others, all_findings), readers, asked, out)
    lint.finish(out)
    return status


def _print(report: Report, others_line: str, readers: Readers | None, asked: argparse.Namespace, out: Out) -> None:
    """Print a report as text or JSON; `others_line` says what is not listed."""
    from pqexplore.insight.doctor import report_text
    from pqexplore.insight.doctor.readers.file_readers import readers_document, readers_lines
    from pqexplore.insight.terminal import indented

    if asked.json:
        document = report_text.report_document(report)
        if readers is not None:
            document["readers"] = readers_document(readers)
        out.document("diagnosis", document)
        return
    out.say(report.name)
    out.lines(report_text.report_lines(report, out.room, asked.notes))
    if others_line:
        out.lines(["", *indented(others_line, out.room, 2)])
    if readers is not None:
        out.say("")
        out.lines(readers_lines(readers, out.room))


def _folder(path: str, asked: argparse.Namespace, lint: linting.Linting, out: Out) -> int:
    """Say what is wrong with the files of a folder together. Returns the exit status."""
    from pqexplore import lake as lakes
    from pqexplore.engine.errors import ParquetError, UsageError
    from pqexplore.insight.terminal import indented
    from pqexplore.lake.doctor.diagnosing import EMPTY, NOT_READ, OUTSIDE
    from pqexplore.lake.doctor.diagnosing import UNREADABLE as DAMAGED
    from pqexplore.lake.doctor.diagnosis_text import lake_document, lake_lines

    try:
        with lakes.scan(None, path, follow_outside=asked.follow_outside) as lake:
            report = lake.diagnose(asked.level or "footer")
        wanted, others = lint.selection.split(report.findings)
        line = linting.others_line(others, report.findings)
        report = dataclasses.replace(report, findings=tuple(wanted), others=others)
        out.kept.append(report)
    except (ParquetError, UsageError, OSError) as error:
        return out.fail(path, error, asked.json)
    if asked.json:
        out.document("lake-diagnosis", lake_document(report))
    else:
        out.say(path)
        out.lines(lake_lines(report, out.room))
        if line:
            out.lines(["", *indented(line, out.room, 2)])
    for one in report.findings:
        if one.rule in (DAMAGED, EMPTY, NOT_READ, OUTSIDE):
            return UNREADABLE
    return lint.status(report.findings)


def _paths(asked: argparse.Namespace, each: bool) -> list[str]:
    """The files that are given; with `each`, folders are replaced by the Parquet files in them, else left out."""
    given = [path for path in asked.file if each or not os.path.isdir(path)]
    return files.paths(given, follow_outside=asked.follow_outside)
