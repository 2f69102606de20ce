"""Checks of the schema, and of values against it: what the table of violations does not say."""

import io

import pyarrow.parquet as pq
import pytest
from engine.check import forged, schemas
from engine.check.violations import variant_schema
from engine.check.violations.footer import described
from engine.format.test_embedded import INT128

from pqexplore.engine.format.thrift.structs import ConvertedType, Type
from pqexplore.engine.writer import assembly
from pqexplore.engine.writer.assembly import element


def test_the_parameters_of_contradicting_types_are_named():
    both = schemas.column(logicalType=schemas.integer(8), converted_type=int(ConvertedType.UINT_8))
    (found,) = forged.findings(both)
    assert (
        "is INTEGER(bitWidth 8, isSigned true) by its logical type and INTEGER(bitWidth 8, isSigned false) by its "
        "converted type UINT_8; old readers" in found.message
    )


def test_arrow_refuses_values_without_bytes():
    wrong = schemas.column(Type.FIXED_LEN_BYTE_ARRAY, type_length=0)
    (found,) = forged.findings(wrong)
    assert "which Arrow refuses" in found.message
    with pytest.raises(OSError, match="FIXED_LEN_BYTE_ARRAY length: 0"):
        pq.ParquetFile(io.BytesIO(wrong))
    pq.ParquetFile(io.BytesIO(schemas.column(Type.FIXED_LEN_BYTE_ARRAY, type_length=1)))


NOTES = {
    "decimal-as-binary": schemas.column(Type.FIXED_LEN_BYTE_ARRAY, type_length=40, logicalType=schemas.decimal(80)),
    "embedded-unknown": described("ARROW:schema", INT128),
}


@pytest.mark.parametrize("rule", NOTES)
def test_what_arrow_does_not_hold_is_a_note(rule):
    assert forged.rules(NOTES[rule]) == [(rule, "note")]


def test_variant_without_metadata_is_an_error():
    data = variant_schema.schema(variant_schema.leaf("value", variant_schema.REQUIRED, Type.INT32))
    found = [one.message for one in forged.findings(data)]
    assert "VARIANT `v`: the VARIANT has no field 'metadata'" in found
    assert "VARIANT `v`: field 'value' of $ is INT32; expected BYTE_ARRAY" in found


# what an element says | the finding, None: it has to be one of both, and is
LEAF_OR_GROUP = [
    (element("a", Type.INT32, 0), None),
    (element("a", Type.INT32, 0, num_children=0), ("leaf-with-children", "note")),
    (element("a", None, 0), ("leaf-without-type", "error")),
    (element("a", None, 0, num_children=0), ("leaf-without-type", "error")),
    (element("empty", None, 0, num_children=0), ("empty-group", "note")),
    (element("empty", None, 0), ("leaf-without-type", "error")),
]


@pytest.mark.parametrize(("wrong", "expected"), LEAF_OR_GROUP)
def test_element_that_is_neither_leaf_nor_group_has_a_finding(wrong, expected):
    names = ["a", "b"] if wrong.name == "a" else ["b"]
    data = assembly.file(
        [forged.root(2), wrong, element("b", Type.INT32, 0)],
        [assembly.row_group([assembly.chunk(name, Type.INT32, [forged.page([1])]) for name in names], 1)],
    )
    found = [one for one in forged.findings(data) if one.address == "schema/1"]
    assert [(one.rule, one.severity.level) for one in found] == ([] if expected is None else [expected])
