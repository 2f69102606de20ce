"""The known defects of writers: each test sees its file and spares the near miss, and versions decide who is meant."""

import io
import re

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from insight.writers.defective_files import FILES
from insight.writers.installed_writers import FLAT, duckdb, ours, polars, pyarrow

import pqexplore
from pqexplore.engine.check.writers import FAULTS
from pqexplore.engine.rule import Severity
from pqexplore.insight.doctor.rules import writers
from pqexplore.insight.writers.defects import BY_SOURCE, DEFECTS
from pqexplore.insight.writers.known import BY_NAME
from pqexplore.insight.writers.writer import named

WRITERS = {rule.name for rule in writers.RULES}


def shown(data, level="pages"):
    found = pqexplore.diagnose(data, level).findings
    return {one.evidence["defect"]: one for one in found if one.rule.startswith("known-writer-defect-")}


@pytest.mark.parametrize("case", FILES, ids=lambda case: f"{case.name} {case.of[:24]}")
def test_a_defect_is_shown_by_its_file_and_not_by_the_near_miss(case):
    defect = BY_SOURCE[case.name]
    found = shown(case.bad(created_by=case.of))[case.name]
    assert found.severity is defect.severity and found.source.url == defect.url
    assert defect.what in found.sentence and found.fix and found.address
    assert case.name not in shown(case.good(created_by=case.of))
    assert case.name not in shown(case.bad(created_by=case.without))
    assert case.name not in shown(case.bad(created_by=None))


ANSWERED = re.compile(
    r"(?:it shows (?P<shown>[^;]+)|the file does not show (?P<absent>[^;]+)|no test of the bytes is known for (?P<never>[^;]+))$"
)


@pytest.mark.parametrize("case", FILES, ids=lambda case: f"{case.name} {case.of[:24]}")
@pytest.mark.parametrize("make", ["bad", "good"])
def test_at_level_data_each_known_defect_is_answered(case, make):
    """Shown, not shown, or without a test: no defect is left to a level that was asked already."""
    data = getattr(case, make)(created_by=case.of)
    notes = [one for one in pqexplore.diagnose(data, "data").findings if one.rule == "known-writer-defects"]
    for note in notes:
        said = [ANSWERED.match(part) for part in note.sentence.rstrip(".").partition("this file: ")[2].split("; ")]
        answers = {name for part in said for name in re.split(", | and | or ", part[part.lastgroup])}
        assert answers == note.evidence.keys()
        if case.name in answers:
            [answer] = [part.lastgroup for part in said if case.name in part[0]]
            assert answer == ("shown" if make == "bad" else "absent")


def test_a_defect_that_only_a_check_sees_is_looked_for_at_level_data_and_answered_there():
    made = io.BytesIO()
    table = pa.table({"x": [0.5, 1.5]})
    pqexplore.write(table, made, pqexplore.WriteOptions(created_by="parquet-mr version 1.9.0"))
    said = {level: next(_notes(made.getvalue(), level)) for level in ("footer", "pages", "data")}
    assert said["footer"].endswith("level `data` looks for PARQUET-1246.") and said["pages"] == said["footer"]
    assert said["data"].endswith("the file does not show PARQUET-1246.")


def _notes(data, level):
    return (one.sentence for one in pqexplore.diagnose(data, level).findings if one.rule == "known-writer-defects")


def test_every_test_of_the_bytes_has_a_file():
    assert {one.name for one in DEFECTS if one.test} == {case.name for case in FILES}
    assert sum(one.test is not None for one in DEFECTS) >= 12


def test_the_table_is_complete():
    assert len(DEFECTS) >= 40
    assert len({one.name for one in DEFECTS}) == len(DEFECTS)
    for one in DEFECTS:
        assert one.library in BY_NAME, one.name
        assert re.match(r"https://\S+$", one.url), one.name
        for text in (one.what, one.hurts):
            assert text and not text.endswith("."), one.name


WITHOUT_ISSUE = {"columns of nulls", "V2 pages are counted as V1", "TIME columns"}
"""Faults that the checks name, and nobody reported."""


def test_every_fault_that_a_check_names_is_in_the_table():
    assert {one.source for one in FAULTS} - WITHOUT_ISSUE == {one.name for one in DEFECTS if one.checked}


def test_a_finding_of_a_check_says_what_follows_and_the_test_does_not_repeat_it():
    case = next(one for one in FILES if one.name == "PARQUET-2078")
    data = case.bad(created_by=case.of)
    assert set(shown(data)) == {"PARQUET-2078"} and shown(data, "data") == {}
    [found] = [one for one in pqexplore.diagnose(data, "data").findings if one.rule == "row-group-file-offset"]
    defect = BY_SOURCE["PARQUET-2078"]
    assert "a known fault of parquet-mr" in found.sentence
    assert (found.severity, found.fix, found.cost.text) == (defect.severity, defect.fix, defect.hurts)


def test_a_finding_of_an_unknown_writer_has_no_fix():
    case = next(one for one in FILES if one.name == "PARQUET-2078")
    findings = pqexplore.diagnose(case.bad(created_by="somebody version 1.0"), "data").findings
    [found] = [one for one in findings if one.rule == "row-group-file-offset"]
    assert (found.severity, found.fix) == (Severity.PORTABILITY, "")


SIGNED = {
    "parquet-251.parquet": lambda table: table["str"].to_pylist(),
    "map-test.snappy.parquet": lambda table: [key for row in table["topics"].to_pylist() for key, _ in row],
}


@pytest.mark.parametrize("name", SIGNED)
def test_bounds_in_signed_order_hide_rows_of_the_corpus(corpus, name):
    """pyarrow reads values above the maximum that PARQUET-1025 makes wrong."""
    path = next(corpus.rglob(name))
    stored = shown(path)["PARQUET-1025"].evidence["max"]
    values = SIGNED[name](pq.ParquetFile(path).read())
    assert any(value.encode() > stored for value in values)


@pytest.mark.parametrize("write", [pyarrow, duckdb, polars, ours])
def test_a_current_writer_has_no_note(write, tmp_path):
    path = tmp_path / "file.parquet"
    write(FLAT, path)
    for level in ("footer", "data"):
        found = pqexplore.diagnose(path, level).findings
        assert [one.rule for one in found if one.rule in WRITERS or "writer" in one.evidence] == []


KNOWN_FOR = [
    ("PARQUET-251", "parquet-mr version 1.6.0", True),
    ("PARQUET-251", "parquet-mr version 1.8.0", False),
    ("PARQUET-251", "parquet-mr", True),
    ("PARQUET-251", "parquet-mr-trino version 1.6.0", False),
    ("PARQUET-1706", "parquet-cpp version 1.5.1-SNAPSHOT", True),
    ("PARQUET-1706", "parquet-cpp-arrow version 26.0.1", False),
    ("PARQUET-2078", "parquet-mr version 1.11.2", False),
    ("PARQUET-2078", "parquet-mr version 1.12.0-databricks-0002 (build 9)", True),
    ("apache/arrow#50778", "parquet-cpp-arrow version 18.1.0", False),
    ("apache/arrow#50778", "parquet-cpp-arrow version 25.0.0", True),
    ("apache/arrow#50778", "parquet-cpp-arrow version 26.0.1", False),
    ("pola-rs/polars#29321", "Polars", True),
    ("pola-rs/polars#29321", "Polars (python) version 2.0.1 (build 1)", True),
    ("pola-rs/polars#29321", "Polars (python) version 2.1.0 (build 1)", False),
    ("xitongsys/parquet-go#547", "parquet-go version latest", True),
    ("xitongsys/parquet-go#547", "parquet-go version 18.0.0", False),
    ("rapidsai/cudf#22299", "cudf version 24.06.00", False),
    ("rapidsai/cudf#22299", "cudf", False),
    ("duckdb/duckdb#10829", "DuckDB", True),
    ("duckdb/duckdb#20014", "DuckDB", False),
    ("ARROW-17453", "parquet-mr version 1.12.2-amzn-athena-1 (build 1)", True),
    ("ARROW-17453", "parquet-mr version 1.12.2 (build 1)", False),
]


@pytest.mark.parametrize(("name", "created_by", "expected"), KNOWN_FOR)
def test_a_version_is_known_for_its_defects(name, created_by, expected):
    assert BY_SOURCE[name].known_for(named(created_by)) is expected


def test_a_defect_in_words():
    one = BY_SOURCE["PARQUET-2078"]
    assert one.versions == "from 1.12.0 before 1.12.1"
    assert one.fix == ("Write the file again with a current Parquet Java: version 1.12.1 is without the defect.")
    assert BY_SOURCE["xitongsys/parquet-go#547"].versions == "all versions"
    assert BY_SOURCE["xitongsys/parquet-go#547"].fix.startswith("No release of parquet-go of xit")
    assert one.severity is Severity.WRONG
