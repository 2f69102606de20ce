"""`pqexplore FILE --where SQL`: what a query reads of a file, or of the files of a folder."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from pqexplore.cli import files
from pqexplore.cli.out import DONE, Out

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the condition of a question, and its options."""
    asked = parser.add_argument_group("what a query reads")
    asked.add_argument(
        "--where",
        metavar="SQL",
        help="a condition, as in Spark's SQL: which row groups and pages a query with it reads, and why; "
        "FILE may be a folder",
    )
    add_choices(asked)


def add_choices(asked: argparse._ActionsContainer) -> None:
    """Add the options of a question without its condition."""
    asked.add_argument(
        "--engine",
        metavar="NAME",
        help="the engine that runs it: spark, duckdb, …; without, a reader that uses all that the format allows",
    )
    asked.add_argument(
        "--columns", "--column", metavar="A,B", help="the columns that the query returns; without, all columns"
    )
    asked.add_argument("--timezone", metavar="ZONE", help="the zone of timestamps in the condition; without, UTC")
    asked.add_argument(
        "--verify",
        action="store_true",
        help="read the condition's columns, and say which rows match; with --engine, run that engine, too",
    )
    asked.add_argument(
        "--engines",
        action="store_true",
        help="what each engine reads of one file, beside the others, what differs first",
    )
    asked.add_argument(
        "--advice",
        action=argparse.BooleanOptionalAction,
        help="what would let it skip more, which may read pages; by default of files that are not remote",
    )


def check(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    """Refuse options that do not go together."""
    beside = (options.engine, options.columns, options.timezone, options.verify, options.engines, options.advice)
    if options.where is None and any(beside):
        parser.error("--engine, --engines, --columns, --timezone, --verify and --advice go with --where")
    if options.where is not None and (options.check or options.view or options.at is not None):
        parser.error("--where goes with --json, not with --at, --view or --check")


def answer(asked: argparse.Namespace, out: Out) -> int:
    """Print what a query reads of each file, and of the files of each folder. Returns the exit status."""
    return files.each(asked, out, lambda file: _of_file(file, asked, out), lambda path: _of_many(path, asked, out))


def _of_many(path: str, asked: argparse.Namespace, out: Out) -> int:
    from pqexplore.engine.errors import UsageError
    from pqexplore.insight.json_values import plain
    from pqexplore.lake.asking import ask
    from pqexplore.lake.asking.lake_plan import LakePlan
    from pqexplore.lake.asking.lake_plan_text import lake_document, lake_report

    for name in ("verify", "engines"):
        if getattr(asked, name):
            raise UsageError(f"--{name} is about one file; name the file")
    plan = ask(
        files.source(path),
        asked.where,
        _columns(asked),
        _engine(asked),
        timezone=asked.timezone,
        follow_outside=asked.follow_outside,
    )
    assert isinstance(plan, LakePlan)
    out.kept.append(plan)
    with out.using(plan):
        if asked.json:
            out.document("lake-plan", {"name": plain(path), "plan": lake_document(plan)})
        else:
            out.say(f"{path}: {_in_one_line(asked.where)}")
            out.lines(lake_report(plan, out.room))
    return DONE


def _of_file(file: ParquetFile, asked: argparse.Namespace, out: Out) -> int:
    from pqexplore.insight.ask import plan_text
    from pqexplore.insight.ask.planning import plan_of
    from pqexplore.insight.json_values import plain

    if asked.engines:
        return _engines(file, asked, out)
    plan = plan_of(file, asked.where, _columns(asked), _engine(asked), asked.timezone)
    out.kept.append(plan)
    found = plan.verify(asked.engine) if asked.verify else None
    advice = file.source.local if asked.advice is None else asked.advice
    if asked.json:
        made = {"name": plain(file.name), "plan": plan_text.plan_document(plan, found, advice)}
        if found is not None:
            made["verified"] = plan_text.verification_document(found)
        out.document("plan", made)
        return DONE
    out.say(f"{file.name}: {_in_one_line(asked.where)}")
    out.lines(plan_text.plan_report(plan, out.room, found, advice))
    if found is not None:
        out.lines(plan_text.verification_report(found, out.room))
    return DONE


def _engines(file: ParquetFile, asked: argparse.Namespace, out: Out) -> int:
    """Print what each engine reads of a file."""
    from pqexplore.engine.errors import UsageError
    from pqexplore.insight.ask import engines_compared
    from pqexplore.insight.json_values import plain

    if asked.engine or asked.verify:
        raise UsageError("--engines compares the plans of all engines: it goes with neither --engine nor --verify")
    plans = engines_compared.plans(file, asked.where, _columns(asked), asked.timezone)
    out.kept.append(plans)
    if asked.json:
        out.document("engines", {"name": plain(file.name), **engines_compared.document(plans)})
        return DONE
    out.say(f"{file.name}: {_in_one_line(asked.where)}")
    out.lines(engines_compared.lines(plans, out.room))
    return DONE


def _in_one_line(where: str) -> str:
    """A query as a heading: one of a notebook's cell has several lines."""
    return " ".join(where.split())


def _columns(asked: argparse.Namespace) -> list[str] | None:
    return None if asked.columns is None else asked.columns.split(",")


def _engine(asked: argparse.Namespace) -> str:
    return asked.engine or "format"
