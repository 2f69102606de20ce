"""polars reads exactly the row groups that its profile keeps.

polars logs how many row groups it reads, not which. So a condition for which it reads some of them is asked of each row
group alone, too: a file with the same bytes and a footer that lists only this row group.
"""

from pathlib import Path

import pytest
from insight.ask.profile_cases import FILES
from insight.ask.profile_harness import Case, cases, differences

import pqexplore
from pqexplore.engine.format.thrift.encode import encode
from pqexplore.insight.ask.observed import polars
from pqexplore.insight.ask.observed.process import run

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


def read(path: Path, folder: Path, asked: list[Case]) -> list[list[int]]:
    """The row groups that polars reads for each condition."""
    parts = alone(path, folder)
    counts = [one["read"] for one in outcomes([(path, case) for case in asked])]
    some = [i for i, count in enumerate(counts) if count is not None and 0 < count < len(parts)]
    each = iter(outcomes([(part, asked[i]) for i in some for part in parts]))
    single = {i: [g for g in range(len(parts)) if next(each)["read"] != 0] for i in some}
    for i, groups in single.items():
        assert len(groups) == counts[i], (path.stem, asked[i].sql, groups, counts[i])
    return [single.get(i, [] if n == 0 else list(range(len(parts)))) for i, n in enumerate(counts)]


@pytest.mark.parametrize("name", FILES)
def test_polars_reads_what_the_profile_keeps(profile_files, tmp_path, name):
    asked = list(cases("polars", name, profile_files[name], every=2))
    assert not differences(zip(asked, read(profile_files[name], tmp_path, asked), strict=True))


@pytest.mark.full
@pytest.mark.parametrize("name", FILES)
def test_polars_reads_what_the_profile_keeps_for_every_condition(profile_files, tmp_path, name):
    asked = list(cases("polars", name, profile_files[name]))
    assert not differences(zip(asked, read(profile_files[name], tmp_path, asked), strict=True))
