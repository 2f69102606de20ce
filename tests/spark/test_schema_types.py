"""`schema --spark` of a file that Spark did not write: the types that Spark gives its columns, and those it refuses."""

import pytest

import pqexplore
from pqexplore.engine.format.thrift import encode, structs
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.engine.writer.samples import write_sample
from pqexplore.insight import spark_types


def with_columns(file, fields, path):
    """A file without rows that has some columns of another file."""
    tops = {field.path for field in fields}
    footer([one.element for one in file.schema.fields[1:] if one.path[:1] in tops], path, len(tops))


def footer(elements, path, columns=1):
    """A file without rows of so many columns."""
    schema = [structs.SchemaElement(name="root", num_children=columns), *elements]
    data = encode.encode(structs.FileMetaData(version=2, schema=schema, num_rows=0, row_groups=[]))
    path.write_bytes(b"PAR1" + data + len(data).to_bytes(4, "little") + b"PAR1")


@pytest.mark.parametrize("name", ["everything", "events", "nested", "legacy-lists"])
def test_spark_gives_these_types(spark, tmp_path, name):
    write_sample(name, tmp_path / "whole.parquet")
    with pqexplore.open(tmp_path / "whole.parquet") as file:
        ours = {one.name: spark_types.of_field(one) for one in file.schema.root.children}
        taken = [one for one in file.schema.root.children if not ours[one.name].refused]
        with_columns(file, taken, tmp_path / "taken.parquet")
        read = spark.read.parquet(str(tmp_path / "taken.parquet")).schema
        theirs = {one.name: _spelt(one.dataType) for one in read}
        assert {one.name: ours[one.name].text for one in taken} == theirs
        for field in file.schema.root.children:
            if ours[field.name].refused:
                path = tmp_path / f"{field.index}.parquet"
                with_columns(file, [field], path)
                with pytest.raises(Exception):  # noqa: B017  # py4j's and Spark's errors have nothing in common
                    spark.read.parquet(str(path)).schema  # noqa: B018


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
