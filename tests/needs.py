"""Tests that use what only newer versions of a package have. `make oldest` runs without them, `make test` with all.

Mark as narrowly as possible, and say what is missing: the project itself works with every version that pyproject
allows.
"""

import importlib.metadata
import re

import pyarrow.parquet as pq
import pytest


def has(package: str, version: str) -> bool:
    """Whether a package is installed in at least `version`."""
    try:
        return numbers(importlib.metadata.version(package)) >= numbers(version)
    except importlib.metadata.PackageNotFoundError:
        return False


def needs(package: str, version: str, why: str) -> pytest.MarkDecorator:
    """Skips a test where the package is older than `version`."""
    return pytest.mark.skipif(not has(package, version), reason=f"{package} < {version}: {why}")


def arrow_takes(option: str) -> bool:
    """Whether pyarrow's writer has an option."""
    return option in (pq.write_table.__doc__ or "")


def require_options(options) -> None:
    """Skips a test whose file pyarrow's writer cannot make, for lack of an option."""
    for option in options:
        if not arrow_takes(option):
            pytest.skip(f"pyarrow writes no {option}")


def require_duckdb() -> None:
    """Skips a test whose file DuckDB writes, or reads as it is predicted, if DuckDB is not of the versions that this is said of."""
    if not has("duckdb", DESCRIBED):
        pytest.skip(f"DuckDB < {DESCRIBED} writes and reads otherwise than is said of DuckDB")


def sorting(*arguments, **options):
    """A `SortingColumn` of pyarrow; skips a test where pyarrow has none."""
    if not hasattr(pq, "SortingColumn"):
        pytest.skip("pyarrow declares no order")
    return pq.SortingColumn(*arguments, **options)


def needs_option(option: str) -> pytest.MarkDecorator:
    """Skips a test where pyarrow's writer lacks an option."""
    return pytest.mark.skipif(not arrow_takes(option), reason=f"pyarrow writes no {option}")


def needs_pyarrow(version: int, why: str) -> pytest.MarkDecorator:
    """Skips a test where pyarrow is older than `version`."""
    return needs("pyarrow", str(version), why)


def numbers(version: str) -> tuple[int, ...]:
    """The parts of a version that are compared."""
    return tuple(int(number) for number in re.findall(r"\d+", version)[:3])


DESCRIBED = "1.3"
DUCKDB = needs("duckdb", DESCRIBED, "it writes and reads otherwise than is said of DuckDB")
CHECKSUMS = needs_pyarrow(15, "it writes no page checksums")
LOCAL_TIMES = needs_option("write_time_adjusted_to_utc")
"""Older ones write each TIME as one in UTC."""
ANY_BYTE_STREAM_SPLIT = needs_pyarrow(17, "it writes BYTE_STREAM_SPLIT of floats only")
ONE_COLUMN_METADATA = needs_pyarrow(18, "it writes a second copy of each ColumnMetaData, a gap")
