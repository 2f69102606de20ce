"""Files that the doctor's rules are about, and near misses: one row a rule."""

import dataclasses
import datetime
from collections.abc import Callable

import numpy as np
import pyarrow as pa
from made import ours, parquet, sample
from needs import require_options, sorting

RANDOM = np.random.default_rng(5)
NUMBERS = pa.table({"n": np.arange(20_000)})
NOISE = pa.table({"noise": RANDOM.random(200_000)})
HIGH = pa.table({"s": [f"{x:030}" for x in RANDOM.permutation(120_000)]})


def written(table, **options):
    """A file of pyarrow."""
    require_options(options)
    return parquet(table, **options)


def wide(columns, groups):
    table = pa.table({f"column number {i} with a long name": [1] for i in range(columns)})
    return written(pa.concat_tables([table] * groups), row_group_size=1)


def stamps(*zones):
    moment = [datetime.datetime(2024, 1, 1)]
    return pa.table({f"t{i}": pa.array(moment, pa.timestamp("us", zone)) for i, zone in enumerate(zones)})


def nulls(rows, last):
    return pa.table({"n": pa.array([None] * (rows - 1) + [last], pa.int32())})


def same_each_time(make):
    """The file of a case, the same in whatever order the cases are made."""

    def made():
        RANDOM.bit_generator.state = np.random.default_rng(5).bit_generator.state
        return make()

    return made


@dataclasses.dataclass
class Case:
    """`make()` is a file that the rule is about, `near()` one that it is not; `said` is in the sentence at `level`.

    `made` and `spared` say how these files are made, for docs/rules.md.
    """

    rule: str
    make: Callable[[], bytes]
    near: Callable[[], bytes]
    said: str
    level: str = "pages"
    made: str = ""
    spared: str = ""

    def __post_init__(self):
        self.make, self.near = same_each_time(self.make), same_each_time(self.near)


CASES = [
    Case("no-rows", lambda: written(NUMBERS.slice(0, 0)), lambda: written(NUMBERS.slice(0, 1)), "no rows",
        made="pyarrow writes a table without rows.", spared="It writes one row."),
    Case("small-row-groups", lambda: written(NUMBERS, row_group_size=100),
        lambda: written(NUMBERS, row_group_size=5_000), "200 row groups hold 100 rows (",
        made="pyarrow writes 20,000 rows in row groups of 100.", spared="The row groups have 5,000 rows."),
    Case("large-footer", lambda: wide(400, 5), lambda: wide(40, 5), "of the file: it describes 2,000 column chunks",
        made="pyarrow writes 400 columns with long names, and 5 row groups of one row.",
        spared="The file has 40 columns: its footer is small."),
    Case("codec-enlarges",
        lambda: written(NOISE, compression="gzip", use_dictionary=False, data_page_size=64, write_batch_size=8),
        lambda: written(NOISE, compression="snappy", use_dictionary=False), "makes `noise` larger",
        made="pyarrow writes random floats with GZIP, in pages of 64 bytes.",
        spared="It writes them with Snappy, in pages of the default size."),
    Case("codec-does-not-shrink", lambda: written(NOISE, compression="snappy", use_dictionary=False),
        lambda: written(HIGH, compression="snappy", use_dictionary=False),
        "SNAPPY does not shrink `noise`: 1.60 MB compressed, 1.60 MB without.",
        made="pyarrow writes random floats with Snappy.", spared="It writes numbers as text, which shrink."),
    Case("uncompressed", lambda: written(NOISE, compression="none", use_dictionary=False),
        lambda: written(NOISE, compression="zstd", use_dictionary=False),
        "are in 1 column without a codec; it is `noise` with 1.60 MB",
        made="pyarrow writes 1.6 MB of floats without a codec.", spared="It writes them with Zstandard."),
    Case("dictionary-given-up", lambda: written(HIGH, data_page_size=64 << 10, compression="none"),
        lambda: written(HIGH, use_dictionary=False), "The writer stopped using the dictionary of `s` in 1 row group",
        made="pyarrow writes 120,000 different texts: their dictionary passes 1 MiB.",
        spared="The dictionary is turned off."),
    Case("no-statistics", lambda: written(NUMBERS, row_group_size=10_000, write_statistics=False),
        lambda: written(NUMBERS, write_statistics=False), "reads all 2 row groups",
        made="pyarrow writes 2 row groups without statistics.", spared="It writes 1 row group without statistics."),
    Case("statistics-distrusted", lambda: ours(pa.table({"s": ["a", "b"] * 50}), row_group_rows=50, column_order=None),
        lambda: ours(pa.table({"s": ["a", "b"] * 50}), row_group_rows=50),
        "Careful readers ignore the bounds of 1 column (`s`)",
        made="pqexplore writes bounds of text without column orders.", spared="The footer names the column order."),
    Case("large-bloom-filters",
        lambda: ours(NUMBERS, columns={"n": {"bloom_filter": True, "bloom_filter_bytes": 1 << 20}}),
        lambda: ours(NUMBERS, columns={"n": {"bloom_filter": True, "bloom_filter_bytes": 1 << 10}}),
        "Bloom filters take 1.05 MB", level="footer",
        made="pqexplore writes 20,000 numbers with a Bloom filter of 1 MiB.", spared="The filter has 1 KiB."),
    Case("order-not-declared", lambda: written(NUMBERS, row_group_size=5_000),
        lambda: written(NUMBERS, row_group_size=5_000, sorting_columns=[sorting(0)]),
        "the 4 row groups are in the order of `n`, and", made="pyarrow writes the numbers 0 to 19,999 in 4 row groups.",
        spared="The footer declares the column as a sorting column."),
    Case("int96", lambda: written(stamps(None), use_deprecated_int96_timestamps=True), lambda: written(stamps(None)),
        "1 column stores timestamps as INT96 (`t0`)", made="pyarrow writes timestamps as INT96.",
        spared="It writes them as TIMESTAMP."),
    Case("legacy-lists", lambda: sample("legacy-lists"), lambda: written(pa.table({"l": [[1, 2]]})),
        "3 lists have an old layout", made="A sample with lists as Avro, Thrift and Hive wrote them.",
        spared="pyarrow writes a list."),
    Case("duplicate-names", lambda: written(pa.Table.from_arrays([pa.array([1]), pa.array([2])], ["a", "a"])),
        lambda: written(pa.Table.from_arrays([pa.array([1]), pa.array([2])], ["a", "b"])), "have the same name",
        made="pyarrow writes two columns of the name a.", spared="Their names are a and b."),
    Case("names-differ-in-case", lambda: written(pa.table({"city": [1], "City": [2]})),
        lambda: written(pa.table({"city": [1], "town": [2]})), "differ in case only",
        made="pyarrow writes columns of the names city and City.", spared="Their names are city and town."),
    Case("unused-bytes", lambda: with_gap(100_000), lambda: with_gap(1_000), "Nothing in the footer names 100 kB",
        made="100,000 bytes are put before the footer of a small file.", spared="Only 1,000 bytes are."),
    Case("heavy-key-values", lambda: ours(NUMBERS.slice(0, 10), key_value_metadata={"k": "v" * 100_000}),
        lambda: ours(NUMBERS.slice(0, 10), key_value_metadata={"k": "v" * 1_000}), "`k` alone takes",
        made="pqexplore writes 10 rows and 100,000 bytes of key-value metadata.",
        spared="The key-value metadata have 1,000 bytes."),
    Case("some-checksums",
        lambda: ours(pa.table({"a": [1], "b": [2]}), columns={"a": {"checksum": True}, "b": {"checksum": False}}),
        lambda: ours(pa.table({"a": [1], "b": [2]}), checksum=True),
        "have a checksum: damage of the other 2 goes unnoticed",
        made="pqexplore writes checksums for the pages of one of two columns.", spared="It writes them for both."),
    Case("bloom-filter-too-full",
        lambda: ours(NUMBERS, columns={"n": {"bloom_filter": True, "bloom_filter_bytes": 2_048}}),
        lambda: ours(NUMBERS, columns={"n": {"bloom_filter": True, "bloom_filter_fpp": 0.01}}),
        "The Bloom filters of `n` are too small in 1 row group",
        made="pqexplore writes 20,000 numbers with a Bloom filter of 2 KiB.",
        spared="The filter is sized for 1 % of false answers."),
    Case("bloom-filter-oversized",
        lambda: ours(NUMBERS, columns={"n": {"bloom_filter": True, "bloom_filter_bytes": 1 << 20}}),
        lambda: ours(NUMBERS, columns={"n": {"bloom_filter": True, "bloom_filter_fpp": 0.01}}),
        "The Bloom filters of `n` take 1.05 MB", made="pqexplore writes 20,000 numbers with a Bloom filter of 1 MiB.",
        spared="The filter is sized for 1 % of false answers."),
    Case("constant-column", lambda: written(pa.table({"v": [7] * 2_000})),
        lambda: written(pa.table({"v": [7] * 1_999 + [None]})), "`v` has one value in all rows: 7",
        made="pyarrow writes 7 in each of 2,000 rows.", spared="One of the rows is null."),
    Case("bounds-too-short", lambda: ours(urls("https://example.org/"), row_group_rows=500, statistics_bytes=16),
        lambda: ours(urls("https://example.org/"), row_group_rows=500, statistics_bytes=None),
        "are cut to 16 bytes, and are the same in 4 row groups",
        made="pqexplore writes addresses with a common prefix, and bounds cut to 16 bytes.",
        spared="The bounds are not cut."),
    Case("only-nulls", lambda: written(nulls(2_000, None)), lambda: written(nulls(2_000, 1)), "nothing but nulls",
        made="pyarrow writes 2,000 nulls.", spared="It writes 1,999 nulls and a number."),
    Case("mixed-time-zones", lambda: written(stamps("UTC", None)), lambda: written(stamps("UTC", "UTC")),
        "1 timestamp column holds instants in UTC (`t0`)", made="pyarrow writes a timestamp in UTC beside a local one.",
        spared="Both are in UTC."),
]  # fmt: skip


def with_gap(count):
    """A file with so many bytes before its footer that nothing names."""
    data = written(NUMBERS.slice(0, 1_000), compression="none")
    at = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    return data[:at] + b"\1" * count + data[at:]


def urls(prefix):
    return pa.table({"url": [f"{prefix}{n:08}" for n in range(2_000)]})
