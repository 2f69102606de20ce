"""What the writer's samples say to Spark, and what they say to us."""

import pytest

import pqexplore
from pqexplore.engine.format.variant.json_text import to_json
from pqexplore.engine.writer.samples import SAMPLES, write_sample

CANNOT = {
    "everything": "has no UUID",
    "file-references": "does not know the logical type FILE",
    "geography": "hands no GEOGRAPHY to Arrow",
    "geometry": "knows few coordinate reference systems",
    "alp": "has no ALP",
    "booleans": "has no dictionary for BOOLEAN",
    "bit-packed-levels": "has no BIT_PACKED",
    "codecs": "brings no library for Brotli",
    "lzo-v2": "brings no library for LZO",
    "float-order": "has no FLOAT16",
    "extensions": "stops at an extension in the footer",
    "unknown-pages": "refuses pages of unknown types",
    "no-metadata": "refuses the file for one column chunk",
    "variant": "hands null Variants to Arrow as they must not be",
    "variant-shredded": "hands null Variants to Arrow as they must not be",
    **{name: "has keys of its own: test_encryption" for name, one in SAMPLES.items() if one.keys},
}
"""What Spark 4.3 cannot read, and why."""


def shown(value):
    """A value's text, the same for the forms that both give it."""
    if isinstance(value, dict) and value.keys() == {"metadata", "value"}:
        return to_json(value["metadata"], value["value"])
    if hasattr(value, "hour"):  # Arrow gives pandas' Timestamp for nanoseconds
        value = value.replace(tzinfo=None)
        value = value.to_pydatetime() if hasattr(value, "to_pydatetime") else value
    return repr(value)


@pytest.mark.parametrize("name", [name for name in SAMPLES if name not in CANNOT])
def test_spark_reads_the_same(spark, tmp_path, name):
    path = tmp_path / f"{name}.parquet"
    write_sample(name, path)
    ours = pqexplore.open(path).read()
    theirs = spark.read.parquet(str(path)).toArrow()
    assert theirs.column_names == ours.column_names
    for column, values in zip(ours.column_names, ours.columns, strict=True):
        expected = [shown(value) for value in values.to_pylist()]
        assert [shown(value) for value in theirs[column].to_pylist()] == expected, column


@pytest.mark.parametrize("name", [name for name, why in CANNOT.items() if "test_enc" not in why])
def test_what_spark_cannot_read_is_still_so(spark, tmp_path, name):
    if name == "lzo-v2":
        pytest.importorskip("lzallright")
    path = tmp_path / f"{name}.parquet"
    write_sample(name, path)
    with pytest.raises(Exception):  # py4j's, Arrow's and Spark's errors have nothing in common
        spark.read.parquet(str(path)).toArrow()
