"""Files of other writers have no errors, except the known ones."""

import csv

import pytest

import pqexplore

LARGEST = 12_000
EVERY = 8
"""One file in so many is checked; all of them by `make test-full`."""

KNOWN = {
    # Pages are called null pages with counts of -1, because the writer kept no statistics.
    "datapage_v1-uncompressed-checksum.parquet": {"null-page-disagrees", "page-index"},
    # Written as plain bytes and annotated afterwards: the bounds follow the order of bytes.
    "list_float16_test.parquet": {"statistics-bound", "page-statistics-bound"},
    "typed_accessors_issue_445.parquet": {"statistics-inverted", "page-statistics-inverted"},
    "legacy_converted_types_test.parquet": {"statistics-inverted", "page-statistics-inverted"},
    # Values of 50 and 51 bytes are counted as 43 and 45: the suffixes of DELTA_BYTE_ARRAY.
    "delta_byte_array_test.parquet": {"unencoded-bytes-disagree"},
}
WRITERS = ("parquet-cpp-arrow", "parquet-mr", "DuckDB", "Polars", "parquet-rs")


def files(corpus):
    with (corpus / "catalog.csv").open(newline="") as catalog:
        for row in csv.DictReader(catalog):
            small = row["klass"] == "valid" and int(row["size"]) <= LARGEST
            if small and row["created_by"].startswith(WRITERS):
                yield corpus / row["path"]


def errors(path):
    with pqexplore.open(path) as file:
        return {finding.rule for finding in file.check() if finding.severity.level == "error"}


def wrong(paths):
    return {str(path): found for path in paths if (found := errors(path)) != KNOWN.get(path.name, set())}


def test_valid_files_have_no_errors(corpus):
    assert wrong(list(files(corpus))[::EVERY]) == {}


def test_known_faults_are_errors(corpus):
    known = [path for path in files(corpus) if path.name in KNOWN]
    assert len(known) >= 4
    assert wrong(known) == {}


@pytest.mark.full
def test_all_valid_files_have_no_errors(corpus):
    assert wrong(files(corpus)) == {}
