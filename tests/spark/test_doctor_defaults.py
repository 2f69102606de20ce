"""What Spark writes with its default options has nothing above a note, at each level of the doctor."""

import datetime
import decimal

import pytest

import pqexplore
from pqexplore.engine.rule import Severity
from pqexplore.insight.doctor.rules import LEVELS


def one_file(frame):
    """Writes one file."""
    return frame.coalesce(1).write


NUMBERS = """id, id % 7 AS few, id * 1000003 % 1000000007 AS many, CAST(id AS INT) AS i, CAST(id % 100 AS SMALLINT) AS s,
    CAST(id % 100 AS TINYINT) AS b, id % 2 = 0 AS even, rand(5) AS d, CAST(rand(6) AS FLOAT) AS f"""
TEXTS = """id, CONCAT('name ', id % 50) AS few, uuid() AS many, CONCAT('https://example.org/items/', id) AS url,
    CAST(CAST(id AS STRING) AS BINARY) AS raw, repeat(CHAR(97 + CAST(id % 26 AS INT)), 200) AS long, '' AS empty, 'same' AS same"""
TIMES = """id, DATE_ADD(DATE '2024-01-01', CAST(id % 400 AS INT)) AS day, TIMESTAMP_MICROS(id * 1000000) AS at,
    CAST(TIMESTAMP_MICROS(id * 1000000) AS TIMESTAMP_NTZ) AS local, DATE '1900-01-01' AS first,
    TIMESTAMP '9999-12-31 23:59:59.999999' AS last, INTERVAL '2' MONTH AS months, INTERVAL '3' DAY AS days"""
DECIMALS = """CAST(id AS DECIMAL(9, 2)) AS small, CAST(id AS DECIMAL(18, 4)) AS middle, CAST(-id AS DECIMAL(38, 10)) AS large"""
NULLS = """id, IF(id % 3 = 0, NULL, id) AS some, CAST(NULL AS INT) AS only, IF(id % 2 = 0, NULL, 'text') AS text,
    IF(id < 10, id, NULL) AS few, CAST('NaN' AS DOUBLE) AS nan, IF(id % 2 = 0, CAST('NaN' AS DOUBLE), -0.0D) AS zero"""
NESTED = """id, ARRAY(id, id + 1) AS list, CAST(ARRAY() AS ARRAY<INT>) AS none, IF(id % 3 = 0, NULL, ARRAY(NULL, 'a')) AS gaps,
    MAP('a', id, 'b', NULL) AS map, NAMED_STRUCT('x', id, 'y', NAMED_STRUCT('z', CAST(id AS STRING))) AS deep,
    ARRAY(NAMED_STRUCT('k', id, 'v', ARRAY(ARRAY(id)))) AS lists, MAP(id, ARRAY(MAP('m', id))) AS maps"""

# parquet-java writes bounds of their bytes, which no reader compares
POINTS = "ST_GeomFromWKB(IF(id % 2 = 0, X'0101000000000000000000F03F0000000000000040', X'0101000000000000000001F03F0000000000000040')) AS g"

WRITTEN = {  # a projection of `id`, its rows, and how they are written
    "numbers": (NUMBERS, 30_000, one_file),
    "texts": (TEXTS, 30_000, one_file),
    "times": (TIMES, 30_000, one_file),
    "decimals": (DECIMALS, 30_000, one_file),
    "nulls": (NULLS, 30_000, one_file),
    "nested": (NESTED, 20_000, one_file),
    "geometries": (POINTS, 100, one_file),
    "one row": (NUMBERS, 1, one_file),
    "no rows": (NUMBERS, 0, one_file),
    "a dictionary given up": ("sha2(CAST(id AS STRING), 256) AS s, rand(3) AS d", 200_000, one_file),
    "several files and sorted ones": (
        NUMBERS,
        60_000,
        lambda frame: frame.repartition(4).sortWithinPartitions("many").write,
    ),
    "partitions": (NUMBERS, 5_000, lambda frame: frame.write.partitionBy("few", "even")),
    "several row groups": ("id, rand(3) AS d", 12_000_000, one_file),  # one ends after 128 MiB
}
FULL = "several row groups"


TRUE_OF = {
    "texts": {"text-values-of-another-type"},  # UUIDs as text take twice the bytes
    "times": {"readers-change-values"},  # INT96 of the year 9999, which pyarrow reads as 1816
    FULL: {"encoding-smaller"},  # numbers that count up take 48 MB
}
"""Rules that see what Spark's defaults make of these columns, and are right."""


def above_notes(folder, true_of=frozenset()):
    """What the doctor finds above a note in the files of a folder, by level, but for these rules; the files must exist."""
    paths = sorted(folder.rglob("*.parquet"))
    assert paths
    return [
        f"{level}: {one}"
        for path in paths
        for level in LEVELS
        for one in pqexplore.diagnose(path, level).findings
        if one.severity is not Severity.NOTE and one.rule not in true_of
    ]


@pytest.mark.parametrize("name", [pytest.param(one, marks=[pytest.mark.full] * (one == FULL)) for one in WRITTEN])
def test_nothing_above_a_note(spark, tmp_path, name):
    projection, rows, how = WRITTEN[name]
    if name == "geometries" and spark.version < "4.3":
        pytest.skip("Spark has no GEOMETRY before 4.3")
    how(spark.sql(f"SELECT {projection} FROM range({rows})")).parquet(str(tmp_path / "out"))
    if name == FULL:
        [path] = (tmp_path / "out").glob("*.parquet")
        assert len(pqexplore.open(path).row_groups) > 1
    assert above_notes(tmp_path / "out", TRUE_OF.get(name, frozenset())) == []


def test_python_values(spark, tmp_path):
    rows = [
        (1, "é\0\n", decimal.Decimal("1.10"), datetime.date(1900, 1, 1), bytes(range(256)), [1.5]),
        (None, "", None, None, None, []),
    ]
    schema = "a INT, t STRING, d DECIMAL(10, 2), day DATE, raw BINARY, l ARRAY<DOUBLE>"
    spark.createDataFrame(rows, schema).write.parquet(str(tmp_path / "out"))
    assert above_notes(tmp_path / "out") == []
