"""Files without a usable footer: what is found in them, and the new file that it makes."""

import io
import os
import zlib

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import pqexplore
from pqexplore.engine.encodings import rle
from pqexplore.engine.errors import CorruptFileError, UsageError
from pqexplore.engine.salvage import hint, salvage, unusable
from pqexplore.engine.source import open_source
from pqexplore.engine.thrift import structs
from pqexplore.engine.thrift.encode import encode

ROWS = 3000
_random = np.random.default_rng(7)
TABLE = pa.table(
    {
        "id": pa.array(_random.integers(0, 1 << 40, ROWS)),
        "name": pa.array([f"name {i % 37}" for i in range(ROWS)]),
        "share": pa.array(_random.random(ROWS)),
        "tags": pa.array([[i, None] * (i % 3) if i % 7 else None for i in range(ROWS)]),
        "even": pa.array([i % 2 == 0 if i % 11 else None for i in range(ROWS)]),
    }
)
WRITERS = {
    "one row group": {},
    "row groups, zstd": {"compression": "zstd", "row_group_size": 1100},
    "no dictionaries, small pages": {
        "use_dictionary": False,
        "row_group_size": 700,
        "data_page_size": 2000,
        "write_batch_size": 100,
    },
    "V2 pages, uncompressed": {"data_page_version": "2.0", "compression": "none"},
    "checksums, gzip": {"write_page_checksum": True, "row_group_size": 1100, "compression": "gzip"},
    "brotli": {"compression": "brotli"},
    "lz4": {"compression": "lz4"},
}


def written(table=TABLE, **options):
    sink = io.BytesIO()
    pq.write_table(table, sink, **options)
    return sink.getvalue()


def footer_length(data):
    return int.from_bytes(data[-8:-4], "little")


def without_footer(data):
    return data[: -8 - footer_length(data)]


def assert_tiles(saved, size):
    table = saved.table
    starts, ends = table["start"].to_pylist(), table["end"].to_pylist()
    assert [0, *ends] == [*starts, size]


@pytest.mark.parametrize("options", WRITERS.values(), ids=WRITERS)
@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[:-8],
        lambda data: data[: -8 - footer_length(data) // 4],
        lambda data: data[:-8] + bytes(8),
        lambda data: data + b"appended by somebody else",
    ],
    ids=["length and magic cut off", "footer cut in its middle", "tail zeroed", "bytes appended"],
)
def test_a_footer_that_is_still_there_gives_everything_back(options, damage):
    data = damage(written(**options))
    with pytest.raises(pqexplore.ParquetError):
        pqexplore.open(data)
    saved = salvage(data)
    assert_tiles(saved, len(data))
    assert "footer-found" in {finding.rule for finding in saved.findings}
    with saved.open() as file:
        assert file.read().equals(TABLE)
        assert file.check() == []


@pytest.mark.parametrize("options", WRITERS.values(), ids=WRITERS)
def test_with_a_schema_given_the_pages_are_enough(options):
    data = without_footer(written(**options))
    saved = salvage(data, schema=TABLE.schema)
    with saved.open() as file:
        assert file.read().equals(TABLE)
    assert all(chunk.complete for chunk in saved.chunks)


@pytest.mark.parametrize("options", WRITERS.values(), ids=WRITERS)
def test_without_a_schema_columns_have_positions_and_the_types_that_are_proven(options):
    saved = salvage(without_footer(written(**options)))
    with saved.open() as file:
        table = file.read()
    assert table.column_names == [f"column_{i}" for i in range(5)]
    assert table["column_1"].cast(pa.string()).combine_chunks() == TABLE["name"].combine_chunks()
    assert table["column_4"].combine_chunks() == TABLE["even"].combine_chunks()
    shares = b"".join(value.as_py() for value in table["column_2"])
    assert shares == TABLE["share"].to_numpy().tobytes()
    doubtful = {f.address for f in saved.findings if f.rule == "type-unproven"}
    assert doubtful == {f"row_groups/0/columns/{i}" for i in (0, 2, 3)}


def test_schema_is_given_as_elements_a_file_or_a_handle(tmp_path):
    data = written(compression="snappy")
    path = tmp_path / "like.parquet"
    path.write_bytes(data)
    with pqexplore.open(data) as other:
        for schema in (list(other.metadata.schema), path, str(path), other):
            with salvage(without_footer(data), schema=schema).open() as file:
                assert file.read().equals(TABLE)


@pytest.mark.parametrize("schema", [5, [], ["id"]])
def test_something_else_is_no_schema(schema):
    with pytest.raises(UsageError):
        salvage(without_footer(written()), schema=schema)


def test_a_cut_file_keeps_its_whole_row_groups():
    data = written(row_group_size=1000, compression="zstd")
    data = data[: len(without_footer(data)) * 3 // 4]
    saved = salvage(data, schema=TABLE.schema)
    with saved.open() as file:
        assert file.read().equals(TABLE.slice(0, 2000))
    cut = [f for f in saved.findings if f.rule == "page-cut-off"]
    assert len(cut) == 1 and cut[0].evidence["size"] == len(data)
    assert_tiles(saved, len(data))


def test_a_cut_row_group_keeps_its_whole_columns():
    data = written()
    data = data[: len(without_footer(data)) // 2]
    saved = salvage(data, schema=TABLE.schema)
    with saved.open() as file:
        kept = file.read()
    assert 0 < kept.num_columns < 5
    assert kept.equals(TABLE.select(kept.column_names))
    with pytest.raises(CorruptFileError, match="no row group is complete"):
        saved.open(keep="rows")
    with pytest.raises(UsageError):
        saved.open(keep="everything")


def test_rows_or_columns_are_kept_as_asked():
    data = written(row_group_size=1500)
    data = data[: len(without_footer(data)) * 3 // 4]
    saved = salvage(data, schema=TABLE.schema)
    with saved.open(keep="rows") as file:
        assert file.read().equals(TABLE.slice(0, 1500))
    with saved.open(keep="columns") as file:
        kept = file.read()
        assert kept.equals(TABLE.select(kept.column_names))
        assert kept.num_columns < 5


def test_a_damaged_page_costs_its_row_group_and_the_search_goes_on_behind_it():
    data = written(row_group_size=1000, compression="zstd", write_page_checksum=True)
    with pqexplore.open(data) as file:
        page = file.row_groups[1].columns["share"].pages[1]
    broken = bytearray(data[:-8])
    broken[page.frame.header_end + 40 : page.frame.header_end + 60] = bytes(20)
    saved = salvage(bytes(broken))
    assert [f.evidence["start"] for f in saved.findings if f.rule == "page-damaged"] == [
        page.span.start
    ]
    with saved.open() as file:
        assert file.read().equals(pa.concat_tables([TABLE.slice(0, 1000), TABLE.slice(2000)]))


def test_an_overwritten_header_is_passed_and_the_pages_behind_it_are_found():
    data = written(row_group_size=1000, compression="zstd")
    with pqexplore.open(data) as file:
        page = file.row_groups[0].columns["share"].pages[0]
    broken = bytearray(data[:-8])
    broken[page.span.start : page.span.start + 300] = b"\xaa" * 300
    saved = salvage(bytes(broken))
    with saved.open() as file:
        assert file.read().equals(TABLE.slice(1000))
    lost = saved.table.filter(pa.compute.equal(saved.table["state"], "lost"))
    assert page.span.start in lost["start"].to_pylist()


def page_bytes(values, definition=None, *, crc=False, compressed=None):
    """A V1 page of PLAIN INT64 values, with definition levels if there are any."""
    count = len(values) if definition is None else len(definition)
    body = b"" if definition is None else rle.encode_prefixed(np.array(definition), 1)
    body += np.array(values, "<i8").tobytes()
    header = structs.PageHeader(
        type=0,
        uncompressed_page_size=len(body),
        compressed_page_size=len(body) if compressed is None else compressed,
        data_page_header=structs.DataPageHeader(
            num_values=count, encoding=0, definition_level_encoding=3, repetition_level_encoding=3
        ),
    )
    if crc:
        number = zlib.crc32(body)
        header.crc = number - (1 << 32) if number >> 31 else number
    return encode(header) + body


def test_proofs_are_told():
    data = b"PAR1" + page_bytes([1, 2, 3], crc=True) + page_bytes([4, 5])
    first, second = salvage(data).pages
    assert first.proofs == ("header", "checksum", "neighbour")
    assert second.proofs == ("header",)
    assert (first.start, first.num_values, first.kind) == (4, 3, "data_page")


def test_a_header_alone_proves_nothing_to_a_search():
    lone = page_bytes([1, 2, 3])
    assert salvage(b"PAR1" + b"\xaa" * 50 + lone + b"\xaa" * 50).pages == []
    proven = page_bytes([1, 2, 3], crc=True)
    assert len(salvage(b"PAR1" + b"\xaa" * 50 + proven + b"\xaa" * 50).pages) == 1


def test_a_required_column_of_eight_bytes_is_not_called_a_number():
    data = b"PAR1" + page_bytes([1, 2, 3]) + page_bytes([1.5, 2.5, 3.5])
    with salvage(data).open() as file:
        assert {str(field.type) for field in file.read().schema} == {"fixed_size_binary[8]"}
    schema = pa.schema([pa.field("a", pa.int64(), False), pa.field("b", pa.int64(), False)])
    with salvage(data, schema=schema).open() as file:
        assert file.read().column("a").to_pylist() == [1, 2, 3]


def test_row_groups_that_could_be_pages_are_called_ambiguous():
    pages = b"".join(page_bytes([n, n]) for n in range(4))
    schema = pa.schema([pa.field("a", pa.int64(), False), pa.field("b", pa.int64(), False)])
    saved = salvage(b"PAR1" + pages, schema=schema)
    (finding,) = [f for f in saved.findings if f.rule == "ambiguous"]
    assert finding.evidence == {"rows": [2, 4]}


@pytest.mark.parametrize(
    ("data", "rules"),
    [
        (b"", {"nothing-found", "opening-magic"}),
        (b"PAR1", {"nothing-found"}),
        (b"PAR1" + bytes(100), {"nothing-found"}),
        (b"PARE" + b"\x33" * 100, {"nothing-found", "encrypted"}),
        (b"hello, world", {"nothing-found", "opening-magic"}),
        (b"PAR1" + b"\x15\x00\x15" * 1000, {"nothing-found"}),
    ],
    ids=["empty", "magic only", "zeros", "encrypted", "text", "beginnings of headers"],
)
def test_nothing_to_save(data, rules):
    saved = salvage(data)
    assert {finding.rule for finding in saved.findings} == rules
    assert saved.pages == [] and saved.chunks == []
    assert_tiles(saved, len(data))
    with pytest.raises(CorruptFileError):
        saved.open()
    assert "0 pages" in repr(saved)


def test_write_makes_a_file_that_others_read(tmp_path):
    data = written(row_group_size=1000)[:-8]
    path = tmp_path / "saved.parquet"
    size = salvage(data).write(path)
    assert path.stat().st_size == size
    assert pq.read_table(path).equals(TABLE)
    assert os.listdir(tmp_path) == ["saved.parquet"]


def test_write_never_overwrites(tmp_path):
    path = tmp_path / "damaged.parquet"
    damaged = written()[:-8]
    path.write_bytes(damaged)
    with pytest.raises(FileExistsError, match="never overwrites"):
        salvage(path).write(path)
    assert path.read_bytes() == damaged
    link = tmp_path / "link.parquet"
    link.symlink_to("nowhere")
    with pytest.raises(FileExistsError):
        salvage(path).write(link)
    assert sorted(os.listdir(tmp_path)) == ["damaged.parquet", "link.parquet"]


def test_a_failed_write_leaves_nothing(tmp_path, monkeypatch):
    def fail(*_):
        raise OSError("no space")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="no space"):
        salvage(written()[:-8]).write(tmp_path / "saved.parquet")
    assert os.listdir(tmp_path) == []


def test_progress_is_told():
    data = without_footer(written())
    told = []
    salvage(data, progress=lambda done, size: told.append((done, size)))
    assert told == sorted(told) and told[-1] == (len(data), len(data))
    assert {size for _, size in told} == {len(data)}


def test_hint_looks_at_the_first_page_only():
    source = open_source(without_footer(written(compression="zstd", row_group_size=50)))
    assert hint(source).startswith("byte 4 begins a dictionary page of")
    assert "ZSTD" in hint(source)
    assert source.bytes_read < source.size
    assert hint(open_source(b"PAR1" + bytes(100))) == hint(open_source(b"")) == ""


def test_an_error_at_open_can_say_what_salvage_would_find():
    data = without_footer(written())
    error = unusable(CorruptFileError("no footer", offset=5), open_source(data))
    assert "salvage" in error.message and error.offset == 5
    assert "salvage" not in unusable(CorruptFileError("no footer"), open_source(bytes(50))).message
