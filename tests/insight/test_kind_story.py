"""What kind of file it is beside Parquet: said of a file without problems, and computed from its footer."""

import json
import struct

import numpy as np
import pyarrow as pa
import pytest
from insight.doctor.cases_metadata import iceberg, keyed
from insight.doctor.doctor_cases import written
from made import sample

import pqexplore
from pqexplore.insight.kind_story import story

SQUARE = struct.pack("<BIII10d", 1, 3, 1, 5, 0, 0, 1, 0, 1, 1, 0, 1, 0, 0)
ALBERS = {"type": "ProjectedCRS", "name": "NAD83 / Conus Albers", "id": {"authority": "EPSG", "code": 5070}}
BOX = {side: ["box", side] for side in ("xmin", "ymin", "xmax", "ymax")}


def geo(rows=3, boxes=False, nulls=0, version="1.1.0", **column):
    table = {"shape": pa.array([SQUARE] * (rows - nulls) + [None] * nulls, pa.binary())}
    if boxes:
        table["box"] = pa.array([dict.fromkeys(BOX, 0.5)] * rows)
    column = {"encoding": "WKB", "geometry_types": ["Polygon"], **column}
    document = {"version": version, "primary_column": "shape", "columns": {"shape": column}}
    return keyed("geo", document, pa.table(table))


def framed(index):
    document = {"columns": [], "index_columns": index, "pandas_version": "2.2.3"}
    return keyed("pandas", document)


@pytest.mark.parametrize(("make", "words"), [
    (lambda: geo(crs=ALBERS), "GeoParquet 1.1, 3 polygons in EPSG:5070, no bbox column: a window reads all of it"),
    (lambda: geo(nulls=2), "GeoParquet 1.1, 1 polygon in OGC:CRS84, no bbox column: a window reads all of it"),
    (lambda: geo(geometry_types=["Polygon", "Point"], crs=None), "3 geometries in an unknown coordinate system"),
    (lambda: geo(boxes=True, covering={"bbox": BOX}), "a bbox column (`box`)"),
    (lambda: geo(version=None), "GeoParquet, 3 polygons"),
    (lambda: iceberg(("x", "long"), ("y", "string")), "a file of an Iceberg table, schema 0, with 2 fields"),
    (lambda: keyed("org.apache.spark.version", "3.5.1"), "written by Spark 3.5.1"),
    (lambda: framed(["day"]), "a data frame of pandas 2.2.3, indexed by `day`"),
    (lambda: framed([{"kind": "range", "start": 0, "stop": 2, "step": 1}]), "a data frame of pandas 2.2.3"),
    (lambda: framed("\x1b[31m"), "a data frame of pandas 2.2.3"),
    (lambda: sample("variant"), "not shredded: a query for one field reads all of"),
    (lambda: sample("variant-shredded"), ", shredded into "),
    (lambda: written(pa.table({"n": np.arange(3)})), ""),
    (lambda: keyed("geo", "{"), ""),
    (lambda: keyed("geo", {"columns": {"gone": {}}}), ""),
    (lambda: keyed("pandas", json.dumps([1])), ""),
])  # fmt: skip
def test_the_story_of_the_kind(make, words):
    with pqexplore.open(make()) as file:
        said = story(file)
    assert words in said and bool(words) == bool(said)


def test_a_file_without_problems_says_it():
    assert (
        "No problems found (footer, all 2 pages): GeoParquet 1.1, 3 polygons in EPSG:5070"
        in pqexplore.diagnose(geo(crs=ALBERS)).sentence
    )
