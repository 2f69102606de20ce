"""Values that get lost or changed, and nothing in the file says so: what the verdict says, and where it is silent."""

import datetime
import io

import duckdb
import polars
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from insight.doctor.cases_values import NEW, OLD, THREE, dated, int96, joined, stamped
from insight.doctor.doctor_cases import NUMBERS, written
from insight.doctor.test_ordinary import times
from made import rebuilt, sample

import pqexplore
from pqexplore.engine.rule import Severity

DAY = datetime.date
NARROW = written(pa.table({"a": ["x"] * 1_000}))


def of_rule(data, rule, level="sample"):
    return [one for one in pqexplore.diagnose(data, level).findings if one.rule == rule]


def before_footer(data, more=bytes(100)):
    at = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    return data[:at] + more + data[at:]


JOINED = {
    # the file: what is said of its parts, how many rows are lost; None: one file
    "two of the same columns": (lambda: joined(*THREE[:2]), "2 Parquet files one after the other, with the same columns", 1_000),
    "three": (lambda: joined(*THREE), "3 Parquet files one after the other, with the same columns", 1_500),
    "other columns": (lambda: joined(NARROW, THREE[0]), "2 Parquet files one after the other, with different columns", 1_000),
    "the one that is seen is smaller": (lambda: joined(THREE[2], NARROW), "with different columns", 2_000),
    "bytes of something else before it": (lambda: b"x" * 100 + THREE[0], None, 0),
    "a magic among the bytes": (lambda: b"PAR1PAR1" * 10 + THREE[0], None, 0),
    "a file in a value, and bytes of no use before the footer": (
        lambda: before_footer(written(pa.table({"file": [joined(*THREE[:2])]}), compression="none", use_dictionary=False)), None, 0,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", JOINED)
def test_files_that_were_joined(name):
    make, said, rows = JOINED[name]
    data = make()
    for level in ("footer", "sample"):
        report = pqexplore.diagnose(data, level)
        found = [one for one in report.findings if one.rule == "joined-files"]
        assert [one.rows for one in found] == ([rows] if said else [])
        if said:
            assert report.findings[0] is found[0] and said in report.sentence


def test_the_parts_are_where_they_are():
    (found,) = of_rule(joined(*THREE), "joined-files", "footer")
    starts = [0, len(THREE[0]), len(THREE[0]) + len(THREE[1])]
    assert [(one["start"], one["rows"], one["columns"]) for one in found.evidence["parts"]] == [
        (start, rows, ("n",)) for start, rows in zip(starts, (1_000, 500, 2_000), strict=True)
    ]


SHIFTED = {
    # two columns of times: the words about the second
    "two hours": (lambda: stamped(7_200), "`got` is `sent` plus 2 h in all 2,000 rows"),
    "half an hour less": (lambda: stamped(-1_800), "`got` is `sent` minus 30 min"),
    "five and three quarters": (lambda: stamped(20_700), "`got` is `sent` plus 5 h 45 min"),
    "local times": (lambda: stamped(3_600, utc=None), "`got` is `sent` plus 1 h"),
    "the same": (lambda: stamped(0), None),
    "seven minutes": (lambda: stamped(420), None),
    "a day": (lambda: stamped(86_400), None),
    "not in the last row": (lambda: stamped(7_200, odd=1), None),
    "few rows": (lambda: stamped(7_200, rows=900), None),
    "days of the Julian calendar": (
        lambda: dated(DAY(1500, 3, 1), 10),
        "`same` is `day` in the Julian calendar in all 2,000 rows",
    ),
    "the same days": (lambda: dated(DAY(1500, 3, 1), 0), None),
    "days of our time": (lambda: dated(DAY(2020, 3, 1), 10), None),
    "days moved by other than the calendar": (lambda: dated(DAY(1500, 3, 1), 9), None),
    "local times beside instants": (lambda: written(times(2_000)), None),
}


@pytest.mark.parametrize("name", SHIFTED)
def test_columns_that_repeat_each_other_with_a_shift(name):
    make, said = SHIFTED[name]
    for level in ("sample", "data"):
        found = of_rule(make(), "shifted-column", level)
        assert len(found) == (said is not None)
        assert all(said in one.sentence for one in found)


def test_the_example_of_a_prediction_is_what_the_reader_gives():
    """Each reader reads the file, and what it makes of the value in that row is what the verdict quotes."""
    data = int96(NEW, NEW, OLD, NEW, store_schema=False)
    (found,) = of_rule(data, "readers-change-values")
    assert (found.column, found.rows, found.evidence["row"], found.evidence["looked"]) == ("t", 1, 2, 4)
    by_pyarrow = pq.read_table(io.BytesIO(data))["t"][2].value
    assert str(pa.scalar(by_pyarrow, pa.timestamp("ns"))).startswith(found.evidence["read"]["pyarrow"])
    assert found.evidence["read"]["pyarrow"] in found.sentence
    by_polars = polars.read_parquet(io.BytesIO(data))["t"].cast(polars.Datetime("ns")).dt.to_string("%F %T%.f")[2]
    assert by_polars == found.evidence["read"]["polars"]
    assert list(found.evidence["readers"]) == ["pyarrow", "polars", "DataFusion"]


def test_beside_an_arrow_schema_in_microseconds_fewer_readers_change_them():
    data = int96(NEW, OLD)
    (found,) = of_rule(data, "readers-change-values")
    assert list(found.evidence["readers"]) == ["pyarrow"]
    assert polars.read_parquet(io.BytesIO(data))["t"].to_list() == [NEW, OLD]


def test_an_example_of_what_is_lost_below_a_microsecond(tmp_path):
    path = tmp_path / "fine.parquet"
    table = pa.table({"t": pa.array([1_700_000_000_123_456_789], pa.timestamp("ns"))})
    pq.write_table(table, path, use_deprecated_int96_timestamps=True)
    (found,) = of_rule(path, "readers-change-values")
    ((by_duckdb,),) = duckdb.sql(f"SELECT CAST(t AS VARCHAR) FROM '{path}'").fetchall()
    assert f"DuckDB 2.0.0 reads 2023-11-14 22:13:20.123456789 of `t` as {by_duckdb}" in found.sentence


def test_readers_say_the_same_as_the_verdict():
    report = pqexplore.diagnose(int96(NEW, OLD))
    (found,) = [one for one in report.findings if one.rule == "readers-change-values"]
    example = f"it reads 1399-01-09 00:00:00 as {found.evidence['read']['pyarrow']} in row 1; 1 of 2 values are such"
    assert example in report.readers["pyarrow"].sentence
    assert report.sentence.startswith(found.sentence)


SILENT = {
    "what one reader refuses is a note": (lambda: written(times(100)), "readers-refuse", Severity.NOTE),
    "what many refuse is more": (lambda: sample("alp"), "readers-refuse", Severity.PORTABILITY),
    "ordinary columns": (lambda: written(NUMBERS), "readers-refuse", None),
    "names that differ in case have a rule of their own": (
        lambda: written(pa.table({"a": [1], "A": [2]})),
        "readers-change-values",
        None,
    ),
    "encrypted files need a key": (lambda: sample("encrypted"), "readers-refuse", None),
}


@pytest.mark.parametrize("name", SILENT)
def test_how_bad_it_is_that_a_reader_refuses(name):
    make, rule, severity = SILENT[name]
    assert {one.severity for one in of_rule(make(), rule)} == ({severity} if severity else set())


def test_a_footer_alone_says_what_types_readers_refuse():
    assert of_rule(sample("alp"), "readers-refuse", "footer")
    assert not of_rule(int96(OLD), "readers-change-values", "footer")  # its values were not looked at


ORDERS = {
    # boundary_order of a column index: whether it is true of pages that ascend
    "ascending": (1, False),
    "descending": (2, True),
    "unordered": (0, False),
}


@pytest.mark.parametrize("name", ORDERS)
def test_a_declared_boundary_order_that_breaks(name):
    order, wrong = ORDERS[name]
    options = {"write_page_index": True, "use_dictionary": False, "data_page_size": 2_000, "write_batch_size": 500}
    data = bytearray(written(NUMBERS, **options))
    with pqexplore.open(bytes(data)) as file:
        span = file.node("row_groups/0/columns/0/column_index/boundary_order").span
        data[span.end - 1] = 2 * order  # a zigzag varint
    found = pqexplore.diagnose(bytes(data)).findings
    assert [one.rule for one in found if one.rule == "boundary-order-wrong"] == ["boundary-order-wrong"] * wrong
    if wrong:
        assert found[0].rule == "boundary-order-wrong" and found[0].column == "n"


def test_a_joined_file_whose_first_part_is_damaged_is_not_counted():
    data = joined(rebuilt(THREE[0], schema=None), THREE[1])
    assert pqexplore.diagnose(data, "footer").findings is not None
