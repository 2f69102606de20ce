"""How schemas differ within a table: which files, since when, by whom, and what engines make of it."""

import datetime
import json
import os

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pqexplore.insight.diff.engines import Outcome
from pqexplore.lake import scan
from pqexplore.lake.doctor.drift import DriftFile, drift, judged

I32, I64 = pa.int32(), pa.int64()


def write(folder, **tables):
    for name, table in tables.items():
        place = folder / f"day=2026-11-0{name[-1]}" / f"{name}.parquet"
        place.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(table, place)


def n(kind):
    return pa.table({"n": pa.array([1, 2], kind)})


CASES = {
    # files (the digit is the day), what, columns, files that differ, outcomes of Spark, DuckDB, pyarrow, polars
    "wider": ({"a1": n(I32), "b2": n(I64), "c3": n(I64)}, "type", ("n",), "b2 c3", "fails widens widens fails"),
    "narrower": ({"a1": n(I64), "b2": n(I32)}, "type", ("n",), "b2", "widens widens widens fails"),
    "case": ({"a1": n(I64), "b2": n(I64).rename_columns(["N"])}, "name-case", ("N",), "b2", "harmless harmless loses fails"),
    "order": ({"a1": pa.table({"n": [1], "m": ["x"]}), "b2": pa.table({"m": ["x"], "n": [1]})}, "column-order", ("m",),
        "b2", "harmless harmless harmless harmless"),
    "added": ({"a1": n(I64), "b2": pa.table({"n": [1], "m": [1]})}, "column-added", ("m",), "b2", "loses loses loses fails"),
    "removed": ({"a1": pa.table({"n": [1], "m": [1]}), "b2": n(I64)}, "column-removed", ("m",), "b2", "harmless fails harmless fails"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_a_difference_names_its_files_since_when_by_whom_and_what_engines_do(case, tmp_path):
    tables, what, columns, files, outcomes = CASES[case]
    write(tmp_path / "t", **tables)
    found = scan(None, tmp_path / "t", out=tmp_path / "store", processes=0).drift()
    (one,) = found.differences
    assert (one.what, one.columns) == (what, columns)
    assert [os.path.basename(path)[:2] for path in one.files] == files.split()
    assert os.path.basename(one.first_file) == "a1.parquet" and one.of == len(tables)
    assert (one.since, one.dated_by) == ("2026-11-02", "partition folder")
    assert one.writers == ((f"parquet-cpp-arrow {pa.__version__}", len(one.files)),)
    seen = [one.outcomes[engine].value for engine in ("Spark", "DuckDB", "pyarrow", "polars")]
    assert seen == outcomes.split()
    assert one.sentence.endswith(f", since 2026-11-02, written by {one.writers[0][0]}.")
    [row] = found.table.to_pylist()
    assert [row[engine] for engine in ("spark", "duckdb", "pyarrow", "polars")] == seen
    assert json.loads(row["engines"]) == one.engines and tuple(row["files"]) == one.files


def test_equal_schemas_do_not_differ(tmp_path):
    write(tmp_path / "t", a1=n(I64), b2=n(I64))
    write(tmp_path / "u", a1=n(I32))  # another table
    found = scan(None, tmp_path, out=tmp_path / "store", processes=0).drift()
    assert found.differences == () and found.table.num_rows == 0
    assert found.sentence == "All 3 files have the same columns in each table."


def test_what_engines_cannot_read_comes_first(tmp_path):
    first = pa.table({"a": pa.array([1.0], pa.float32()), "b": [1], "c": [1]})
    write(tmp_path / "t", a1=first, b2=pa.table({"c": [1], "b": ["x"], "a": [0.1]}))
    found = scan(None, tmp_path / "t", out=tmp_path / "store", processes=0).drift()
    assert [one.columns[0] for one in found.differences] == ["b", "a", "c"]
    assert found.sentence.startswith(
        "1 file has `b` as STRING in BYTE_ARRAY in place of INT64, since 2026-11-02, written by parquet-cpp-arrow"
    )
    assert "DuckDB, polars, pyarrow and Spark fail, Iceberg does not allow it." in found.sentence
    assert found.sentence.endswith("And 2 more differences.")


def test_of_a_table_with_a_log_no_engine_that_reads_folders_is_judged(tmp_path):
    deltalake = pytest.importorskip("deltalake")
    deltalake.write_deltalake(tmp_path / "t", n(I64))
    more = pa.table({"n": [1], "m": [datetime.date(2024, 1, 1)]})
    deltalake.write_deltalake(tmp_path / "t", more, mode="append", schema_mode="merge")
    found = scan(None, tmp_path / "t", out=tmp_path / "store", processes=0).drift()
    (one,) = found.differences
    assert (one.what, dict(one.outcomes)) == ("column-added", {})


FAILS, LOSES, WIDENS, HARMLESS = Outcome.FAILS, Outcome.LOSES, Outcome.WIDENS, Outcome.HARMLESS


@pytest.mark.parametrize("seen, said", [
    ({}, ""),
    ({"Spark": HARMLESS, "Iceberg": HARMLESS}, ""),
    ({"Spark": FAILS, "polars": FAILS, "DuckDB": LOSES}, "DuckDB loses values, polars and Spark fail."),
    ({"pyarrow": WIDENS, "Iceberg": FAILS}, "pyarrow widens, Iceberg does not allow it."),
])  # fmt: skip
def test_outcomes_in_words(seen, said):
    assert judged(seen) == said


def test_an_engine_that_leaves_a_column_out_loses_no_values():
    words = {"Spark": "leaves the new column out without mergeSchema", "DuckDB": "refuses without union_by_name = true"}
    seen = {"Spark": LOSES, "DuckDB": FAILS, "pyarrow": LOSES, "polars": FAILS}
    assert judged(seen, words) == (
        "pyarrow loses values, Spark leaves out what the first file lacks, polars fails, DuckDB needs an option."
    )


def test_a_table_of_iceberg_is_judged_by_its_rules_from_its_oldest_file_on(tmp_path):
    pytest.importorskip("pyiceberg")
    from pyiceberg.catalog.sql import SqlCatalog
    from pyiceberg.types import LongType

    catalog = SqlCatalog("tests", uri="sqlite:///:memory:", warehouse=f"file://{tmp_path}")
    catalog.create_namespace("n")
    table = catalog.create_table("n.t", schema=n(I32).schema)
    table.append(n(I32))
    with table.update_schema() as update:
        update.update_column("n", LongType())
    table.append(n(I64))
    found = scan(None, tmp_path / "n", out=tmp_path / "store", processes=0).drift()
    (one,) = found.differences
    assert (one.first, one.second, len(one.files)) == ("INT32", "INT64", 1)
    assert one.outcomes == {"Iceberg": Outcome.WIDENS}
    assert one.engines == {"Iceberg": "allows the promotion"}


def test_a_schema_that_is_not_stored_is_said_not_to_be_compared():
    files = [DriftFile(f"t/{name}", "t", name, "", 0, "", "") for name in "ab"]
    found = drift(files, {"a": None, "b": None}, {})
    assert found.differences == ()
    assert found.sentence.endswith(" 1 more schema was not compared.")


SEVERITIES = [
    # the first file's table, the second's, rule, severity
    (n(I64), n(I32), "types-differ", "portability"),  # polars fails, and has an option
    (n(I64), pa.table({"n": ["1", "2"]}), "types-differ", "wrong answer possible"),  # Spark and polars cannot read it
    (n(I64), pa.table({"n": [[1]]}), "columns-differ", "wrong answer possible"),  # no engine can
    (n(pa.float32()), n(pa.float64()), "types-differ", "wrong answer possible"),
    (n(I64), n(I64).rename_columns(["N"]), "column-case-differs", "wrong answer possible"),
    (n(I64), n(I64).append_column("m", [[1, 2]]), "columns-differ", "portability"),
    (n(I64), n(I64).cast(pa.schema([pa.field("n", I64, False)])), "nullability-differs", "note"),  # Iceberg's rules alone
]  # fmt: skip


@pytest.mark.parametrize("first, second, rule, severity", SEVERITIES)
def test_a_finding_is_as_bad_as_what_engines_that_read_the_table_do(first, second, rule, severity, tmp_path):
    write(tmp_path / "t", a1=first, b2=second)
    report = scan(None, tmp_path / "t", out=tmp_path / "store", processes=0).report(processes=0)
    [finding] = report.diagnosis.findings
    assert (finding.rule, finding.severity.value) == (rule, severity)
    only = "Iceberg does not allow it"
    assert finding.cost.text.startswith(only if severity == "note" else "read as one table, ")
    [action] = report.actions
    assert "Iceberg" not in action.breaks and ("polars" in action.breaks) == (severity != "note")


def two_columns(kind):
    return pa.table({"n": pa.array([1], kind), "m": pa.array([1], kind), "s": ["x"]})


FOUND = {
    # files, then of each finding: rule, the files that it names, words after the names
    "the first file is the odd one": ({"a1": n(I32), "b2": n(I64), "c3": n(I64)},
        [("types-differ", "a1", "`n` is INT64 in 2 files and INT32 in 1 file, since 2026-11-01")]),
    "columns that differ in the same way are one finding": (
        {"a1": two_columns(I64), "b2": two_columns(I64), "c3": two_columns(I32)},
        [("types-differ", "c3", "`m` and `n` are INT64 in 2 files and INT32 in 1 file")],
    ),
    "columns that differ in other ways are several": (
        {"a1": two_columns(I64), "b2": two_columns(I64).set_column(0, "n", [["y"]]), "c3": two_columns(I64).drop_columns("m")},
        [
            ("types-differ", "b2", "`n` is INT64 in 2 files and STRING in BYTE_ARRAY in 1 file"),
            ("columns-differ", "c3", "`m` is lacking in 1 file"),
        ],
    ),
    "only one file has a column": ({"a1": n(I64), "b2": n(I64), "c3": n(I64).append_column("m", [[1, 2]])},
        [("columns-differ", "a1 b2", "`m` is lacking in 2 files: only day=2026-11-03/c3.parquet has it")]),
    "the first file alone lacks a column": (
        {"a1": n(I64), "b2": n(I64).append_column("m", [[1, 2]]), "c3": n(I64).append_column("m", [[1, 2]])},
        [("columns-differ", "a1", "`m` is lacking in 1 file")],
    ),
    "three types": ({"a1": n(I32), "b2": n(I64), "c3": n(pa.float64()), "d4": n(I64)},
        [("types-differ", "a1 c3", "`n` is INT64 in 2 files, INT32 in 1 file and DOUBLE in 1 file")]),
}  # fmt: skip


@pytest.mark.parametrize("case", FOUND)
def test_findings_name_the_files_that_are_unlike_most(case, tmp_path):
    tables, expected = FOUND[case]
    write(tmp_path / "t", **tables)
    with scan(None, tmp_path / "t", processes=0) as lake:
        found = [one for one in lake.diagnose(processes=0).findings if one.rule.endswith("-differ")]
    assert [(one.rule, " ".join(os.path.basename(path)[:2] for path in one.together)) for one in found] == [
        (rule, files) for rule, files, _ in expected
    ]
    for one, (_, _, words) in zip(found, expected, strict=True):
        assert words in one.sentence
