"""The parts of created_by, as real writers write it."""

import pytest

from pqexplore.engine.format.created_by import parse

# created_by | application, version, suffix, build
TEXTS = [
    ("parquet-mr version 1.12.3 (build f8dced18)", "parquet-mr", (1, 12, 3), "", "f8dced18"),
    ("parquet-mr version 1.5.0-cdh5.12.0-SNAPSHOT (build ${buildNumber})", "parquet-mr", (1, 5, 0), "-cdh5.12.0-SNAPSHOT", "${buildNumber}"),
    ("parquet-mr version 1.12.0-201812210311360288-a86293f (build cec1", "parquet-mr", (1, 12, 0), "-201812210311360288-a86293f", "cec1"),
    ("parquet-mr version 1.10.99.7.2.16.0-233 (build 1)", "parquet-mr", (1, 10, 99, 7, 2, 16, 0), "-233", "1"),
    ("parquet-mr version 1.6.0rc3 (build d4)", "parquet-mr", (1, 6, 0), "rc3", "d4"),
    ("parquet-mr (build 32c4)", "parquet-mr", None, "", "32c4"),
    ("parquet-mr", "parquet-mr", None, "", ""),
    ("parquet-mr version", "parquet-mr", None, "", ""),
    ("github.com/parquet-go/parquet-go version 0.27.0(build )", "github.com/parquet-go/parquet-go", (0, 27, 0), "", ""),
    ("github.com/hangxie/parquet-go v2 latest", "github.com/hangxie/parquet-go", (2, 0, 0), "latest", ""),
    ("github.com/hangxie/parquet-go/v3", "github.com/hangxie/parquet-go/v3", None, "", ""),
    ("parquet-go version latest", "parquet-go", None, "", ""),
    ("Parquet.Net version 3.3.4 (build 'eec8')", "Parquet.Net", (3, 3, 4), "", "eec8"),
    ("DuckDB version v1.1.1 (build af39)", "DuckDB", (1, 1, 1), "", "af39"),
    ("Polars (python) version 2.1.0 (build 7f90)", "Polars", (2, 1, 0), "", "7f90"),
    ("delta-rs version py-1.6.6", "delta-rs", (1, 6, 6), "", ""),
    ("(x)", "", None, "", ""),
    ("ClickHouse v25.9.1.1-testing", "ClickHouse", (25, 9, 1, 1), "-testing", ""),
    ("Arrow2 - Native Rust implementation of Arrow", "Arrow2 - Native Rust implementation of Arrow", None, "", ""),
    ("flow-php parquet version 0.5.0", "flow-php parquet", (0, 5, 0), "", ""),
    ("cpp version BuildInfo:GitBranch:master", "cpp", None, "", ""),
    ("parquet-mr version " + "9" * 5_000 + ".1", "parquet-mr", None, "", ""),
    ("x" * 200_000, "x" * 400, None, "", ""),
    (" " * 200_000, "", None, "", ""),
    ("", "", None, "", ""),
    (None, "", None, "", ""),
]  # fmt: skip


@pytest.mark.parametrize(("text", "application", "version", "suffix", "build"), TEXTS)
def test_a_created_by_is_taken_apart(text, application, version, suffix, build):
    found = parse(text)
    assert (found.application, found.version, found.suffix, found.build) == (application, version, suffix, build)
    assert found.text == (text or "")


def test_versions_compare_as_numbers():
    assert parse("a version 1.9").version < parse("a version 1.10.0").version
    assert parse("a version 1.10").version == parse("a version 1.10.0").version
