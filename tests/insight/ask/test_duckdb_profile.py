"""DuckDB reads exactly the row groups that its profile says, and what it loses is named first."""

from pathlib import Path

import pytest
from insight.ask.profile_cases import FILES, PREDICATES, Case, asked, cases, differences

import pqexplore
from pqexplore.engine.errors import UsageError
from pqexplore.insight.ask import engines
from pqexplore.insight.ask.observed import duckdb, duckdb_process, observe


@pytest.fixture(scope="module")
def connection(profile_files):
    with duckdb_process.connected([str(path) for path in profile_files.values()]) as connection:
        yield connection


def seen(connection, case: Case) -> list[int]:
    outcome = duckdb_process.outcome(connection, duckdb.job(case.plan))
    assert "error" not in outcome, (case.name, case.sql, outcome["error"])
    assert len(outcome["groups"]) == outcome["read"], (case.name, case.sql, outcome)
    return outcome["groups"]


@pytest.mark.parametrize("name", FILES)
def test_duckdb_reads_the_row_groups_that_the_profile_keeps(profile_files, connection, name):
    asked_of = cases("duckdb", name, profile_files[name], every=2)
    assert not differences((case, seen(connection, case)) for case in asked_of)


@pytest.mark.full
@pytest.mark.parametrize("name", FILES)
def test_duckdb_reads_what_the_profile_keeps_for_every_condition(profile_files, connection, name):
    asked_of = cases("duckdb", name, profile_files[name])
    assert not differences((case, seen(connection, case)) for case in asked_of)
