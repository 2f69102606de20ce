"""Counts of 0 and below, and names that differ in case only: what readers are predicted to do is what they do."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from insight.ask.profile_cases import change_footer, chunks_of
from needs import has, needs

import pqexplore
from pqexplore.insight.doctor.readers import run as runs
from pqexplore.insight.doctor.readers import worker
from pqexplore.insight.doctor.readers.features import features
from pqexplore.insight.doctor.readers.file_readers import predict
from pqexplore.insight.doctor.readers.reader import Verdict
from pqexplore.insight.doctor.readers.table import VERSIONS

ENGINES = [one for one in runs.READERS if has(one.lower(), VERSIONS[one])]
TABLE = pa.table({"a": list(range(6)), "b": ["x", "y", None, "z", "w", "v"]})
TWINS = pa.table({"id": [1, 2, 3], "ID": ["a", "b", "c"], "x": [0.5, float("nan"), None]})


def rows(count):
    def change(metadata):
        metadata.num_rows = count

    return change


def group_rows(count):
    def change(metadata):
        metadata.row_groups = list(metadata.row_groups)
        metadata.row_groups[0].num_rows = count

    return change


def values(count, chunks):
    def change(metadata):
        for chunk in chunks_of(metadata)[:chunks]:
            chunk.num_values = count

    return change


CHANGES = [
    # what is changed in a footer of 6 rows in two row groups, and the feature that it makes; None: none of these
    (rows(6), None),
    (rows(0), "row-count-zero"),
    (rows(-1), "negative-row-count"),
    (rows(9), "row-counts-differ"),
    (group_rows(-1), "negative-group-rows"),
    (values(0, 1), "no-values-counted"),
    (values(0, 4), "no-values-counted-at-all"),
    (values(-1, 1), "negative-value-count"),
    (rows(None), "count-missing"),
    (group_rows(None), "count-missing"),
    (values(None, 1), "count-missing"),
]
NAMES = {feature for _, feature in CHANGES if feature}


def changed(folder, change):
    path = folder / "counts.parquet"
    pq.write_table(TABLE, path, row_group_size=3)
    change_footer(path, change)
    return path


@pytest.mark.parametrize("change, feature", CHANGES, ids=[str(feature) for _, feature in CHANGES])
def test_a_count_makes_a_feature(tmp_path, change, feature):
    with pqexplore.open(changed(tmp_path, change)) as file:
        assert NAMES & {one.name for one in features(file)} == ({feature} if feature else set())


@pytest.mark.full
@pytest.mark.parametrize("change, feature", CHANGES, ids=[str(feature) for _, feature in CHANGES])
def test_readers_do_with_a_count_what_is_predicted(tmp_path, change, feature):
    path = changed(tmp_path, change)
    with pqexplore.open(path) as file:
        predicted = {one.engine: one for one in predict(file)}
        seen = runs.run(file, str(path), ENGINES)
    known = [one for one in seen if predicted[one.engine].verdict is not Verdict.UNKNOWN]
    assert [str(one) for one in known if one.verdict is not predicted[one.engine].verdict] == []
    assert len(known) >= min(3, len(ENGINES))


@needs("duckdb", "2.0", "its answers are those of this version")
def test_duckdb_gives_another_column_for_a_name_that_differs_in_case(tmp_path):
    path = tmp_path / "twins.parquet"
    pq.write_table(TWINS, path)
    found = pqexplore.diagnose(path).readers
    with pqexplore.open(path) as file:
        (seen,) = runs.run(file, str(path), ["DuckDB"])
    assert found["DuckDB"].verdict is seen.verdict is Verdict.WRONG
    assert (seen.column, seen.row, seen.ours, seen.theirs) == ("ID", 0, "a", "1")
    assert (
        "asked for `ID` by its name, alone, it has 1 in row 0, the file a; without names it reads all" in seen.sentence
    )


@pytest.mark.parametrize("engine", ["pyarrow", "polars"])
def test_a_reader_that_tells_case_is_asked_for_each_column_and_reads_all(tmp_path, engine):
    path = tmp_path / "twins.parquet"
    pq.write_table(TWINS, path)
    with pqexplore.open(path) as file:
        (seen,) = runs.run(file, str(path), [engine])
    if seen.verdict is not Verdict.ABSENT:
        assert seen.verdict is Verdict.READS
        assert (
            seen.sentence == "reads it all: all values of 3 columns are as we read them, together and each by its name"
        )


def test_what_was_not_asked_by_name_is_not_claimed(tmp_path):
    path = tmp_path / "twins.parquet"
    pq.write_table(TWINS, path)
    with pqexplore.open(path) as file:
        out = str(tmp_path / "out")
        worker.read("pyarrow", str(path), out, ["id", "ID", "x"], seconds=-1.0)
        seen = runs.judge(file, "pyarrow", runs.outcome(out, ""))
    assert seen.sentence == "reads it all: all values of 3 columns are as we read them"


def test_a_dictionary_that_changes_between_row_groups_is_no_refusal(tmp_path):
    """The worker writes what a reader gives as it comes: chunks may have different dictionaries."""
    path = tmp_path / "words.parquet"
    words = pa.array([f"w{k // 4}" for k in range(40)]).dictionary_encode()
    pq.write_table(pa.table({"w": words}), path, row_group_size=8)
    with pqexplore.open(path) as file:
        for seen in runs.run(file, str(path), ["pyarrow", "polars", "DataFusion"]):
            assert seen.verdict in (Verdict.READS, Verdict.ABSENT), str(seen)


def test_a_run_that_is_not_as_predicted_says_so_first(tmp_path, monkeypatch):
    path = tmp_path / "a.parquet"
    pq.write_table(TABLE, path)

    def refusing(file, path):
        return [runs.judge(file, "pyarrow", runs.Outcome("1.0", "a new error"))]

    monkeypatch.setattr("pqexplore.insight.doctor.readers.file_readers.run", refusing)
    found = pqexplore.diagnose(path).readers(run=True)
    assert found.sentence == "Other than predicted: pyarrow. Run here: pyarrow refuses."
    assert found["pyarrow"].predicted == "reads it all"
    assert f"pyarrow {VERSIONS['pyarrow']} is predicted otherwise: reads it all" in found["pyarrow"].sentence
