"""Variants of any values, whole and shredded as any type, wherever they stand: what is read is what was written."""

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from engine.format.variant.strategies import VALUES
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made import ours
from needs import needs

import pqexplore
from pqexplore.engine.format.variant.decode import decode_array
from pqexplore.engine.format.variant.encode import encode_array
from pqexplore.engine.format.variant.proposal import propose_schema
from pqexplore.engine.writer.options import WriteOptions

SHREDDINGS = st.sampled_from(
    [
        pa.int64(),
        pa.string(),
        pa.decimal128(18, 2),
        pa.list_(pa.int64()),
        pa.struct([("a", pa.int32()), ("b", pa.struct([("c", pa.string())]))]),
        pa.struct([("a", pa.list_(pa.float64())), ("e", pa.null())]),
    ]
)


def opened(table, **column):
    options = WriteOptions(page_rows=3, columns={"v": {"logical_type": "VARIANT", **column}})
    return pqexplore.open(ours(table, options))


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(VALUES, min_size=1, max_size=8), st.none() | SHREDDINGS | st.just("proposed"), st.booleans())
def test_variants_are_read_back_as_written(values, shredding, share_metadata):
    column = encode_array(values, share_metadata=share_metadata)
    if shredding == "proposed":
        shredding = propose_schema(column)
    file = opened(pa.table({"v": column}), shredding=shredding)
    read = file.read()["v"].combine_chunks()
    assert repr(decode_array(read)) == repr(decode_array(column))
    assert [finding for finding in file.check() if finding.severity.level == "error"] == []


def test_shredded_column_is_written_unchanged():
    from pqexplore.engine.format.variant.shred import shred

    column = encode_array([{"a": 1}, {"a": "x", "b": 2}, 5])
    kind = pa.struct([("a", pa.int64())])
    given_shredded = opened(pa.table({"v": shred(column, kind)}))
    assert (
        given_shredded.read()["v"].to_pylist()
        == opened(pa.table({"v": column}), shredding=kind).read()["v"].to_pylist()
    )


@pytest.mark.parametrize("nested", [False, True])
def test_variant_in_a_group_is_annotated_by_path(nested):
    column = encode_array([1, "two", None])
    table = pa.table({"s": pa.StructArray.from_arrays([column], names=["v"])})
    chosen = {"s.v": {"logical_type": "VARIANT"}} if nested else {}
    read = pqexplore.open(ours(table, WriteOptions(columns=chosen)))
    kinds = [field.kind for field in read.schema.fields if field.name == "v"]
    assert kinds == (["variant"] if nested else ["group"])
    assert read.read()["s"].to_pylist() == table["s"].to_pylist()


def cuts(count):
    """Offsets that cut `count` elements into lists of 0, 1, 2, 0, 1, 2 … elements, the third of them null."""
    ends = np.minimum(np.cumsum(np.arange(count + 3) % 3), count)
    return [0, *ends.tolist()]


def in_structs(column):
    """Every third struct is null; the Variant below it is not."""
    null = pa.array([row % 3 == 2 for row in range(len(column))])
    return pa.StructArray.from_arrays([column], names=["v"], mask=null)


def in_lists(column):
    """Every third list is null, and has elements all the same."""
    offsets = cuts(len(column))
    null = pa.array([row % 3 == 2 for row in range(len(offsets) - 1)])
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), column, mask=null)


def in_large_lists(column):
    return pa.LargeListArray.from_arrays(pa.array(cuts(len(column)), pa.int64()), column)


def in_pairs(column):
    return pa.FixedSizeListArray.from_arrays(column.slice(len(column) % 2), 2)


def in_maps(column):
    keys = pa.array([f"key {row}" for row in range(len(column))])
    return pa.MapArray.from_arrays(pa.array(cuts(len(column)), pa.int32()), keys, column)


def in_structs_in_lists(column):
    numbers = pa.array(range(len(column)))
    return in_lists(pa.StructArray.from_arrays([numbers, column], names=["n", "v"]))


PLACES = {
    in_structs: "c.v",
    in_lists: "c.list.element",
    in_large_lists: "c.list.element",
    in_pairs: "c.list.element",
    in_maps: "c.key_value.value",
    in_structs_in_lists: "c.list.element.v",
}
"""What puts a Variant column into another, and its path there."""


def written_inside(array, place, shredding, **options):
    chosen = {PLACES[place]: {"logical_type": "VARIANT", "shredding": shredding}}
    return ours(pa.table({"c": array}), WriteOptions(columns=chosen, page_rows=2, **options))


def values_inside(value):
    """The value of a nested column with every Variant in it decoded."""
    if isinstance(value, dict) and value.keys() == {"metadata", "value"}:
        (decoded,) = decode_array(pa.array([value]))
        return decoded
    if isinstance(value, dict):
        return {name: values_inside(each) for name, each in value.items()}
    return [values_inside(each) for each in value] if isinstance(value, list | tuple) else value


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.__name__)
@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
@given(values=st.lists(VALUES, min_size=1, max_size=8), shredding=SHREDDINGS)
def test_nested_variant_is_shredded(place, values, shredding):
    array = place(encode_array(values))
    file = pqexplore.open(written_inside(array, place, shredding, row_group_rows=3))
    (variant,) = (field for field in file.schema.fields if field.kind == "variant")
    assert "typed_value" in [field.name for field in variant.children]
    read = file.read()["c"].to_pylist()
    assert repr(values_inside(read)) == repr(values_inside(array.to_pylist()))
    assert [finding for finding in file.check() if finding.severity.level == "error"] == []


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner),
    max_leaves=6,
)


@needs("duckdb", "2.0", "it reads shredded Variants as they are stored")
@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.__name__)
@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
@given(values=st.lists(PLAIN, min_size=1, max_size=8), shredding=SHREDDINGS)
def test_duckdb_reads_nested_shredded_variants(place, values, shredding, tmp_path_factory):
    array = place(encode_array(values))
    path = tmp_path_factory.mktemp("duckdb") / "table.parquet"
    path.write_bytes(written_inside(array, place, shredding))
    with duckdb.connect() as connection:
        rows = [row for (row,) in connection.sql(f"select c from '{path}'").fetchall()]
    expected = [values_inside(value) for value in array.to_pylist()]
    if place is in_maps:
        expected = [dict(pairs) for pairs in expected]
    assert repr(rows) == repr(expected)


def test_nested_shredded_variant_is_shredded_again():
    from pqexplore.engine.format.variant.shred import shred

    column = encode_array([{"a": 1}, {"a": "x", "b": 2}, 5])
    given_shredded = in_lists(shred(column, pa.struct([("b", pa.int64())])))
    data = written_inside(given_shredded, in_lists, pa.struct([("a", pa.int64())]))
    assert data == written_inside(in_lists(column), in_lists, pa.struct([("a", pa.int64())]))


def test_contradictory_variant_in_a_list_raises():
    from pqexplore.engine.errors import UsageError
    from pqexplore.engine.format.variant.shred import shred

    column = shred(encode_array([7, {"a": 1}]), pa.int64())
    both = pa.StructArray.from_arrays(
        [column.field("metadata"), pa.array([b"\x0c\x01"] * 2), column.field("typed_value")], fields=list(column.type)
    )
    array = pa.ListArray.from_arrays(pa.array([0, 2], pa.int32()), both)
    with pytest.raises(UsageError, match=r"c\.list\.element, element 0, \$"):
        written_inside(array, in_lists, None)
