"""The rules of Variant, beyond the table of violations."""

import pyarrow as pa
import pytest
from engine.check.violations import variant
from made import rebuilt

import pqexplore
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.variant.encode import encode_array

STRING = structs.LogicalType(STRING=structs.StringType())


def found(data):
    with pqexplore.open(data) as file:
        return [(one.rule, one.address) for one in file.check() if one.severity.level != "note"]


@pytest.mark.parametrize("raw", [b"\1\0\0", b"\xff"])
@pytest.mark.parametrize("index", [2, 3])
def test_text_in_place_of_bytes_does_not_stop_the_check(index, raw):
    data = rebuilt(
        variant.annotated(
            pa.array(
                [{"metadata": raw, "value": raw}],
                pa.struct([pa.field(n, pa.binary(), nullable=False) for n in ("metadata", "value")]),
            )
        ),
        **{f"schema__{index}__logicalType": STRING},
    )
    rules = [rule for rule, _ in found(data)]
    assert rules.count("variant-field") == 1
    assert "variant-metadata" not in rules or raw == b"\xff"


def test_a_schema_fault_is_said_once_for_all_row_groups():
    column = encode_array([1, 2, 3])
    nullable = pa.struct([pa.field("metadata", pa.binary()), pa.field("value", pa.binary())])
    assert found(variant.annotated(column.cast(nullable))) == [
        ("variant-metadata-required", "schema/2"),
        ("variant-value-required", "schema/3"),
    ]
