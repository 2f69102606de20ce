"""Files with one story each: the first sentence names its rule and its column. And sound files, which have no problems."""

import datetime
import io
import json
import uuid

import duckdb
import numpy as np
import polars
import pyarrow as pa
import pytest
from insight.doctor.cases_bytes import LONG_TEXTS, REQUESTS, empty
from insight.doctor.cases_metadata import decimals, geo, keyed, spark
from insight.doctor.doctor_cases import NOISE, NUMBERS, urls, wide, with_gap, written
from insight.doctor.test_ordinary import TABLES, WRITERS
from made import ours, rebuilt, sample
from needs import require_duckdb, sorting

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
    return written(table, sorting_columns=[sorting(0)])


def by_polars(table, **options):
    out = io.BytesIO()
    polars.from_arrow(table).write_parquet(out, **options)
    return out.getvalue()


def by_duckdb(table, tmp_path, **options):
    """A file of DuckDB, with options of COPY."""
    require_duckdb()
    path = tmp_path / "duckdb.parquet"
    connection = duckdb.connect()
    connection.register("given", table)
    given = "".join(f", {key} {value}" for key, value in options.items())
    connection.execute(f"COPY given TO '{path}' (FORMAT parquet{given})")
    return path


MANY = 400_000
IDS = pa.table({"id": np.arange(MANY) + 10**12, "noise": RANDOM.integers(0, 2**60, MANY)})
FEW = pa.table({"k": RANDOM.integers(0, 2**60, 100)[RANDOM.integers(0, 100, MANY)]})
WORDS = [f"{number:020x}" for number in RANDOM.integers(0, 2**62, 60_000)]
OFTEN = pa.table({"word": pa.array(WORDS).take(RANDOM.integers(0, 60_000, MANY))})
UNIQUE = pa.table({"key": RANDOM.integers(0, 2**60, 500_000)})
BARE = {"compression": "none", "use_dictionary": False}
PLAIN = {"use_dictionary": False}


def texts(values, rows=100_000):
    """A column of text, and one of numbers without order."""
    return pa.table({"t": [values(n) for n in range(rows)], "n": RANDOM.integers(0, 2**30, rows).astype(np.int32)})


def uuids():
    raw = RANDOM.bytes(16 * 40_000)
    return texts(lambda n: str(uuid.UUID(bytes=raw[16 * n : 16 * n + 16])), 40_000)


def in_groups(**columns):
    """A file of 8 row groups of 5,000 rows."""
    return written(pa.table(columns), row_group_size=5_000)


ROWS = np.arange(40_000)
DAY = pa.array(RANDOM.integers(0, 9_000, 40_000).astype(np.int32)).cast(pa.date32())
ENDS = pa.array(np.where(ROWS % 25 == 7, 2_932_896, 18_000 + ROWS // 8).astype(np.int32)).cast(pa.date32())
"""In order, but for one of 25 that never ends: 9999-12-31."""


def nested(depth):
    value = {"x": 1}
    for _ in range(depth):
        value = {"g": value}
    return pa.table({"a": [value]})


def schema_only(columns):
    """A file of a footer without row groups."""
    data = empty(columns)
    return data[:4] + data[-8 - int.from_bytes(data[-8:-4], "little") :]


def denying():
    """A file whose Bloom filter has no bit set."""
    data = bytearray(ours(NUMBERS, columns={"n": {"bloom_filter": True}}))
    with pqexplore.open(bytes(data)) as file:
        end = file.row_groups[0].columns[0].bloom_filter_span.end
    data[end - 1_024 : end] = bytes(1_024)
    return bytes(data)


STORIES = {
    # what is wrong: the file, the rule, the column ("" for a story of the file)
    "a maximum that loses rows": (lambda: bounded(written(N), max_value=low(500)), "statistics-bound", "n"),
    "a false max, and a false number of distinct values": (
        lambda: bounded(written(N), max_value=low(500), max=low(500), distinct_count=7), "statistics-bound", "n"
    ),
    "a minimum that loses rows": (lambda: bounded(written(N), min_value=low(5)), "statistics-bound", "n"),
    "a maximum in the second row group": (lambda: bounded(written(N, row_group_size=500), 1, max_value=low(600)),
        "statistics-bound", "n"),
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
    "two columns of one name": (lambda: written(pa.Table.from_arrays([pa.array([1]), pa.array([2])], ["a", "a"])),
        "duplicate-names", "a"),
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
    "bounds of pages cut to a common prefix": (
        lambda: ours(urls("https://example.org/"), page_rows=200, index_bytes=16), "index-bounds-too-short", "url",
    ),
    "bytes of nobody": (lambda: with_gap(100_000), "unused-bytes", ""),
    "key-value metadata that weighs most": (lambda: ours(NUMBERS.slice(0, 10), key_value_metadata={"k": "v" * 100_000}),
        "heavy-key-values", ""),
    "numbers that count up, stored whole": (lambda: written(pa.table({"id": np.arange(1_500_000)})), "encoding-smaller", "id"),
    "lists in an old layout": (lambda: sample("legacy-lists"), "legacy-lists", ""),
    # large: an encoding
    "an identifier that counts up, beside noise": (lambda: written(IDS), "encoding-smaller", "id"),
    "an identifier of polars that counts up": (lambda: by_polars(IDS, compression="uncompressed"), "encoding-smaller", "id"),
    "times in equal steps": (
        lambda: written(pa.table({"at": pa.array(np.arange(MANY) * 1_000_000, pa.timestamp("us"))}), **PLAIN), "encoding-smaller", "at",
    ),
    "few values without a dictionary": (lambda: written(FEW, **BARE), "encoding-smaller", "k"),
    "floats of like magnitude": (
        lambda: written(pa.table({"x": (1_000 + np.cumsum(RANDOM.normal(size=MANY)) / 10).astype(np.float32)}), compression="zstd", **PLAIN), "encoding-smaller", "x",
    ),
    "addresses that begin alike": (
        lambda: written(pa.table({"url": [f"https://example.org/{n:09}" for n in sorted(RANDOM.integers(0, 10**9, 200_000))]}), **PLAIN),
        "encoding-smaller", "url",
    ),
    # large: a codec
    "text without a codec": (lambda: written(REQUESTS, **BARE), "uncompressed", "s"),
    "text without a codec, by DuckDB": (lambda tmp: by_duckdb(REQUESTS, tmp, COMPRESSION="uncompressed"), "uncompressed", "s"),
    "text without a codec, by polars": (lambda: by_polars(REQUESTS, compression="uncompressed"), "uncompressed", "s"),
    "a codec that enlarges": (lambda: sample("sick-codec"), "codec-enlarges", "noise"),
    # large: a type
    "UUIDs as text": (lambda: written(uuids(), **PLAIN), "text-values-of-another-type", "t"),
    "UUIDs as text, by DuckDB": (lambda tmp: by_duckdb(uuids(), tmp), "text-values-of-another-type", "t"),
    "UUIDs as text, by polars": (lambda: by_polars(uuids(), compression="snappy"), "text-values-of-another-type", "t"),
    "times as text": (
        lambda: written(texts(lambda n: str(datetime.datetime(2024, 1, 1) + datetime.timedelta(seconds=n * 7_919 % 10**7)), 60_000), **BARE), "text-values-of-another-type", "t",
    ),
    "numbers as text": (lambda: written(texts(lambda n: str(n * 7_919 % 10**9 + 10**9), 100_000), **BARE), "text-values-of-another-type", "t"),
    "fractions as text": (lambda: written(texts(lambda n: f"0.{n * 7_919 % 10**9 + 1:09}", 200_000), **PLAIN), "text-values-of-another-type", "t"),
    "JSON as text": (
        lambda: written(texts(lambda n: json.dumps({"id": n * 7_919 % 10**9, "x": n * 104_729 % 10**6 / 1_000})), **PLAIN),
        "text-values-of-another-type", "t",
    ),
    "true and false as text": (
        lambda: written(pa.table({"t": pa.array(["true", "false"]).take(RANDOM.integers(0, 2, MANY))}), **BARE), "text-values-of-another-type", "t",
    ),
    "whole numbers as floats": (lambda: written(pa.table({"f": RANDOM.integers(0, 1_000, MANY).astype(float)}), **BARE),
        "whole-numbers-as-floats", "f"),
    "decimals of 16 bytes that fit 4": (lambda: decimals(9, RANDOM.integers(0, 10**7, 200_000).tolist()), "wide-decimals", "d"),
    "numbers of 8 bytes that fit 4": (lambda: written(pa.table({"n": RANDOM.integers(0, 2**31, MANY)}), **BARE),
        "wide-integers", "n"),
    "one value in each row": (lambda: written(pa.table({"v": np.full(MANY, 7)}), **BARE), "constant-column", "v"),
    # large: what is there twice, or in vain
    "two equal columns": (lambda: written(pa.table({"a": UNIQUE["key"], "b": UNIQUE["key"]}), **PLAIN), "equal-columns", "b"),
    "two equal columns, by DuckDB": (lambda tmp: by_duckdb(pa.table({"a": UNIQUE["key"], "b": UNIQUE["key"]}), tmp), "equal-columns", "b"),
    "two equal columns, by polars": (lambda: by_polars(pa.table({"a": UNIQUE["key"], "b": UNIQUE["key"]})), "equal-columns", "b"),
    "a dictionary of values that are there once": (lambda: ours(UNIQUE, dictionary_bytes=None, row_group_rows=500_000),
        "dictionary-useless", "key"),
    "a dictionary that ended too early": (lambda: written(OFTEN), "dictionary-given-up", "word"),
    "a page index that weighs": (lambda: ours(LONG_TEXTS, encoding="PLAIN", page_rows=12, index_bytes=None), "large-page-index", "t"),
    "Bloom filters that weigh": (
        lambda: ours(
            pa.table({"n": np.arange(200_000)}),
            columns={"n": {"bloom_filter": True, "encoding": "DELTA_BINARY_PACKED"}}, row_group_rows=200_000,
        ),
        "large-bloom-filters", "n",
    ),
    "key-value metadata of pyarrow that weighs most": (
        lambda: written(NUMBERS.slice(0, 10).replace_schema_metadata({"k": "v" * 100_000})), "heavy-key-values", "",
    ),
    # slow
    "small row groups of DuckDB": (lambda tmp: by_duckdb(NUMBERS, tmp, ROW_GROUP_SIZE=2_048), "small-row-groups", ""),
    "small row groups of polars": (lambda: by_polars(NUMBERS, row_group_size=100), "small-row-groups", ""),
    "a very large page": (
        lambda: ours(
            pa.table({"n": np.arange(2_097_153) // 100_000}),
            encoding="PLAIN", page_bytes=32 << 20, page_rows=None, row_group_rows=3_000_000,
        ),
        "large-pages", "n",
    ),
    "cities in no order": (lambda: in_groups(city=pa.array([f"city {n % 50}" for n in ROWS]), n=RANDOM.random(40_000)), "rows-unsorted", "city"),
    "days in no order": (lambda: in_groups(day=DAY, n=RANDOM.random(40_000)), "rows-unsorted", "day"),
    "days that never end": (lambda: in_groups(until=ENDS, n=RANDOM.random(40_000)), "sentinel-bounds", "until"),
    "-1 for unknown": (lambda: in_groups(n=np.where(ROWS % 40 == 3, -1, ROWS + 5)), "sentinel-bounds", "n"),
    "groups within groups": (lambda: written(nested(20)), "deep-nesting", "a" + ".g" * 20 + ".x"),
    "10,000 columns": (lambda: schema_only(10_000), "many-columns", ""),
    "bounds that a careful reader ignores": (
        lambda: ours(pa.table({"s": ["a", "b"] * 50}), row_group_rows=50, column_order=None), "statistics-distrusted", "s",
    ),
    # wrong, and read in another way
    "a Bloom filter that denies its values": (denying, "bloom-filter-denies", "n"),
    "a page header that is not one": (lambda: sample("sick-page"), "unreadable", ""),
    "metadata of Spark for another file": (lambda: spark(("x", "long"), ("y", "string"), ("gone", "string")),
        "spark-metadata-disagrees", ""),
    "metadata of GeoParquet for another file": (lambda: geo("shape"), "geo-metadata-disagrees", ""),
    "metadata of pandas that is no JSON": (lambda: keyed("pandas", "{"), "metadata-damaged", ""),
}  # fmt: skip


@pytest.mark.parametrize("name", STORIES)
def test_the_first_sentence_names_the_story(name, tmp_path):
    make, rule, column = STORIES[name]
    report = pqexplore.diagnose(make(tmp_path) if make.__code__.co_argcount else make())
    worst = report.findings[0]
    assert worst.rule == rule, report.sentence
    assert report.sentence.startswith(verdict.lead(worst))
    if column:
        assert worst.column == column and f"`{column}`" in verdict.headline(worst)


@pytest.mark.parametrize("name", [
    "an identifier that counts up, beside noise", "text without a codec", "UUIDs as text", "JSON as text", "whole numbers as floats",
    "decimals of 16 bytes that fit 4", "two equal columns", "a dictionary that ended too early",
])  # fmt: skip
def test_a_sample_of_the_pages_shows_it_too(name, monkeypatch):
    """A large file is not looked at whole."""
    make, rule, column = STORIES[name]
    monkeypatch.setattr("pqexplore.engine.check.sample.BUDGET", 5_000)
    report = pqexplore.diagnose(make())
    assert report.level == "sample"
    assert (report.findings[0].rule, report.findings[0].column) == (rule, column), report.sentence


def sound():
    """Sound files by pyarrow, DuckDB, polars and us, of numbers, text, lists, times, decimals and nulls."""
    for table in TABLES:
        for writer in WRITERS:
            yield f"{table}, by {writer}", table, writer


@pytest.mark.parametrize(("table", "writer"), [one[1:] for one in sound()], ids=[one[0] for one in sound()])
def test_a_sound_file_has_no_problems(table, writer, tmp_path):
    report = pqexplore.diagnose(WRITERS[writer](TABLES[table](), tmp_path))
    assert report.sentence.startswith("No problems found (footer"), report.sentence
