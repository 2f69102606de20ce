"""Variants of any values, whole and shredded as any type: what is read is what was written."""

import io

import pyarrow as pa
import pytest
from engine.variant.strategies import VALUES
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import pqexplore
from pqexplore.engine.variant.decode import decode_array
from pqexplore.engine.variant.encode import encode_array
from pqexplore.engine.variant.proposal import propose_schema
from pqexplore.engine.writer.file import write
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
    out = io.BytesIO()
    options = WriteOptions(page_rows=3, columns={"v": {"logical_type": "VARIANT", **column}})
    write(table, out, options)
    return pqexplore.open(out.getvalue())


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(VALUES, min_size=1, max_size=8),
    st.none() | SHREDDINGS | st.just("proposed"),
    st.booleans(),
)
def test_what_is_read_is_what_was_written(values, shredding, share_metadata):
    column = encode_array(values, share_metadata=share_metadata)
    if shredding == "proposed":
        shredding = propose_schema(column)
    file = opened(pa.table({"v": column}), shredding=shredding)
    read = file.read()["v"].combine_chunks()
    assert repr(decode_array(read)) == repr(decode_array(column))
    assert [finding for finding in file.check() if finding.severity == "error"] == []


def test_the_fields_of_the_group_are_required_as_the_specification_has_it():
    table = pa.table({"v": encode_array([{"a": 1}, None])})
    whole = {field.name: field.repetition for field in opened(table).schema.fields}
    assert (whole["metadata"], whole["value"]) == (0, 0)
    shredded = opened(table, shredding=pa.struct([("a", pa.int64())]))
    repetition = {".".join(field.path): field.repetition for field in shredded.schema.fields}
    assert (repetition["v.metadata"], repetition["v.value"]) == (0, 1)
    assert (repetition["v.typed_value"], repetition["v.typed_value.a"]) == (1, 0)


def test_a_column_that_is_shredded_already_is_written_as_it_is():
    from pqexplore.engine.variant.shred import shred

    column = encode_array([{"a": 1}, {"a": "x", "b": 2}, 5])
    kind = pa.struct([("a", pa.int64())])
    given_shredded = opened(pa.table({"v": shred(column, kind)}))
    assert (
        given_shredded.read()["v"].to_pylist()
        == opened(pa.table({"v": column}), shredding=kind).read()["v"].to_pylist()
    )


@pytest.mark.parametrize("nested", [False, True])
def test_a_variant_in_a_group_is_annotated_by_its_path(nested):
    column = encode_array([1, "two", None])
    table = pa.table({"s": pa.StructArray.from_arrays([column], names=["v"])})
    out = io.BytesIO()
    chosen = {"s.v": {"logical_type": "VARIANT"}} if nested else {}
    write(table, out, WriteOptions(columns=chosen))
    read = pqexplore.open(out.getvalue())
    kinds = [field.kind for field in read.schema.fields if field.name == "v"]
    assert kinds == (["variant"] if nested else ["group"])
    assert read.read()["s"].to_pylist() == table["s"].to_pylist()
