"""What the writer's samples say to Spark, and what they say to us."""

from importlib.util import find_spec

import pqexplore
from pqexplore.engine.format.variant.json_text import to_json
from pqexplore.engine.writer.samples import SAMPLES, write_sample

from .conftest import at_once

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


def test_spark_reads_the_same(spark, tmp_path):
    def differ(name):
        """The columns that differ."""
        path = tmp_path / f"{name}.parquet"
        write_sample(name, path)
        with pqexplore.open(path) as file:
            ours = file.read()
        theirs = spark.read.parquet(str(path)).toArrow()
        columns = zip(ours.column_names, ours.columns, theirs.column_names, theirs.columns, strict=True)
        return [
            one
            for one, left, other, right in columns
            if (one, [*map(shown, left.to_pylist())]) != (other, [*map(shown, right.to_pylist())])
        ]

    names = [name for name in SAMPLES if name not in CANNOT]
    assert dict(zip(names, at_once(differ, names), strict=True)) == {name: [] for name in names}


def test_what_spark_cannot_read_is_still_so(spark, tmp_path):
    def can(name):
        path = tmp_path / f"{name}.parquet"
        write_sample(name, path)
        try:
            spark.read.parquet(str(path)).toArrow()
        except Exception:  # py4j's, Arrow's and Spark's errors have nothing in common
            return False
        return True

    names = [
        name for name, why in CANNOT.items() if "test_enc" not in why and (name != "lzo-v2" or find_spec("lzallright"))
    ]
    assert [name for name, yes in zip(names, at_once(can, names), strict=True) if yes] == []
