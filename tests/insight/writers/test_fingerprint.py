"""Who wrote a file, by its marks alone: files of the writers that are installed, near misses, and the corpus."""

import collections

import made
import pyarrow as pa
import pytest
from insight.writers.installed_writers import (
    FLAT,
    NESTED,
    datafusion,
    duckdb,
    fastparquet,
    ours,
    polars,
    pyarrow,
    pyarrow_of_old,
)
from needs import has

import pqexplore
from pqexplore.insight.writers import fingerprint
from pqexplore.insight.writers.fingerprint import MEASURED, MISNAMED, PRINTS, disagrees, family, guess, identify
from pqexplore.insight.writers.known import BY_NAME
from pqexplore.insight.writers.writer import named

ARROW = next(
    (
        text
        for version, text in (("22", "22 or newer"), ("20", "20 or newer"), ("18", "18 or 19"))
        if has("pyarrow", version)
    ),
    "before 18",
)

# writer | table, the name by its marks, the versions by its marks
WRITTEN = [
    (pyarrow, FLAT, "arrow-cpp", ARROW),
    (pyarrow, NESTED, "arrow-cpp", ARROW),
    (pyarrow_of_old, FLAT, "arrow-cpp", ARROW),
    (duckdb, FLAT, "duckdb", ""),
    (duckdb, NESTED, "duckdb", ""),
    (polars, FLAT, "polars", ""),
    (datafusion, FLAT, "arrow-rs", "50 or newer"),
    (fastparquet, FLAT, "fastparquet", ""),
    (ours, FLAT, None, ""),
    (ours, NESTED, None, ""),
]


def _files(path):
    return [path] if path.is_file() else sorted(path.rglob("*.parquet"))


@pytest.mark.parametrize(("write", "table", "name", "versions"), WRITTEN)
def test_a_file_is_known_by_its_marks(write, table, name, versions, tmp_path):
    write(table, tmp_path / "file.parquet")
    for path in _files(tmp_path / "file.parquet"):
        with pqexplore.open(path) as file:
            found = guess(file)
            assert (found and found.name) == name
            assert disagrees(file) is None
            if found:
                assert found.version_text.endswith(versions) and found.version is None
                assert found.why and found.text == ""


def patched(created_by):
    """A file of pyarrow with another created_by of the same length."""
    data = made.parquet(FLAT)
    stored = f"parquet-cpp-arrow version {pa.__version__}".encode()
    assert data.count(stored) == 1 and len(created_by) <= len(stored)
    return data.replace(stored, created_by.encode().ljust(len(stored)))


def test_the_report_names_who_probably_wrote_a_file():
    report = pqexplore.diagnose(patched(""))
    assert report.writer.name == "arrow-cpp" and report.writer.why
    assert ", probably by Arrow C++ " in report.what
    report = pqexplore.diagnose(patched("Polars"))
    assert (report.writer.name, report.writer.why) == ("polars", ())
    assert report.what.endswith(", by Polars")


@pytest.mark.parametrize(("created_by", "expected"), [
    ("parquet-mr version 1.13.1", "arrow-cpp"),
    ("DuckDB", "arrow-cpp"),
    ("parquet-cpp-velox", None),
    ("somebody", None),
    ("AWS", None),
    ("", None),
])  # fmt: skip
def test_a_created_by_that_the_marks_contradict(created_by, expected):
    data = patched(created_by)
    with pqexplore.open(data) as file:
        found = disagrees(file)
    assert (found and found.name) == expected
    said = [one for one in pqexplore.diagnose(data).findings if one.rule == "writer-disagrees"]
    assert len(said) == (expected is not None)
    for one in said:
        assert "the footer looks as Arrow C++ writes it: the root of the schema is named" in one.sentence


def test_a_file_without_row_groups_is_not_known():
    with pqexplore.open(made.ours(FLAT.slice(0, 0))) as file:
        assert identify(file).name == "pqexplore"
        assert fingerprint.facts(file) is None or guess(file) is None


@pytest.mark.parametrize(("keys", "name"), [({"sfVer": "1"}, "snowflake"), ({"sfver": "1"}, None)])
def test_a_key_that_only_one_writer_writes(keys, name):
    writer = pqexplore.diagnose(made.ours(FLAT, created_by=None, key_value_metadata=keys)).writer
    assert (writer and writer.name) == name


UNNAMED = {
    "zero_offset_row_group.parquet": "snowflake",
    "nil-statistics.parquet": "xitongsys",
    "sorting-col.parquet": "xitongsys",
    "v2_page.parquet": None,
    "concatenated_gzip_members.parquet": None,
}


def test_files_of_the_corpus_without_created_by(corpus):
    found = {}
    for name in UNNAMED:
        [path] = corpus.rglob(name)
        with pqexplore.open(path) as file:
            assert not file.created_by
            writer = identify(file)
            found[name] = writer and writer.name
    assert found == UNNAMED


def test_every_print_is_of_a_known_writer_and_measured():
    assert {one.library for one in PRINTS} == set(MEASURED)
    assert set(MEASURED) <= set(BY_NAME) and set(fingerprint.FAMILIES) <= set(BY_NAME)
    named_rightly = sum(right for _, right in MEASURED.values())
    assert named_rightly / (named_rightly + MISNAMED) >= 0.95


def _measure(corpus):
    """By writer, files and those named rightly; the files named wrongly; those whose created_by is contradicted."""
    counts, right = collections.Counter(), collections.Counter()
    wrong, contradicted = [], []
    paths = sorted(path for path in corpus.rglob("*") if path.is_file() and path.suffix != ".csv")
    for path in paths:
        with path.open("rb") as head:
            if head.read(4) != b"PAR1":
                continue
        try:
            with pqexplore.open(path) as file:
                writer = named(file.created_by)
                found = guess(file)
                if disagrees(file) is not None:
                    contradicted.append(path.name)
        except pqexplore.ParquetError:
            continue
        if writer is None:
            continue
        name = family(writer.name)
        counts[name] += 1
        right[name] += found is not None and found.name == name
        if found is not None and found.name != name:
            wrong.append(path.name)
    return {name: (counts[name], right[name]) for name in MEASURED}, wrong, contradicted


def test_the_measured_figures_are_those_of_the_corpus(corpus):
    counts, wrong, contradicted = _measure(corpus)
    assert counts == MEASURED
    assert wrong == ["overflow_i16_page_cnt.parquet"] and len(wrong) == MISNAMED
    assert contradicted == []
