"""DuckDB reads exactly the row groups that its profile keeps."""

import pytest
from insight.ask.profile_cases import FILES
from insight.ask.profile_harness import Case, cases, differences

from pqexplore.insight.ask.observed import duckdb, duckdb_process


@pytest.fixture(scope="module")
def connection(profile_files):
    with duckdb_process.connected([str(path) for path in profile_files.values()]) as connection:
        yield connection


def read(connection, case: Case) -> list[int]:
    outcome = duckdb_process.outcome(connection, duckdb.job(case.plan))
    assert "error" not in outcome, (case.sql, outcome["error"])
    assert len(outcome["groups"]) == outcome["read"], (case.sql, outcome)
    return outcome["groups"]


@pytest.mark.parametrize("name", FILES)
def test_duckdb_reads_what_the_profile_keeps(profile_files, connection, name):
    asked = cases("duckdb", name, profile_files[name], every=2)
    assert not differences((case, read(connection, case)) for case in asked)


@pytest.mark.full
@pytest.mark.parametrize("name", FILES)
def test_duckdb_reads_what_the_profile_keeps_for_every_condition(profile_files, connection, name):
    asked = cases("duckdb", name, profile_files[name])
    assert not differences((case, read(connection, case)) for case in asked)
