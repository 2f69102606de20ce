"""Thrift structs field by field: ids, types and values, on structs with known bytes."""

import json

import pyarrow as pa
import pytest
from made import ours, parquet
from widget.samples import HOSTILE, orders

import pqexplore
from pqexplore.engine.span import Span
from pqexplore.engine.writer.samples import SAMPLES
from pqexplore.insight import wire
from pqexplore.insight.lenses.thrift import answer


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


def test_a_long_list_has_its_count_after_the_byte():
    with pqexplore.open(ours(pa.table({f"c{i}": [i] for i in range(20)}))) as file:
        header = shown(file, file.node("footer/schema")).picture.head[1]
    assert header.shown == [0xFC, 21]
    assert header.says[1] == "varint 0x15 = 21"


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


def test_a_wide_footer_is_drawn_in_part():
    with pqexplore.open(parquet(pa.table({f"column {i}": [i] for i in range(2_000)}))) as file:
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
