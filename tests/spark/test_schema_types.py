"""`schema --spark` of a file that Spark did not write: the types that Spark gives its columns, and those it refuses."""

import pytest

import pqexplore
from pqexplore.engine.format.thrift import encode, structs
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.engine.writer.samples import write_sample
from pqexplore.insight import spark_types


def alone(file, field, path):
    """A file without rows that has one column of another file."""
    footer([one.element for one in file.schema.fields[1:] if one.path[:1] == field.path], path)


def footer(elements, path):
    """A file without rows of one column."""
    schema = [structs.SchemaElement(name="root", num_children=1), *elements]
    data = encode.encode(structs.FileMetaData(version=2, schema=schema, num_rows=0, row_groups=[]))
    path.write_bytes(b"PAR1" + data + len(data).to_bytes(4, "little") + b"PAR1")


@pytest.mark.parametrize("name", ["everything", "events", "nested", "legacy-lists"])
def test_spark_gives_these_types(spark, tmp_path, name):
    write_sample(name, tmp_path / "whole.parquet")
    wrong = {}
    with pqexplore.open(tmp_path / "whole.parquet") as file:
        for field in file.schema.root.children:
            ours = spark_types.of_field(field)
            path = tmp_path / f"{field.index}.parquet"
            alone(file, field, path)
            try:
                kind = spark.read.parquet(str(path)).schema.fields[0].dataType
                theirs = _spelt(kind)
            except Exception as error:  # py4j's and Spark's errors have nothing in common
                theirs = None
                text = str(error)
            if (None if ours.refused else ours.text) != theirs:
                wrong[field.name] = (ours.text, theirs or text[:300])
    assert not wrong


@pytest.mark.parametrize("kind", [Type.BOOLEAN, Type.INT32, Type.INT64, Type.BYTE_ARRAY])
def test_a_column_of_nulls_has_its_stored_type(spark, tmp_path, kind):
    unknown = structs.LogicalType(UNKNOWN=structs.NullType())
    one = structs.SchemaElement(name="n", type=kind, repetition_type=1, logicalType=unknown)
    footer([one], tmp_path / "n.parquet")
    theirs = spark.read.parquet(str(tmp_path / "n.parquet")).schema.fields[0].dataType
    with pqexplore.open(tmp_path / "n.parquet") as file:
        assert spark_types.of_field(file.schema.root.children[0]).text == _spelt(theirs)


def _spelt(kind):
    """A type of Spark as `spark_types` spells it."""
    if kind.typeName() == "array":
        return f"array<{_spelt(kind.elementType)}>"
    if kind.typeName() == "map":
        return f"map<{_spelt(kind.keyType)}, {_spelt(kind.valueType)}>"
    if kind.typeName() == "struct":
        return f"struct<{', '.join(f'{one.name}: {_spelt(one.dataType)}' for one in kind)}>"
    return kind.jsonValue()
