"""Every readable file of the corpus is written anew: it has the same values, by our reader, pyarrow's and DuckDB's."""

import collections

import duckdb
import pytest
from engine.writer.rewritten import OPTIONS, by_arrow, by_duckdb, kept, same

import pqexplore
from pqexplore.engine.errors import ParquetError, UsageError

NOT_WRITTEN = {"geography_algorithm.parquet": "GEOGRAPHY values are WKB; value 0 is not"}
"""Files that can be read and not written, with the reason."""

READ_OTHERWISE = {"alltypes_agg_bitpacked_def_levels.parquet"}
"""Files that pyarrow reads wrongly before they are written anew: their levels are BIT_PACKED."""

TOO_DEEP = "max_nesting_depth"
"""In the paths of files whose types take DuckDB minutes: each level doubles the time."""


def is_parquet(path):
    """Whether a file begins as Parquet files do, whatever its name."""
    with path.open("rb") as file:
        return file.read(4) in (b"PAR1", b"PARE")


def files(corpus, every):
    """Every `every`th Parquet file of the corpus, also those that its catalog does not name."""
    paths = sorted(path for path in corpus.rglob("*") if path.is_file())
    return [path for path in paths if is_parquet(path)][::every]


@pytest.mark.parametrize("every", [200, pytest.param(1, marks=pytest.mark.full)])
def test_files_written_anew_have_the_same_values(corpus, tmp_path, every, record_property):
    counts, differ = collections.Counter(), set()
    target = tmp_path / "new.parquet"
    connection = duckdb.connect()
    for source in files(corpus, every):
        try:
            with pqexplore.open(source) as file:
                file.read()
            before = kept(source)
        except (ParquetError, OSError):
            counts["files that cannot be read"] += 1
            continue
        counts["files"] += 1
        arrow = by_arrow(source)
        duck = None if TOO_DEEP in str(source) else by_duckdb(connection, source)
        for options in OPTIONS.values():
            try:
                pqexplore.rewrite(source, target, options, overwrite=True)
            except UsageError as error:
                assert NOT_WRITTEN[source.name] in str(error)
                counts["not written"] += 1
                continue
            counts["written"] += 1
            after = kept(target)
            assert after[:2] == before[:2], source
            assert after[2] <= before[2], source
            if arrow is not None:
                counts["compared by pyarrow"] += 1
                if not same(arrow, by_arrow(target)):
                    differ.add(source.name)
            if duck is not None:
                counts["compared by DuckDB"] += 1
                assert by_duckdb(connection, target) == duck, source
    record_property("stated", f"rewritten: {dict(counts)}")
    assert differ <= READ_OTHERWISE
    assert counts["files"] >= 1_000 / every
    assert counts["compared by DuckDB"] >= 1.9 * 900 / every
    assert counts["compared by pyarrow"] >= 1.9 * 1_000 / every
