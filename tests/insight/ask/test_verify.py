"""A plan is compared with the values: which rows match, what is read in vain, what is lost, and what an engine returned."""

import math
import os
import re
import struct
import tempfile
from pathlib import Path

import pyarrow as pa
import pytest
from made import ours, rebuilt
from needs import needs
from table_files import table_rows

import pqexplore
from pqexplore.engine.errors import UsageError
from pqexplore.engine.writer.options import Encryption
from pqexplore.insight import on_disk as copies
from pqexplore.insight.ask import expressions, planning, run_engines
from pqexplore.insight.ask import verify as verifying
from pqexplore.insight.ask.engines.engine import Engine
from pqexplore.insight.ask.plan_text import plan_document, plan_report
from pqexplore.insight.ask.run_engines import Observation
from pqexplore.insight.lenses.lens import finish
from pqexplore.insight.on_disk import on_disk


def written(values, kind=None, **options):
    """A file of one column `x`, four rows a row group."""
    table = pa.table({"x": pa.array(values, kind)})
    return ours(table, **{"row_group_rows": 4, "page_rows": 2, "encoding": "PLAIN", **options})


def planned(data, where, engine="format"):
    return finish(planning.steps(pqexplore.open(data), where, engine=engine))


def lying(values, kind, pack):
    """A file whose first row group claims a max of 1."""
    data = written(values, kind, column_index=False)
    at = "row_groups__0__columns__0__meta_data__statistics__"
    return rebuilt(data, **{f"{at}max_value": pack(1), f"{at}is_max_value_exact": True})


NAN = math.nan
FILES = {
    "sorted": written([*range(12)]),
    "even": written([0, 2, 4, 6, 0, 20, 40, 60, 1, 3, 5, 7], page_rows=4),
    "lying": lying([*range(8)], pa.int64(), lambda one: struct.pack("<q", one)),
    "lying doubles": lying([0.0, 1.0, 2.0, 3.0, 5.0, 6.0, 7.0, 8.0], pa.float64(), lambda one: struct.pack("<d", one)),
    "with nan": written([1.0, NAN, 2.0, None, 5.0, 6.0, 7.0, 8.0], column_index=False),
    "nan that no count tells": written(
        [1.0, NAN, 2.0, None, 5.0, 6.0, 7.0, 8.0], column_index=False, statistics_fields=("bounds", "null_count")
    ),
    "zeros": written([0.0, -0.0, 1.0, None, -0.0, 2.0, 3.0, 4.0], encoding=None),
}
SORTED, WITH_NAN = FILES["sorted"], FILES["with nan"]

VERIFIED = table_rows(Path(__file__).parent / "tables" / "verify.txt", "verified")


@pytest.mark.parametrize("name, where, matching, vain, lost, sentence", VERIFIED, ids=range(len(VERIFIED)))
def test_what_the_values_say(name, where, matching, vain, lost, sentence):
    made = planned(FILES[name], where).verify()
    found = made.matches["matching"].to_pylist()
    assert (str(found), str(made.false_positives), str(made.lost)) == (matching, vain, lost)
    assert made.sentence == sentence
    assert made.matching == sum(found)
    assert (made.engine_rows, made.observation, made.errors) == (None, None, {})


def test_matches_names_the_rows():
    rows = planned(SORTED, "x IN (1, 2, 4, 7) AND x <> 7").verify().matches.to_pylist()
    assert [row["rows"] for row in rows] == [[{"start": 1, "end": 3}], [{"start": 0, "end": 1}], []]
    assert rows[0] == {
        "file": "bytes", "row_group": 0, "kept": True, "matching": 2, "lost": 0, "rows": rows[0]["rows"], "error": None,
    }  # fmt: skip


def test_rows_that_a_page_index_loses_are_lost_though_the_row_group_is_read():
    data = written([*range(8)], row_group_rows=8)
    plan = planned(data, "x IN (1, 6)")
    (group,) = plan.groups
    assert group.ranges == ((0, 2), (6, 8))
    group.ranges = ((0, 2), (2, 4))
    made = plan.verify()
    assert made.lost == (0,) and made.false_positives == ()
    assert made.sentence == "LOST: 1 of the 2 matching rows is skipped (row group 0)."


class Unordered(Engine):
    """An engine for which NaN is unequal to everything."""

    nan_largest = False


@pytest.mark.parametrize("engine, matching", [(Engine(), 1), (Unordered(), 0)])
def test_nan_compares_as_in_the_engine_of_the_plan(engine, matching):
    plan = planned(WITH_NAN, "x > 100")
    plan.engine = engine
    assert plan.verify().matching == matching


def test_a_condition_that_computes_is_evaluated_and_one_that_cannot_be_is_refused():
    made = planned(SORTED, "x + 1 = 2").verify()
    assert made.matches["matching"].to_pylist() == [1, 0, 0]
    assert made.sentence.endswith(f"{expressions.engine()} evaluated x + 1 = 2 on the values that were decoded here.")
    with pytest.raises(UsageError, match="read_text"):
        planned(SORTED, "read_text(x) = 'a'").verify()


def encrypted():
    keys = Encryption(bytes(16), {"x": b"k" * 16}, plaintext_footer=True)
    return written([*range(8)], encryption=keys)


def damaged():
    """A file whose second row group does not decode: its pages are longer than they say."""
    data = bytearray(written([*range(8)], checksum=False))
    with pqexplore.open(bytes(data)) as file:
        start = file.row_groups[1].columns[0].pages[0].span.start
    data[start : start + 8] = b"\xff" * 8
    return bytes(data)


def test_an_encrypted_column_cannot_be_checked():
    made = planned(encrypted(), "x = 5").verify()
    assert made.matches["matching"].to_pylist() == [None, None]
    assert made.false_positives == made.lost == ()
    assert made.sentence.startswith("Row group 0, and 1 other could not be checked: ")


def test_damage_is_local():
    made = planned(damaged(), "x >= 3").verify()
    assert made.matches["matching"].to_pylist() == [1, None]
    assert list(made.errors) == [1]
    assert made.sentence.startswith(
        "The only matching row of the 1 row group that could be checked is among the rows that are read; each row group "
        "that is read has some. Row group 1 could not be checked: "
    )


def test_steps_tell_how_much_is_done():
    work = verifying.steps(planned(written([*range(100)]), "x > 3"))
    done = []
    while True:
        try:
            done.append(next(work))
        except StopIteration as stop:
            assert stop.value.matching == 96
            break
    assert done == sorted(done) and len(done) > 5 and done[-1] == 1


SAW = {
    # what the engine reports, and what is said of it; 8 rows match, 4 in each of two row groups of three
    "as many": (Observation("duckdb", "2.0", 8), "duckdb 2.0 returned 8 rows, as many as match."),
    "more": (Observation("duckdb", "2.0", 9), "duckdb 2.0 returned 9 rows, 1 more than match."),
    "fewer, and it is not known why": (Observation("duckdb", "2.0", 6),
        "duckdb 2.0 returned 6 rows, 2 fewer than match."),
    "fewer, and it read all": (Observation("duckdb", "2.0", 4, (0, 1, 2)),
        "duckdb 2.0 returned 4 rows, 4 fewer than match."),
    "it did not read a row group that has matches": (Observation("duckdb", "2.0", 4, (0, 2)),
        "LOST: duckdb 2.0 returned 4 rows of the 8 that match; it did not read row group 1."),
    "it read too few row groups": (Observation("duckdb", "2.0", 4, None, 1),
        "LOST: duckdb 2.0 returned 4 rows of the 8 that match; it read 1 of the 2 row groups that have them."),
}  # fmt: skip


@pytest.mark.parametrize("what", SAW)
def test_what_an_engine_returned(what, monkeypatch):
    seen, sentence = SAW[what]
    monkeypatch.setattr(run_engines, "observe", lambda name, plan: seen)
    made = planned(SORTED, "x < 8").verify("duckdb")
    assert made.sentence.endswith(f" {sentence}")
    assert (made.engine_rows, made.observation) == (seen.rows, seen)


MATCHES = "The only matching row of the file is among the rows that are read; each row group that is read has some."
RUN = [
    # the engine, the file, the condition, what is said
    pytest.param(
        "duckdb", "nan that no count tells", "x > 100",
        "The only matching row of the file is among the rows that are read; 1 of 2 row groups that are read has none. "
        "LOST: duckdb VERSION returned 0 rows of the 1 that match; it did not read row group 0.",
        marks=needs("duckdb", "2.0", "it does not tell what it reads"),
    ),
    pytest.param("datafusion", "with nan", "x > 100",
        f"{MATCHES} LOST: datafusion VERSION returned 0 rows of the 1 that match; it did not read row group 0.",
        marks=needs("datafusion", "55", "it is not installed")),
    pytest.param("polars", "with nan", "x > 100", f"{MATCHES} polars VERSION returned 1 row, as many as match.",
        marks=needs("polars", "2.1", "it is not installed")),
    pytest.param(
        "pyarrow", "with nan", "x > 100",
        "In pyarrow, NaN is unequal to everything. No row of the file matches; 1 row group is read in vain. "
        "pyarrow VERSION returned 0 rows, as many as match.",
        marks=needs("pyarrow", "26", "its profile is that of this version"),
    ),
    pytest.param(
        "pyarrow", "lying", "x >= 2",
        "LOST: 2 of the 6 matching rows are skipped (row group 0). LOST: pyarrow VERSION returned 4 rows of the 6 that match; "
        "it did not read row group 0.",
        marks=needs("pyarrow", "26", "its profile is that of this version"),
    ),
]  # fmt: skip


@pytest.mark.parametrize("engine, name, where, sentence", RUN, ids=range(len(RUN)))
def test_what_an_engine_really_returns(engine, name, where, sentence):
    made = planned(FILES[name], where).verify(engine)
    assert re.sub(r"\b\d+\.\d+\.\d+\b", "VERSION", made.sentence) == sentence


def test_an_engine_runs_no_module_of_the_folder(folder_of_others):
    assert planned(SORTED, "x < 4").verify("pyarrow").observation.rows == 4


AGAINST = [
    # the engine and the condition of the plan, what the engine reports, what is said first (None: nothing)
    ("duckdb", "x < 4", Observation("duckdb", "2.0", 4, (0,), 1), None),
    ("duckdb", "x < 4", Observation("duckdb", "2.0", 4, (0, 1, 2), 3), "read 3 of 3 row groups, the plan says 1: it read row groups 1 and 2, too."),
    ("duckdb", "x < 8", Observation("duckdb", "2.0", 4, (0,), 1), "read 1 of 3 row groups, the plan says 2: it did not read row group 1."),
    ("polars", "x < 4", Observation("polars", "2.0", 4, None, 3), "read 3 of 3 row groups, the plan says 1."),
    ("spark", "x < 4", Observation("spark", "2.0", 4, rows_scanned=12), "read 12 rows, the plan says 4."),
    ("spark", "x < 4", Observation("spark", "2.0", 4, rows_scanned=4), None),
    ("duckdb", "x < 4", Observation("duckdb", "2.0", 4, (0,), 1, bytes_read=10**9), "read 1,000,000,000 bytes, the plan says "),
    ("duckdb", "x < 4", Observation("duckdb", "2.0", 4, (0,), 1, bytes_read=1), "read 1 byte, the plan says "),
    ("pyarrow", "x < 4", Observation("pyarrow", "26.0", 4, (0,), 1, bytes_read=1), "read 1 byte, the plan says "),
    ("datafusion", "x < 4", Observation("datafusion", "55.0", 4, (0,), 1, bytes_read=1), None),  # it does not count the footer
    ("format", "x < 4", Observation("duckdb", "2.0", 4, (0, 1, 2), 3), None),  # the plan is not about DuckDB
]  # fmt: skip


@pytest.mark.parametrize("engine, where, seen, first", AGAINST, ids=range(len(AGAINST)))
def test_a_run_that_differs_from_the_plan_is_said_first(engine, where, seen, first, monkeypatch):
    monkeypatch.setattr(run_engines, "observe", lambda name, plan: seen)
    sentence = planned(SORTED, where, engine).verify(seen.engine).sentence
    start = f"The plan is wrong for this run: {seen.engine} {seen.version} "
    assert sentence.startswith(start + first) if first else "The plan is wrong" not in sentence


@pytest.mark.parametrize("groups", [(0,), (0, 1, 2)])
def test_where_a_run_differs_from_the_plan_the_difference_is_the_sentence(groups, monkeypatch):
    seen = Observation("duckdb", "2.0", 4, groups, len(groups))
    monkeypatch.setattr(run_engines, "observe", lambda name, plan: seen)
    plan = planned(SORTED, "x < 4", "duckdb")
    found = plan.verify("duckdb")
    line = next(iter(plan_report(plan, 1_000, found))).strip()
    assert line == plan_document(plan, found)["sentence"]
    if len(groups) == 1:
        assert (found.differs, line) == ("", plan.sentence)
    else:
        assert line == found.differs
        assert line.startswith("The plan is wrong for this run: duckdb 2.0 read 3 of 3 row groups, the plan says 1:")


def test_not_in_is_true_for_null_in_pyarrow(monkeypatch):
    data = written([1, None, 2, 3])
    seen = Observation("pyarrow", "26.0", 3, (0,), 1)
    monkeypatch.setattr(run_engines, "observe", lambda name, plan: seen)
    sentence = planned(data, "x NOT IN (1)", "pyarrow").verify("pyarrow").sentence
    assert sentence.endswith(
        "In pyarrow, NOT IN (~isin) is TRUE for null, and in SQL it is not. "
        "pyarrow 26.0 returned 3 rows, 1 more than match."
    )


def test_what_an_engine_returned_of_a_damaged_file_is_not_judged(monkeypatch):
    monkeypatch.setattr(run_engines, "observe", lambda name, plan: Observation("duckdb", "2.0", 0))
    made = planned(damaged(), "x >= 3").verify("duckdb")
    assert made.sentence.endswith(
        "duckdb 2.0 returned 0 rows; how many it should return is not known, as not all row groups could be checked."
    )


def test_an_unknown_engine_is_refused():
    with pytest.raises(UsageError, match="'excel' cannot be run here"):
        planned(SORTED, "x = 1").verify("excel")


def test_bytes_are_copied_to_a_file_for_an_engine_and_the_file_is_deleted(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    plan = planned(SORTED, "x = 1")
    with on_disk(plan.file) as path, open(path, "rb") as copy:
        assert copy.read() == SORTED
    assert not os.path.exists(path) and not os.listdir(tmp_path)
    assert plan.file.name == "bytes"


def test_a_file_on_disk_is_not_copied(tmp_path):
    path = tmp_path / "file.parquet"
    path.write_bytes(SORTED)
    plan = planned(path, "x = 1")
    with on_disk(plan.file) as local:
        assert local == str(path)


def test_a_copy_is_bounded(monkeypatch):
    monkeypatch.setattr(copies, "COPIED", 10)
    with (
        pytest.raises(UsageError, match="other programs need a path; .* too much for a temporary copy"),
        on_disk(planned(SORTED, "x = 1").file),
    ):
        pass
