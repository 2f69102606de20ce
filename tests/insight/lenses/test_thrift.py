"""Thrift structs field by field: ids, types and values, on structs with known bytes."""

import io
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from widget.samples import HOSTILE, orders, orders_bytes, parquet

import pqexplore
from pqexplore.engine.span import Span
from pqexplore.engine.writer.samples import SAMPLES
from pqexplore.insight import wire
from pqexplore.insight.lenses.thrift import LENS, answer


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "made.parquet"
    pqexplore.write(pa.table({"n": pa.array([1, 2, 3], pa.int32())}), path, pqexplore.WriteOptions(encoding="PLAIN"))
    with pqexplore.open(path) as opened:
        yield opened


HEADER = "row_groups/0/columns/0/pages/0/header"


def shown(file, node):
    """The answer; its picture has to fit into a message."""
    found = answer(file, node)
    assert len(json.dumps(wire.encode(found.picture), allow_nan=False)) < 512_000
    return found


def item(answer, name):
    return next(one for one in answer.picture.items if one.name == name)


def test_the_fields_tile_the_struct(file):
    node = file.node(HEADER)
    picture = shown(file, node).picture
    at = picture.span.start
    for one in picture.items:
        assert one.span.start == at
        at = one.span.end
    assert picture.stop == Span(at, at + 1)
    assert picture.span.end == at + 1


def test_an_encrypted_struct_is_shown_as_decrypted(tmp_path):
    key = bytes(range(16))
    path = tmp_path / "encrypted.parquet"
    pqexplore.write(
        pa.table({"n": pa.array([1, 2, 3], pa.int32())}),
        path,
        pqexplore.WriteOptions(encoding="PLAIN", encryption=pqexplore.Encryption(footer_key=key)),
    )
    with pqexplore.open(path, decryption=pqexplore.Decryption(footer_key=key)) as opened:
        answer = shown(opened, opened.node(HEADER))
        size = opened.row_groups[0].columns[0].pages[0].header.compressed_page_size
    picture = answer.picture
    assert [one.name for one in picture.items][:2] == ["type", "uncompressed_page_size"]
    assert picture.items[0].span == Span(0, 2, picture.span.space)
    assert picture.span.space == f"{HEADER}:decrypted"
    assert picture.stop == Span(picture.span.end - 1, picture.span.end, picture.span.space)
    says = item(answer, "compressed_page_size").parts[1].says[0]
    assert says.endswith(f"= {size:,}")


def test_a_header_byte_is_distance_and_type(file):
    answer = shown(file, file.node(HEADER))
    part = item(answer, "compressed_page_size").parts[0]
    assert part.shown == [0x15]
    assert [(one.start, one.end, one.label) for one in part.groups] == [(0, 4, "type 5: i32"), (4, 8, "id + 1")]
    assert part.says == ["0x15: upper half 1, so the id is 2 + 1 = 3; lower half 5, i32"]


def test_a_number_is_a_zigzag_varint(file):
    page = next(iter(file.row_groups[0].columns[0].pages))
    size = page.header.uncompressed_page_size
    answer = shown(file, file.node(HEADER))
    part = item(answer, "uncompressed_page_size").parts[1]
    assert part.says[0].endswith(f"zigzag, even: {2 * size:,} / 2 = {size:,}")
    assert bytes(part.shown) == bytes([2 * size])


def test_a_plain_field_is_shown_in_its_struct(file):
    answer = shown(file, file.node(f"{HEADER}/crc"))
    assert answer.picture.struct == HEADER
    assert answer.picture.items[answer.picture.selected].name == "crc"


def test_a_struct_in_a_field_opens(file):
    answer = shown(file, file.node(f"{HEADER}/data_page_header"))
    assert answer.picture.struct == f"{HEADER}/data_page_header"
    assert [one.name for one in answer.picture.items][:2] == ["num_values", "encoding"]
    assert answer.picture.head[0].name == "field header"
    assert answer.sentence.startswith("data_page_header (DataPageHeader): ")


def test_text_has_its_length_before_it(file):
    made_by = item(shown(file, file.node("footer")), "created_by")
    head, length, value = made_by.parts
    text = file.created_by
    assert length.says == [f"varint 0x{len(text):02x} = {len(text)}"]
    assert (value.form, bytes(value.shown).decode()) == ("text", text[:80])


def test_a_list_has_count_and_type_in_one_byte(file):
    answer = shown(file, file.node("footer/schema"))
    header = answer.picture.head[1]
    assert header.shown == [0x2C]
    assert header.says == ["0x2c: upper half 2, elements; lower half 12, each is struct"]
    assert answer.sentence.startswith("schema (list<SchemaElement>): 2 elements of type struct in ")


def test_a_long_list_has_its_count_after_the_byte(tmp_path):
    path = tmp_path / "wide.parquet"
    pqexplore.write(pa.table({f"c{i}": [i] for i in range(20)}), path)
    with pqexplore.open(path) as file:
        header = shown(file, file.node("footer/schema")).picture.head[1]
    assert header.shown == [0xFC, 21]
    assert header.says[1] == "varint 0x15 = 21"


def test_the_table_has_every_field_with_its_meaning(file):
    table = shown(file, file.node(HEADER)).table
    row = dict(zip(table.column("field"), table.rows, strict=True))["type"]
    assert row[:4] == (1, "type", "PageType", "DATA_PAGE")
    assert table.column("id") == sorted(table.column("id"))
    assert all(file.bytes(span)[0] & 15 for span in table.spans)


def test_extensions_are_named(tmp_path):
    path = tmp_path / "extensions.parquet"
    SAMPLES["extensions"].write(path)
    with pqexplore.open(path) as file:
        answer = shown(file, file.node("footer"))
    extension = item(answer, "extension")
    assert extension.unknown
    assert extension.header == [0x08, 0xFF, 0xFF, 0x01]
    assert extension.parts[0].says[0] == "0x08: upper half 0, so the id follows; lower half 8, binary"
    assert "Its extension is bytes of a vendor's own" in answer.sentence


def test_an_empty_union_member_has_only_a_stop_byte(tmp_path):
    path = tmp_path / "text.parquet"
    pqexplore.write(pa.table({"s": ["x"]}), path)
    with pqexplore.open(path) as file:
        answer = shown(file, file.node("footer/schema/1/logicalType"))
    assert [one.name for one in answer.picture.items] == ["STRING"]
    assert item(answer, "STRING").parts[1].shown == [0]


@pytest.mark.parametrize(
    ("address", "applies"),
    [
        ("footer", True),
        ("footer/created_by", True),
        ("row_groups/0/columns/0/metadata", True),
        ("row_groups/0/columns/0/column_index", True),
        ("row_groups/0/columns/0/offset_index", True),
        ("row_groups/0/columns/0/pages/0/header", True),
        ("", False),
        ("row_groups/0/columns/0/pages/0", False),
        ("row_groups/0/columns/0/pages/1/values", False),
    ],
)
def test_it_applies_to_structs(address, applies):
    with pqexplore.open(orders_bytes()) as file:
        node = file.node(address)
        assert LENS.applies(node) is applies
        if applies:
            assert shown(file, node).picture.items


def test_a_wide_footer_is_drawn_in_part():
    sink = io.BytesIO()
    pq.write_table(pa.table({f"column {i}": [i] for i in range(2_000)}), sink)
    with pqexplore.open(sink.getvalue()) as file:
        found = shown(file, file.node("footer/schema"))
    assert found.picture.total == 2_001
    assert len(found.picture.items) == 120
    assert found.table.total == 2_001


def test_hostile_text_is_only_text():
    with pqexplore.open(parquet(pa.table({HOSTILE: ["x"]}))) as file:
        found = shown(file, file.node("footer/schema/1"))
    assert item(found, "name").value.startswith("<img")


def test_a_damaged_struct_shows_the_fields_before_the_damage():
    raw = bytearray(parquet(orders(), compression="none", write_page_index=True))
    address = "row_groups/0/columns/0/column_index"
    with pqexplore.open(bytes(raw)) as file:
        end = file.node(address).span.end
    raw[end - 4 : end] = b"\xff\xff\xff\xff"
    with pqexplore.open(bytes(raw)) as file:
        found = shown(file, file.node(address))
    assert found.picture.items[0].name == "null_pages"
    assert "It is damaged: " in found.sentence


def test_the_metadata_of_a_chunk_has_the_name_of_its_struct():
    with pqexplore.open(orders_bytes()) as file:
        said = file.view("thrift", at="row_groups/0/columns/0/metadata").sentence
    assert said.startswith("ColumnChunk: ")
