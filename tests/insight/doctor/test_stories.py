"""Files with one story each: the first sentence names its rule and its column. And sound files, which have no problems."""

import io

import numpy as np
import polars
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from insight.doctor.doctor_cases import NOISE, NUMBERS, ours, sample, urls, wide, with_gap, written
from insight.doctor.test_ordinary import TABLES, WRITERS
from made import rebuilt

import pqexplore
from pqexplore.insight.doctor import verdict

RANDOM = np.random.default_rng(7)
N = pa.table({"n": pa.array(range(1_000), pa.int32())})
META = "row_groups__{}__columns__0__meta_data__"
STATISTICS = META + "statistics__"


def low(value):
    return value.to_bytes(4, "little", signed=True)


def torn(data, fraction):
    """A file with some bytes of its pages overwritten."""
    made = bytearray(data)
    at = int(len(made) * fraction)
    made[at : at + 64] = b"\xff" * 64
    return bytes(made)


def changed(data, group=0, **changes):
    return rebuilt(data, **{META.format(group) + name: value for name, value in changes.items()})


def bounded(data, group=0, **changes):
    return rebuilt(data, **{STATISTICS.format(group) + name: value for name, value in changes.items()})


def checksummed():
    data = bytearray(written(N, write_page_checksum=True, compression="none", use_dictionary=False))
    data[100] ^= 1
    return bytes(data)


def unsorted():
    table = pa.table({"n": RANDOM.permutation(1_000)})
    return written(table, sorting_columns=[pq.SortingColumn(0)])


def by_polars(table, **options):
    out = io.BytesIO()
    polars.from_arrow(table).write_parquet(out, **options)
    return out.getvalue()


STORIES = {
    # what is wrong: the file, the rule, the column ("" for a story of the file)
    "a maximum that loses rows": (lambda: bounded(written(N), max_value=low(500)), "statistics-bound", "n"),
    "a false max, and a false number of distinct values": (
        lambda: bounded(written(N), max_value=low(500), max=low(500), distinct_count=7),
        "statistics-bound", "n",
    ),
    "a minimum that loses rows": (lambda: bounded(written(N), min_value=low(5)), "statistics-bound", "n"),
    "a maximum in the second row group": (
        lambda: bounded(written(N, row_group_size=500), 1, max_value=low(600)), "statistics-bound", "n",
    ),
    "a maximum of polars that loses rows": (lambda: bounded(by_polars(N), max_value=low(1)), "statistics-bound", "n"),
    "minimum above maximum": (lambda: bounded(written(N), min_value=low(5_000)), "statistics-inverted", "n"),
    "no nulls, by a wrong count": (
        lambda: bounded(written(pa.table({"n": pa.array([1, None], pa.int32())})), null_count=0),
        "statistics-null-count", "n",
    ),
    "all nulls, by a wrong count": (lambda: bounded(written(N), null_count=1_000), "statistics-null-count", "n"),
    "rows that are not sorted": (unsorted, "not-sorted", ""),
    "a page that was changed": (checksummed, "crc-mismatch", "n"),
    "a page that does not decode": (lambda: torn(written(NOISE, compression="gzip", use_dictionary=False), 0.3), "unreadable", "noise"),
    "a page of polars that does not decode": (lambda: torn(by_polars(NOISE, compression="gzip"), 0.3), "unreadable", "noise"),
    "a row group with other rows than its columns": (lambda: rebuilt(written(N), row_groups__0__num_rows=999), "rows-disagree", ""),
    "a file with other rows than its row groups": (lambda: rebuilt(written(N), num_rows=9), "row-count-disagrees", ""),
    "fewer values than stated": (lambda: changed(written(N), num_values=2_000), "num-values-disagree", "n"),
    "pages before the file": (lambda: changed(written(N), data_page_offset=-1), "unreadable", "n"),
    "a codec that does not exist": (lambda: changed(written(N), codec=99), "unsupported", "n"),
    "another type than the schema": (lambda: changed(written(N), type=2), "type-disagrees", "n"),
    "another column's path": (lambda: changed(written(N), path_in_schema=["m"]), "path-disagrees", "n"),
    "two columns of one name": (
        lambda: written(pa.Table.from_arrays([pa.array([1]), pa.array([2])], ["a", "a"])), "duplicate-names", "a",
    ),
    "names that differ in case": (lambda: written(pa.table({"city": [1], "City": [2]})), "names-differ-in-case", "city"),
    "1,000 row groups of one row": (lambda: written(NUMBERS.slice(0, 6_000), row_group_size=5), "small-row-groups", ""),
    "small row groups of DuckDB's kind": (lambda: ours(NUMBERS, row_group_rows=100), "small-row-groups", ""),
    "a footer larger than the data": (lambda: wide(400, 5), "large-footer", ""),
    "tiny pages": (
        lambda: written(NOISE, compression="gzip", use_dictionary=False, data_page_size=64, write_batch_size=8),
        "small-pages", "noise",
    ),
    "a Bloom filter that is too large": (
        lambda: ours(NUMBERS, columns={"n": {"bloom_filter": True, "bloom_filter_bytes": 1 << 20}}),
        "bloom-filter-oversized", "n",
    ),
    "a Bloom filter that is too small": (
        lambda: ours(NUMBERS, columns={"n": {"bloom_filter": True, "bloom_filter_bytes": 2_048}}),
        "bloom-filter-too-full", "n",
    ),
    "no statistics": (lambda: written(NUMBERS, row_group_size=10_000, write_statistics=False), "no-statistics", "n"),
    "bounds cut to a common prefix": (
        lambda: ours(urls("https://example.org/"), row_group_rows=500, statistics_bytes=16), "bounds-too-short", "url",
    ),
    "bytes of nobody": (lambda: with_gap(100_000), "unused-bytes", ""),
    "key-value metadata that weighs most": (
        lambda: ours(NUMBERS.slice(0, 10), key_value_metadata={"k": "v" * 100_000}), "heavy-key-values", "",
    ),
    "numbers that count up, stored whole": (lambda: written(pa.table({"id": np.arange(1_500_000)})), "encoding-smaller", "id"),
    "lists in an old layout": (lambda: sample("legacy-lists"), "legacy-lists", ""),
}  # fmt: skip


@pytest.mark.parametrize("name", STORIES)
def test_the_first_sentence_names_the_story(name):
    make, rule, column = STORIES[name]
    report = pqexplore.diagnose(make())
    worst = report.findings[0]
    assert worst.rule == rule, report.sentence
    assert report.sentence.startswith(verdict.lead(worst))
    if column:
        assert worst.column == column and f"`{column}`" in verdict.lead(worst)


def sound():
    """Sound files by pyarrow, DuckDB, polars and us, of numbers, text, lists, times, decimals and nulls."""
    for table in TABLES:
        for writer in WRITERS:
            yield f"{table}, by {writer}", table, writer


@pytest.mark.parametrize(("table", "writer"), [one[1:] for one in sound()], ids=[one[0] for one in sound()])
def test_a_sound_file_has_no_problems(table, writer, tmp_path):
    report = pqexplore.diagnose(WRITERS[writer](TABLES[table](), tmp_path))
    assert report.sentence.startswith("No problems found (footer"), report.sentence
