"""What differs between schemas, and what is wrong in files."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import pqexplore
from pqexplore.lake import scan
from pqexplore.lake.panels import answer_of, drift, health
from pqexplore.lake.panels.filters import Filters

ALL = Filters()


@pytest.mark.parametrize("places, said", [
    ([], ""),
    ([2], "; the rule is r0"),
    ([3, 1], "; the most frequent rule is r0"),
    ([2, 2, 1], ""),  # neither is the most frequent
])  # fmt: skip
def test_the_most_frequent_rule(places, said):
    assert health.most([{"rule": f"r{i}", "places": n} for i, n in enumerate(places)]) == said


def test_schemas_with_the_same_columns_are_one(tmp_path):
    """Another name of the root makes another schema, which no column differs in."""
    table = pa.table({"n": range(20), "word": ["a"] * 20})
    pq.write_table(table, tmp_path / "a.parquet")
    pqexplore.write(table, tmp_path / "b.parquet", pqexplore.WriteOptions(codec="zstd"))
    pq.write_table(table.set_column(0, "n", table["n"].cast("int32")), tmp_path / "c.parquet")
    lake = scan(None, str(tmp_path), out=tmp_path / "t", processes=0)
    answer = drift.answer(lake, ALL)
    assert answer.sentence == "n has several definitions: 2 sets of columns in 3 schemas."
    assert sorted(schema.files for schema in answer.picture.schemas) == [1, 2]
    [both] = [schema for schema in answer.picture.schemas if schema.files == 2]
    chosen = Filters.parse(json.dumps({"schema": both.ids}))
    assert drift.answer(lake, chosen).sentence == "All 2 files have the same columns."


def test_files_of_two_tables_do_not_differ(tmp_path):
    for place, columns in (("a", {"n": [1]}), ("b", {"m": [1]})):
        (tmp_path / "files" / place).mkdir(parents=True)
        pq.write_table(pa.table(columns), tmp_path / "files" / place / "x.parquet")
    lake = scan(None, str(tmp_path / "files"), out=tmp_path / "t", processes=0)
    assert drift.answer(lake, ALL).sentence == "All 2 files have the same columns in each of 2 tables."


def test_long_names_are_cut_in_the_middle_in_a_sentence(tmp_path):
    names = [f"payload.{'of_the_sensor_' * 6}number_{n}" for n in range(2)]
    pq.write_table(pa.table(dict.fromkeys(names, [1])), tmp_path / "a.parquet")
    pq.write_table(pa.table({names[0]: [1]}), tmp_path / "b.parquet")
    lake = scan(None, str(tmp_path), out=tmp_path / "t", processes=0)
    for panel in ("drift", "columns", "overlap"):
        said = answer_of(lake, panel).sentence
        assert "…" in said and "number_" in said and len(said) < 180, panel
