"""What must hold of every plan: no stage skips a row that matches, and the tables of a plan agree."""

from __future__ import annotations

import collections
from typing import Any

import duckdb
from hypothesis import strategies as st
from insight.ask.any_condition import Both, conditions
from insight.ask.any_table import AnyTable

from pqexplore.engine.errors import UsageError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.insight.ask import planning, pruning, row_ranges
from pqexplore.insight.ask.engines import engine
from pqexplore.insight.ask.engines.engine import Engine
from pqexplore.insight.ask.plan import Plan
from pqexplore.insight.ask.pruning import Group
from pqexplore.insight.ask.pruning_result import BLOOM, BOUNDS, DICTIONARY, PAGE_INDEX
from pqexplore.insight.lenses.lens import finish

Seen = collections.Counter[str]
"""How often what happened."""


class OneStage(Engine):
    """The format's engine with one kind of evidence."""

    def __init__(self, stage: str) -> None:
        self.stages = (stage,)


class NanLargest(Engine):
    """The format's engine, which knows that NaN is the largest number, as DuckDB has it."""

    nan_largest = True


ENGINES = [engine("format"), NanLargest(), *map(OneStage, (BOUNDS, BLOOM, DICTIONARY, PAGE_INDEX))]


def matching(connection: duckdb.DuckDBPyConnection, made: AnyTable, condition: Both) -> set[int]:
    """The numbers of the rows for which a condition is TRUE, as DuckDB sees it.

    It gets the values, not the file, and is asked for the outcome of each row, so that it skips nothing itself.
    """
    connection.register("told", made.told)
    asked = f"SELECT id, ({condition.duck}) AS met FROM told"
    return {row for row, met in connection.execute(asked).fetchall() if met}


def rows_of(groups: list[Group]) -> set[int]:
    """The numbers of the rows that are read."""
    rows, before = set(), 0
    for group in groups:
        for start, end in group.ranges if group.kept else ():
            rows.update(range(before + start, before + end))
        before += group.num_rows
    return rows


def surely_matching(groups: list[Group]) -> set[int]:
    """The numbers of the rows of which the file proves that they match."""
    rows, before = set(), 0
    for group in groups:
        if group.every:
            rows.update(range(before, before + group.num_rows))
        before += group.num_rows
    return rows


def assert_sound(file: ParquetFile, condition: Both, plan: Plan, truth: set[int], seen: Seen) -> None:
    """No stage by itself, and not all of them together, skips a row that matches."""
    for chosen in ENGINES:
        groups = finish(pruning.run(file, plan.bound, chosen))
        rows = rows_of(groups)
        if len(chosen.stages) == 1:
            by = {group.by for group in groups if not group.kept}
            seen[f"skipped by {chosen.stages[0]}"] += chosen.stages[0] in by
        lost = truth - rows
        assert not lost, (condition, chosen.stages, chosen.nan_largest, sorted(lost), groups)
        wrong = surely_matching(groups) - truth
        assert not wrong, (condition, chosen.stages, sorted(wrong), groups)


def assert_agrees(plan: Plan) -> None:
    """The tables of a plan say the same."""
    groups, stages = plan.row_groups.to_pylist(), plan.stages
    assert not plan.wrong_rows
    kept = {row["row_group"] for row in groups if row["kept"]}
    assert kept == {row["row_group"] for row in plan.row_ranges.to_pylist()}
    assert [row["rows"] for row in groups] == [row_ranges.count(g.ranges) for g in plan.groups]
    assert stages[0].groups_in == len(groups) and stages[-1].groups_out == len(kept)
    assert stages[-1].rows_out == sum(row["rows"] for row in groups)
    for before, after in zip(stages, stages[1:]):
        assert (before.groups_out, before.rows_out) == (after.groups_in, after.rows_in)
    ruled_out = {(r["row_group"], r["by"]) for r in plan.rulings.to_pylist() if not r["possible"]}
    for row in groups:
        if not row["kept"] and row["by"] not in ("constant", "number of rows", PAGE_INDEX):
            assert (row["row_group"], row["by"]) in ruled_out
    assert_pages_agree(plan, kept)


def assert_pages_agree(plan: Plan, kept: set[int]) -> None:
    """A page is read if it has rows that are read, and no page is both read and skipped."""
    seen = set()
    for page in plan.pages.to_pylist():
        key = page["row_group"], page["column"], page["page"], page["what"]
        assert key not in seen, page
        seen.add(key)
        if page["what"] == "data page":
            ranges = plan.groups[page["row_group"]].ranges
            inside = row_ranges.overlaps(ranges, page["first_row"], page["end_row"])
            assert page["kept"] == inside, page
        if page["kept"] and page["what"] != "dictionary page":  # which planning may read
            assert page["row_group"] in kept


def assert_verified(plan: Plan, truth: set[int]) -> None:
    """The values that `verify` evaluates match where DuckDB says so."""
    made = plan.verify()
    assert not made.lost and not made.errors
    found, before = set(), 0
    for group, row in zip(plan.groups, made.matches.to_pylist()):
        for one in row["rows"]:
            found.update(range(before + one["start"], before + one["end"]))
        before += group.num_rows
    assert found == truth, (plan.where, sorted(found ^ truth))


def ask(file: ParquetFile, made: AnyTable, data: Any, seen: Seen) -> None:
    """Asks some conditions about a file, and counts what happened."""
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        for condition in data.draw(st.lists(conditions(made), min_size=4, max_size=8)):
            try:
                plan = finish(planning.steps(file, condition.spark, timezone="UTC"))
            except UsageError as error:
                seen[f"refused: {str(error)[:60]}"] += 1
                continue
            truth = matching(connection, made, condition)
            assert_sound(file, condition, plan, truth, seen)
            assert_agrees(plan)
            seen["conditions"] += 1
            seen["with matches"] += bool(truth)
            seen["partly undecided"] += bool(plan.undecided)
            if condition.certain and not plan.undecided:
                assert_verified(plan, truth)
                seen["verified"] += 1
            seen["skipped"] += plan.stages[0].rows_in > plan.stages[-1].rows_out
