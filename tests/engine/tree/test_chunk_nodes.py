"""Row groups and chunks: what the file says around the data, as facts, and where damage is."""

import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from engine.check import forged

import pqexplore
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import SortingColumn, Statistics, Type
from pqexplore.engine.tree import struct_nodes
from pqexplore.engine.writer import assembly

CHUNK = "row_groups/0/columns/0"


def facts_of(data, address=CHUNK):
    with pqexplore.open(data) as file:
        return {fact.name: fact for fact in file.node(address).facts}


def values_of(data, address=CHUNK):
    return {name: fact.value for name, fact in facts_of(data, address).items()}


def test_facts_of_exact_and_shortened_bounds():
    stored = Statistics(min_value=forged.raw(1), max_value=forged.raw(5), is_min_value_exact=True,
        is_max_value_exact=False, null_count=0, distinct_count=2)  # fmt: skip
    facts = facts_of(forged.one_column([forged.page([1, 3])], metadata={"statistics": stored}))
    shown = {name: fact.value for name, fact in facts.items()}
    assert (shown["minimum"], shown["minimum is exact"]) == (1, True)
    assert (shown["maximum"], shown["maximum is exact"]) == (5, False)
    assert (shown["nulls"], shown["distinct values"]) == (0, 2)
    assert (shown["trusted"], shown["bounds from"]) == (True, "min_value and max_value")
    assert shown["order"] == "signed comparison of integers"
    assert facts["minimum"].address == f"{CHUNK}/metadata/meta_data/statistics"
    assert "the smallest value" in facts["minimum"].meaning
    assert "it may be no value itself" in facts["maximum"].meaning


def test_min_and_max_of_unsigned_columns_are_not_trusted():
    unsigned = assembly.element(
        "a", Type.INT32, 0, logicalType=structs.LogicalType(INTEGER=structs.IntType(bitWidth=32, isSigned=False))
    )
    stored = Statistics(min=forged.raw(-1), max=forged.raw(1))
    data = forged.one_column([forged.page([1])], leaf=unsigned, metadata={"statistics": stored})
    facts = facts_of(data)
    assert (facts["trusted"].value, facts["bounds from"].value) == (False, "min and max")
    assert "compared as signed bytes" in facts["trusted"].meaning


def test_levels_are_named_by_the_schema():
    stored = structs.SizeStatistics(definition_level_histogram=[1, 1, 1, 1], repetition_level_histogram=[3, 1])
    data = forged.list_column([forged.list_page([[1, None], None, []])], metadata={"size_statistics": stored})
    named = {fact.meaning: fact.value for name, fact in facts_of(data).items() if " level " in name}
    assert named == {
        "how many times: a is null": 1,
        "how many times: a is empty": 1,
        "how many times: a.list.element is null": 1,
        "how many times: a.list.element has a value": 1,
        "how many times: a new record": 3,
        "how many times: a further element of a": 1,
    }


def test_facts_of_geospatial_statistics():
    stored = structs.GeospatialStatistics(
        bbox=structs.BoundingBox(xmin=170.0, xmax=-170.0, ymin=0.0, ymax=1.0), geospatial_types=[1, 1006]
    )
    data = forged.one_column([forged.page([1])], metadata={"geospatial_statistics": stored})
    facts = facts_of(data)
    assert facts["x range"].value == "170.0 … -170.0"
    assert "antimeridian" in facts["x range"].meaning
    assert facts["geometry types"].value == "Point, MultiPolygon Z"
    assert "z range" not in facts


def test_facts_of_what_belongs_to_a_chunk():
    pairs = [structs.KeyValue(key="unit", value="metres")]
    data = forged.one_column(
        [forged.page([1])], metadata={"key_value_metadata": pairs}, bloom_filter=bytes(32), offset_index=True
    )
    facts = facts_of(data)
    assert facts["offset index"].address == f"{CHUNK}/offset_index"
    assert facts["bloom filter"].address == f"{CHUNK}/bloom_filter"
    assert facts["column index"].value is None
    assert facts["pages by encoding"].value == "1 DATA_PAGE PLAIN"
    with pqexplore.open(data) as file:
        note = file.node(f"{CHUNK}/key_value_metadata/0")
        shown = {fact.name: fact for fact in note.facts}
        assert (shown["key"].value, shown["value"].value) == ("unit", "metres")
        assert file.bytes(file.node(shown["bytes"].address).span) == b"\x18\x04unit\x18\x06metres\0"


def test_sorting_columns_are_named():
    column = SortingColumn(column_idx=0, descending=True, nulls_first=False)
    data = forged.one_column([forged.page([1])], group={"sorting_columns": [column]})
    assert values_of(data, "row_groups/0")["sorting columns"] == "a descending, nulls last"


# Damage.


def test_a_page_is_marked_corrupt_once_its_damage_is_known():
    data = forged.one_column([forged.page([1]), assembly.page_v1(b"\x01", 1)])
    with pqexplore.open(data) as file:
        address = f"{CHUNK}/pages/1"
        assert file.node(address).state == "ok"
        file.check()
        node = file.node(address)
        assert node.state == "corrupt"
        assert node.reason
        states = [c.state for c in file.node(CHUNK).children if c.kind == "data_page"]
        assert states == ["ok", "corrupt"]


def test_missing_pages_have_a_node_after_the_last_page():
    data = forged.one_column([forged.page([1])], rows=2, metadata={"num_values": 2})
    with pqexplore.open(data) as file:
        last = file.node(CHUNK).children[-1]
        assert (last.kind, last.state, last.address) == ("unreadable", "corrupt", f"{CHUNK}/pages/1")
        for address in (f"{CHUNK}/pages/1", f"{CHUNK}/pages/1/header"):
            assert file.node(address).address == last.address
        with pytest.raises(KeyError):
            file.node(f"{CHUNK}/pages/2")


def test_a_chunk_without_a_readable_page_has_a_node_for_the_damage():
    broken = forged.page([1], num_values=None)
    data = forged.one_column([broken], rows=1, metadata={"num_values": 1})
    with pqexplore.open(data) as file:
        file.check()
        last = file.node(CHUNK).children[-1]
        assert (last.kind, last.address) == ("unreadable", f"{CHUNK}/pages/0")
        assert "num_values" in last.reason
        assert file.node(f"{CHUNK}/pages/0/header").address == last.address


# Large footers.


def many(groups, columns):
    """A file of row groups that all point at the same page: only its footer is large."""
    sink = io.BytesIO()
    table = pa.table({f"column_{i}": pa.array([1], pa.int32()) for i in range(columns)})
    with pq.ParquetWriter(sink, table.schema, store_schema=False) as writer:
        for _ in range(groups):
            writer.write_table(table)
    return sink.getvalue()


def test_a_chunk_in_a_large_footer_is_read_alone(monkeypatch):
    monkeypatch.setattr(struct_nodes, "LARGE", 64)
    data = many(3, 7)
    with pqexplore.open(data) as file:
        address = "footer/row_groups/2/columns/6/meta_data"
        codec = file.node(f"{address}/codec")
        assert codec.label == "codec = SNAPPY"
        assert not file.cache.has(("footer", "spans"))
        path = file.node(f"{address}/path_in_schema/0")
        assert path.facts[0].value == "column_6"
        # The same node, reached step by step.
        step = file.root
        for name in ("footer", "row_groups", "2", "columns", "6", "meta_data", "codec"):
            step = next(child for child in step.children if child.name == name)
        assert (step.address, step.span, step.label) == (codec.address, codec.span, codec.label)
        with pytest.raises(KeyError):
            file.node("footer/row_groups/3/columns/0")
        with pytest.raises(KeyError):
            file.node("footer/row_groups/0/columns/7")
