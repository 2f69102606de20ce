"""Views for the upkeep of a lake: each on files of which it must speak, beside near misses of which it must not."""

import datetime
import importlib.util
import os
import shutil
from pathlib import Path

import pyarrow as pa
import pytest
from lake.logs.made_logs import METADATA, PROTOCOL, add, commit, data
from lake.test_views import answer, put, scanned
from made import rebuilt

import pqexplore
from pqexplore.engine.writer.file import write
from pqexplore.engine.writer.options import WriteOptions
from pqexplore.engine.writer.samples import SAMPLES, write_sample
from pqexplore.insight.doctor.readers.features import features
from pqexplore.insight.doctor.readers.known import KNOWN
from pqexplore.insight.doctor.readers.reader import Verdict
from pqexplore.insight.doctor.readers.table import VERSIONS
from pqexplore.lake.views import VIEWS
from pqexplore.lake.views.readers import OF_CHUNKS, OF_FILES

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A lake of one file."""
    folder = tmp_path_factory.mktemp("small")
    put(folder, "a.parquet", {"a": [1]})
    return scanned(folder)


@pytest.mark.parametrize("name", VIEWS)
def test_the_columns_of_a_view_are_documented(name, small):
    assert list(VIEWS[name].meanings) == small.views[name].column_names
    assert all(meaning.endswith(".") for meaning in VIEWS[name].meanings.values())


def test_the_page_of_views_is_written_from_the_views():
    path = ROOT / "tools" / "views_page.py"
    spec = importlib.util.spec_from_file_location("views_page", path)
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    assert (ROOT / "docs" / "views.md").read_text("utf-8") == tool.page(), "run tools/views_page.py"


def names(rows: list[tuple]) -> list[tuple]:
    """Rows whose first value is a path, with the file's name in its place."""
    return [(os.path.basename(row[0]), *row[1:]) for row in rows]


def test_row_group_sizes(tmp_path):
    put(tmp_path, "one.parquet", {"a": list(range(10))})  # few rows, and the last of its file
    put(tmp_path, "many.parquet", {"a": list(range(25))}, row_group_size=10)
    put(tmp_path, "enough.parquet", {"a": list(range(10_001))}, row_group_size=5_000)
    lake = scanned(tmp_path)
    columns = ("writer", "num_files", "num_row_groups", "small_groups", "small_files", "large_groups")
    assert answer(lake, "row_group_sizes", *columns) == [("parquet-cpp-arrow", 3, 7, 2, 1, 0)]
    [(path, large)] = answer(lake, "row_group_sizes", "small_example", "large_example")
    assert path.endswith("many.parquet") and large is None
    # few rows of many bytes are not small; more bytes than the limit are large
    columns = ("small_groups", "large_groups", "large_files")
    small = answer(lake, "row_group_sizes", *columns, small_bytes=1)
    assert small == [(0, 0, 0)]
    assert answer(lake, "row_group_sizes", *columns, large_bytes=10_000) == [(2, 2, 1)]


def test_files_without_statistics(tmp_path):
    when = pa.array([datetime.datetime(2024, 1, 1)] * 2, pa.timestamp("ns"))
    some = {"a": [1, 2], "b": ["x", "y"]}
    put(tmp_path, "all.parquet", {**some, "void": pa.nulls(2, pa.int64())})
    put(tmp_path, "int96.parquet", {"t": when}, use_deprecated_int96_timestamps=True)
    put(tmp_path, "empty.parquet", {"a": pa.array([], pa.int64())}, write_statistics=False)
    put(tmp_path, "none.parquet", some, write_statistics=False)
    put(tmp_path, "part.parquet", some, write_statistics=["b"])
    write(pa.table(some), tmp_path / "bare.parquet", WriteOptions(statistics=()))
    counts = WriteOptions(statistics_fields=("null_count",))
    write(pa.table(some), tmp_path / "counts.parquet", counts)
    columns = ("path", "num_chunks", "no_statistics", "no_bounds", "num_columns", "example_column")
    found = sorted(names(answer(scanned(tmp_path), "without_statistics", *columns)))
    assert found == [
        ("bare.parquet", 2, 2, 2, 2, "a"),
        ("counts.parquet", 2, 0, 2, 2, "a"),
        ("none.parquet", 2, 2, 2, 2, "a"),
        ("part.parquet", 2, 1, 1, 1, "a"),
    ]


def test_files_without_page_index(tmp_path):
    some = {"a": list(range(1000)), "b": ["x"] * 1000}
    when = pa.array([datetime.datetime(2024, 1, 1)] * 2, pa.timestamp("ns"))
    put(tmp_path, "indexed.parquet", some, write_page_index=True)
    old = {"use_deprecated_int96_timestamps": True, "write_page_index": True}
    put(tmp_path, "int96.parquet", {"t": when}, **old)  # without a column index: INT96 has no order
    put(tmp_path, "empty.parquet", {"a": pa.array([], pa.int64())})
    put(tmp_path, "plain.parquet", some, use_dictionary=False, max_rows_per_page=100)
    columns = ("path", "num_chunks", "no_column_index", "no_offset_index", "num_columns")
    lake = scanned(tmp_path)
    found = names(answer(lake, "without_page_index", *columns))
    assert found == [("plain.parquet", 2, 2, 2, 2)]


def test_zero_bytes_apart_from_cut_off_files(tmp_path):
    whole = put(tmp_path, "whole.parquet", {"a": [1]}).read_bytes()
    (tmp_path / "zero.parquet").touch()
    (tmp_path / "short.parquet").write_bytes(b"PAR1")
    (tmp_path / "cut.parquet").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "other.parquet").write_bytes(b"x" * 100)  # never was one
    (tmp_path / "magic.parquet").write_bytes(whole[:-4] + b"PAR2")  # whole, but for the magic
    found = names(answer(scanned(tmp_path), "empty_and_truncated", "path", "kind", "size"))
    assert found == [
        ("cut.parquet", "cut off or still being written", len(whole) // 2),
        ("short.parquet", "fewer than 12 bytes", 4),
        ("zero.parquet", "zero bytes", 0),
    ]


def test_duplicates(tmp_path):
    first = put(tmp_path, "a.parquet", {"a": [1, 2, 3]})
    shutil.copy(first, tmp_path / "b.parquet")
    put(tmp_path, "like.parquet", {"a": [1, 2, 4]})  # as large, with other bounds
    for name in ("empty-1", "empty-2"):
        put(tmp_path, f"{name}.parquet", {"a": pa.array([], pa.int64())})
    for name, last in (("c", 3), ("d", 4)):  # no copies, but their footers do not show it
        options = {"write_statistics": False, "use_dictionary": False, "compression": "none"}
        put(tmp_path, f"{name}.parquet", {"a": [1, 2, last]}, **options)
    columns = ("path", "copy_of", "num_files", "num_rows", "with_bounds")
    found = [
        (row[0], os.path.basename(row[1]), *row[2:]) for row in names(answer(scanned(tmp_path), "duplicates", *columns))
    ]
    assert sorted(found) == [("b.parquet", "a.parquet", 2, 3, 1), ("d.parquet", "c.parquet", 2, 3, 0)]


def nan(*values):
    return pa.array(values, pa.float64())


CONSTANT = {
    # what a column holds in two files, and what the statistics prove
    "same": ([5, 5], [5, 5], ("one value", "5")),
    "text": (["x", "x"], ["x", "x"], ("one value", "x")),
    "with nulls": ([5, None], [5, 5], ("one value or null", "5")),
    "void": ([None, None], [None, None], ("no value", None)),
    "void in one": ([5, 5], [None, None], ("one value or null", "5")),
    "two": ([5, 5], [6, 6], None),
    "range": ([5, 6], [5, 5], None),
    "NaN": (nan(1.0, float("nan")), nan(1.0, 1.0), None),  # whose bounds are 1.0 and 1.0
    "floats": (nan(1.0, 1.0), nan(1.0, 1.0), None),  # whose NaNs nobody counts
    "long": (["x" * 300, "x" * 300], ["x" * 300, "x" * 299 + "y"], None),
}


@pytest.mark.parametrize("name", CONSTANT)
def test_constant_columns(tmp_path, name):
    *files, expected = CONSTANT[name]
    for number, values in enumerate(files):
        column = pa.array(values, pa.int64()) if name.startswith("void") else values
        put(tmp_path, f"{number}.parquet", {"c": column, "id": [1, 2]})
    found = answer(scanned(tmp_path), "constant_columns", "column_name", "kind", "value", "num_files")
    assert found == ([("c", *expected, 2)] if expected else [])


def test_a_column_without_statistics_in_one_file_is_not_constant(tmp_path):
    put(tmp_path, "a.parquet", {"c": [5, 5]})
    put(tmp_path, "b.parquet", {"c": [5, 5]}, write_statistics=False)
    assert answer(scanned(tmp_path), "constant_columns", "column_name") == []


def test_a_column_of_two_types_is_constant_only_without_values(tmp_path):
    for name, kind in (("a", pa.int32()), ("b", pa.date32())):
        columns = {"c": pa.array([5, 5], kind), "no": pa.array([None, None], kind)}
        put(tmp_path, f"{name}.parquet", columns)
    found = answer(scanned(tmp_path), "constant_columns", "column_name", "kind")
    assert found == [("no", "no value")]


def test_delete_load(tmp_path):
    table = tmp_path / "table"
    data(table, "day=1/a.parquet", "day=1/b.parquet", "day=2/c.parquet")
    vector = {"storageType": "u", "pathOrInlineDv": "x", "cardinality": 4}
    deleted = add("day=1/a.parquet", 10, deletionVector=vector)
    others = add("day=1/b.parquet", 10), add("day=2/c.parquet", 10)
    commit(table, 0, PROTOCOL, METADATA, deleted, *others)
    columns = (
        "partition_values", "num_files", "files_with_deletes", "num_rows", "deleted_rows", "share", "delete_files",
    )  # fmt: skip
    assert answer(scanned(table), "delete_load", *columns) == [("day=1", 2, 1, 20, 4, 0.2, 0)]


def test_compaction_plan(tmp_path):
    for number in range(4):
        put(tmp_path, f"day=1/{number}.parquet", {"a": list(range(100))})
    put(tmp_path, "day=1/other.parquet", {"b": ["x"]})  # of another schema
    put(tmp_path, "day=2/alone.parquet", {"a": [1]})
    for number in range(2):
        put(tmp_path, f"day=3/{number}.parquet", {"a": list(range(100))})
    size = (tmp_path / "day=1" / "0.parquet").stat().st_size
    lake = scanned(tmp_path)
    columns = ("partition_values", "num_files", "files_after", "bytes_read", "num_rows", "target_bytes")
    assert answer(lake, "compaction_plan", *columns) == [
        ("day=1", 4, 1, 4 * size, 400, 128 << 20),
        ("day=3", 2, 1, 2 * size, 200, 128 << 20),
    ]
    [paths, _] = answer(lake, "compaction_plan", "paths")
    assert paths[0] == [str(tmp_path / "day=1" / f"{number}.parquet") for number in range(4)]
    columns = columns[:3]
    # two files of two thirds of the target do not become fewer; files of the target are not small
    assert answer(lake, "compaction_plan", *columns, target_bytes=size * 3 // 2) == [("day=1", 4, 3)]
    assert answer(lake, "compaction_plan", *columns, target_bytes=size) == []


@pytest.mark.parametrize(("broken", "expected"), [(False, [(2, 1, 1 << 30)]), (True, [])])
def test_a_plan_has_the_target_of_the_format_and_live_files_only(tmp_path, broken, expected):
    data(tmp_path, "a.parquet", "b.parquet", "orphan.parquet")
    added = add("a.parquet", 10), add("b.parquet", 10)
    commit(tmp_path, 0, *(["{"] if broken else [PROTOCOL, METADATA, *added]))
    columns = ("num_files", "files_after", "target_bytes")
    assert answer(scanned(tmp_path), "compaction_plan", *columns) == expected


def test_growth(tmp_path):
    for name, day in (("a", 1), ("b", 1), ("c", 3)):
        path = put(tmp_path, f"{name}.parquet", {"a": [1, 2]})
        moment = datetime.datetime(2024, 5, day, 23, 59, tzinfo=datetime.UTC).timestamp()
        os.utime(path, (moment, moment))
    (tmp_path / "bad.parquet").touch()
    columns = ("day", "num_files", "num_rows", "files_so_far", "rows_so_far")
    assert answer(scanned(tmp_path), "growth", *columns) == [
        (datetime.date(2024, 5, 1), 2, 4, 2, 4),
        (datetime.date(2024, 5, 3), 1, 2, 3, 6),
    ]


@pytest.fixture(scope="module")
def samples(tmp_path_factory):
    folder = tmp_path_factory.mktemp("samples")
    for name in SAMPLES:
        write_sample(name, folder / f"{name}.parquet")
    return folder


def known(path) -> set[tuple[str, str, str]]:
    """(engine, title of a feature, what goes wrong) that the doctor knows of a file."""
    with pqexplore.open(path) as file:
        found = {one.name for one in features(file)}
    return {
        (engine, KNOWN[name].title, cell.what)
        for name in found
        for engine, cell in KNOWN[name].cells.items()
        if cell.verdict is not Verdict.READS and VERSIONS[engine]
    }


def test_engines_that_cannot_read_a_file_are_those_of_the_doctor(samples):
    """Never one more; and none fewer, but for what only pages or values show."""
    lake = scanned(samples)
    ours: dict[str, set] = {}
    for row in lake.views["unreadable_by_engine"].to_pylist():
        ours.setdefault(row["path"], set()).add((row["engine"], row["feature"], row["what"]))
    asked = {*OF_CHUNKS, *OF_FILES, "row-count-zero"}
    of_types = {one for row in lake.tables["schemas"]["features"].to_pylist() for one in row}
    titles = {KNOWN[name].title for name in asked | of_types if name in KNOWN}
    readable = lake.sql("SELECT path FROM files WHERE status = 'ok' OR error_code = 'encrypted'")
    assert len(readable) > 30
    for path in readable["path"].to_pylist():
        theirs, mine = known(path), ours.get(path, set())
        assert mine <= theirs, path
        assert {one for one in theirs if one[1] in titles} == mine, path
    assert {row[0] for rows in ours.values() for row in rows} >= {"Spark", "polars", "Trino"}
    assert str(samples / "sorted-dictionary.parquet") not in ours


@pytest.mark.parametrize("rows, named", [(0, ["DataFusion", "polars"]), (9, [])])
def test_readers_that_believe_a_footer_without_rows_are_named(tmp_path, rows, named):
    path = put(tmp_path, "a.parquet", {"a": [1]})
    path.write_bytes(rebuilt(path.read_bytes(), num_rows=rows))
    found = answer(scanned(tmp_path), "unreadable_by_engine", "engine", "verdict", "num_columns")
    assert found == [(engine, "reads it wrongly", 0) for engine in named]
