"""Findings of check() as diagnoses: how bad they are, and what they cost, is what the file's own bytes show."""

import pyarrow as pa
import pytest
from insight.doctor.doctor_cases import written
from made import rebuilt
from needs import ONE_COLUMN_METADATA

import pqexplore
from pqexplore.engine.check import file_check
from pqexplore.engine.check.compared import WRONG_COUNT
from pqexplore.engine.finding import Finding
from pqexplore.engine.format.thrift.structs import Statistics
from pqexplore.engine.rule import Severity
from pqexplore.insight.doctor.diagnose import steps
from pqexplore.insight.doctor.report_text import report_lines
from pqexplore.insight.doctor.verdict import lead
from pqexplore.insight.lenses.lens import finish

STATISTICS = "row_groups__0__columns__0__meta_data__statistics__"
SOME = pa.table({"n": pa.array([1, 2, None, None, 5], pa.int32())})
FULL = pa.table({"n": pa.array([1, 2, 3, 4, 5], pa.int32())})
LISTS = pa.table({"n": [[1], None, [None], [], [5]]})


def forged(table, **changes):
    return rebuilt(written(table), **{STATISTICS + name: value for name, value in changes.items()})


SKIPS = "may skip rows that match"

CASES = [
    # the file, the rule, severity, what it costs
    (forged(SOME, null_count=0), "statistics-null-count", Severity.WRONG, SKIPS),
    (forged(SOME, null_count=5), "statistics-null-count", Severity.WRONG, SKIPS),
    (forged(SOME, null_count=1), "statistics-null-count", Severity.WRONG, WRONG_COUNT),
    (forged(FULL, null_count=9), "statistics-null-count", Severity.WRONG, SKIPS),
    (forged(LISTS, null_count=0), "statistics-null-count", Severity.PORTABILITY, ""),
    (forged(SOME, max_value=bytes([2, 0, 0, 0])), "statistics-bound", Severity.WRONG, SKIPS),
    (forged(SOME, max_value=bytes([9, 0, 0, 0]), is_max_value_exact=None), "statistics-loose", Severity.NOTE, ""),
]  # fmt: skip


@pytest.mark.parametrize("data, rule, severity, cost", CASES)
def test_what_a_finding_costs(data, rule, severity, cost):
    with pqexplore.open(data) as file:
        [found] = [one for one in finish(steps(file, "data")).findings if one.rule == rule]
    assert found.severity is severity
    assert cost in found.cost.text and bool(cost) is bool(found.cost.text)
    begins = {Severity.WRONG: "Wrong: ", Severity.PORTABILITY: "Doubtful: "}
    assert found.sentence.startswith(begins.get(severity, "Noted: "))


def test_bounds_of_a_type_without_order_lose_no_rows():
    stamps = pa.table({"n": pa.array([1_000, 2_000], pa.timestamp("ns"))})
    data = rebuilt(
        written(stamps, use_deprecated_int96_timestamps=True),
        row_groups__0__columns__0__meta_data__statistics=Statistics(min_value=bytes(12), max_value=bytes(12)),
    )
    with pqexplore.open(data) as file:
        found = finish(steps(file, "data")).findings
    assert "statistics-bound" not in {one.rule for one in found}
    assert all(one.severity is not Severity.WRONG for one in found), found


def test_a_limit_is_no_fault_of_the_file(monkeypatch):
    stopped = Finding("not-everything-checked", "", "not everything was checked: a limit")
    monkeypatch.setattr(file_check, "check_steps", lambda *_: iter([stopped]))
    with pqexplore.open(written(FULL)) as file:
        report = finish(steps(file, "data"))
    assert report.worst() is Severity.NOTE
    assert report.sentence.startswith("No problems found in what was looked at (footer, 0 of 2 pages)")
    assert "Not everything was checked." in report.sentence


C = "row_groups/0/columns/0"
PLACES = {
    "": "",
    "schema/1": " Where: schema/1.",
    "footer/num_rows": " Where: footer/num_rows.",
    "row_groups/0": " Where: row group 0.",
    "footer/row_groups/0/num_rows": " Where: row group 0.",
    C: " Where: column `n`, row group 0.",
    f"{C}/metadata/meta_data/statistics/min_value": " Where: column `n`, row group 0.",
    f"{C}/pages/2/values/17": " Where: column `n`, row group 0, page 2.",
    f"{C}/column_index": " Where: column `n`, row group 0, column index.",
    f"{C}/column_index/max_values/1": " Where: column `n`, row group 0, column index of data page 1.",
    f"{C}/bloom_filter/blocks/3": " Where: column `n`, row group 0, Bloom filter.",
    "row_groups/0/columns/7": " Where: column 7, row group 0.",
}


@pytest.mark.parametrize("address", PLACES)
def test_the_fact_comes_before_its_place(address):
    with pqexplore.open(written(FULL)) as file:
        found = file.located(Finding("page-index", address, "the min is wrong."))
    assert found.sentence == f"Wrong: the min is wrong.{PLACES[address]}"


ABOVE = bytes([6, 0, 0, 0])


@pytest.mark.parametrize("level", ["footer", "pages", pytest.param("data", marks=ONE_COLUMN_METADATA)])
def test_a_minimum_above_the_maximum_shows_in_the_footer_alone(level):
    with pqexplore.open(forged(FULL, min_value=ABOVE)) as file:
        report = finish(steps(file, level))
    [found] = [one for one in report.findings if one.rule == "statistics-inverted"]
    assert found.severity is Severity.WRONG
    assert "the min 6 is greater than the max 5" in found.sentence
    assert report.sentence.startswith(lead(found))
    [line] = [line for line in report_lines(report, 200) if line.startswith("    at ")]
    assert line.endswith("/min_value, column `n`")


def test_a_minimum_that_is_the_maximum_is_right():
    with pqexplore.open(forged(FULL, min_value=bytes([5, 0, 0, 0]))) as file:
        assert not finish(steps(file, "footer")).findings
