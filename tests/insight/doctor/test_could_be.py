"""What a file could be: the best saving of each column, added up, and the same as what-if says."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest
from insight.doctor.doctor_cases import written

import pqexplore
from pqexplore.engine.finding import Finding
from pqexplore.engine.rule import Cost, Severity
from pqexplore.insight.doctor import could_be

RANDOM = np.random.default_rng(3)


def finding(column, saved, severity=Severity.WASTEFUL, rule="encoding-smaller"):
    evidence = {"saved": {column: saved}} if saved else {}
    return Finding(rule, "", f"`{column}` ascends.", evidence, severity=severity, column=column, cost=Cost(bytes=saved))


@pytest.mark.parametrize(("findings", "first"), [
    ([("a", 500)], "The file could be 50 % of its size: `a` ascends."),
    ([("a", 500), ("b", 300)], "The file could be 20 % of its size: `a` ascends. Then comes `b`, 300 B less."),
    ([("a", 500), ("b", 90)], "The file could be 41 % of its size: `a` ascends."),  # less than a tenth is not named
    ([("a", 500), ("a", 400)], "The file could be 50 % of its size: `a` ascends."),  # one column is saved once
    ([("a", 500), ("b", 60, Severity.NOTE)], "The file could be 44 % of its size: `a` ascends."),
    ([("a", 500, Severity.NOTE)], "`a` ascends."),
    ([("a", 0)], "`a` ascends."),
    ([("a", 1_001)], "`a` ascends."),  # more than there is: a footer that lies
])  # fmt: skip
def test_what_a_file_of_1000_bytes_could_be(findings, first):
    assert could_be.stated([finding(*one) for one in findings], 1_000)[0].message == first


def test_a_column_has_one_wasteful_finding():
    given = [finding("a", 400), finding("a", 500, rule="dictionary-useless"), finding("b", 10), finding("c", 0)]
    said = [one.severity.value for one in could_be.once(given)]
    assert said == ["note", "wasteful", "wasteful", "wasteful"]


def test_what_if_says_the_same():
    table = pa.table({"id": np.arange(150_000) + 10**12, "noise": RANDOM.integers(0, 2**62, 150_000)})
    data = written(table, use_dictionary=False, compression="none")
    [tried] = pqexplore.what_if(data, columns=["id"], budget=pqexplore.Budget(seconds=1)).columns
    first = pqexplore.diagnose(data).findings[0]
    assert first.column == "id"
    assert first.cost.bytes == pytest.approx(tried.today - tried.sizes[tried.best].bytes.total, rel=0.01)


def test_a_trial_imports_no_pandas(tmp_path):
    """It would take a fifth of the time of a first look."""
    rows = 100_000
    table = pa.table({"id": np.arange(rows * 3), "t": [f"{n * 7_919 % 10**12:012}" for n in range(rows * 3)]})
    (tmp_path / "a.parquet").write_bytes(written(table, use_dictionary=False))
    code = f"import sys, pqexplore; r = pqexplore.diagnose({str(tmp_path / 'a.parquet')!r}, 'sample'); print(r.sentence[:18], 'pandas' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "The file could be  False\n"
