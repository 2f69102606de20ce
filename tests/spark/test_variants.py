"""Variants that Spark writes, shredded or not, annotated or not: ours are those of Spark's own `to_json`."""

import itertools

import pyarrow as pa
import pytest

import pqexplore
from pqexplore.engine.format.variant.decode import decode_array
from pqexplore.engine.format.variant.encode import encode_array
from pqexplore.engine.format.variant.json_text import json_text
from pqexplore.engine.writer.file import write
from pqexplore.engine.writer.options import WriteOptions

from .conftest import configured

pytestmark = pytest.mark.usefixtures("as_shipped")  # Spark 4.3 cannot interpret its casts of shredded Variants

JSON = [
    '{"event":"click","ts":1700000000000,"user":{"id":7,"name":"x"},"tags":["a","b"],"amt":12.50}',
    '{"event":"view","ts":1700000000001,"user":{"id":8,"name":"y","age":3},"tags":[],"amt":1.25}',
    '{"event":"view","other":null,"user":"nobody","tags":["a",1,null],"amt":1e300}',
    '{"event":5,"ts":"soon","user":{},"tags":{"a":1}}',
    "null", "17", '"text"', "[1,[2,[3,{}]]]", "{}", "[]", "true", "-0.5", "9999999999999999999",
    '{"ä":"ü","":"empty name"}',
]  # fmt: skip
OTHERS = [
    f"cast({literal} as variant)"
    for literal in (
        "date'2024-02-29'", "timestamp'2024-02-29 12:34:56.789'",
        "timestamp_ntz'1969-12-31 23:59:59.999999'", "cast(0.1 as float)", "cast(1.5 as double)",
        "cast(1e7 as double)", "cast(-1e-4 as double)", "cast(12345678 as float)",
        "cast(3 as tinyint)", "cast(300 as smallint)", "cast(-7 as bigint)", "1.2300", "X'00FF'",
        "cast(99999999999999999999.5 as decimal(38,1))", "'a \"quoted\" ü'",
    )
] + ["to_variant_object(array(named_struct('a', 1, 'b', date'2020-01-01')))"]  # fmt: skip

SHREDDED = "spark.sql.variant.writeShredding.enabled"
INFERRED = "spark.sql.variant.inferShreddingSchema"
FORCED = "spark.sql.variant.forceShreddingSchemaForTest"
ANNOTATED = "spark.sql.parquet.variant.annotateLogicalType.enabled"
HOW = {
    "default": {},
    "unshredded": {SHREDDED: "false", INFERRED: "false"},
    "forced": {SHREDDED: "true", INFERRED: "false",
        FORCED: "event string, ts long, user struct<id:long,name:string>, tags array<string>, amt decimal(10,2)"},
    "forced, nothing fits": {SHREDDED: "true", INFERRED: "false", FORCED: "event double, ts struct<a:int>"},
    "forced, an array": {SHREDDED: "true", INFERRED: "false", FORCED: "array<long>"},
    "forced, a number": {SHREDDED: "true", INFERRED: "false", FORCED: "bigint"},
    "not annotated": {ANNOTATED: "false"},
    "not annotated, forced": {ANNOTATED: "false", SHREDDED: "true", INFERRED: "false", FORCED: "event string"},
}  # fmt: skip


@pytest.fixture(scope="module")
def written(spark, tmp_path_factory):
    """The file that Spark writes of `JSON` and a null, by how."""
    frame = spark.createDataFrame(list(enumerate([*JSON, None])), "id int, text string")
    frame = frame.coalesce(1).selectExpr("id", "parse_json(text) as v")
    paths = {}
    for how, options in HOW.items():
        folder = tmp_path_factory.mktemp("variants") / "out"
        with configured(spark, options):
            frame.write.parquet(str(folder))
        [paths[how]] = folder.glob("part-*.parquet")
    return paths


@pytest.fixture(scope="module")
def theirs(spark, written):
    """What Spark's `to_json` makes of each file, by how."""
    frame = spark.read.parquet(*map(str, written.values()))
    rows = frame.selectExpr("_metadata.file_name", "id", "to_json(v)").collect()
    return {how: [text for name, _, text in sorted(rows) if name == path.name] for how, path in written.items()}


PLACES = (
    ("$.event", pa.string(), "string"),
    ("$.ts", pa.int64(), "bigint"),
    ("$.user.id", pa.int64(), "bigint"),
    ("$.user.age", pa.int64(), "bigint"),
    ("$.tags[1]", pa.string(), "string"),
    ("$.nothing", pa.string(), "string"),
)
"""Places in a Variant, and the types that are wanted of them."""


def in_json(column):
    """The values of a column of Variants as texts; None for nulls."""
    column = column.combine_chunks()
    return [json_text(value) if one.is_valid else None for one, value in zip(column, decode_array(column), strict=True)]


@pytest.mark.parametrize("how", HOW)
def test_reconstructed_as_spark_shows_it(spark, written, theirs, how):
    with pqexplore.open(written[how]) as file:
        assert in_json(file.variant_get("v", "$")) == theirs[how]
        shredded = any("typed_value" in leaf.path for leaf in file.schema.leaves)
        rules = {one.rule for one in file.check()}
        annotated = any(field.kind == "variant" for field in file.schema.fields)
    assert not (shredded and how == "unshredded")
    if how.startswith("forced") and spark.version >= "4.1":
        assert shredded
    assert not {rule for rule in rules if rule.startswith("variant-")}
    assert ("possible-variant" in rules) is not annotated


def test_types_that_json_does_not_have(spark, tmp_path):
    columns = [f"{literal} AS v{n}" for n, literal in enumerate(OTHERS)]
    spark.range(0, 1, 1, 1).selectExpr(*columns).write.parquet(str(tmp_path / "out"))
    frame = spark.read.parquet(str(tmp_path / "out"))
    [row] = frame.selectExpr(*(f"to_json({name}) AS {name}" for name in frame.columns)).collect()
    [path] = (tmp_path / "out").glob("part-*.parquet")
    with pqexplore.open(path) as file:
        ours = {name: in_json(file.variant_get(name, "$"))[0] for name in frame.columns}
    assert ours == row.asDict() and None not in ours.values()


def test_variant_get_as_spark_does(spark, written):
    path = written["forced"]
    asked = [f"try_variant_get(v, '{place}', '{name}')" for place, _, name in PLACES]
    rows = spark.read.parquet(str(path)).selectExpr(*asked).collect()
    with pqexplore.open(path) as file:
        ours = [file.variant_get("v", place, kind).to_pylist() for place, kind, _ in PLACES]
    assert list(zip(*ours, strict=True)) == list(map(tuple, rows))


def test_samples_of_several_versions_of_spark(spark, corpus):
    """Files that Spark 4.0 (not annotated) and 4.3 (shredded or not) have left in the corpus."""
    paths = sorted(corpus.glob("spark-samples*/*ariant*/*.parquet"))
    assert len(paths) >= 6
    for path in paths:
        frame = spark.read.parquet(str(path)).coalesce(1)
        names = [name for name, kind in frame.dtypes if kind == "variant"]
        rows = frame.selectExpr(*(f"to_json(`{name}`)" for name in names)).collect()
        with pqexplore.open(path) as file:
            ours = [in_json(file.variant_get(name, "$")) for name in names]
        assert list(zip(*ours, strict=True)) == [tuple(row) for row in rows], path


def test_spark_reads_variants_inside_of_something(spark, tmp_path):
    """In a struct, a list and a map, each shredded and not."""
    values = [{"a": 1, "b": "x"}, {"a": "one"}, 7, [1, "two"], None, {"c": {}}]
    column, ends, keys = encode_array(values), pa.array([0, 2, 2, 2, 2, 5, 6], pa.int32()), pa.array(list("abcdef"))
    texts = in_json(pa.chunked_array([column]))
    inside = {  # the column, the Variant's place in it, what Spark makes of it, and what is right
        "s": (
            pa.StructArray.from_arrays([column], names=["v"]), "v", "to_json({0}.v)", texts,
        ),
        "l": (
            pa.ListArray.from_arrays(ends, column), "list.element", "transform({0}, v -> to_json(v))",
            [texts[start:end] for start, end in itertools.pairwise(ends.to_pylist())],
        ),
        "m": (
            pa.MapArray.from_arrays(ends, keys, column), "key_value.value", "transform_values({0}, (k, v) -> to_json(v))",
            [dict(zip("abcdef"[start:end], texts[start:end], strict=True)) for start, end in itertools.pairwise(ends.to_pylist())],
        ),
    }  # fmt: skip
    columns, options, asked = {}, {}, []
    for name, (array, place, to_json, _) in inside.items():
        for shredding in ({}, {"shredding": pa.struct([("a", pa.int64())])}):
            own = name + "_shredded" * bool(shredding)
            columns[own], options[f"{own}.{place}"] = array, {"logical_type": "VARIANT", **shredding}
            asked.append(to_json.format(own))
    write(pa.table(columns), tmp_path / "table.parquet", WriteOptions(columns=options))
    rows = spark.read.parquet(str(tmp_path / "table.parquet")).selectExpr(*asked).collect()
    right = [inside[name[0]][3] for name in columns]
    assert [list(one) for one in zip(*rows, strict=True)] == right
