"""What once came out of a broken file and was no ParquetError, or came too late. Each test is named by what it guards."""

import pyarrow as pa
import pytest
from engine.hostile.broken import THREE, integers, leaf, levels, one_column, root, variant
from engine.hostile.exercise import assert_tiles, walk
from engine.hostile.parts import Parts

import pqexplore
from pqexplore.engine.errors import CorruptFileError, LimitExceededError, UsageError
from pqexplore.engine.file.page import Page
from pqexplore.engine.format.encodings.encoding import Structure
from pqexplore.engine.format.thrift import fast, structs
from pqexplore.engine.format.thrift.cursor import Truncated
from pqexplore.engine.format.thrift.encode import encode, varint
from pqexplore.engine.format.thrift.structs import CompressionCodec, Encoding, Type
from pqexplore.engine.salvage import salvage
from pqexplore.engine.writer.assembly import Packing, dictionary_page, page_v1, page_v2
from pqexplore.engine.writer.samples import SAMPLES, write_sample
from pqexplore.insight import places, some_rows
from pqexplore.lake import metadatastore


def test_a_column_index_without_null_pages_beside_an_offset_index_of_no_pages():
    data = one_column(
        column_index=structs.ColumnIndex(min_values=[], max_values=[], boundary_order=0, null_counts=[]),
        offset_index=structs.OffsetIndex(page_locations=[]),
    )
    with pqexplore.open(data) as f:
        assert f.check()


def test_levels_in_a_v2_page_of_a_column_that_has_none():
    data = one_column(page_v2(THREE, 3, 3, definition_levels=b"\x06\x01"))
    with pqexplore.open(data) as f:
        section = f.node("row_groups/0/columns/0/pages/0/definition_levels")
        assert [child.kind for child in section.children] == ["leftover"]
        assert section.label == "definition levels (0)"
        assert f.read()["a"].to_pylist() == [1, 2, 3]


def _counting(function, calls):
    def counted(self, step):
        calls.append(step)
        return function(self, step)

    return counted


def test_the_last_value_of_a_long_page_is_found_without_looking_at_all_before_it(monkeypatch):
    count = 50_000
    body = b"".join(b"\x02\0\0\0%02d" % (i % 100) for i in range(count))
    data = one_column(page_v1(body, count), schema=root(leaf(type=Type.BYTE_ARRAY)), num_values=count, num_rows=count)
    labels = []
    for structure in Structure.__subclasses__():
        monkeypatch.setattr(structure, "label", _counting(structure.label, labels))
    with pqexplore.open(data) as f:
        values = f.node("row_groups/0/columns/0/pages/0/values")
        last = values.children[count - 1]
        assert last.span.end == values.span.end and len(last.span) == 6
        assert len(labels) == 1


def test_a_page_larger_than_the_cache_is_decoded_once_for_all_its_values():
    from pqexplore.engine.file.source import Cache

    cache, made = Cache(capacity=100), []

    def make():
        made.append(1)
        return "large"

    for _ in range(3):
        assert cache.get("page", make, lambda _: 1000) == "large"
    assert len(made) == 1
    cache.get("other", lambda: "small", lambda _: 10)
    assert not cache.has("page") and cache.has("other")


def test_a_truncated_header_raises_a_public_error():
    with pqexplore.open(one_column(b"\x15\x00\x15")) as f, pytest.raises(CorruptFileError) as caught:
        f.read()
    assert type(caught.value) is CorruptFileError
    assert caught.value.address == "row_groups/0/columns/0/pages/0/header"


def test_a_truncated_index_raises_a_public_error():
    with pqexplore.open(one_column(column_index=b"\x19\x1c")) as f, pytest.raises(CorruptFileError) as caught:
        _ = f.row_groups[0].columns[0].column_index
    assert type(caught.value) is CorruptFileError
    assert caught.value.address == "row_groups/0/columns/0/column_index"


def test_a_footer_that_ends_inside_a_chunk_raises_a_public_error_with_its_byte(monkeypatch):
    def chunk_columns(raw, fields):
        raise Truncated("the bytes end inside a struct", offset=7)

    monkeypatch.setattr(fast, "chunk_columns", chunk_columns)
    with pqexplore.open(one_column()) as f, pytest.raises(CorruptFileError) as caught:
        f.layout("chunks")
    assert type(caught.value) is CorruptFileError
    assert (caught.value.offset, caught.value.address) == (f.footer.start + 7, "footer")


@pytest.mark.parametrize(
    ("schema", "index"),
    [
        (root(leaf(), leaf("b"), num_children=1), 2),
        (root(leaf(type=-7)), 1),
        (root(leaf(name=None)), 1),
        (root(leaf(), num_children=-21), 0),
    ],
    ids=["left over", "unknown type", "without a name", "negative children"],
)
def test_an_error_in_the_schema_has_the_byte_of_its_element(schema, index):
    data = one_column(schema=schema)
    with pqexplore.open(data) as f, pytest.raises(pqexplore.ParquetError) as caught:
        f.read()
    assert caught.value.address == f"schema/{index}"
    assert data[caught.value.offset :].startswith(encode(schema[index]))


@pytest.mark.parametrize(
    "data",
    [
        one_column(page_v1(THREE, 3, definition_levels=levels(1, 1, 1))),
        one_column(metadata={"data_page_offset": 5}),
        one_column(metadata={"total_compressed_size": 3}),
        one_column(metadata={"dictionary_page_offset": 1 << 62}),
        one_column(column_index_offset=-5),
        one_column(group={"columns": []}),
        one_column(footer={"row_groups": []}),
        one_column(footer={"num_rows": -1}),
        one_column(column_index_offset=(1 << 63) - 1, column_index_length=(1 << 31) - 1),
        one_column(metadata={"bloom_filter_offset": (1 << 63) - 1, "bloom_filter_length": 64}),
    ],
)
def test_odd_offsets_and_counts_leave_a_tree_and_a_layout(data):
    with pqexplore.open(data) as f:
        assert_tiles(f.layout(), len(data))
        f.check()
        walk(f)


def test_many_nulls_in_few_bytes_count_by_their_decoded_size():
    count = 1 << 24
    run = varint(count << 1) + b"\x00"
    nulls = page_v1(b"", count, definition_levels=len(run).to_bytes(4, "little") + run)
    schema = root(leaf(repetition_type=1))
    data = one_column(nulls, schema=schema, num_values=count, num_rows=count)
    with (
        pqexplore.open(data, limits=pqexplore.Limits(read_bytes=count)) as f,
        pytest.raises(LimitExceededError, match="read_bytes") as caught,
    ):
        f.read()
    assert caught.value.address == "row_groups/0/columns/0/pages/0"


@pytest.mark.parametrize("error", [MemoryError(), pa.ArrowMemoryError("malloc of size 9 failed")])
def test_a_memory_error_is_a_limit_error(monkeypatch, error):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr(Page, "_decode_physical", fail)
    with pqexplore.open(one_column()) as f, pytest.raises(LimitExceededError, match="memory") as caught:
        _ = f.row_groups[0].columns[0].pages[0].physical
    assert caught.value.address == "row_groups/0/columns/0/pages/0"


def test_a_run_of_dictionary_ids_can_be_explained():
    ids = b"\x01" + varint(3 << 1) + b"\x01"
    data = one_column(dictionary_page(integers(5, 7), 2), page_v1(ids, 3, Encoding.RLE_DICTIONARY))
    with pqexplore.open(data) as f:
        _, run = f.row_groups[0].columns[0].pages[1].trace()
        assert run.values.to_pylist() == [7, 7, 7]


def test_a_bomb_raises_and_reads_with_a_higher_limit():
    body = integers(*[0] * 200_000)
    bomb = page_v1(body, 200_000, packing=Packing(CompressionCodec.ZSTD))
    data = one_column(bomb, num_values=200_000, num_rows=200_000, codec=CompressionCodec.ZSTD)
    assert len(data) < 1000
    with (
        pqexplore.open(data, limits=pqexplore.Limits(page_bytes=1 << 20)) as f,
        pytest.raises(LimitExceededError, match=f"page_bytes={len(body)}"),
    ):
        f.read()
    with pqexplore.open(data, limits=pqexplore.Limits(page_bytes=len(body))) as f:
        assert f.read().num_rows == 200_000


def test_the_corpus_bomb_stops_by_default(corpus):
    path = corpus / "apache__parquet-testing/data/large_string_map.brotli.parquet"
    with pqexplore.open(path) as f, pytest.raises(LimitExceededError, match="page_bytes"):
        f.read()


@pytest.mark.parametrize("byte", [0x15, 0x00, 0xFF])
def test_salvage_of_bytes_full_of_apparent_headers_ends(byte):
    data = b"PAR1" + bytes([0x15, 0x00, 0x15, byte]) * 20_000
    assert salvage(data).pages == []


@pytest.mark.parametrize(("offset", "length"), [(100, -5), (-100, 50), (1 << 40, 50), (100, 1 << 30)])
def test_the_place_of_an_encrypted_index_is_outside_the_file(tmp_path, offset, length):
    write_sample("encrypted", tmp_path / "file.parquet")
    decryption = pqexplore.Decryption(**SAMPLES["encrypted"].keys)
    parts = Parts((tmp_path / "file.parquet").read_bytes(), decryption)

    def moved(raw):
        metadata = fast.decode(structs.FileMetaData, raw)[0]
        chunk = metadata.row_groups[0].columns[0]
        chunk.offset_index_offset, chunk.offset_index_length = offset, length
        return encode(metadata)

    with pqexplore.open(parts.together(footer=moved), decryption=decryption) as f:
        node = f.node("row_groups/0/columns/0/offset_index")
        assert node.state == "corrupt"
        assert f"said to lie at byte {offset:,}, {length} bytes long" in node.reason


@pytest.mark.parametrize(
    ("metadata", "values"),
    [
        (leaf("metadata", Type.DOUBLE), bytes(8)),
        (leaf("metadata", Type.FIXED_LEN_BYTE_ARRAY, type_length=3), b"\1\0\0"),
    ],
    ids=["DOUBLE", "FIXED_LEN_BYTE_ARRAY"],
)
def test_metadata_of_a_variant_that_is_no_byte_array(metadata, values):
    with pqexplore.open(variant(metadata, values)) as f:
        value = f.node("row_groups/0/columns/1/pages/0/values/0")
        facts = {fact.name: fact.value for fact in value.facts}
        assert "not of BYTE_ARRAY" in facts["names"]
        rules = {one.rule for one in f.check()}
        assert "variant-field" in rules and "variant-metadata" not in rules
        with pytest.raises(CorruptFileError, match="must be binary"):
            f.read()


def test_metadata_of_a_variant_that_is_a_byte_array():
    metadata = leaf("metadata", Type.BYTE_ARRAY)
    with pqexplore.open(variant(metadata, b"\3\0\0\0\1\0\0")) as f:
        assert [one.rule for one in f.check() if one.severity.level == "error"] == []
        assert f.read()["v"].to_pylist() == [{"metadata": b"\1\0\0", "value": b"\0"}]


TEXT = {"logicalType": structs.LogicalType(STRING=structs.StringType()), "converted_type": 0}


@pytest.mark.parametrize(
    ("low", "high", "between"),
    [(b'{"a":1}', b'{"a":9}', b'{"a":"\xff"}'), (b'{"a":"\xff1"}', b'{"a":"\xff9"}', b'{"a":"\xff5"}')],
    ids=["a value", "the bounds"],
)
def test_text_that_looks_like_json_and_is_not_utf_8_is_diagnosed(low, high, between):
    values = [low, *[between] * 1_998, high]
    data = one_column(page_v1(b"".join(len(one).to_bytes(4, "little") + one for one in values), len(values)),
        schema=root(leaf(type=Type.BYTE_ARRAY, **TEXT)), num_values=len(values), num_rows=len(values),
        metadata={"statistics": structs.Statistics(min_value=low, max_value=high, null_count=0)},
        footer={"column_orders": [structs.ColumnOrder(TYPE_ORDER=structs.TypeDefinedOrder())]})  # fmt: skip
    assert "not-utf8" in {one.rule for one in pqexplore.diagnose(data, level="data").findings}


@pytest.mark.parametrize(
    "asked",
    [pqexplore.open, pqexplore.salvage, pqexplore.explore, metadatastore.open, metadatastore.find],
    ids=lambda one: f"{one.__module__}.{one.__name__}",
)
def test_a_path_with_a_nul_character(asked):
    with pytest.raises(UsageError, match="a path has no NUL character"):
        asked("a\0b.parquet")


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("row_groups/0/columns/b", "no column 'b'; columns are a"),
        ("row_groups/0/columns/7", "it has 1 column, counted from 0"),
        ("row_groups/7", "no node at 'row_groups/7'"),
        ("gaps/12", "no gap begins at byte 12"),
    ],
)
def test_an_address_without_a_node_is_a_usage_error_and_a_key_error(address, said):
    with pqexplore.open(one_column()) as f:
        for kind in (UsageError, KeyError):
            with pytest.raises(kind) as caught:
                f.node(address)
            assert said in str(caught.value)


@pytest.mark.parametrize("below", ["", "/pages/0", "/metadata"])
def test_a_column_chunk_is_named_in_an_address(below):
    with pqexplore.open(one_column()) as f:
        assert f.node(f"row_groups/0/columns/a{below}").address == f"row_groups/0/columns/0{below}"


def test_a_filter_without_a_stated_length_has_its_bytes_at_each_depth():
    data = one_column(bloom_filter=bytes(32), metadata={"bloom_filter_length": None})
    with pqexplore.open(data) as f:
        for depth in ("chunks", "pages"):
            layout = f.layout(depth).to_pylist()
            assert "gap" not in {part["kind"] for part in layout}
        start = next(part["start"] for part in layout if "bloom" in part["address"])
        assert places.resolve(f, f"@{start}").address.startswith("row_groups/0/columns/0/bloom")


@pytest.mark.parametrize("num_rows", [-1, None])
def test_salvage_never_offers_a_negative_number_of_rows(num_rows):
    saved = salvage(one_column(group={"num_rows": num_rows}))
    assert "; 3 rows of 1 columns in 1 row groups" in repr(saved)
    with saved.open() as f:
        assert f.read()["a"].to_pylist() == [1, 2, 3]


def test_salvage_by_a_schema_without_columns():
    saved = salvage(one_column(), schema=root())
    assert len(saved.pages) == 1 and not saved.selection().groups


def test_salvage_finds_the_footer_where_readers_find_it():
    saved = salvage(one_column(footer={"version": 77}))
    assert saved.schema_from == "the footer at byte 51"
    with saved.open() as f:
        assert f.read().to_pydict() == {"a": [1, 2, 3]}


def test_a_dictionary_encoded_page_of_nulls_without_a_dictionary_has_an_encoding_lens():
    data = one_column(
        page_v1(levels(0, 0, 0) + b"\1", 3, encoding=Encoding.RLE_DICTIONARY),
        schema=root(leaf(type=Type.BYTE_ARRAY, repetition_type=1)),
    )
    with pqexplore.open(data) as f:
        assert f.view("encoding", at="row_groups/0/columns/0/pages/0").sentence


def test_rows_of_a_chunk_whose_offset_index_lists_more_pages_than_there_are():
    locations = [structs.PageLocation(offset=4, compressed_page_size=40, first_row_index=row) for row in range(3)]
    data = one_column(offset_index=structs.OffsetIndex(page_locations=locations))
    with pqexplore.open(data) as f:
        assert some_rows.read_rows(f, 0, 0, 3)["a"].to_pylist() == [1, 2, 3]


def test_encoding_stats_without_the_encoding():
    stats = [structs.PageEncodingStats(page_type=structs.PageType.DATA_PAGE, count=1)]
    with pqexplore.open(one_column(metadata={"encoding_stats": stats})) as f:
        assert [one.rule for one in f.check()] == ["encoding-stats-disagree"]
        assert f.diagnose("footer").sentence
