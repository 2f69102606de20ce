"""Lenses name kinds of nodes that exist."""

import dataclasses

import pyarrow as pa
import pytest
from engine.check.violations import leftovers as planted
from hypothesis import given, settings
from hypothesis import strategies as st
from made import parquet

import pqexplore
from pqexplore.engine.format.thrift.structs import Encoding, Type
from pqexplore.engine.kind import Kind
from pqexplore.engine.writer.samples import write_sample
from pqexplore.insight import wire
from pqexplore.insight.lenses import LENSES, answer_of, encoding, facts, finish, page
from pqexplore.insight.lenses.layout.strips import strips_to


@pytest.mark.parametrize("name", LENSES)
def test_the_kinds_of_a_lens_are_kinds_of_nodes(name):
    lens = LENSES[name]
    assert (lens.kinds or frozenset()) | lens.first <= frozenset(Kind)


def test_the_lenses_of_a_kind_follow_a_lens_that_is_put_in_the_place_of_another(monkeypatch):
    assert "schema" in {lens.name for lens in LENSES.of_kind("schema")}
    other = dataclasses.replace(LENSES["schema"], kinds=frozenset({"magic"}))
    monkeypatch.setitem(LENSES, "schema", other)
    assert "schema" not in {lens.name for lens in LENSES.of_kind("schema")}
    assert other in LENSES.of_kind("magic")


# The facts of a node as a table.


@pytest.fixture(scope="module")
def file():
    with pqexplore.open(parquet(pa.table({"x": [1, 2, 3]}))) as opened:
        yield opened


@pytest.mark.parametrize("address", ["", "row_groups/0", "row_groups/0/columns/0", "footer"])
def test_each_fact_is_a_row_with_its_bytes_and_address(file, address):
    node = file.node(address)
    answer = facts.answer(file, node)
    rows = list(zip(answer.table.rows, answer.table.addresses, answer.table.spans, strict=True))
    assert rows == [((f.name, f.value, f.meaning), f.address, f.span) for f in node.facts]


def test_the_view_has_the_facts_with_the_node_so_the_picture_is_empty(file):
    answer = facts.answer(file, file.root)
    assert answer.picture == facts.Picture()
    assert wire.encode(answer.picture) == {}
    assert (answer.sentence, answer.code) == ("", "f.node('').facts")


# A lens says that it has nothing to show of a column chunk exactly where its answer is empty.


EMPTY = {
    "events": {"bloom", "dictionary", "nesting"},
    "deltas": {"bloom", "dictionary"},
    "dictionary-fallback": {"bloom"},
    "slow-no-page-index": {"bloom", "dictionary", "page_index"},
    "bloom-filter": set(),
}
"""The lenses that are empty at some column chunk of a sample."""


@pytest.mark.parametrize("sample", EMPTY)
def test_what_is_said_to_be_empty_is_empty(tmp_path, sample):
    path = tmp_path / "x.parquet"
    write_sample(sample, path)
    empty = set()
    with pqexplore.open(path) as file:
        for column in range(len(file.row_groups[0].columns)):
            node = file.node(f"row_groups/0/columns/{column}")
            for lens in LENSES.values():
                if lens.lacking is not None and lens.applies(node):
                    said = lens.lacking(file, node)
                    answer = finish(answer_of(file, node, lens))
                    assert bool(said) == bool(answer.empty), (column, lens.name)
                    empty |= {lens.name} if said else set()
    assert empty == EMPTY[sample]


# The lenses account for every byte of a page: those of its levels and values, and those that are left over.


PAGE = planted.PAGE
INTEGERS = planted.section(Type.INT32, Encoding.PLAIN)


def parts(file, address=PAGE):
    """The parts of a page that its lens shows."""
    return page.answer(file, file.node(address)).picture.parts.sections


def assert_tiled(file, address, extra):
    """The parts of a page and the strip of its sections tile the page's body; the last `extra` bytes are a leftover."""
    shown = parts(file, address)
    found = page.page_at(file, address)
    space = shown[0].span.space
    whole = file.space_size(space) if found.body.spaces else found.frame.end - found.frame.header_end
    at = shown[0].span.start
    for part in shown:
        assert (part.span.start, part.span.space, part.bytes) == (at, space, len(part.span))
        at = part.span.end
    assert at - shown[0].span.start == whole
    assert [part.bytes for part in shown if part.name == "leftover"] == [extra] * bool(extra)
    for cells in (encoding.answer_at(found, f"{address}/values").picture.bytes,):
        assert [0, *cells.end[:-1]] == cells.start
        assert cells.end[-1] == len(found.body.section("values").data)


@pytest.mark.parametrize(("number", "type"), [*planted.ALL, (Encoding.BYTE_STREAM_SPLIT, Type.DOUBLE)])
@settings(max_examples=6, deadline=None)
@given(st.binary(max_size=300), st.sampled_from([1, 2]), st.sampled_from(list(planted.CODECS)))
def test_the_parts_of_a_page_tile_it(number, type, extra, version, codec):
    if number == Encoding.BYTE_STREAM_SPLIT:
        extra = b""
    stored = planted.section(type, number) + extra
    with pqexplore.open(planted.values(stored, type, number, version, codec)) as file:
        assert_tiled(file, PAGE, len(extra))
        assert len(file.row_groups[0].columns[0].pages[0].values) == 3


VALUES = f"{PAGE}/values"

# the file | the address of a section | the sentence of the Encoding lens


def test_the_leftover_is_a_step_that_one_can_look_at():
    with pqexplore.open(planted.values(INTEGERS + planted.EXTRA)) as file:
        address = f"{VALUES}/leftover_12"
        said = encoding.answer(file, file.node(address))
        assert (said.picture.step.label, said.picture.step.address) == ("8 bytes left over", address)
        [part] = said.picture.step.parts
        assert bytes(part.shown) == planted.EXTRA
        assert said.table.addresses[-1] == address
        kinds = {kind.name: (kind.steps, kind.bytes) for kind in said.picture.kinds if kind.steps}
        assert kinds == {"value": (3, 12), "leftover": (1, 8)}
        base = file.node(VALUES).span.start
        assert encoding.derive(file, VALUES, byte=15).start == base + 12
        assert encoding.derive(file, VALUES, byte=11).label == "4 bytes"


@pytest.mark.parametrize("codec", planted.CODECS)
def test_the_strip_of_a_page_has_a_tile_for_the_leftover(codec):
    with pqexplore.open(planted.values(INTEGERS + planted.EXTRA, codec=codec)) as file:
        strip = strips_to(file, f"{VALUES}/leftover_12")[-1]
        assert [*map(strip.kind_of, range(len(strip)))][-2:] == ["values", "leftover"]
        assert (strip.ends - strip.starts).tolist()[-2:] == [12, 8]
        assert strip.address_of(strip.chosen) == f"{VALUES}/leftover_12"
        assert strips_to(file, VALUES)[-1].address_of(strip.chosen - 1) == VALUES
