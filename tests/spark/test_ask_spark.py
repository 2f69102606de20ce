"""`ask_spark`: what a DataFrame's scans read, by Spark's plan and the files; on a classic session and on Spark Connect."""

import datetime
import decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import pqexplore
from pqexplore.engine.errors import UsageError

from .conftest import configured

pytestmark = pytest.mark.usefixtures("as_shipped")
COUNT = 4000


@pytest.fixture(scope="module")
def orders(tmp_path_factory):
    """Folders by region, each with a file of four row groups: sorted by `id`; the second file begins where the first ends."""
    root = tmp_path_factory.mktemp("orders")
    for number, region in enumerate(("north", "south")):
        ids = range(number * COUNT, (number + 1) * COUNT)
        table = pa.table(
            {
                "id": pa.array(ids, pa.int32()),
                "total": pa.array(ids, pa.int64()),
                "text": [f"k{k:05d}" for k in ids],
                "small": pa.array([k % 200 for k in ids], pa.uint8()),
                "local": pa.array([k * 1_000_000 for k in ids], pa.timestamp("us")),
                "instant": pa.array([k * 1_000_000 for k in ids], pa.timestamp("us", "UTC")),
                "day": pa.array(ids, pa.int32()).cast(pa.date32()),
                "price": pa.array([decimal.Decimal(k) / 4 for k in ids], pa.decimal128(9, 2)),
                "st": [{"x": k, "y": k % 3 == 0} for k in ids],
                "li": [[k] for k in ids],
                "payload": pa.array([f"{k:0100d}" for k in ids]),
            }
        )
        (root / f"region={region}").mkdir()
        path = root / f"region={region}" / "part.parquet"
        pq.write_table(table, path, row_group_size=1000, use_dictionary=False)
    return str(root)


def rows(table, *names):
    return list(zip(*(table[name].to_pylist() for name in names), strict=True))


PLANS = [
    ("id = 1500", "pushed", True, ""),
    ("id <> 1500 AND id > 7000", "pushed", True, ""),
    ("text LIKE 'k07%'", "pushed", True, ""),
    ("day >= DATE '1989-01-01'", "pushed", True, ""),
    ("instant > TIMESTAMP '1970-01-01 02:00:00Z'", "pushed", True, ""),
    ("price > 1990.5", "pushed", True, ""),
    ("st.x = 7500", "pushed", True, ""),
    ("id = 5 OR text = 'k07999'", "pushed", True, ""),
    ("small = 7", "pushed", False, "unsigned"),
    ("local > TIMESTAMP_NTZ '1970-01-01 02:00:00'", "pushed", False, "TIMESTAMP_NTZ"),
    ("upper(text) = 'K07999'", "not pushed", False, "it calls upper"),
    ("cast(id AS string) = '1500'", "not pushed", False, "it casts a column to string"),
    ("id + 1 = 1501", "not pushed", False, "arithmetic"),
    ("id = total", "not pushed", False, "two columns"),
    ("li[0] = 1500", "not pushed", False, "element of a list"),
    ("id = 5 OR upper(text) = 'K07999'", "not pushed", False, "OR is pushed only if both sides"),
    ("id = 5 OR small = 7", "pushed", False, "unsigned"),
]
"""A condition; what the plan says of it, whether parquet-java gets it, and a part of why not."""


def test_each_condition_is_pushed_or_not_and_why(session, orders):
    frame = session.read.parquet(orders)
    for where, printed, reaches, why in PLANS:
        plan = pqexplore.ask_spark(frame.where(where))
        found = rows(plan.conditions, "where", "reaches_parquet", "why")
        assert {(one[0], one[1]) for one in found} == {(printed, reaches)}, where
        assert all(why in one[2] and bool(one[2]) is not reaches for one in found), (where, found)
        assert (sum(plan.files["row_groups_read"].to_pylist()) < 8) is reaches, where


def test_rows_of_the_scan_are_those_that_spark_counts(session, orders):
    frame = session.read.parquet(orders).where("id BETWEEN 900 AND 2100 AND upper(text) <> 'A'")
    plan = pqexplore.ask_spark(frame)
    assert sum(plan.files["rows_read"].to_pylist()) == 3000
    assert rows(plan.row_groups, "kept") == [(True,)] * 3 + [(False,)] * 5
    if hasattr(frame, "_jdf"):
        from pqexplore.insight.ask.run_engines.spark import _rows_scanned

        counted = frame.groupBy().count()
        assert counted.collect()[0][0] == 1201
        assert _rows_scanned(counted) == 3000


def test_folders_are_left_out_and_columns_are_counted(session, orders):
    frame = session.read.parquet(orders).where("region = 'south' AND id < 5000").select("text")
    plan = pqexplore.ask_spark(frame)
    assert rows(plan.conditions, "condition", "where", "reaches_parquet") == [
        ("region = 'south'", "partition", False),
        ("id < 5000", "pushed", True),
    ]
    assert [one[:2] for one in rows(plan.files, "read", "row_groups_read")] == [(False, None), (True, 1)]
    read = {name for name, flag in rows(plan.columns, "column", "read") if flag}
    assert read == {"id", "text"}
    sizes = dict(rows(plan.columns, "column", "bytes"))
    with pq.ParquetFile(f"{orders}/region=south/part.parquet") as file:
        groups = [file.metadata.row_group(i) for i in range(4)]
        expected = sum(group.column(group.num_columns - 1).total_compressed_size for group in groups)
    assert sizes["payload"] == expected
    assert "1 of 2 files is not read: region = 'south' is FALSE for its folder." in plan.sentence
    assert "Spark reads 1 of 4 row groups" in plan.sentence
    assert "It reads 2 of 12 columns" in plan.sentence


def test_a_python_function_is_named(session, orders):
    from pyspark.sql.functions import udf

    frame = session.read.parquet(orders)
    plan = pqexplore.ask_spark(frame.where(udf(lambda text: text == "k00001", "boolean")("text")))
    ((text, where, reaches, why),) = rows(plan.conditions, "condition", "where", "reaches_parquet", "why")
    assert (text, where, reaches) == ("<lambda>(text)", "not pushed", False)
    assert "Python function" in why


def test_text_without_quotes_is_read_by_the_list_of_pushed_filters(session, orders):
    text = "x) AND (id = 5"
    plan = pqexplore.ask_spark(session.read.parquet(orders).where(f"text <> '{text}' AND id > 7900"))
    assert rows(plan.conditions, "condition", "reaches_parquet") == [
        (f"NOT (text = '{text}')", True),
        ("id > 7900", True),
    ]


def test_one_plan_for_each_scan_of_a_join(session, orders):
    frame = session.read.parquet(orders)
    few = frame.where("id < 7").select("id", "text")
    plan = pqexplore.ask_spark(frame.where("total > 7990").select("id").join(few, "id"))
    assert len(plan.scans) == 2
    texts = [[one.text for one in scan.conditions] for scan in plan.scans]
    assert any("total > 7990" in one for one in texts)
    assert any("id < 7" in one for one in texts)
    assert len(set(plan.conditions["scan"].to_pylist())) == 2


def test_pushdown_can_be_switched_off(session, orders):
    with configured(session, {"spark.sql.parquet.filterPushdown": "false"}):
        plan = pqexplore.ask_spark(session.read.parquet(orders).where("id = 5"))
    assert rows(plan.conditions, "reaches_parquet", "why") == [(False, "spark.sql.parquet.filterPushdown is false")]
    assert sum(plan.files["row_groups_read"].to_pylist()) == 8
    assert "filterPushdown is false" in plan.remarks[-1]


def test_at_most_so_many_files_are_opened(session, orders):
    plan = pqexplore.ask_spark(session.read.parquet(orders).where("id = 5"), files=1)
    assert plan.files["why"].to_pylist() == ["", "it is beyond the limit of 1 file"]
    assert "1 file was not looked at" in plan.sentence


def test_frames_without_a_scan_of_parquet_are_refused(session):
    with pytest.raises(UsageError, match="no scan of Parquet files"):
        pqexplore.ask_spark(session.range(5).where("id > 3"))
    with pytest.raises(UsageError, match="takes a Spark DataFrame"):
        pqexplore.ask_spark([1])


def test_another_version_is_remarked(session, orders):
    plan = pqexplore.ask_spark(session.read.parquet(orders).where("id = 5"))
    other = not session.version.startswith("4.3.")
    assert any(session.version in one for one in plan.remarks) is other


def test_dates_and_decimals_keep_their_types(session, orders):
    where = "day = DATE '1970-01-05' AND price IN (1.0, 2.5)"
    plan = pqexplore.ask_spark(session.read.parquet(orders).where(where))
    texts = plan.conditions["condition"].to_pylist()
    assert texts[0] == f"day = DATE '{datetime.date(1970, 1, 5)}'"
    assert plan.row_groups["kept"].to_pylist() == [True] + [False] * 7


def test_a_wide_table_has_columns_that_the_plan_does_not_print(session, tmp_path):
    names = [f"column{i:03d}" for i in range(60)]
    table = pa.table({name: list(range(10)) for name in names})
    (tmp_path / "part=a").mkdir()
    pq.write_table(table, tmp_path / "part=a" / "wide.parquet")
    where = "column059 > 50 AND column001 < 5 AND part = 'a' AND column058 + 1 = 3"
    with pqexplore.ask_spark(session.read.parquet(str(tmp_path)).where(where)) as plan:
        found = rows(plan.conditions, "condition", "where", "reaches_parquet")
        assert found == [
            ("part = 'a'", "partition", False),
            ("column059 > 50", "pushed", True),
            ("column001 < 5", "pushed", True),
            ("((column058 + 1) = 3)", "not pushed", False),
        ]
        assert plan.columns.num_rows == 60
        assert plan.files["row_groups_read"].to_pylist() == [0]


def test_types_can_differ_by_file(session, tmp_path):
    for name, kind in (("a", pa.int32()), ("b", pa.uint16())):
        pq.write_table(pa.table({"n": pa.array([1, 2], kind)}), tmp_path / f"{name}.parquet")
    frame = session.read.schema("n int").parquet(str(tmp_path)).where("n = 5")
    with pqexplore.ask_spark(frame) as plan:
        ((reaches, why),) = rows(plan.conditions, "reaches_parquet", "why")
    assert reaches is False
    assert why.endswith("unsigned integers (in 1 of the 2 files that were opened)")
    assert plan.row_groups["kept"].to_pylist() == [False, True]
