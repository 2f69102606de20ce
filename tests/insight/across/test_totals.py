"""The totals of tables about many column chunks are what pyarrow adds up to."""

import io

import made
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import pqexplore
from pqexplore.insight.answer import Column, Table
from pqexplore.insight.totals import totals


@pytest.fixture(scope="module")
def both():
    """A file as pqexplore and as pyarrow have it."""
    data = made.parquet(made.events(), row_group_size=600)
    return pqexplore.open(data), pq.ParquetFile(io.BytesIO(data)).metadata


def chunks(metadata, path=None):
    every = [
        metadata.row_group(g).column(c) for g in range(metadata.num_row_groups) for c in range(metadata.num_columns)
    ]
    return [one for one in every if path in (None, one.path_in_schema)]


def test_totals_of_statistics(both):
    file, metadata = both
    found = file.view("statistics").totals
    sizes = [one.total_compressed_size for one in chunks(metadata)]
    nulls = [one.statistics.null_count for one in chunks(metadata)]
    assert found.values["count"] == len(sizes)
    assert (found.values["stored_bytes"], found.values["stored_bytes_max"]) == (sum(sizes), max(sizes))
    assert found.values["nulls"] == sum(nulls) and f"nulls {sum(nulls):,};" in found.line
    assert f"stored {sum(sizes):,} bytes, the largest {max(sizes):,} (" in found.line
    ordered = found.by_column.column("stored_bytes")
    assert ordered == sorted(ordered, reverse=True)
    for row in found.by_column.rows:
        own = dict(zip([column.name for column in found.by_column.columns], row, strict=True))
        of = chunks(metadata, own["column"])
        assert own["count"] == len(of)
        assert own["nulls"] == sum(one.statistics.null_count for one in of)
        assert own["stored_bytes_max"] == max(one.total_compressed_size for one in of)
        if type(of[0].statistics.min) in (int, str):
            assert own["min"] == min(one.statistics.min for one in of)
            assert own["max"] == max(one.statistics.max for one in of)


def test_totals_of_pages_and_levels(both):
    file, metadata = both
    pages = [page for group in file.row_groups for chunk in group.columns for page in chunk.pages]
    found = file.view("page").totals
    assert found.values["count"] == len(pages)
    assert found.values["header_bytes"] + found.values["stored_bytes"] == sum(
        one.total_compressed_size for one in chunks(metadata)
    )
    largest = max(pages, key=lambda page: page.frame.end - page.frame.header_end)
    assert largest.address in found.by_column.addresses
    assert found.values["stored_bytes_max"] == largest.frame.end - largest.frame.header_end
    assert found.values["repetition_bytes"] == sum(len(page.body.section("repetition_levels").data) for page in pages)


COLUMNS = (
    Column("row_group", "row group", "number"),
    Column("column", "column"),
    Column("n", "n", "number", total="sum"),
    Column("m", "m", "number", total="some"),
    Column("low", "low", total="least"),
    Column("trusted", "usable", "flag", total="true"),
    Column("kind", "kind", total="each"),
    Column("part", "part", "share", total="n/m"),
)


@pytest.mark.parametrize("rows, line, by_column", [
    ([(0, "a", 1, 4, 9, True, "x", None)], None, None),
    (
        [(0, "a", 1, 4, 9, True, "x", None), (1, "a", 2, None, 3, True, "x", None)],
        "In all 2 parts: n 3; m 4; low 3; usable 2 of 2; kind x; part 25 %.",
        None,
    ),
    (  # a bound that no query may use, and a number that is not known, are not added up
        [(0, "a", None, 4, 9, True, "x", None), (1, "a", 2, 4, 3, False, "y", None)],
        "In all 2 parts: n not known of all; m 8; low 9; usable 1 of 2; kind x 1, y 1; part 50 %.",
        None,
    ),
    (
        [
            (0, "a", 1, 2, 9, True, "x", None),
            (1, "a", 1, 2, "?", True, "x", None),
            (0, "b", 5, None, 1, True, "x", None),
        ],
        "In all 3 parts: n 7; m 4; usable 3 of 3; kind x; part 50 %.",
        [("a", 2, 2, 4, None, 2, {"x": 2}, 0.5), ("b", 1, 5, None, 1, 1, {"x": 1}, None)],
    ),
])  # fmt: skip
def test_how_columns_add_up(rows, line, by_column):
    table = Table(COLUMNS)
    for row in rows:
        table.add(*row)
    found = totals(table, "part")
    assert (None if found is None else found.line) == line
    listed = None if found is None or found.by_column is None else found.by_column.rows
    assert listed == by_column


def test_totals_are_in_the_json(tmp_path, capsys):
    import json

    from pqexplore.cli import main

    path = tmp_path / "two.parquet"
    pq.write_table(pa.table({"a": range(9), "b": pa.nulls(9, pa.int32())}), path, row_group_size=3)
    assert main(["stats", str(path), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)["answer"]
    assert answer["totals"]["nulls"] == 9 and answer["totals"]["exact"]
    assert {row["column"]: (row["nulls"], row["min"], row["max"]) for row in answer["by_column"]} == {
        "a": (0, 0, 8),
        "b": (9, None, None),
    }
