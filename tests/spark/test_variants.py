"""Variants that Spark writes, shredded or not, annotated or not: ours are those of Spark's own `to_json`."""

import os
from pathlib import Path

import pyarrow as pa
import pytest

import pqexplore
from pqexplore.engine.format.variant.decode import decode_array
from pqexplore.engine.format.variant.json_text import json_text

if not os.environ.get("PQEXPLORE_REQUIRE_SPARK"):
    pytest.importorskip("pyspark", reason="pyspark is not installed")

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
    "forced": {
        SHREDDED: "true",
        INFERRED: "false",
        FORCED: "event string, ts long, user struct<id:long,name:string>, tags array<string>, amt decimal(10,2)",
    },
    "forced, nothing fits": {SHREDDED: "true", INFERRED: "false", FORCED: "event double, ts struct<a:int>"},
    "forced, an array": {SHREDDED: "true", INFERRED: "false", FORCED: "array<long>"},
    "forced, a number": {SHREDDED: "true", INFERRED: "false", FORCED: "bigint"},
    "not annotated": {ANNOTATED: "false"},
    "not annotated, forced": {ANNOTATED: "false", SHREDDED: "true", INFERRED: "false", FORCED: "event string"},
}  # fmt: skip


@pytest.fixture
def configured(spark):
    """Set options for one test; those that the version does not have are no fault."""
    before = {}

    def configure(options):
        for name, value in options.items():
            before[name] = spark.conf.get(name, None)
            spark.conf.set(name, value)

    yield configure
    for name, value in before.items():
        if value is None:
            spark.conf.unset(name)
        else:
            spark.conf.set(name, value)


def variants(spark, rows, build):
    frame = spark.createDataFrame([(n, text) for n, text in enumerate(rows)], "id int, text string")
    return frame.coalesce(1).selectExpr("id", build)


def read(path: Path):
    (part,) = path.glob("part-*.parquet")
    file = pqexplore.open(part)
    return file, file.variant_get("v", "$").combine_chunks()


@pytest.mark.parametrize("how", HOW)
def test_reconstructed_as_spark_shows_it(spark, configured, tmp_path, how):
    configured(HOW[how])
    frame = variants(spark, [*JSON, None], "parse_json(text) as v")
    path = tmp_path / "out"
    frame.write.parquet(str(path))
    file, ours = read(path)
    theirs = [
        row.j for row in spark.read.parquet(str(path)).selectExpr("id", "to_json(v) as j").orderBy("id").collect()
    ]  # fmt: skip
    values = decode_array(ours)
    made = [None if not ours[n].is_valid else json_text(v) for n, v in enumerate(values)]
    assert made == theirs
    shredded = any("typed_value" in leaf.path for leaf in file.schema.leaves)
    assert not (shredded and how == "unshredded")
    if how.startswith("forced") and spark.version >= "4.1":
        assert shredded
    rules = {f.rule for f in file.check()}
    assert not {rule for rule in rules if rule.startswith("variant-")}
    annotated = any(field.kind == "variant" for field in file.schema.fields)
    assert ("possible-variant" in rules) is not annotated


@pytest.mark.parametrize("literal", OTHERS)
def test_types_that_json_does_not_have(spark, tmp_path, literal):
    path = tmp_path / "out"
    spark.range(0, 1, 1, 1).selectExpr(f"{literal} as v").write.parquet(str(path))
    _, ours = read(path)
    theirs = spark.read.parquet(str(path)).selectExpr("to_json(v) as j").collect()[0].j
    assert json_text(decode_array(ours)[0]) == theirs


def test_variant_get_as_spark_does(spark, configured, tmp_path):
    if spark.version >= "4.1":
        configured(HOW["forced"])
    path = tmp_path / "out"
    variants(spark, JSON, "parse_json(text) as v").write.parquet(str(path))
    (part,) = path.glob("part-*.parquet")
    frame = spark.read.parquet(str(path))
    with pqexplore.open(part) as file:
        for place, kind, name in (
            ("$.event", pa.string(), "string"),
            ("$.ts", pa.int64(), "bigint"),
            ("$.user.id", pa.int64(), "bigint"),
            ("$.user.age", pa.int64(), "bigint"),
            ("$.tags[1]", pa.string(), "string"),
            ("$.nothing", pa.string(), "string"),
        ):
            theirs = frame.selectExpr("id", f"try_variant_get(v, '{place}', '{name}') as x")
            expected = [row.x for row in theirs.orderBy("id").collect()]
            assert file.variant_get("v", place, kind).to_pylist() == expected, place


def test_samples_of_several_versions_of_spark(spark, corpus):
    """Files that Spark 4.0 (not annotated) and 4.3 (shredded or not) have left in the corpus."""
    paths = sorted(corpus.glob("spark-samples*/*ariant*/*.parquet"))
    assert len(paths) >= 6
    for path in paths:
        frame = spark.read.parquet(str(path))
        for name, kind in frame.dtypes:
            if kind != "variant":
                continue
            rows = frame.selectExpr(f"to_json(`{name}`) as j").coalesce(1).collect()
            with pqexplore.open(path) as file:
                ours = file.variant_get(name, "$").combine_chunks()
            values = decode_array(ours)
            made = [json_text(v) if ours[n].is_valid else None for n, v in enumerate(values)]
            assert made == [row.j for row in rows], (path, name)


INSIDE = {
    "a struct": ("struct", "c.v", "to_json(c.v)"),
    "a list": ("list", "c.list.element", "transform(c, v -> to_json(v))"),
    "a map": ("map", "c.key_value.value", "transform_values(c, (k, v) -> to_json(v))"),
}
"""Where a Variant stands, and what Spark makes of it."""


@pytest.mark.parametrize("shredded", [False, True])
@pytest.mark.parametrize("inside", INSIDE)
def test_spark_reads_variants_inside_of_something(spark, tmp_path, inside, shredded):
    from pqexplore.engine.format.variant.encode import encode_array
    from pqexplore.engine.writer.file import write
    from pqexplore.engine.writer.options import WriteOptions

    kind, place, to_json = INSIDE[inside]
    values = [{"a": 1, "b": "x"}, {"a": "one"}, 7, [1, "two"], None, {"c": {}}]
    column = encode_array(values)
    texts = [json_text(value) if one.is_valid else None for one, value in zip(column, decode_array(column))]
    if kind == "struct":
        array, expected = pa.StructArray.from_arrays([column], names=["v"]), texts
    else:
        ends = pa.array([0, 2, 2, 5, 6], pa.int32())
        keys = pa.array(list("abcdef"))
        made = {"list": pa.ListArray.from_arrays, "map": pa.MapArray.from_arrays}[kind]
        array = made(ends, column) if kind == "list" else made(ends, keys, column)
        pairs = list(zip(keys.to_pylist(), texts))
        expected = [pairs[:2], [], pairs[2:5], pairs[5:]]
        expected = [dict(p) if kind == "map" else [text for _, text in p] for p in expected]
    chosen = {"logical_type": "VARIANT"}
    if shredded:
        chosen["shredding"] = pa.struct([("a", pa.int64())])
    path = tmp_path / "table.parquet"
    write(pa.table({"c": array}), path, WriteOptions(columns={place: chosen}))
    rows = spark.read.parquet(str(path)).selectExpr(f"{to_json} as j").collect()
    assert [row.j for row in rows] == expected
