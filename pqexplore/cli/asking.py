"""`pqexplore FILE --where SQL`: what a query reads of a file, or of the files of a folder."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of a question."""
    asked = parser.add_argument_group("what a query reads")
    asked.add_argument(
        "--where",
        metavar="SQL",
        help="a condition, as in Spark's SQL: which row groups and pages a query with it reads, and why; "
        "FILE may be a folder",
    )
    asked.add_argument(
        "--engine",
        metavar="NAME",
        help="the engine that runs it: spark, duckdb, …; without, a reader that uses all that the format allows",
    )
    asked.add_argument(
        "--columns", metavar="A,B", help="the columns that the query returns; without, all columns"
    )
    asked.add_argument(
        "--timezone", metavar="ZONE", help="the zone of timestamps in the condition; without, UTC"
    )
    asked.add_argument(
        "--verify",
        action="store_true",
        help="read the condition's columns, and say which rows match; with --engine, run that engine, too",
    )


def check(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    """Refuse options that do not go together."""
    beside = (options.engine, options.columns, options.timezone, options.verify)
    if options.where is None and any(beside):
        parser.error("--engine, --columns, --timezone and --verify go with --where")
    if options.where is not None and (options.check or options.view or options.at is not None):
        parser.error("--where goes with --json, not with --at, --view or --check")


def is_many(path: str, options: argparse.Namespace) -> bool:
    """Whether a question is about the files of a folder."""
    return options.where is not None and options.html is None and os.path.isdir(path)


def ask_many(path: str, options: argparse.Namespace, say: Callable[[str], None], room: int) -> None:
    """Print what a query reads of the files of a folder. UsageError with --verify."""
    from pqexplore.engine.errors import UsageError
    from pqexplore.insight.document import plain
    from pqexplore.lake.asking import ask
    from pqexplore.lake.asking.plan import LakePlan
    from pqexplore.lake.asking.report import lake_document, lake_report

    if options.verify:
        raise UsageError("--verify compares one file with its values; name the file")
    plan = ask(path, options.where, _columns(options), _engine(options), timezone=options.timezone)
    assert isinstance(plan, LakePlan)
    with plan:
        if options.json:
            print(json.dumps({"name": plain(path), "plan": lake_document(plan)}))
            return
        say(f"{path}: {options.where}")
        for line in lake_report(plan, room):
            say(line)


def ask_one(
    file: ParquetFile, options: argparse.Namespace, say: Callable[[str], None], room: int
) -> None:
    """Print what a query reads of a file."""
    from pqexplore.insight.ask import report
    from pqexplore.insight.document import plain
    from pqexplore.lake.asking import ask

    plan = ask(file, options.where, _columns(options), _engine(options), timezone=options.timezone)
    found = plan.verify(options.engine) if options.verify else None
    if options.json:
        made = {"name": plain(file.name), "plan": report.plan_document(plan)}
        if found is not None:
            made["verified"] = report.verification_document(found)
        print(json.dumps(made))
        return
    say(f"{file.name}: {options.where}")
    for line in report.plan_report(plan, room):
        say(line)
    for line in report.verification_report(found, room) if found is not None else ():
        say(line)


def _columns(options: argparse.Namespace) -> list[str] | None:
    return None if options.columns is None else options.columns.split(",")


def _engine(options: argparse.Namespace) -> str:
    return options.engine or "format"
