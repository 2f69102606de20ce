"""Any condition on any table by any writer: no stage skips a row that matches. DuckDB says which rows match."""

from __future__ import annotations

import pathlib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from insight.ask.any_table import WRITERS, tables
from insight.ask.soundness import Seen, ask
from needs import needs
from quick import quick

import pqexplore

STAGES = {
    "pqexplore": ("bounds", "Bloom filter", "dictionary", "page index"),
    "pyarrow": ("bounds", "dictionary"),
    "duckdb": ("bounds",),
    "polars": ("bounds",),
}
"""Stages that skip something in the files of each writer."""


def asked(writer: str, folder: pathlib.Path, how: settings) -> Seen:
    """Asks conditions about files of one writer."""
    seen = Seen()
    path = folder / "table.parquet"

    @settings(how, suppress_health_check=list(HealthCheck))
    @given(st.data())
    def of_one_file(data: st.DataObject) -> None:
        made = data.draw(tables(writer))
        WRITERS[writer](data.draw, made, path)
        with pqexplore.open(path) as file:
            ask(file, made, data, seen)

    of_one_file()
    return seen


def assert_told(writer: str, seen: Seen, conditions: int) -> None:
    """The conditions were as many as they should be, and not all of one kind."""
    assert seen["conditions"] >= conditions
    assert seen["with matches"] > conditions / 5 and seen["verified"] > conditions / 2
    for stage in STAGES[writer]:
        assert seen[f"skipped by {stage}"] > 0, stage


@needs("duckdb", "2.0", "it reads fewer types")
@pytest.mark.parametrize("writer", quick(WRITERS, "pqexplore", "pyarrow"))
def test_no_row_that_matches_is_skipped(writer, tmp_path, record_property):
    """The same conditions in every run."""
    seen = asked(
        writer, tmp_path, settings(max_examples=25 if writer == "pqexplore" else 15, derandomize=True, database=None)
    )
    record_property("stated", f"conditions on files of {writer}: {dict(sorted(seen.items()))}")
    assert_told(writer, seen, 60)


@pytest.mark.full
@pytest.mark.parametrize("writer", WRITERS)
def test_no_row_that_matches_is_skipped_for_many_conditions(writer, tmp_path, record_property):
    """Other conditions in every run; `--hypothesis-seed` gives the same ones again."""
    seen = asked(writer, tmp_path, settings(max_examples=150))
    record_property("stated", f"conditions on files of {writer}: {dict(sorted(seen.items()))}")
    assert_told(writer, seen, 600)
