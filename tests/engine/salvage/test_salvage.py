"""Salvage of files without a usable footer: the pages found, and the new file."""

import os
import tempfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from engine.check import forged
from made import CHECKSUMS, ours, parquet, rebuilt
from needs import ONE_COLUMN_METADATA, needs_pyarrow

import pqexplore
from pqexplore.engine.errors import CorruptFileError, UsageError
from pqexplore.engine.file.opening import open_source
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.engine.salvage import hint, salvage, unusable
from pqexplore.engine.writer import assembly
from pqexplore.engine.writer.samples import SAMPLES

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
    "checksums, gzip": {**CHECKSUMS, "row_group_size": 1100, "compression": "gzip"},
    "brotli": {"compression": "brotli"},
    "lz4": {"compression": "lz4"},
}


def written(table=TABLE, **options):
    return parquet(table, **options)


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
def test_file_with_a_displaced_footer_is_salvaged_whole(options, damage):
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
def test_pages_without_a_footer_and_a_given_schema_give_the_whole_table(options):
    data = without_footer(written(**options))
    saved = salvage(data, schema=TABLE.schema)
    with saved.open() as file:
        assert file.read().equals(TABLE)
    assert all(chunk.complete for chunk in saved.chunks)


@pytest.mark.parametrize("options", WRITERS.values(), ids=WRITERS)
def test_without_a_schema_columns_are_numbered_and_have_proven_types(options):
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


def test_schema_may_be_elements_a_path_or_an_open_file(tmp_path):
    data = written(compression="snappy")
    path = tmp_path / "like.parquet"
    path.write_bytes(data)
    with pqexplore.open(data) as other:
        for schema in (list(other.metadata.schema), path, str(path), other):
            with salvage(without_footer(data), schema=schema).open() as file:
                assert file.read().equals(TABLE)


@pytest.mark.parametrize("schema", [5, [], ["id"]])
def test_invalid_schema_raises(schema):
    with pytest.raises(UsageError):
        salvage(without_footer(written()), schema=schema)


def test_cut_file_keeps_its_complete_row_groups():
    data = written(row_group_size=1000, compression="zstd")
    data = data[: len(without_footer(data)) * 3 // 4]
    saved = salvage(data, schema=TABLE.schema)
    with saved.open() as file:
        assert file.read().equals(TABLE.slice(0, 2000))
    cut = [f for f in saved.findings if f.rule == "page-cut-off"]
    assert len(cut) == 1 and cut[0].evidence["size"] == len(data)
    assert_tiles(saved, len(data))


def test_cut_row_group_keeps_its_complete_columns():
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


def test_keep_selects_rows_or_columns():
    data = written(row_group_size=1500)
    data = data[: len(without_footer(data)) * 3 // 4]
    saved = salvage(data, schema=TABLE.schema)
    with saved.open(keep="rows") as file:
        assert file.read().equals(TABLE.slice(0, 1500))
    with saved.open(keep="columns") as file:
        kept = file.read()
        assert kept.equals(TABLE.select(kept.column_names))
        assert kept.num_columns < 5


@needs_pyarrow(15, "it writes no page checksums")
def test_damaged_page_loses_only_its_row_group():
    data = written(row_group_size=1000, compression="zstd", write_page_checksum=True)
    with pqexplore.open(data) as file:
        page = file.row_groups[1].columns["share"].pages[1]
    broken = bytearray(data[:-8])
    broken[page.frame.header_end + 40 : page.frame.header_end + 60] = bytes(20)
    saved = salvage(bytes(broken))
    assert [f.evidence["start"] for f in saved.findings if f.rule == "page-damaged"] == [page.span.start]
    with saved.open() as file:
        assert file.read().equals(pa.concat_tables([TABLE.slice(0, 1000), TABLE.slice(2000)]))


def test_overwritten_header_loses_only_its_row_group():
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


def page_bytes(values, *, checksum=False):
    """A V1 page of required PLAIN INT64 values."""
    packing = assembly.Packing(checksum=checksum)
    return assembly.page_v1(np.array(values, "<i8").tobytes(), len(values), packing=packing).stored


def test_page_lists_its_proofs():
    data = b"PAR1" + page_bytes([1, 2, 3], checksum=True) + page_bytes([4, 5])
    first, second = salvage(data).pages
    assert first.proofs == ("header", "checksum", "neighbour")
    assert second.proofs == ("header",)
    assert (first.start, first.num_values, first.kind) == (4, 3, "data_page")


def test_header_without_another_proof_is_not_a_page():
    lone = page_bytes([1, 2, 3])
    assert salvage(b"PAR1" + b"\xaa" * 50 + lone + b"\xaa" * 50).pages == []
    proven = page_bytes([1, 2, 3], checksum=True)
    assert len(salvage(b"PAR1" + b"\xaa" * 50 + proven + b"\xaa" * 50).pages) == 1


def test_eight_bytes_a_value_without_a_schema_are_fixed_size_binary():
    data = b"PAR1" + page_bytes([1, 2, 3]) + page_bytes([1.5, 2.5, 3.5])
    with salvage(data).open() as file:
        assert {str(field.type) for field in file.read().schema} == {"fixed_size_binary[8]"}
    schema = pa.schema([pa.field("a", pa.int64(), False), pa.field("b", pa.int64(), False)])
    with salvage(data, schema=schema).open() as file:
        assert file.read().column("a").to_pylist() == [1, 2, 3]


def test_several_possible_row_group_sizes_are_reported_as_ambiguous():
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
def test_bytes_without_pages_have_a_finding_and_do_not_open(data, rules):
    saved = salvage(data)
    assert {finding.rule for finding in saved.findings} == rules
    assert saved.pages == [] and saved.chunks == []
    assert_tiles(saved, len(data))
    with pytest.raises(CorruptFileError):
        saved.open()
    assert "0 pages" in repr(saved)


def test_written_file_is_read_by_pyarrow(tmp_path):
    data = written(row_group_size=1000)[:-8]
    path = tmp_path / "saved.parquet"
    size = salvage(data).write(path)
    assert path.stat().st_size == size
    assert pq.read_table(path).equals(TABLE)
    assert os.listdir(tmp_path) == ["saved.parquet"]


def test_write_to_an_existing_path_raises(tmp_path):
    path = tmp_path / "damaged.parquet"
    damaged = written()[:-8]
    path.write_bytes(damaged)
    for overwrite in (False, True):
        with pytest.raises(UsageError, match="is a file that is read, and is not replaced"):
            salvage(path).write(path, overwrite=overwrite)
    assert path.read_bytes() == damaged
    other = tmp_path / "other.parquet"
    other.write_bytes(b"mine")
    with pytest.raises(FileExistsError, match="not replaced without overwrite=True"):
        salvage(path).write(other)
    assert other.read_bytes() == b"mine"
    assert sorted(os.listdir(tmp_path)) == ["damaged.parquet", "other.parquet"]


def test_failed_write_leaves_no_file(tmp_path, monkeypatch):
    def fail(*_):
        raise OSError("no space")

    monkeypatch.setattr(os, "link", fail)
    monkeypatch.setattr(os, "rename", fail)
    with pytest.raises(OSError, match="no space"):
        salvage(written()[:-8]).write(tmp_path / "saved.parquet")
    assert os.listdir(tmp_path) == []


def test_progress_ascends_to_the_size():
    data = without_footer(written())
    calls = []
    salvage(data, progress=lambda done, size: calls.append((done, size)))
    assert calls == sorted(calls) and calls[-1] == (len(data), len(data))
    assert {size for _, size in calls} == {len(data)}


def test_hint_describes_the_first_page_and_reads_no_further():
    source = open_source(without_footer(written(compression="zstd", row_group_size=50)))
    assert hint(source).startswith("byte 4 begins a dictionary page of")
    assert "ZSTD" in hint(source)
    assert source.bytes_read < source.size
    assert hint(open_source(b"PAR1" + bytes(100))) == hint(open_source(b"")) == ""


def test_error_without_a_footer_gets_a_hint_only_if_there_is_a_page():
    data = without_footer(written())
    error = unusable(CorruptFileError("no footer", offset=5), open_source(data))
    assert "salvage" in error.message and error.offset == 5
    assert "salvage" not in unusable(CorruptFileError("no footer"), open_source(bytes(50))).message


# what is done to the element of a leaf
LOST_TYPES = {
    "no type": {"type": None},
    "no type, and a number of children": {"type": None, "num_children": 0},
    "a type and a number of children": {"num_children": 0},
}


@pytest.mark.parametrize("changes", LOST_TYPES.values(), ids=LOST_TYPES)
@pytest.mark.parametrize("which", range(5))
def test_leaf_without_a_type_gets_the_type_of_its_chunks(changes, which):
    """IndexError: the chunks were counted, and the leaves without a type were not."""
    leaves = []

    def change(elements):
        leaves.extend(one for one in elements if one.type is not None)
        for name, value in changes.items():
            setattr(leaves[which], name, value)
        return elements

    saved = salvage(rebuilt(written(), schema=change))
    with saved.open() as file:
        assert file.read().equals(TABLE)
    fixed = [one.address for one in saved.findings if one.rule == "type-corrected"]
    assert len(fixed) == ("type" in changes)


def test_pages_of_unknown_types_have_a_kind_where_the_footer_counts_more_values():
    """A page whose type no version of the format has was a KeyError."""
    data = rebuilt(SAMPLES["unknown-pages"].data(), row_groups__0__columns__0__meta_data__num_values=94)
    saved = salvage(data)
    assert_tiles(saved, len(data))
    assert "unknown_page" in saved.table["kind"].to_pylist()


@pytest.mark.parametrize("keep", [None, "rows", "columns"])
@pytest.mark.parametrize("path", [["elsewhere"], ["even"], []])
def test_chunk_of_an_unknown_path_is_left_out(keep, path):
    def change(groups):
        for group in groups:
            group.columns[0].meta_data.path_in_schema = path
        return groups

    def lose(elements):
        elements[1].type = None
        return elements

    data = rebuilt(written(), row_groups=change, schema=lose)
    saved = salvage(data)
    repr(saved)
    assert_tiles(saved, len(data))
    with saved.open(keep) as file:
        names = file.read().column_names
    assert set(names) <= {"id", "name", "share", "tags", "even"}
    assert "name" in names


def test_schema_of_the_largest_depth_is_salvaged():
    """RecursionError: the schema was walked by a function that calls itself."""
    depth = 998
    group = [assembly.element(f"g{n}", None, 0, num_children=1) for n in range(depth)]
    path = [*(one.name for one in group), "a"]
    chunk = assembly.chunk("a", Type.INT32, [forged.page([7])], metadata={"path_in_schema": path})
    data = assembly.file(
        [forged.root(), *group, assembly.element("a", Type.INT32, 0)], [assembly.row_group([chunk], 1)]
    )
    with salvage(data).open() as file:
        assert file.schema.leaves[0].path == tuple(path)
        assert file.row_groups[0].columns[0].pages[0].values.to_pylist() == [7]


# Row groups without a footer and without a schema: by what repeats.


def _mixed(columns, rows):
    """Columns of up to six types in turn."""
    chance = np.random.default_rng(3)
    made = (
        lambda: pa.array(chance.integers(0, 1 << 40, rows)),
        lambda: pa.array([f"v {i % 37}" for i in range(rows)]),
        lambda: pa.array(chance.random(rows)),
        lambda: pa.array([[i, None] * (i % 3) if i % 7 else None for i in range(rows)]),
        lambda: pa.array([i if i % 5 else None for i in range(rows)], pa.int32()),
        lambda: pa.array([i % 2 == 0 for i in range(rows)]),
    )
    return pa.table({f"c{i}": made[i % 6]() for i in range(columns)})


def _by_arrow(table, rows):
    return written(table, row_group_size=rows)


def _by_arrow_plain(table, rows):
    return written(table, row_group_size=rows, use_dictionary=False, compression="none")


def _by_us(table, rows):
    return ours(table, pqexplore.WriteOptions(row_group_rows=rows))


def _by_duckdb(table, rows):
    duckdb = pytest.importorskip("duckdb")
    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as connection:
        connection.execute("SET threads = 1")
        connection.register("given", table)
        path = os.path.join(folder, "f")
        connection.execute(f"COPY given TO '{path}' (FORMAT parquet, ROW_GROUP_SIZE {rows})")
        with open(path, "rb") as file:
            return file.read()


def _salvaged(data):
    saved = salvage(without_footer(data))
    selection = saved.selection()
    ambiguous = [one.message for one in saved.findings if one.rule == "ambiguous"]
    return len(selection.columns), [group[0].rows for group in selection.groups], ambiguous


PER_GROUP = 2_048
"""Rows of a row group: DuckDB's are multiples of this."""


@pytest.mark.parametrize("write", [_by_arrow, _by_arrow_plain, _by_us, _by_duckdb])
@pytest.mark.parametrize("columns", [3, 10])
@pytest.mark.parametrize("rows", [PER_GROUP, 2 * PER_GROUP, 2 * PER_GROUP - 700, 5 * PER_GROUP - 700])
def test_row_groups_are_those_of_the_file(write, columns, rows):
    data = write(_mixed(columns, rows), PER_GROUP)
    with pqexplore.open(data) as file:
        groups = [group.num_rows for group in file.row_groups]
    saved = salvage(without_footer(data))
    selection = saved.selection()
    assert (len(selection.columns), [group[0].rows for group in selection.groups]) == (columns, groups)
    ambiguous = [one.severity.level for one in saved.findings if one.rule == "ambiguous"]
    assert ambiguous == ["note"] * (groups == [PER_GROUP] * 2)


def _alike(columns, rows):
    return pa.table({f"c{i}": pa.array(range(i, rows + i)) for i in range(columns)})


ALIKE = {
    # columns, rows: the columns and row groups of the new file, and the words of the finding
    "one row group": (4, PER_GROUP, (4, 1), "chosen: 1 row group of 4 columns; 2 row groups of 2 columns"),
    "equal row groups": (3, 2 * PER_GROUP, (6, 1), "2 row groups of 3 columns or 3 row groups of 2"),
    "a smaller last row group": (6, 3 * PER_GROUP - 700, (6, 3), "6 row groups of 3 columns"),
    "one column": (1, 3 * PER_GROUP - 700, (1, 3), ""),
}


@pytest.mark.parametrize(("columns", "rows", "expected", "words"), ALIKE.values(), ids=ALIKE)
def test_columns_that_are_all_alike_are_ambiguous(columns, rows, expected, words):
    got, groups, ambiguous = _salvaged(_by_arrow(_alike(columns, rows), PER_GROUP))
    assert (got, len(groups)) == expected
    assert words in " ".join(ambiguous)
    assert bool(ambiguous) == bool(words)


@ONE_COLUMN_METADATA
def test_pages_that_are_all_alike_may_be_several_columns():
    got, groups, ambiguous = _salvaged(_by_arrow_plain(_alike(3, PER_GROUP), PER_GROUP))
    assert (got, groups) == (1, [3 * PER_GROUP])
    assert "up to 3 column chunks would fit" in ambiguous[0]
    assert _salvaged(_by_arrow_plain(_alike(1, PER_GROUP), PER_GROUP)) == (1, [PER_GROUP], [])


def test_encodings_that_repeat_divide_columns_of_one_type():
    """One column without a dictionary, one with: the types alone would fit in any division."""
    rows = 2 * PER_GROUP
    table = pa.table({f"c{i}": pa.array([f"v {j % 9} {i}" for j in range(rows)]) for i in range(2)})
    data = written(table, row_group_size=PER_GROUP, use_dictionary=["c1"])
    got, groups, ambiguous = _salvaged(data)
    assert (got, groups) == (2, [PER_GROUP, PER_GROUP])
    assert "chosen: 2 row groups of 2 columns; 1 row group of 4 columns" in ambiguous[0]


def test_a_file_cut_off_in_its_last_row_group_keeps_the_columns_of_the_others():
    data = without_footer(_by_arrow(_alike(4, 2 * PER_GROUP - 700), PER_GROUP))
    saved = salvage(data[:-100])
    assert len(saved.selection().columns) == 4


CUT = {
    "columns in dictionaries": {},
    "many pages": {"data_page_size": 1_000},
    "V2": {"data_page_version": "2.0"},
    "uncompressed": {"compression": "none"},
    "without dictionaries": {"use_dictionary": False},
}


@pytest.mark.parametrize("options", CUT.values(), ids=CUT)
@pytest.mark.parametrize("share", [0.55, 0.7, 0.85, 0.97])
def test_a_cut_file_has_the_columns_of_its_whole_row_groups(options, share):
    """Wherever in its last row group a file is cut, its chunks are not taken for columns of one row group."""
    table = _mixed(6, 4 * PER_GROUP).select([0, 2, 1, 5, 4])  # five columns; the first two have eight bytes a value
    data = written(table, row_group_size=PER_GROUP, **options)
    with pqexplore.open(data) as file:
        pages = sum(len(chunk.span) for chunk in file.chunks())
        ends = [max(chunk.span.end for chunk in group.columns) for group in file.row_groups]
    cut = data[: 4 + int(pages * share)]
    selection = salvage(cut).selection()
    whole = sum(end <= len(cut) for end in ends)
    assert (len(selection.columns), [group[0].rows for group in selection.groups]) == (5, [PER_GROUP] * whole)


@ONE_COLUMN_METADATA
def test_of_a_file_cut_in_its_second_row_group_the_columns_are_not_certain():
    """One chunk of the second row group could be a sixth column of the first."""
    data = written(_mixed(6, 2 * PER_GROUP).select([0, 2, 1, 5, 4]), row_group_size=PER_GROUP, use_dictionary=False)
    with pqexplore.open(data) as file:
        second = file.row_groups[1].columns[1].span.start
    saved = salvage(data[: second + 40])
    assert len(saved.selection().columns) == 6
    [ambiguous] = [one for one in saved.findings if one.rule == "ambiguous"]
    assert ambiguous.severity.level == "warning" and "row groups of 5 columns" in ambiguous.message
