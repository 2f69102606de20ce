"""How many files may contain a value: partition columns first, then those that files are sorted by."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pqexplore.lake import scan
from pqexplore.lake.panels import overlap
from pqexplore.lake.panels.filters import Filters

ALL = Filters()


def test_ranges(lake):
    found = overlap.ranges(lake, "id", "INT64")
    assert [(line.low, line.high) for line in found.lines] == [(0, 1), (2, 3), (4, 5), (6, 7)]
    assert [line.low_text for line in found.lines] == ["0", "1000", "2000", "3000"]
    assert overlap.ranges(lake, "id", "INT64", '{"rows": [200, null]}').total == 3
    assert overlap.ranges(lake, "no 'such", "INT64").total == 0


def test_columns_that_files_are_sorted_by_lead_the_overlap(tmp_path):
    for i in range(3):
        table = pa.table({"a": np.arange(i * 10, i * 10 + 10), "z": np.arange(10) + i % 2})
        sorting = [pq.SortingColumn(1)] if i else None
        pq.write_table(table, tmp_path / f"{i}.parquet", sorting_columns=sorting)
    made = overlap.answer(scan(None, str(tmp_path), out=tmp_path / "t", processes=0), ALL)
    assert made.table.column("column_name") == ["z", "a"]
    assert made.table.column("sorted_files") == [2, 0]
    assert [bar.column for bar in made.picture.bars] == ["z", "a"]
    assert made.sentence.startswith("A query for one value of z reads 2.33 of 3 files; of a, 1 of 3.")
    assert made.table.caption == "columns: those that files are sorted by, then those that skip best first"


def test_partition_columns_lead_the_overlap(tmp_path):
    """Of seven files, four lie in one folder and two in another; the folder of the seventh says NULL."""
    for i, day in enumerate(["a", "a", "a", "a", "b", "b", "__HIVE_DEFAULT_PARTITION__"]):
        (tmp_path / f"day={day}").mkdir(exist_ok=True)
        pq.write_table(pa.table({"id": [i]}), tmp_path / f"day={day}" / f"{i}.parquet")
    lake = scan(None, str(tmp_path), out=tmp_path / "t", processes=0)
    made = overlap.answer(lake, ALL)
    assert made.table.column("column_name") == ["day", "id"]
    assert made.table.column("logical_type") == ["partition folder", "INT64"]
    assert made.table.column("point_files") == [pytest.approx((16 + 4) / 6), 1]
    assert made.table.column("max_depth") == [4, 1]
    assert made.table.caption == "columns: partition columns, then those that skip best first"
    assert made.sentence == "A query for one value of day reads 3.33 of 7 files; of id, 1 of 7."
    found = overlap.ranges(lake, "day", "partition folder")
    assert [(line.low, line.high, line.low_text) for line in found.lines] == [*[(0, 0, "a")] * 4, *[(1, 1, "b")] * 2]
    assert (found.total, found.unknown) == (7, 1)
    assert overlap.ranges(lake, "day", "partition folder", '{"partition": "day=b"}').total == 2


@pytest.mark.parametrize("folder, format, expected", [
    ("Day=1/city=Oslo", None, ["Day", "city"]),
    ("day=1", "delta", ["day"]),
    ("id=1", "iceberg", ["id"]),
    ("at_day=2026-01-01", "iceberg", []),  # the day of a column `at`
])  # fmt: skip
def test_folders_of_a_transform_are_no_columns(monkeypatch, folder, format, expected):
    row = {"partition_values": folder, "format": format, "files": 2}
    monkeypatch.setattr(overlap, "ask", lambda *_: [row])
    assert [made["column_name"] for made in overlap.folder_rows(None, ALL, {"id"})] == expected


def test_values_of_folders_are_in_the_order_of_numbers():
    assert sorted(["b", "10", "9", "NaN", "-1.5"], key=overlap.order) == [*("-1.5", "9", "10", "NaN", "b")]


def test_without_partitions_and_order_what_skips_best_leads_the_overlap(tmp_path):
    for i in range(3):
        rows = pa.table({"same": ["x"], "some": [i // 2], "each": [i]})
        pq.write_table(rows, tmp_path / f"{i}.parquet")
    table = overlap.answer(scan(None, str(tmp_path), out=tmp_path / "t", processes=0), ALL).table
    assert table.column("column_name") == ["each", "some", "same"]
    assert set(table.column("sorted_files")) == {0}
    assert table.caption == "columns: those that skip best first"
