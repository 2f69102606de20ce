"""Paths in the lake explorer are relative to the folder of all files; what a row leads to keeps the whole path."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pqexplore.insight.answer import Column, Table
from pqexplore.lake.panels.header import about, short
from pqexplore.lake.panels.root import relative, root
from pqexplore.lake.scanning.scan import scan
from pqexplore.widget.lake import explorer


def lake_of(folder, *names):
    for name in names:
        (folder / name).parent.mkdir(exist_ok=True)
        pq.write_table(pa.table({"x": [1]}), folder / name)
    return scan(None, str(folder), out=folder.parent / "tables", processes=0)


@pytest.mark.parametrize("names, inside", [
    (["a.parquet", "b.parquet"], ""),
    (["day=1/a.parquet", "day=2/a.parquet"], ""),  # `day=` is no folder
    (["day=1/a.parquet", "day=1/b.parquet"], "day=1/"),
    (["one.parquet"], ""),
])  # fmt: skip
def test_the_root_is_the_folder_of_all_files(tmp_path, names, inside):
    folder = tmp_path / "lake"
    folder.mkdir()
    lake = lake_of(folder, *names)
    assert root(lake) == f"{folder}/{inside}"
    assert about(lake).root == root(lake)
    shown = explorer.panel(lake, "fleet")["table"]
    assert sorted(row[0] for row in shown["rows"]) == sorted(n.removeprefix(inside) for n in names)
    assert all(address.startswith(str(folder)) for address in shown["addresses"])


def test_only_paths_below_the_root_are_shortened():
    table = Table([Column("path", "file"), Column("message", "message")], total=9)
    table.add("/a/b.parquet", "/a/b.parquet is odd", address="/a/b.parquet")
    table.add("/a/e.parquet", "a link to /a/f.parquet, not to /x/a/g.parquet")
    table.add("/c/d.parquet", None)
    shown = relative(table, "/a/")
    assert shown.rows == [
        ("b.parquet", "b.parquet is odd"),
        ("e.parquet", "a link to f.parquet, not to /x/a/g.parquet"),
        ("/c/d.parquet", None),
    ]
    assert shown.addresses == ["/a/b.parquet", None, None] and shown.total == 9
    assert relative(table, "") is table


@pytest.mark.parametrize("source, name", [
    ("s3://bucket/tables/events/", "events"),
    ("C:\\data\\events", "events"),
    ("main.default.events", "main.default.events"),
    ("/data/events/*.parquet", "/data/events/*.parquet"),
    ("/", "/"),
])  # fmt: skip
def test_the_header_names_the_last_folder(source, name):
    assert short(source) == name
