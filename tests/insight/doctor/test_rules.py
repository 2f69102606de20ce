"""Each rule of the doctor: a file that it is about, and a near miss."""

import re

import pyarrow as pa
import pytest
from insight.doctor import cases_bytes, doctor_cases
from insight.doctor.cases import CASES
from insight.doctor.doctor_cases import NUMBERS, written
from made import rebuilt

import pqexplore
from pqexplore.engine.rule import Severity
from pqexplore.insight.doctor.diagnose import steps
from pqexplore.insight.doctor.rules import ALL, RULES
from pqexplore.insight.doctor.verdict import lead
from pqexplore.insight.lenses.lens import finish


def diagnosed(data, level="pages"):
    with pqexplore.open(data) as file:
        return finish(steps(file, level))


def test_every_rule_has_a_case():
    assert set(RULES) <= {case.rule for case in CASES} <= set(ALL)


@pytest.mark.parametrize("case", [*doctor_cases.CASES, *cases_bytes.CASES], ids=lambda case: case.rule)
def test_a_case_says_how_its_files_are_made(case):
    assert case.made.endswith(".") and case.spared.endswith(".")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.rule)
def test_a_rule_sees_its_file_and_not_the_near_miss(case):
    findings = diagnosed(case.make(), case.level).findings
    for one in findings:
        assert not re.search(r"  | \.|\(\)|None", one.sentence), one.sentence
    [found] = [one for one in findings if one.rule == case.rule]
    assert case.said in found.sentence
    assert found.severity is ALL[case.rule].severity
    assert found.evidence
    assert case.rule not in {one.rule for one in diagnosed(case.near(), case.level).findings}


def test_the_worst_comes_first():
    data = bytearray(written(NUMBERS, row_group_size=100, write_page_checksum=True, compression="none"))
    data[60] ^= 1
    with pqexplore.open(bytes(data)) as file:
        report = finish(steps(file, "data"))
    ranks = [one.severity.rank for one in report.findings]
    assert ranks == sorted(ranks)
    assert report.worst() is Severity.DAMAGE and report.sentence.startswith(lead(report.findings[0]))
    assert "small-row-groups" in {one.rule for one in report.findings}


N = written(pa.table({"n": [1, 2]}), compression="none", use_dictionary=False)
CHUNK = "row_groups__0__columns__0__meta_data__"
FIRST = [
    # how a file is damaged, the rule that the first sentence is about
    ({CHUNK + "data_page_offset": -1, "num_rows": 9}, "unreadable"),
    ({CHUNK + "codec": 5000, "row_groups__0__total_byte_size": 9}, "unsupported"),
    ({CHUNK + "codec": 5000, "num_rows": 9}, "unsupported"),
    ({"row_groups__0__columns__0__column_index_offset": 1 << 40, "num_rows": 9}, "row-count-disagrees"),
]


@pytest.mark.parametrize("damage, rule", FIRST, ids=str)
def test_values_that_cannot_be_read_come_before_what_else_is_damaged(damage, rule):
    findings = diagnosed(rebuilt(N, **damage), "data").findings
    assert findings[0].rule == rule and findings[0].severity is Severity.DAMAGE, findings
    assert len(findings) > 1


def test_bytes_of_two_owners_are_said_by_their_columns():
    data = written(pa.table({"a": [1], "b": [2]}), compression="none", use_dictionary=False)
    second = "row_groups__0__columns__1__meta_data__data_page_offset"
    findings = diagnosed(rebuilt(data, **{second: 4}), "data").findings
    messages = [one.message for one in findings if one.rule == "overlap"]
    assert (
        "belong to column `a`, row group 0, data page 0 and to column `b`, row group 0, data page 0" in messages[0]
    ), messages
    assert "overlap" not in {one.rule for one in diagnosed(data, "data").findings}


@pytest.mark.parametrize("values, said", [([True] * 2_000, "RLE"), ([7] * 2_000, "a dictionary")])
def test_a_constant_column_is_stored_as_its_type_can_be(values, said):
    [found] = [one for one in diagnosed(written(pa.table({"v": values}))).findings if one.rule == "constant-column"]
    assert found.fix.startswith(f"Write it with {said};")


def test_one_fault_is_one_finding_though_several_rules_meet_it():
    data = rebuilt(written(NUMBERS.slice(0, 10)), schema__0__num_children=2)
    for level in ("footer", "pages", "data"):
        with pqexplore.open(data) as file:
            [found] = [one for one in finish(steps(file, level)).findings if one.rule != "gap"]
        assert (found.rule, found.severity) == ("unreadable", Severity.DAMAGE)
