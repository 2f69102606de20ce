"""What every handle prints, lists for Tab, and shows in a notebook."""

import pyarrow as pa
import pytest
from made import ours, parquet, rebuilt

import pqexplore
from pqexplore import WriteOptions, samples
from pqexplore.engine.finding import Finding
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import CompressionCodec, Encoding


def made():
    table = pa.table({"n": pa.array([3, None, 1], pa.int64()), "s": ["a", "b", "b"]})
    return pqexplore.open(ours(table, WriteOptions(bloom_filter=True, codec="SNAPPY", page_version=2)))


FILE = made()
GROUP = FILE.row_groups[0]
CHUNK = GROUP.columns["n"]

REPRS = {
    "file": (FILE, ["<ParquetFile bytes: ", "3 rows, 1 row group, written by pqexplore"]),
    "row groups": (FILE.row_groups, ["<1 row group: <RowGroup 0: 3 rows, 2 columns, "]),
    "chunks": (GROUP.columns, ["<2 columns: <ColumnChunk row_groups/0/columns/0: n, INT64, 3 values"]),
    "chunk": (CHUNK, ["<ColumnChunk row_groups/0/columns/0: n, INT64, 3 values, SNAPPY, ", " bytes>"]),
    "columns": (FILE.columns, ["<2 columns: n, s>"]),
    "column": (FILE["s"], ["<Column s: STRING, optional, 1 chunk>"]),
    "pages": (CHUNK.pages, ["<2 pages: <Page row_groups/0/columns/0/pages/0: dictionary_page, PLAIN, 2 values"]),
    "page": (CHUNK.pages[1], ["pages/1: data_page_v2, RLE_DICTIONARY, 3 values, "]),
    "statistics": (CHUNK.statistics, ["<Statistics: min=1, max=3, 1 nulls>"]),
    "column's": (FILE["s"].statistics, ["<ColumnStatistics: min='a', max='b', 0 nulls, 3 values>"]),
    "bounds": (CHUNK.page_bounds, ["<1 indexed page: <IndexedPage index=0", "rows=3", "min=1, max=3>>"]),
    "schema": (FILE.schema, ["3 fields, 2 columns: n, s>"]),
    "leaf": (FILE.schema.leaves[1], ["<Leaf 2 optional 's' leaf BYTE_ARRAY (STRING)>"]),
    "root": (FILE.schema.root, ["<Field 0 required '' group of 2 fields>"]),
    "bloom": (CHUNK.bloom_filter, ["<BloomFilter of n: ", " blocks, "]),
    "node": (FILE.root, ["<file file [0, "]),
    "metadata": (CHUNK.metadata, ["type=INT64", "encodings=[PLAIN, ", "codec=SNAPPY", "max_value=8 bytes"]),
    "header": (CHUNK.pages[1].header, ["PageHeader(type=DATA_PAGE_V2, "]),
    "unknown codec": (structs.ColumnMetaData(codec=99, encodings=[77]), ["[UNKNOWN(77)]", "codec=UNKNOWN(99)"]),
    "codec": (CHUNK.codec, ["<CompressionCodec.SNAPPY: 1>"]),
    "finding": (Finding("gap", "footer", "it is so"), ["<Finding note: it is so [gap] at footer>"]),
    "plan": (pqexplore.plan(FILE), ["<Plan: 3 rows in 1 row group, "]),
    "question": (FILE.ask("n = 9"), ["<Plan format: "]),
    "report": (FILE.diagnose(), ["<Report footer of bytes: "]),
    "diff": (FILE.diff(FILE), ["<Diff footer of "]),
    "salvaged": (pqexplore.salvage(samples.data("variant")), ["<Salvaged bytes: ", " rows of "]),
}  # fmt: skip


@pytest.mark.parametrize("name", REPRS)
def test_a_repr_is_one_line_with_content(name):
    thing, words = REPRS[name]
    shown = repr(thing)
    assert "\n" not in shown and " object at 0x" not in shown and len(shown) < 1000
    for word in words:
        assert word in shown


@pytest.mark.parametrize("name", ["row groups", "chunks", "chunk", "columns", "pages", "statistics", "bounds"])
def test_a_notebook_shows_a_table(name):
    shown = REPRS[name][0]._repr_html_()
    assert shown.startswith("<table>") and "</td>" in shown


def test_a_handle_without_cells_is_shown_by_its_repr():
    assert FILE.schema._repr_html_() is None and FILE.root._repr_html_() is None


def test_a_long_sequence_is_cut():
    groups = pqexplore.open(parquet(pa.table({"n": range(50)}), row_group_size=1)).row_groups
    assert repr(groups).count("<RowGroup") == 2 and repr(groups).endswith(", …>")
    assert groups._repr_html_().count("<tr>") == 21 and "and 30 more" in groups._repr_html_()


def test_names_from_the_file_are_escaped():
    file = pqexplore.open(parquet(pa.table({"<b>\x1b[31m": [1]})))
    chunk = file.row_groups[0].columns[0]
    for thing in (file.columns, file.columns[0], chunk, file.schema, file.schema.leaves[0]):
        assert r"<b>\x1b[31m" in repr(thing) and "\x1b" not in repr(thing)
    assert r"&lt;b&gt;\x1b[31m" in file.columns._repr_html_()


def test_damage_is_in_the_repr_and_not_raised():
    pages = {"data_page_size": 1000, "write_batch_size": 100, "write_page_index": True}
    data = parquet(pa.table({"n": range(5000)}), use_dictionary=False, **pages)
    bare = pqexplore.open(rebuilt(data, row_groups__0__columns__0__meta_data=None))
    assert "n, the ColumnChunk has no meta_data" in repr(bare.row_groups[0].columns)
    assert "? rows" in repr(pqexplore.open(rebuilt(data, row_groups__0__num_rows=None)).row_groups)
    start = pqexplore.open(data).row_groups[0].columns[0].pages[1].span.start
    broken = data[:start] + bytes(8) + data[start + 8 :]
    shown = repr(pqexplore.open(broken).row_groups[0].columns[0].pages)
    assert shown.startswith("<25 pages: the offset index says ")
    only = pqexplore.Decryption(footer_key=b"0123456789012345")
    locked = pqexplore.open(samples.data("encrypted-columns"), decryption=only)
    assert ": secret, " in repr(locked.row_groups[0].columns["secret"])
    assert "key" in repr(locked.row_groups[0].columns["secret"])


def test_enums_are_ints_with_names():
    assert CHUNK.codec == 1 and CHUNK.codec is CompressionCodec.SNAPPY
    assert (f"{CHUNK.codec}", str(CHUNK.codec), CHUNK.codec + 1) == ("SNAPPY", "SNAPPY", 2)
    assert CHUNK.pages[1].encoding is Encoding.RLE_DICTIONARY
    assert all(isinstance(one, Encoding) for one in CHUNK.encodings)
    other = structs.enum_member(Encoding, 77)
    assert (other, other.name, str(other), repr(other)) == (
        77,
        "UNKNOWN(77)",
        "UNKNOWN(77)",
        "<Encoding.UNKNOWN(77): 77>",
    )
    assert hash(other) == hash(77) and other not in list(Encoding)


def test_a_missing_field_says_which_there_are():
    with pytest.raises(AttributeError, match="ColumnMetaData has no field 'code'; its fields are type, encodings, "):
        _ = CHUNK.metadata.code
    with pytest.raises(AttributeError, match="StringType has no field 'x'; its fields are none"):
        _ = structs.StringType().x


TABS = {
    "file": "ask bytes bytes_read check chunks close column_names columns created_by diagnose diff findings footer_damage head "
    "iter_batches key_value_metadata layout limits metadata name node num_columns num_row_groups num_rows other_files read "
    "root row_groups schema shape size space_size to_pandas to_polars variant_get view without_keys",
    "row groups": "count index",
    "chunks": "count index",
    "columns": "count index",
    "column": "chunks file index leaf name path read statistics type",
    "chunk": "address bloom_filter codec column_index dictionary dictionary_page dictionary_physical elsewhere encodings "
    "encrypted file index leaf locked metadata num_values offset_index page_bounds pages read row_group span statistics "
    "struct values",
    "pages": "count index",
    "page": "address body chunk computed_crc crc_ok definition_levels dictionary_ids encoding header index is_data kind "
    "num_present num_values physical repetition_levels span statistics stored structure trace values",
    "statistics": "bounds distinct_count is_max_value_exact is_min_value_exact max max_is_exact max_value min min_is_exact "
    "min_value nan_count null_count pair struct trusted why",
    "column's": "max min null_count num_values trusted why",
    "schema": "fields fields_at leaf leaves root",
    "leaf": "children column_order depth element index kind leaf_index leaves list_element list_rule logical_type "
    "max_definition_level max_repetition_level name named parent path physical_type repetition type_length",
    "bloom": "bitset header header_length leaf look_up num_blocks occupancy offset probe size",
    "node": "address children facts kind label name reason span state",
    "header": "compressed_page_size crc data_page_header data_page_header_v2 dictionary_page_header index_page_header type "
    "uncompressed_page_size",
}  # fmt: skip
"""The names that Tab lists. A new name of a handle is added here, or to its class's INTERNAL."""


@pytest.mark.parametrize("name", TABS)
def test_tab_lists_what_users_need(name):
    thing = REPRS[name][0]
    public = [one for one in dir(thing) if not one.startswith("_")]
    assert public == sorted(TABS[name].split())
    internal = getattr(type(thing), "INTERNAL", frozenset())
    assert all(hasattr(type(thing), one) or hasattr(thing, one) for one in internal)
