"""The table of structs: a few facts of the format that everything else rests on."""

import copy
import pickle
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.declaration import SCALARS

TOOL = Path(__file__).resolve().parents[4] / "tools/thrift_classes.py"


def test_a_field_has_its_struct_enum_or_scalar_type():
    field = structs.RowGroup.BY_ID[1]
    assert (field.is_list, field.base) == (True, "ColumnChunk")
    assert (field.struct, field.enum) == (structs.ColumnChunk, None)
    field = structs.ColumnMetaData.BY_ID[2]
    assert (field.is_list, field.struct, field.enum) == (True, None, structs.Encoding)
    field = structs.ColumnMetaData.BY_ID[5]
    assert (field.is_list, field.struct, field.enum) == (False, None, None)
    assert field.base in SCALARS


def test_absent_fields_are_none_or_have_the_declared_default():
    header = structs.DataPageHeaderV2(num_values=3)
    assert (header.num_values, header.num_nulls, header.is_compressed) == (3, None, True)
    assert structs.ColumnChunk().file_offset == 0


def test_fields_are_keywords_and_nothing_else_is():
    with pytest.raises(TypeError):
        structs.KeyValue("key", "value")
    with pytest.raises(TypeError):
        structs.KeyValue(kee="key")
    with pytest.raises(AttributeError):
        structs.KeyValue().kee = "key"


def test_structs_are_equal_by_class_and_fields():
    assert structs.KeyValue(key="k") == structs.KeyValue(key="k")
    assert structs.KeyValue(key="k") != structs.KeyValue(key="k", value="")
    assert structs.MapType() != structs.ListType()


def test_repr_shows_present_fields_and_stays_short():
    shown = repr(structs.KeyValue(key="k", value="v" * 1000))
    assert shown.startswith("KeyValue(key='k', value='vvv")
    assert "1,000 characters" in shown
    assert len(shown) < 100
    assert repr(structs.RowGroup(columns=[structs.ColumnChunk()], num_rows=1)) == (
        "RowGroup(columns=[1 elements], num_rows=1)"
    )


def test_structs_copy_and_pickle():
    value = structs.LogicalType(DECIMAL=structs.DecimalType(scale=2, precision=9))
    assert pickle.loads(pickle.dumps(value)) == value
    deep = copy.deepcopy(value)
    deep.DECIMAL.scale = 3
    assert value.DECIMAL.scale == 2


def test_enum_name():
    assert structs.enum_name(structs.Encoding, 5) == "DELTA_BINARY_PACKED"
    assert structs.enum_name(structs.Encoding, 1) == "UNKNOWN(1)"
    assert structs.enum_name(structs.Encoding, None) == "UNKNOWN(None)"


def test_union_field():
    unit = structs.TimeUnit(NANOS=structs.NanoSeconds())
    assert structs.TimeUnit.UNION and not structs.TimeType.UNION
    assert structs.union_field(unit) == ("NANOS", structs.NanoSeconds())
    assert structs.union_field(structs.TimeUnit()) is None
    assert structs.union_field(None) is None


def test_missing():
    assert structs.missing(structs.KeyValue(value="v")) == ["key"]
    assert structs.missing(structs.DecimalType()) == ["scale", "precision"]
    assert structs.missing(structs.ColumnChunk()) == []


def test_union_of():
    unit = structs.union_of(structs.TimeUnit, "NANOS", structs.NanoSeconds())
    assert unit == structs.TimeUnit(NANOS=structs.NanoSeconds())
    with pytest.raises(AttributeError):
        structs.union_of(structs.TimeUnit, "HOURS", structs.NanoSeconds())


def run_tool(*arguments):
    command = [sys.executable, TOOL, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def test_structs_have_the_declared_fields():
    done = run_tool("--check")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("declaration", "message"),
    [
        ("struct A {\n  1: i46 name  // A number.\n}", "A.name: there is no type i46"),
        ("struct A {\n  name: i64  // A number.\n}", "line 3: not a declaration"),
        ("struct A {\n  1: i64 name\n}", "line 3: not a declaration"),
        ("struct A {\n  2: i64 b  // B.\n  1: i64 a  // A.\n}", "A: ids do not ascend"),
    ],
)
def test_wrong_declaration_is_an_error(declaration, message):
    parse = runpy.run_path(str(TOOL))["parse"]
    with pytest.raises(SystemExit, match=message):
        parse(f"/** What it is. */\n{declaration}\n")


def test_declaration_without_a_sentence_is_an_error():
    parse = runpy.run_path(str(TOOL))["parse"]
    with pytest.raises(SystemExit, match="line 1: .* is missing"):
        parse("struct A {}\n")
