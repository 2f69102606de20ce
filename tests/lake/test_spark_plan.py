"""Formatted plans of Spark, as text: which scans they have, with which conditions above."""

import pytest

from pqexplore.engine.errors import UsageError
from pqexplore.lake.spark.catalyst_expressions import Column, Reader
from pqexplore.lake.spark.data_frames import files
from pqexplore.lake.spark.partition_filters import left_out_by, values, verdict
from pqexplore.lake.spark.physical_plan_parser import below, scans

JOIN = """== Physical Plan ==
AdaptiveSparkPlan (9)
+- == Final Plan ==
   * Project (8)
   +- * BroadcastHashJoin Inner BuildRight (7)
      :- * Filter (3)
      :  +- * ColumnarToRow (2)
      :     +- Scan parquet spark_catalog.default.orders (1)
      +- BroadcastQueryStage (6)
         +- BroadcastExchange (5)
            +- Scan json  (4)
+- == Initial Plan ==
   Project (12)
   +- Scan parquet spark_catalog.default.orders (11)


(1) Scan parquet spark_catalog.default.orders
Output [3]: [id#1L, a, b#2, st#3]
Batched: true
Location: InMemoryFileIndex [file:/data/orders, ... 2 entries]
PartitionFilters: [isnotnull(day#4)]
PushedFilters: [IsNotNull(id), EqualTo(a, b,x
y)]
ReadSchema: struct<id:bigint,a, b:string,st:struct<x:int,y:array<struct<z:int>>>>

(2) ColumnarToRow [codegen id : 1]
Input [1]: [id#1L]

(3) Filter [codegen id : 1]
Input [1]: [id#1L]
Condition : (isnotnull(id#1L) AND (a, b#2 = x
y))

(4) Scan json
Output [1]: [id#5L]
"""


def test_a_scan_has_the_conditions_above_it():
    (scan,) = scans(JOIN)
    assert scan.name == "Scan parquet spark_catalog.default.orders"
    assert scan.conditions == ("(isnotnull(id#1L) AND (a, b#2 = x\ny))",)
    assert (scan.roots, scan.all_roots) == (("file:/data/orders",), False)
    assert scan.read == (("id",), ("a, b",), ("st", "x"), ("st", "y", "z"))
    assert scan.types["st.x"] == "int"
    assert scan.pushed_filters.endswith("x\ny)]")


@pytest.mark.parametrize(
    "text", ["", "no plan", "== Physical Plan ==\nScan parquet (1)\n", "(1) Scan parquet\nOutput [1]: [x"]
)
def test_other_text_gives_no_errors(text):
    assert all(scan.columns == {} for scan in scans(text))


@pytest.mark.parametrize("path, root, expected", [
    ("file:///data/a/x.parquet", "file:/data/a", True),
    ("file:/data/ab/x.parquet", "file:/data/a", False),
    ("file:///data/a%20b/x.parquet", "file:/data/a%20b", True),
    ("s3://bucket/a/x.parquet", "s3://bucket/a", True),
    ("dbfs:/Volumes/a/x.parquet", "dbfs:/Volumes/a", True),
])  # fmt: skip
def test_files_below_a_root(path, root, expected):
    assert below(path, root) is expected


@pytest.mark.parametrize("filters, read", [
    ("[isnotnull(p#1), (p#1 = 3)]", True),
    ("[(p#1 > 10)]", False),
    ("[(p#1 < 10)]", True),
    ("[p#1 IN (1,2)]", False),
    ("[p#1 IN (1,3)]", True),
    ("[NOT (p#1 = 3)]", False),
    ("[((p#1 = 4) OR (day#2 = 2026-02-01))]", True),
    ("[(day#2 >= 2026-02-02)]", False),
    ("[isnull(none#3)]", True),
    ("[(none#3 = 3)]", True),
    ("[(word#4 > a)]", True),
    ("[(word#4 = b c)]", True),
    ("[(upper(word#4) = X)]", True),
    ("[(slash#5 = a/b)]", True),
    ("[NOT (slash#5 = a/b)]", False),
    ("[dynamicpruningexpression(p#1 IN dynamicpruning#9)]", True),
])  # fmt: skip
def test_folders_that_partition_filters_leave(filters, read):
    path = "file:/t/p=3/day=2026-02-01/none=__HIVE_DEFAULT_PARTITION__/word=b%20c/slash=a%252Fb/x.parquet"
    names = {"1": "p", "2": "day", "3": "none", "4": "word", "5": "slash"}
    reader = Reader({number: Column((name,)) for number, name in names.items()}, {})
    assert (left_out_by(reader.elements(filters), path) is None) is read


PARTITIONED = """== Physical Plan ==
* ColumnarToRow (2)
+- Scan parquet  (1)


(1) Scan parquet
Output [3]: [id#0L, day#1, word#2]
Batched: true
Location: InMemoryFileIndex [file:/t]
PartitionFilters: {filters}
ReadSchema: struct<id:bigint>

(2) ColumnarToRow [codegen id : 1]
Input [3]: [id#0L, day#1, word#2]
"""


class Frame:
    """A DataFrame of Spark Connect, whose plan is printed."""

    def __init__(self, filters) -> None:
        self.filters = filters

    def inputFiles(self):  # noqa: N802
        return [f"file:///t/day={day}/word={w}/x.parquet" for day in (3, 12) for w in ("a", "b%20c")]

    def explain(self, mode):
        print(PARTITIONED.format(filters=self.filters))


@pytest.mark.parametrize("filters, chosen", [
    ("[]", [0, 1, 2, 3]),
    ("[isnotnull(day#1), (day#1 = 3)]", [0, 1]),
    ("[day#1 IN (12,13)]", [2, 3]),
    ("[(word#2 = b c), (day#1 = 12)]", [3]),
    ("[(day#1 = 3), dynamicpruningexpression(word#2 IN dynamicpruning#9)]", [0, 1]),
    ("[(day#1 > 4)]", None),  # 12 > 4 as numbers, not as texts
    ("[(upper(word#2) = A)]", None),
    ("[word#2 IN (a,b c)]", None),  # perhaps one text with a comma
    ("[(word#2 = a, b)]", None),
    ("[(day#1 = 3), ... 2 more fields]", None),
])  # fmt: skip
def test_files_that_printed_partition_filters_select(filters, chosen):
    frame = Frame(filters)
    if chosen is None:
        with pytest.raises(UsageError, match=r"not certain which files.*df\.inputFiles\(\)"):
            files(frame)
    else:
        assert files(frame) == sorted(frame.inputFiles()[place] for place in chosen)


def test_values_of_folders():
    assert values("/t/P=a%2Fb/q=__HIVE_DEFAULT_PARTITION__/x=1.parquet") == {"p": "a/b", "q": None}


@pytest.mark.parametrize("filters, expected", [
    ("[(p#1 = 3)]", True),
    ("[(p#1 = 30)]", False),
    ("[(p#1 = 03)]", None),  # TRUE for a number, FALSE for text
    ("[(p#1 > 10)]", None),
    ("[(p#1 < 5)]", True),
    ("[p#1 IN (1,2)]", False),
    ("[(day#2 >= 2026-02-02)]", False),
    ("[(day#2 = 2026-02-01)]", True),
    ("[(word#4 = b c)]", True),
    ("[(word#4 = x)]", False),
    ("[(word#4 > a)]", True),
    ("[(word#4 = true)]", None),
    ("[(yes#5 = true)]", None),  # a column of booleans may be written in another way
    ("[((p#1 = 4) OR (day#2 = 2026-02-01))]", True),
    ("[((p#1 = 4) OR (p#1 > 10))]", None),
    ("[NOT (p#1 > 10)]", None),
])  # fmt: skip
def test_what_is_certain_of_partition_filters(filters, expected):
    known = values("file:/t/p=3/day=2026-02-01/word=b%20c/yes=TRUE/x.parquet")
    names = {"1": "p", "2": "day", "4": "word", "5": "yes"}
    reader = Reader({number: Column((name,)) for number, name in names.items()}, {})
    [node] = reader.elements(filters)
    assert verdict(node, known, certain=True) is expected
