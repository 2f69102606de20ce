"""One file becomes rows, whatever is wrong with it."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from lake import made_lake
from made import events, parquet, rebuilt

import pqexplore
import pqexplore.lake
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.variant_bounds import chunk_bounds
from pqexplore.engine.writer.file import write
from pqexplore.engine.writer.options import Encryption, WriteOptions
from pqexplore.engine.writer.samples import SAMPLES, write_sample
from pqexplore.lake.footer_rows import footers
from pqexplore.lake.footer_rows.bound_keys import clipped
from pqexplore.lake.footer_rows.chunk_rows import dictionary_use
from pqexplore.lake.footer_rows.inspection import Inspection
from pqexplore.lake.listed_files import Entry, Options, partition_values, writer
from pqexplore.lake.tables import TABLES


def rows(paths, **options) -> dict[str, list[dict]]:
    """The rows of some files by table."""
    found: dict[str, list[dict]] = {name: [] for name in TABLES}
    inspection = Inspection(Options("run", **options))
    for table, batch in inspection.batches(Entry(str(path)) for path in paths):
        assert batch.schema == TABLES[table].schema
        found[table] += batch.to_pylist()
    return found


def of_bytes(tmp_path, data: bytes, **options) -> dict[str, list[dict]]:
    path = tmp_path / "one.parquet"
    path.write_bytes(data)
    return rows([path], **options)


@pytest.mark.parametrize("kind, phase, address, offset", [
    ("truncated", "footer", "footer_magic", True),
    ("length", "footer", "footer_length", True),
    ("encrypted-footer", "footer", "footer", True),
    ("dangling-link", "open", None, False),
])  # fmt: skip
def test_errors_have_a_phase_and_a_place(tmp_path, kind, phase, address, offset):
    bad = made_lake.make(tmp_path, 1)
    [row] = rows([path for path, one in bad.items() if one == kind])["files"]
    assert (row["phase"], row["address"]) == (phase, address)
    assert (row["error_offset"] is not None) == offset


@pytest.mark.parametrize(
    "zeros", [pytest.param(1, marks=pytest.mark.full), 7, 400, pytest.param(64, marks=pytest.mark.full)]
)
def test_zero_bytes_in_a_footer_are_damage_to_the_scan_as_to_the_doctor(tmp_path, zeros):
    """A run of zero bytes ends structs early: the footer still opens, and row groups or chunks lack what pages need."""
    data = parquet(events(100), row_group_size=20, compression="zstd")
    length = int.from_bytes(data[-8:-4], "little")
    start, damaged = len(data) - 8 - length, 0
    for at in range(start, start + length - 400, 97):
        zeroed = data[:at] + bytes(zeros) + data[at + zeros :]
        found = of_bytes(tmp_path, zeroed)
        try:
            len(pqexplore.open(zeroed))  # which needs the rows of each row group
            report = pqexplore.diagnose(zeroed)
            unreadable = any(one.rule == "unreadable" for one in report.findings)
        except ParquetError:
            unreadable = True
        [file] = found["files"]
        expected = "error" if unreadable else "ok"
        assert file["status"] == expected, (at - start, file["error"], found["findings"])
        if unreadable:
            assert file["error_code"] == "corrupt" and file["address"] and file["error"]
        damaged += unreadable
    assert damaged or zeros == 1


def test_what_a_file_says_of_itself(tmp_path):
    data = parquet(events(100), row_group_size=60, compression="zstd", write_page_index=True)
    found = of_bytes(tmp_path, data)
    [file] = found["files"]
    assert file["status"] == "ok" and file["error"] is None and file["phase"] is None
    assert (file["num_rows"], file["num_row_groups"], file["size"]) == (100, 2, len(data))
    assert (file["writer"], file["writer_version"]) == ("parquet-cpp-arrow", pa.__version__)
    assert file["key_value_keys"] == ["ARROW:schema"] and file["encryption"] == "none"
    assert file["footer_bytes"] == int.from_bytes(data[-8:-4], "little")
    parts = ("compressed_bytes", "index_bytes", "bloom_bytes", "gap_bytes", "footer_bytes")
    assert sum(file[name] for name in parts) + 12 == len(data)
    assert [group["num_rows"] for group in found["row_groups"]] == [60, 40]
    assert len(found["column_chunks"]) == 2 * file["num_columns"] == 2 * len(found["schemas"])
    assert not found["findings"]


def test_chunks_say_what_the_engine_says_of_each(tmp_path):
    """Every sample of the writer: bounds, keys and sizes of each chunk against the handles of the engine."""
    seen = 0
    for name in SAMPLES:
        path = tmp_path / f"{name}.parquet"
        write_sample(name, str(path))
        try:
            file = pqexplore.open(path)
            chunks = list(file.chunks())
        except ParquetError:
            continue
        mine = rows([path])["column_chunks"]
        assert len(mine) == len(chunks), name
        for row, chunk in zip(mine, chunks, strict=True):
            metadata = chunk.struct.meta_data
            if metadata is None:
                assert row["locked"] == (chunk.struct.encrypted_column_metadata is not None)
                assert row["num_values"] is None and row["min_key"] is None
                continue
            assert row["num_values"] == metadata.num_values
            assert row["compressed_bytes"] == metadata.total_compressed_size
            assert row["column_name"] == ".".join(chunk.leaf.path)
            try:
                told = chunk_bounds(chunk)
            except ParquetError:
                assert row["bounds"] == "damaged"
                continue
            has = told is not None and told.source != ""
            assert (row["statistics"] in ("min_max", "legacy")) == has, name
            trusted = has and told.trusted
            assert (row["bounds"] == "trusted") == trusted, (name, row, told)
            low, high = (told.min_key, told.max_key) if trusted else (None, None)
            assert row["min_key"] == (low and clipped(low, upper=False)), (name, row)
            assert row["max_key"] == (high and clipped(high, upper=True)), (name, row)
            seen += has
    assert seen > 50


def test_the_light_way_and_the_engine_give_the_same_rows(tmp_path, monkeypatch):
    paths = []
    for number in range(6):
        paths.append(tmp_path / f"{number}.parquet")
        pq.write_table(made_lake.table(number), paths[-1], row_group_size=7, write_page_index=True)
    light = rows(paths)
    monkeypatch.setattr(footers, "SMALL", 0)  # every footer is a large one, read chunk by chunk
    by_chunk = rows(paths)
    monkeypatch.setattr(footers, "SMALL_CHUNK", -1)  # and through the engine's structs
    by_engine = rows(paths)
    for table in TABLES:
        for other in (by_chunk, by_engine):
            assert [{k: v for k, v in row.items() if k != "seconds"} for row in other[table]] == [
                {k: v for k, v in row.items() if k != "seconds"} for row in light[table]
            ], table


def test_batches_are_small_however_large_the_footer(tmp_path):
    path = tmp_path / "wide.parquet"
    pq.write_table(pa.table({f"c{n}": [n] * 40 for n in range(100)}), path, row_group_size=1)
    inspection = Inspection(Options("run", batch_rows=1000))
    sizes = [batch.num_rows for table, batch in inspection.batches([Entry(str(path))]) if table == "column_chunks"]
    assert sum(sizes) == 4000 and max(sizes) <= 1000


def footer_with(data: bytes, **changes) -> bytes:
    return rebuilt(data, **changes)


@pytest.mark.parametrize("changes, rule, status", [
    ({"num_rows": 7}, "row-count-disagrees", "ok"),
    ({"row_groups__0__columns": lambda columns: columns[:1]}, "unreadable", "error"),
    ({"row_groups__0__columns__0__meta_data": None}, "required-field", "error"),
    ({"row_groups__0__columns__0__meta_data__num_values": None}, "required-field", "error"),
    ({"row_groups__0__columns__0__meta_data__data_page_offset": 10**9}, "chunk-outside", "ok"),
    ({"row_groups__0__columns__0__file_path": "other.parquet"}, "pages-elsewhere", "ok"),
    ({"row_groups__0__num_rows": None}, "required-field", "error"),
])  # fmt: skip
def test_damage_inside_is_a_finding_and_an_error_where_pages_are_lost(tmp_path, changes, rule, status):
    data = parquet(pa.table({"a": [1, 2], "b": ["x", "y"]}), use_dictionary=False)
    found = of_bytes(tmp_path, footer_with(data, **changes))
    assert [row["status"] for row in found["files"]] == [status]
    assert rule in [row["rule"] for row in found["findings"]]


HUGE = 2**63 - 1


@pytest.mark.parametrize("changes", [
    {"num_rows": HUGE},
    {"num_rows": -1},
    {"row_groups__0__num_rows": HUGE, "row_groups__0__total_byte_size": -HUGE},
    {"row_groups__0__columns__0__meta_data__total_compressed_size": HUGE,
        "row_groups__0__columns__1__meta_data__total_compressed_size": HUGE},
    {"row_groups__0__columns__0__meta_data__total_uncompressed_size": -HUGE},
    {"row_groups__0__columns__0__meta_data__num_values": HUGE},
    {"row_groups__0__columns__0__meta_data__statistics__null_count": -5},
    {"row_groups__0__columns__0__meta_data__encodings": lambda some: some * 10_000},
    {"row_groups__0__columns__0__meta_data__codec": 99},
    {"row_groups__0__columns__0__meta_data__data_page_offset": -HUGE},
    {"created_by": "x" * 200_000},
    {"schema__1__name": "long " * 40_000},
    {"row_groups__0__columns__0__column_index_length": 2**31 - 1},
])  # fmt: skip
def test_a_footer_that_lies_costs_no_other_file_its_rows(tmp_path, changes):
    data = parquet(pa.table({"a": [1, 2], "b": ["x", "y"]}), write_page_index=True)
    for name, content in (("lies", footer_with(data, **changes)), ("true", data)):
        (tmp_path / f"{name}.parquet").write_bytes(content)
    found = rows([tmp_path / "lies.parquet", tmp_path / "true.parquet"])
    assert [row["status"] for row in found["files"]] == ["ok", "ok"]
    assert found["files"][1]["num_rows"] == 2 and len(found["column_chunks"]) == 4
    for table in found.values():
        for row in table:
            assert all(abs(v) < 2**44 for k, v in row.items() if isinstance(v, int) and "offset" not in k)
            row.pop("footer", None)  # has a limit of its own
            assert all(len(v) <= 4000 for v in row.values() if isinstance(v, str | bytes))


def test_findings_of_one_rule_are_not_listed_without_end(tmp_path):
    table = pa.table({f"c{n}": [n] for n in range(300)})
    data = parquet(table, use_dictionary=False)

    def elsewhere(columns):
        for chunk in columns:
            chunk.file_path = "other.parquet"
        return columns

    found = of_bytes(tmp_path, footer_with(data, row_groups__0__columns=elsewhere))
    assert len(found["findings"]) == 100 and len(found["column_chunks"]) == 300


def test_a_schema_that_is_no_tree_is_an_error_of_the_file(tmp_path):
    data = parquet(pa.table({"a": [1]}))
    [file] = of_bytes(tmp_path, footer_with(data, schema__0__num_children=9))["files"]
    assert (file["status"], file["phase"], file["error_code"]) == ("error", "schema", "corrupt")
    assert "has 9 children" in file["error"]


def test_columns_that_are_encrypted(tmp_path):
    path = tmp_path / "locked.parquet"
    encryption = Encryption(b"f" * 16, {"ssn": b"c" * 16}, plaintext_footer=True)
    write(pa.table({"id": [1, 2], "ssn": ["a", "b"]}), str(path), WriteOptions(encryption=encryption))
    found = rows([path])
    [file] = found["files"]
    assert (file["status"], file["encryption"], file["encryption_algorithm"]) == ("ok", "columns", "AES_GCM_V1")
    assert {row["column_name"]: row["encryption"] for row in found["column_chunks"]}["ssn"] == "column key"
    assert "f" * 16 not in json.dumps(found, default=str)


def test_pages_and_indexes(tmp_path):
    table = pa.table({"n": pa.array(range(1000), pa.int64()), "t": [f"{n % 5}" for n in range(1000)]})
    path = tmp_path / "pages.parquet"
    pq.write_table(
        table,
        path,
        data_page_size=400,
        write_batch_size=50,
        write_page_index=True,
        write_page_checksum=True,
        use_dictionary=["t"],
    )
    found = rows([path], level="pages")
    pages = [row for row in found["pages"] if row["column_name"] == "n"]
    assert len(pages) > 5 and all(row["has_crc"] and row["page_type"] == "DATA_PAGE" for row in pages)
    assert sum(row["num_values"] for row in pages) == sum(row["num_rows"] for row in pages) == 1000
    assert [row["min_key"] for row in pages] == sorted(row["min_key"] for row in pages)
    assert pages[0]["min_key"] == b"\x80" + b"\0" * 7
    [dictionary] = [row for row in found["pages"] if row["page_type"] == "DICTIONARY_PAGE"]
    assert (dictionary["column_name"], dictionary["num_values"]) == ("t", 5)
    index = {row["column_name"]: row for row in found["indexes"]}
    assert (index["n"]["boundary_order"], index["n"]["index_pages"]) == ("ASCENDING", len(pages))
    assert rows([path])["pages"] == []


def test_a_damaged_page_costs_that_page_only(tmp_path):
    data = bytearray(parquet(pa.table({"a": range(10), "b": range(10)}), use_dictionary=False))
    data[4:12] = b"\xff" * 8
    found = of_bytes(tmp_path, bytes(data), level="pages")
    assert found["files"][0]["status"] == "ok"
    assert [row["column_name"] for row in found["pages"]] == ["b"]
    assert found["findings"][0]["address"].startswith("row_groups/0/columns/0")


def test_check_looks_everywhere(tmp_path):
    data = bytearray(parquet(pa.table({"a": range(10)}), write_page_checksum=True, compression="none"))
    data[60] ^= 0xFF
    assert of_bytes(tmp_path, bytes(data))["findings"] == []
    assert "crc-mismatch" in [row["rule"] for row in of_bytes(tmp_path, bytes(data), check=True)["findings"]]


@pytest.mark.parametrize("created_by, expected", [
    ("parquet-mr version 1.12.3 (build f8dced182c4c1fbdec6ccb3185537b5a01e6ed6b)", ("parquet-mr", "1.12.3")),
    ("parquet-cpp-arrow version 26.0.1", ("parquet-cpp-arrow", "26.0.1")),
    ("DuckDB version v1.4.0 (build 1)", ("DuckDB", "1.4.0")),
    ("Polars", ("Polars", None)),
    (None, (None, None)),
])  # fmt: skip
def test_writer(created_by, expected):
    assert writer(created_by) == expected


def test_partition_values():
    assert partition_values("/a/day=3/hour=4/x=y.parquet") == "day=3/hour=4"
    assert partition_values("/a/=/=b/c.parquet") == ""


PLAIN, DICTIONARY, RLE, DELTA = 0, 8, 3, 5


@pytest.mark.parametrize("encodings, counts, placed, expected", [
    ((PLAIN, RLE, DICTIONARY), ((2, PLAIN, 1), (0, DICTIONARY, 3)), True, (3, 3, True, False)),
    ((PLAIN, RLE, DICTIONARY), ((2, PLAIN, 1), (0, DICTIONARY, 3), (0, PLAIN, 2)), True, (5, 3, True, True)),
    ((PLAIN, RLE), ((3, PLAIN, 2),), False, (2, 0, False, False)),
    ((PLAIN, RLE, DICTIONARY), None, True, (None, None, True, None)),
    ((RLE, DICTIONARY), None, True, (None, None, True, False)),
    ((RLE, DICTIONARY, DELTA), None, True, (None, None, True, True)),
    ((PLAIN, RLE), None, False, (None, None, False, False)),
])  # fmt: skip
def test_dictionary_use(encodings, counts, placed, expected):
    assert dictionary_use(encodings, counts, placed) == expected


@pytest.mark.parametrize(("fields", "expected"), [((), "none"), (("null_count",), "counts"), (("bounds",), "min_max")])
def test_statistics_that_are_absent_are_apart_from_those_without_bounds(tmp_path, fields, expected):
    options = WriteOptions(statistics=("chunk",) if fields else (), statistics_fields=fields)
    write(pa.table({"a": [1, None]}), tmp_path / "a.parquet", options)
    lake = pqexplore.lake.scan(None, tmp_path, processes=0)
    chunks = lake.tables["column_chunks"].to_pylist()
    assert [(one["statistics"], one["bounds"]) for one in chunks] == [
        (expected, "trusted" if expected == "min_max" else "none")
    ]
