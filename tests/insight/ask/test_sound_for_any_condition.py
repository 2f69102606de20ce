"""Any condition on any table by any writer: no stage skips a row that matches. DuckDB says which rows match."""

from __future__ import annotations

import pathlib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from insight.ask.any_table import WRITERS, tables
from insight.ask.soundness import Seen, ask
from needs import needs

import pqexplore

STAGES = ("bounds", "Bloom filter", "dictionary", "page index")


def asked(files: int, folder: pathlib.Path) -> Seen:
    """Asks conditions about so many files; how often what happened."""
    seen = Seen()
    path = folder / "table.parquet"

    @settings(max_examples=files, suppress_health_check=list(HealthCheck))
    @given(st.data())
    def of_one_file(data: st.DataObject) -> None:
        writer = data.draw(st.sampled_from(sorted(WRITERS)))
        made = data.draw(tables(writer))
        WRITERS[writer](data.draw, made, path)
        seen[f"files by {writer}"] += 1
        with pqexplore.open(path) as file:
            ask(file, made, data, seen)

    of_one_file()
    return seen


@needs("duckdb", "2.0", "it reads fewer types")
@pytest.mark.parametrize(
    "files, conditions", [(60, 250), pytest.param(700, 3_000, marks=pytest.mark.full)]
)
def test_no_row_that_matches_is_skipped(files, conditions, tmp_path, record_property):
    seen = asked(files, tmp_path)
    record_property("stated", f"conditions: {dict(sorted(seen.items()))}")
    assert seen["conditions"] >= conditions
    for stage in STAGES:
        assert seen[f"skipped by {stage}"] > 0, stage
    assert seen["with matches"] > conditions / 5
