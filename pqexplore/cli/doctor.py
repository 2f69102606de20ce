"""`pqexplore doctor FILE…`: what is wrong with files, what it costs, and what to do."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from pqexplore.cli import files, keys, names, progress
from pqexplore.cli.out import DONE, FOUND, UNREADABLE, Out

if TYPE_CHECKING:
    from pqexplore.insight.doctor.diagnose import Report

DESCRIPTION = """\
Say what is wrong with each FILE, what it costs, and what to do, the worst first. Of a folder, say what is wrong with all
its files together: how many have which fault, and who wrote them. --each says it of each file in it, too."""

SEVERITIES = ("damage", "wrong", "portability", "wasteful", "slow", "note")
"""Names for --fail-on, the worst first: the names of the members of `Severity`, in lower case."""
PREDICT, RUN = "predict", "run"


def add_options(made: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb that are its own."""
    made.add_argument(
        "--level",
        choices=("footer", "pages", "sample", "data", "all"),
        help="what is read: the footer; headers and indexes, too; a part of the pages, too (sample, of a folder footer); everything (data, also called all)",
    )
    made.add_argument(
        "--fail-on", choices=SEVERITIES, default="wrong", help="exit status 1 from this severity on (wrong)"
    )
    made.add_argument("--strict", action="store_true", help="the same as --fail-on slow")
    made.add_argument(
        "--readers",
        choices=(PREDICT, RUN),
        help="who can read it, by its features (predict, the default); by running the installed readers (run)",
    )
    made.add_argument(
        "--each",
        action="store_true",
        help="after a folder, each file in it; --readers and --sarif say it of each file anyway",
    )
    made.add_argument("--sarif", action="store_true", help="print SARIF 2.1.0 for all files")


def run(asked: argparse.Namespace, out: Out) -> int:
    """Run the verb. Returns the exit status."""
    asked.file = list(names.spread(asked.file))
    from pqexplore import __version__
    from pqexplore.engine.errors import ParquetError, UsageError
    from pqexplore.insight.doctor import text
    from pqexplore.insight.doctor.diagnose import diagnose
    from pqexplore.insight.doctor.readers.text import readers_document, readers_lines
    from pqexplore.insight.trouble import unexpected

    limit = SEVERITIES.index("slow" if asked.strict else asked.fail_on)
    reports: list[Report] = []
    status = DONE
    for path in asked.file:
        if os.path.isdir(path) and not asked.sarif:
            status = max(status, _folder(path, asked, limit, out))
    for path in _paths(asked, asked.each or asked.sarif or asked.readers is not None):
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
            status = max(status, out.fail(path, error if foreseen else unexpected(error), asked.json))
            continue
        reports.append(report)
        out.kept.append(report)
        worst = report.worst()
        if worst is not None and worst.rank <= limit:
            status = max(status, FOUND)
        if asked.json:
            document = text.report_document(report)
            if readers is not None:
                document["readers"] = readers_document(readers)
            out.document("diagnosis", document)
        elif not asked.sarif:
            if len(reports) > 1 or any(map(os.path.isdir, asked.file)):
                out.say("")
            out.say(report.name)
            out.lines(text.report_lines(report, out.room))
            if readers is not None:
                out.say("")
                out.lines(readers_lines(readers, out.room))
    if asked.sarif:
        out.record(text.sarif(reports, __version__))
    return status


def _folder(path: str, asked: argparse.Namespace, limit: int, out: Out) -> int:
    """Say what is wrong with the files of a folder together. Returns the exit status."""
    from pqexplore import lake as lakes
    from pqexplore.engine.errors import ParquetError, UsageError
    from pqexplore.lake.doctor.diagnosing import EMPTY, NOT_READ, OUTSIDE
    from pqexplore.lake.doctor.diagnosing import UNREADABLE as DAMAGED
    from pqexplore.lake.doctor.text import lake_document, lake_lines

    try:
        with lakes.scan(None, path, follow_outside=asked.follow_outside) as lake:
            report = lake.diagnose(asked.level or "footer")
        out.kept.append(report)
    except (ParquetError, UsageError, OSError) as error:
        return out.fail(path, error, asked.json)
    if asked.json:
        out.document("lake-diagnosis", lake_document(report))
    else:
        out.say(path)
        out.lines(lake_lines(report, out.room))
    for one in report.findings:
        if one.rule in (DAMAGED, EMPTY, NOT_READ, OUTSIDE):
            return UNREADABLE
    worst = report.worst()
    return FOUND if worst is not None and worst.rank <= limit else DONE


def _paths(asked: argparse.Namespace, each: bool) -> list[str]:
    """The files that are given; with `each`, folders are replaced by the Parquet files in them, else left out."""
    given = [path for path in asked.file if each or not os.path.isdir(path)]
    return files.paths(given, follow_outside=asked.follow_outside)
