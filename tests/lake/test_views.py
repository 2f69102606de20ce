"""Each answer on a lake whose answer is known."""

import datetime
import importlib.util
import json
import os
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import pqexplore.lake
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import ConvertedType, Type
from pqexplore.engine.limits import Limits
from pqexplore.engine.writer.file import write
from pqexplore.engine.writer.options import Encryption, WriteOptions
from pqexplore.lake import query
from pqexplore.lake.footer_rows.schemas import Schemas
from pqexplore.lake.views import VIEWS


def scanned(folder: Path, **options):
    return pqexplore.lake.scan(None, folder, processes=0, **options)


def put(folder: Path, name: str, columns: dict, **options) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), path, **options)
    return path


def answer(lake, view: str, *names: str, **parameters) -> list[tuple]:
    """The rows of a view, of each the values of some columns."""
    return [tuple(row[name] for name in names) for row in lake.views.ask(view, **parameters).to_pylist()]


def test_every_view_answers_a_lake_without_a_row(tmp_path):
    (tmp_path / "a.parquet").touch()
    lake = scanned(tmp_path)
    assert set(lake.views) == set(VIEWS) and len(lake.views) == len(VIEWS)
    for name, view in VIEWS.items():
        rows = lake.views[name].num_rows
        silent = ("errors", "wasted_bytes", "empty_and_truncated", "file_states")
        assert rows == (1 if name in silent else 0), name
        assert name in repr(lake.views) and view.question.endswith(".")


def test_small_files(tmp_path):
    for number in range(4):
        put(tmp_path, f"day=1/{number}.parquet", {"a": list(range(100))})
    put(tmp_path, "day=2/0.parquet", {"a": list(range(5000))}, use_dictionary=False, compression="none")
    size = (tmp_path / "day=1" / "0.parquet").stat().st_size
    lake = scanned(tmp_path)
    columns = ("partition_values", "num_files", "small_files", "target_files", "target_rows")
    assert answer(lake, "small_files", *columns, target_bytes=3 * size) == [
        ("day=1", 4, 4, 2, 200),
        ("day=2", 1, 0, *_target((tmp_path / "day=2" / "0.parquet").stat().st_size, 3 * size, 5000)),
    ]
    assert [row[2] for row in answer(lake, "small_files", *columns)] == [4, 1]  # of 128 MiB, all are
    with pytest.raises(KeyError, match="it has target_bytes"):
        lake.views.ask("small_files", size=3)
    with pytest.raises(KeyError, match="there is no view"):
        lake.views["small_file"]


def _target(size: int, target: int, rows: int) -> tuple[int, int]:
    files = -(-size // target)
    return files, rows // files


def test_skew(tmp_path):
    for number in range(3):
        put(tmp_path, f"{number}.parquet", {"a": list(range(100))})
    put(tmp_path, "large.parquet", {"a": list(range(1000))}, row_group_size=900)
    columns = (
        "num_files", "median_rows", "max_rows", "rows_ratio", "num_row_groups", "min_group_rows", "max_group_rows",
    )  # fmt: skip
    assert answer(scanned(tmp_path), "skew", *columns) == [(4, 100, 1000, 10.0, 5, 100, 900)]


def test_overlap(tmp_path):
    ranges = {"a": (0, 9), "b": (10, 19), "c": (15, 25), "d": (15, 15)}
    for name, (low, high) in ranges.items():
        columns = {
            "key": pa.array([low, high], pa.int64()),
            "same": ["x", "y"],
            "void": pa.array([None, None], pa.int64()),
        }
        put(tmp_path, f"{name}.parquet", columns)
    put(tmp_path, "unknown.parquet", {"key": [1, 2]}, write_statistics=False)
    columns = ("column_name", "num_files", "ranged_files", "null_files", "unknown_files", "max_depth", "point_files")
    found = {row[0]: row[1:] for row in answer(scanned(tmp_path), "overlap", *columns)}
    # beginnings: 0 lies in a; 10 in b; 15, twice, in b, c and d: (1 + 1 + 3 + 3) / 4, and the unknown file each time
    assert found["key"] == (5, 4, 0, 1, 3, 2.0 + 1)
    assert found["same"] == (4, 4, 0, 0, 4, 4.0)
    assert found["void"] == (4, 0, 4, 0, None, 0.0)


@pytest.mark.parametrize("type, values", [
    (pa.int32(), [[-5, -1], [0, 3], [4, 9]]),
    (pa.uint32(), [[0, 1], [2, 2**31 - 1], [2**31, 2**32 - 1]]),
    (pa.float64(), [[-2.5, -1.0], [0.0, 0.5], [1e300, 1e301]]),
    (pa.string(), [["", "a"], ["b", "é"], ["ü", "ｚ"]]),
    (pa.decimal128(24, 3), [[-7, -1], [0, 1], [100, 200]]),
    (pa.timestamp("ms"), [[-1000, -1], [0, 1], [2, 3]]),
    (pa.date32(), [[-3, -2], [0, 1], [2, 3]]),
])  # fmt: skip
def test_what_is_sorted_has_depth_one_whatever_its_type(tmp_path, type, values):
    for number, some in enumerate(values):
        put(tmp_path, f"{number}.parquet", {"v": _cast(some, type)})
    [(depth, point)] = answer(scanned(tmp_path), "overlap", "max_depth", "point_files")
    assert (depth, point) == (1, 1.0)


def _cast(values: list, type) -> pa.Array:
    made = pa.array(values)
    return made.cast(pa.int32()).cast(type) if pa.types.is_date(type) else made.cast(type)


def test_sortedness(tmp_path):
    sorting = [pq.SortingColumn(0)]
    up = {"a": list(range(100)), "b": [n * 37 % 100 for n in range(100)]}
    put(tmp_path, "up.parquet", up, row_group_size=10, sorting_columns=sorting, write_page_index=True)
    put(tmp_path, "down.parquet", {"a": list(range(100, 0, -1)), "b": [1] * 100}, row_group_size=10)
    wrong = {"a": [n * 37 % 100 for n in range(100)], "b": [1] * 100}
    put(tmp_path, "wrong.parquet", wrong, sorting_columns=sorting, write_page_index=True, max_rows_per_page=10)
    columns = (
        "column_name", "num_files", "several_groups", "ascending_files", "descending_files", "declared_groups",
        "declared_unordered",
    )  # fmt: skip
    found = {row[0]: row[1:] for row in answer(scanned(tmp_path, level="pages"), "sortedness", *columns)}
    assert found["a"] == (3, 2, 1, 1, 11, 1)
    assert found["b"] == (3, 2, 1, 1, 0, 0)  # equal values are in order either way


def test_coverage(tmp_path):
    put(tmp_path, "all.parquet", {"a": [1, 2]}, write_page_index=True, write_page_checksum=True)
    put(tmp_path, "none.parquet", {"a": [1, 2]}, write_statistics=False)
    columns = ("bounds", "trusted_bounds", "column_indexes", "offset_indexes", "bloom_filters", "checksums")
    assert answer(scanned(tmp_path), "coverage", *columns) == [(0.5, 0.5, 0.5, 0.5, 0.0, None)]
    [row] = answer(scanned(tmp_path, level="pages"), "coverage", *columns)
    assert row[-1] == 0.5


def test_dictionary_fallback(tmp_path):
    many = [f"value {n} of very many" for n in range(20_000)]
    put(tmp_path, "a.parquet", {"many": many, "few": ["x"] * len(many)}, dictionary_pagesize_limit=1000)
    columns = ("column_name", "dictionary_chunks", "fallback_chunks", "unknown_chunks")
    assert answer(scanned(tmp_path), "dictionary_fallback", *columns) == [("many", 1, 1, 0), ("few", 1, 0, 0)]


def test_codecs_and_encodings(tmp_path):
    put(tmp_path, "a.parquet", {"a": list(range(1000))}, compression="zstd", use_dictionary=False)
    put(tmp_path, "b.parquet", {"a": ["x"]}, compression="none")
    columns = ("physical_type", "codec", "encodings", "num_chunks")
    found = answer(scanned(tmp_path), "codecs_and_encodings", *columns)
    assert [row[:2] for row in found] == [("INT64", "ZSTD"), ("BYTE_ARRAY", "UNCOMPRESSED")]
    assert "PLAIN" in found[0][2] and "RLE_DICTIONARY" in found[1][2]


def test_writers(tmp_path):
    put(tmp_path, "a.parquet", {"a": [1]})
    write(pa.table({"a": [1, 2]}), str(tmp_path / "b.parquet"))
    found = answer(scanned(tmp_path), "writers", "writer", "num_files", "num_rows")
    assert sorted(found)[-1] == ("pqexplore", 1, 2) or ("pqexplore", 1, 2) in found
    assert ("parquet-cpp-arrow", 1, 1) in found


def test_schema_drift(tmp_path):
    monday = datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC).timestamp()
    for number, columns in enumerate(
        ({"a": [1], "b": ["x"]}, {"a": [1], "b": ["x"]}, {"a": [1.5], "b": ["x"], "c": [True]})
    ):
        path = put(tmp_path, f"day={number}/a.parquet", columns)
        os.utime(path, (monday + number * 86400,) * 2)
    columns = ("column_name", "physical_type", "drift", "num_files", "first_partition")
    lake = scanned(tmp_path)
    assert answer(lake, "schema_drift", *columns) == [
        ("a", "INT64", "several definitions", 2, "day=0"),
        ("a", "DOUBLE", "several definitions", 1, "day=2"),
        ("c", "BOOLEAN", "not in all files", 1, "day=2"),
        ("b", "BYTE_ARRAY", "in all files", 3, "day=0"),
    ]
    since = [row[0].day for row in answer(lake, "schema_drift", "since")]
    assert since == [1, 3, 3, 1]
    assert [row[1] for row in answer(lake, "schemas_by_partition", "partition_values", "num_files")] == [1, 1, 1]
    ids = [row[0] for row in answer(lake, "schemas_by_partition", "schema_id")]
    assert ids[0] == ids[1] != ids[2]


def test_columns_of_two_tables_do_not_drift(tmp_path):
    for place in ("orders/day=1", "orders/day=2", "people"):
        put(tmp_path, f"{place}/a.parquet", {"id": [1]} | ({"name": ["x"]} if place == "people" else {"price": [1.5]}))
    found = answer(scanned(tmp_path), "schema_drift", "column_name", "drift", "num_files", "share", "table_name")
    assert [(column, drift, files, share) for column, drift, files, share, _ in found] == [
        ("id", "in all files", 2, 1.0),
        ("id", "in all files", 1, 1.0),
        ("name", "in all files", 1, 1.0),
        ("price", "in all files", 2, 1.0),
    ]
    assert [os.path.basename(row[4]) for row in found] == ["orders", "people", "people", "orders"]
    assert scanned(tmp_path).drift().differences == ()


def test_deprecated(tmp_path):
    when = pa.array([datetime.datetime(2024, 1, 1)], pa.timestamp("ns"))
    put(tmp_path, "old.parquet", {"t": when}, use_deprecated_int96_timestamps=True)
    put(tmp_path, "fine.parquet", {"t": when})
    assert answer(scanned(tmp_path), "deprecated", "feature", "num_files") == [("INT96 timestamps", 1)]


def test_encryption_coverage(tmp_path):
    table, key = pa.table({"id": [1], "ssn": ["x"]}), b"f" * 16
    columns = Encryption(key, {"ssn": b"c" * 16}, plaintext_footer=True)
    write(table, str(tmp_path / "columns.parquet"), WriteOptions(encryption=columns))
    write(table, str(tmp_path / "footer.parquet"), WriteOptions(encryption=Encryption(key)))
    write(table, str(tmp_path / "plain.parquet"))
    found = {
        row[0]: row[1:]
        for row in answer(
            scanned(tmp_path),
            "encryption_coverage",
            "column_name",
            "num_chunks",
            "footer_key_chunks",
            "column_key_chunks",
        )
    }
    assert found["ssn"] == (2, 0, 1)
    assert sum(found["id"][1:]) <= 1 and found["id"][0] == 2
    assert found["(encrypted footers)"] == (0, 0, 0)


def test_wasted_bytes_and_orphans(tmp_path):
    path = put(tmp_path, "a.parquet", {"a": [1, 2, 3]})
    data = path.read_bytes()
    start = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    path.write_bytes(data[:start] + b"\0" * 100 + data[start:])
    found = {row[0]: row[1] for row in answer(scanned(tmp_path), "wasted_bytes", "kind", "num_bytes")}
    assert found == {"footers": len(data) - start - 8, "nothing claims them": 100}


def test_column_sizes(tmp_path):
    path = put(tmp_path, "a.parquet", {"a": list(range(1000)), "b": [1] * 1000})
    metadata = pq.read_metadata(path).row_group(0)
    sizes = {metadata.column(c).path_in_schema: metadata.column(c).total_compressed_size for c in range(2)}
    found = answer(scanned(tmp_path), "column_sizes", "column_name", "compressed_bytes", "num_values")
    assert found == [("a", sizes["a"], 1000), ("b", sizes["b"], 1000)]


def test_errors_and_findings(tmp_path):
    from made import rebuilt

    (tmp_path / "a.parquet").write_bytes(b"")
    (tmp_path / "b.parquet").write_bytes(b"x" * 100)
    data = put(tmp_path, "c.parquet", {"a": [1]}).read_bytes()
    (tmp_path / "c.parquet").write_bytes(rebuilt(data, num_rows=9))
    lake = scanned(tmp_path)
    columns = ("error_code", "phase", "num_files", "total_bytes", "example")
    assert answer(lake, "errors", *columns) == [("not-parquet", "footer", 2, 100, str(tmp_path / "a.parquet"))]
    columns = ("rule", "severity", "num_files", "example_address")
    assert answer(lake, "findings_by_rule", *columns) == [("row-count-disagrees", "error", 1, "footer/num_rows")]


def test_a_log_that_counts_other_rows(tmp_path, monkeypatch):
    from pqexplore.lake.listed_files import Entry
    from pqexplore.lake.listing import Listing
    from pqexplore.lake.scanning import run as runs

    paths = [str(put(tmp_path, f"{n}.parquet", {"a": [1, 2]})) for n in range(3)]
    listed = Listing(
        [Entry(paths[0], 1, 1, listed_rows=2), Entry(paths[1], 1, 1, listed_rows=5)],
        [Entry(paths[2], 7, 1, state="orphan")],
    )
    monkeypatch.setattr(runs, "listing", lambda *_, **__: listed)
    lake = scanned(tmp_path)
    assert answer(lake, "log_disagreements", "path", "listed_rows", "num_rows") == [(paths[1], 5, 2)]
    assert answer(lake, "orphans", "path", "size") == [(paths[2], 7)]
    assert json.loads(json.dumps(answer(lake, "small_files", "num_files"))) == [[2]]


def element(name: str = "x", **fields):
    return structs.SchemaElement(name=name, repetition_type=1, **fields)


def logical(**chosen):
    return structs.LogicalType(**chosen)


def integer(bits: int, signed: bool):
    return logical(INTEGER=structs.IntType(bitWidth=bits, isSigned=signed))


def times(struct, unit, utc: bool = True):
    units = {"MILLIS": structs.MilliSeconds, "MICROS": structs.MicroSeconds, "NANOS": structs.NanoSeconds}
    return struct(isAdjustedToUTC=utc, unit=structs.TimeUnit(**{unit: units[unit]()}))


def decimal(precision: int, scale: int):
    return logical(DECIMAL=structs.DecimalType(precision=precision, scale=scale))


C = ConvertedType
INT32, INT64, BYTES = Type.INT32, Type.INT64, Type.BYTE_ARRAY
ONE_TYPE = [
    # name, physical type, the two ways to write it down
    ("INT32", INT32, {}, {"logicalType": integer(32, True)}),
    ("INT32", INT32, {}, {"converted_type": C.INT_32}),
    ("INT64", INT64, {}, {"logicalType": integer(64, True)}),
    ("INT64", INT64, {}, {"converted_type": C.INT_64}),
    ("INT(8, signed)", INT32, {"converted_type": C.INT_8}, {"logicalType": integer(8, True)}),
    ("INT(16, signed)", INT32, {"converted_type": C.INT_16}, {"logicalType": integer(16, True)}),
    ("INT(8, unsigned)", INT32, {"converted_type": C.UINT_8}, {"logicalType": integer(8, False)}),
    ("INT(64, unsigned)", INT64, {"converted_type": C.UINT_64}, {"logicalType": integer(64, False)}),
    ("STRING", BYTES, {"converted_type": C.UTF8}, {"logicalType": logical(STRING=structs.StringType())}),
    ("ENUM", BYTES, {"converted_type": C.ENUM}, {"logicalType": logical(ENUM=structs.EnumType())}),
    ("JSON", BYTES, {"converted_type": C.JSON}, {"logicalType": logical(JSON=structs.JsonType())}),
    ("BSON", BYTES, {"converted_type": C.BSON}, {"logicalType": logical(BSON=structs.BsonType())}),
    ("DATE", INT32, {"converted_type": C.DATE}, {"logicalType": logical(DATE=structs.DateType())}),
    ("DECIMAL(9, 2)", INT32, {"converted_type": C.DECIMAL, "precision": 9, "scale": 2}, {"logicalType": decimal(9, 2)}),
    ("TIME(ms, UTC)", INT32, {"converted_type": C.TIME_MILLIS}, {"logicalType": logical(TIME=times(structs.TimeType, "MILLIS"))}),
    ("TIME(µs, UTC)", INT64, {"converted_type": C.TIME_MICROS}, {"logicalType": logical(TIME=times(structs.TimeType, "MICROS"))}),
    ("TIMESTAMP(ms, UTC)", INT64, {"converted_type": C.TIMESTAMP_MILLIS}, {"logicalType": logical(TIMESTAMP=times(structs.TimestampType, "MILLIS"))}),
    ("TIMESTAMP(µs, UTC)", INT64, {"converted_type": C.TIMESTAMP_MICROS}, {"logicalType": logical(TIMESTAMP=times(structs.TimestampType, "MICROS"))}),
]  # fmt: skip
TWO_TYPES = [
    # physical type, two annotations that do not mean the same
    (INT32, {"logicalType": integer(32, True)}, {"logicalType": integer(32, False)}),
    (INT32, {}, {"converted_type": C.INT_16}),
    (INT64, {}, {"logicalType": integer(32, True)}),  # contradicts itself
    (BYTES, {}, {"converted_type": C.UTF8}),
    (INT64, {"converted_type": C.TIMESTAMP_MICROS}, {"converted_type": C.TIMESTAMP_MILLIS}),
    (INT64, {"converted_type": C.TIMESTAMP_MICROS},
        {"logicalType": logical(TIMESTAMP=times(structs.TimestampType, "MICROS", utc=False))}),
    (INT32, {"logicalType": decimal(9, 2)}, {"logicalType": decimal(9, 3)}),
]  # fmt: skip


def facts(*elements):
    """What the tables say of a schema of one leaf."""
    root = structs.SchemaElement(name="r", num_children=1)
    return Schemas(Limits()).facts(b"", lambda: [root, *elements], (), None).rows


@pytest.mark.parametrize(("name", "physical", "one", "other"), ONE_TYPE)
def test_one_type_has_one_name_however_it_is_annotated(name, physical, one, other):
    rows = [facts(element(type=physical, **fields)) for fields in (one, other)]
    assert [row["logical_type"] for row in rows] == [[name], [name]]
    assert [row["definition"] for row in rows] == [[f"optional x {name}"]] * 2


@pytest.mark.parametrize(("physical", "one", "other"), TWO_TYPES)
def test_other_types_keep_names_of_their_own(physical, one, other):
    rows = [facts(element(type=physical, **fields)) for fields in (one, other)]
    assert rows[0]["definition"] != rows[1]["definition"]
    assert rows[0]["logical_type"] != rows[1]["logical_type"]


MAPS = [
    ({"converted_type": C.MAP}, {"converted_type": C.MAP_KEY_VALUE}),
    ({"converted_type": C.MAP_KEY_VALUE}, {}),
    ({"logicalType": logical(MAP=structs.MapType())}, {}),
]


@pytest.mark.parametrize(("outer", "inner"), MAPS)
def test_a_map_has_one_definition_whoever_wrote_it(outer, inner):
    """Old writers annotate with MAP_KEY_VALUE: the repeated group, or even the map."""
    key_value = structs.SchemaElement(name="key_value", repetition_type=2, num_children=1, **inner)
    rows = facts(element(num_children=1, **outer), key_value, element("key", type=INT32))
    assert rows["definition"] == ["optional group x (MAP) / repeated group key_value / optional key INT32"]


def test_writers_that_annotate_integers_and_those_that_do_not_share_a_column(tmp_path):
    """Arrow leaves INT64 alone, polars and others write INT(64, signed): one column, one range, no drift."""
    put(tmp_path, "a.parquet", {"n": pa.array(range(10), pa.int64())})
    table = pa.table({"n": pa.array(range(5, 15), pa.int64())})
    write(table, tmp_path / "b.parquet", WriteOptions(columns={("n",): {"logical_type": integer(64, True)}}))
    lake = scanned(tmp_path)
    schemas = lake.tables["files"]["schema_id"].to_pylist()
    assert len(set(schemas)) == 2  # to the last bit they are two
    assert answer(lake, "overlap", "column_name", "logical_type", "ranged_files", "max_depth") == [("n", "INT64", 2, 2)]
    assert answer(lake, "schema_drift", "column_name", "definition", "drift", "num_files") == [
        ("n", "optional n INT64", "in all files", 2)
    ]
    assert answer(lake, "dictionary_fallback", "column_name", "num_chunks") == [("n", 2)]


@pytest.mark.parametrize("physical", ["INT32", "INT64", "FIXED_LEN_BYTE_ARRAY", "BYTE_ARRAY"])
def test_ranges_of_decimals_compare_whatever_stores_them(tmp_path, physical):
    """Spark's legacy format has FIXED_LEN_BYTE_ARRAY where Arrow and others write INT32 or INT64."""
    for name, values, stored in (("a", (-900, 50), "INT32"), ("b", (20, 300), physical), ("c", (40, 45), "INT64")):
        decimals = [Decimal(n) / 100 for n in values]
        table = pa.table({"d": pa.array(decimals, pa.decimal128(9, 2))})
        options = WriteOptions(columns={("d",): {"physical_type": stored}})
        write(table, tmp_path / f"{name}.parquet", options)
    [row] = answer(scanned(tmp_path), "overlap", "logical_type", "ranged_files", "max_depth", "mean_depth")
    assert row == ("DECIMAL(9, 2)", 3, 3, 2.0)


def test_views_are_answered_by_duckdb_if_this_machine_sees_the_store(tmp_path, monkeypatch):
    """With a session, too; Spark is used only if DuckDB is not installed, or the store is elsewhere."""
    put(tmp_path / "lake", "a.parquet", {"a": [1]})
    lake = pqexplore.lake.scan(None, tmp_path / "lake", out=tmp_path / "store", processes=0)
    assert lake.views.engine == "DuckDB" and "answered by DuckDB" in repr(lake.views)
    with_session = pqexplore.lake.open(tmp_path / "store")
    with_session.spark = object()
    assert with_session.views.engine == "DuckDB"
    assert query.rows(with_session, "SELECT path FROM files")[0]["path"].endswith("a.parquet")
    with monkeypatch.context() as patched:
        patched.setattr(importlib.util, "find_spec", lambda _: None)
        assert lake.views.engine == "DuckDB"  # which says what to install
        assert with_session.views.engine == "Spark"
    with_session.path = "s3://bucket/store"
    assert with_session.views.engine == "Spark"
