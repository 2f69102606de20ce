"""polars reads exactly the row groups that its profile keeps.

polars logs how many row groups it reads, not which. So a condition for which it reads some of them is asked of each row
group alone, too: a file with the same bytes and a footer that lists only this row group.
"""

from pathlib import Path

import pytest
from insight.ask.profile_harness import Case, cases, differences, enough

import pqexplore
from pqexplore.engine.errors import UsageError
from pqexplore.engine.format.thrift.encode import encode
from pqexplore.insight.ask.run_engines import polars
from pqexplore.insight.ask.run_engines.process import run

NOT_ASKED = (
    *("li IS NOT NULL", "st IS NOT NULL", "CAST(i AS DOUBLE) = 100.0", "CAST(i AS STRING) = '100'"),
    "i IN (3e0, 150e0)",
    "day IN (TIMESTAMP_NTZ '2026-03-01 00:00:00', TIMESTAMP_NTZ '2026-03-03 00:00:00')",
)
"""Conditions that our predicates do not hold whole, and two whose types polars refuses to compare."""

ENVIRONMENT = {**polars.ENVIRONMENT, "POLARS_MAX_THREADS": "1"}


def alone(path: Path, folder: Path) -> list[Path]:
    """A file for each row group of a file."""
    raw, made = path.read_bytes(), []
    with pqexplore.open(raw) as file:
        metadata, start = file.metadata, file.footer.start
        for index, group in enumerate(list(metadata.row_groups)):
            metadata.row_groups, metadata.num_rows = [group], group.num_rows
            footer = encode(metadata)
            one = folder / f"{path.stem}.{index}.parquet"
            one.write_bytes(raw[:start] + footer + len(footer).to_bytes(4, "little") + b"PAR1")
            made.append(one)
    return made


def outcomes(queries: list[tuple[Path, Case]]) -> list[dict]:
    """What polars says about each query."""
    jobs = [{"path": str(path), "where": polars.tree(case.plan.bound)} for path, case in queries]
    found = run("polars_process", jobs, ENVIRONMENT)["outcomes"]
    for one, (_, case) in zip(found, queries, strict=True):
        assert "error" not in one, (case.name, case.sql, one["error"])
    return found


def read(asked: list[tuple[Path, Case]], folder: Path) -> list[list[int]]:
    """The row groups that polars reads for each condition."""
    parts = {path: alone(path, folder) for path in dict.fromkeys(path for path, _ in asked)}
    counts = [one["read"] for one in outcomes(asked)]
    every = [list(range(len(parts[path]))) for path, _ in asked]
    seen = [[] if n == 0 else groups for n, groups in zip(counts, every, strict=True)]
    some = [i for i, n in enumerate(counts) if n is not None and 0 < n < len(every[i])]
    each = iter(outcomes([(part, asked[i][1]) for i in some for part in parts[asked[i][0]]]))
    for i in some:
        seen[i] = [group for group in every[i] if next(each)["read"] != 0]
        assert len(seen[i]) == counts[i], (asked[i][1].sql, seen[i], counts[i])
    return seen


@pytest.mark.full
@pytest.mark.parametrize("quick", [True, False])
def test_polars_reads_what_the_profile_keeps(profile_files, tmp_path, quick):
    asked = [
        (path, case)
        for name, path in profile_files.items()
        for case in cases("polars", name, path, quick=quick, but=NOT_ASKED)
    ]
    seen = read(asked, tmp_path)
    assert not differences(zip((case for _, case in asked), seen, strict=True))


def test_enough_conditions_and_files_prove_the_profile():
    assert enough(NOT_ASKED)


@pytest.mark.parametrize("sql", NOT_ASKED)
def test_a_condition_that_polars_refuses_is_a_usage_error(profile_files, sql):
    plan = pqexplore.ask(profile_files["arrow-sorted"], sql, engine="polars")
    with pytest.raises(UsageError, match="polars"):
        polars.observe(plan)


def test_polars_loses_no_rows_with_nan_and_zeros(profile_files):
    conditions = ("fn > 100000.0", "isnan(fn)", "fn = 1000.0", "z = 0.0", "f < 5.0")
    rows = {}
    for name in ("arrow-sorted", "arrow-no-statistics"):
        with pqexplore.open(profile_files[name]) as file:
            plans = [pqexplore.ask(file, sql, engine="polars") for sql in conditions]
        asked = [(profile_files[name], Case(name, sql, plan)) for sql, plan in zip(conditions, plans, strict=True)]
        assert not any(plan.wrong_rows for plan in plans)
        rows[name] = [one["rows"] for one in outcomes(asked)]
    assert rows["arrow-sorted"] == rows["arrow-no-statistics"]


def test_an_observation_has_what_polars_tells(profile_files):
    some = polars.observe(pqexplore.ask(profile_files["arrow-sorted"], "i = 100", engine="polars"))
    assert (some.rows, some.groups_read, some.row_groups) == (1, 1, None)
    none = polars.observe(pqexplore.ask(profile_files["arrow-sorted"], "i > 999", engine="polars"))
    assert (none.rows, none.groups_read, none.row_groups) == (0, 0, ())
