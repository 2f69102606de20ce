"""Files for the rules about how bytes are laid out and what they let a query skip."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from insight.doctor.doctor_cases import NUMBERS, RANDOM, Case, urls, written
from made import ours, rebuilt


def groups(*parts, **options):
    """A file of pyarrow with the values of each part in a row group of its own; all parts are equally long."""
    table = pa.table({"n": pa.array([value for part in parts for value in part])})
    return written(table, row_group_size=len(parts[0]), **options)


def without_statistics(data, *row_groups):
    """A file whose first column has no statistics in these row groups."""

    paths = (f"row_groups__{index}__columns__0__meta_data__statistics" for index in row_groups)
    return rebuilt(data, **dict.fromkeys(paths))


DISTINCT = pa.table({"n": RANDOM.permutation(200_000)})
REPEATED = pa.table({"n": [n % 5_000 for n in range(20_000)]})
ZEROS = pa.table({"n": np.zeros(2_097_153, np.int64)})
MANY_NUMBERS = pa.table({"n": np.arange(122_881) % 1_000})
IN_ORDER = pa.table({"n": np.arange(1_100_000)})
UNINDEXED = {
    "encoding": "PLAIN",
    "codec": "UNCOMPRESSED",
    "page_rows": 130_000,
    "row_group_rows": 2_000_000,
    "page_bytes": 2 << 20,
    "column_index": False,
}
IN_STEPS = pa.table({"n": np.arange(400_000) * 1_000})
PAGES_OF_20_000 = {"use_dictionary": False, "data_page_size": 160_000, "write_batch_size": 10_000}
"""Older versions of pyarrow do not bound the rows of a page; it would have 131,072 numbers, and the last one fewer than a trial takes."""
REQUESTS = pa.table({"s": [f"GET /item/{x} from 10.0.{x % 20}.{x % 251}" for x in RANDOM.permutation(200_000)]})
"""More than 1 MiB by each version of zlib, at level 1 and at level 6: a smaller column is not tried."""
LINES = "".join(REQUESTS["s"][:10_000].to_pylist()).encode()
AT_LEVEL = {level: len(pa.Codec("gzip", level).compress(LINES)) for level in (1, 6)}
# The zlib in newer versions of pyarrow compresses less at level 1.
LESS_AT_LEVEL_6 = "22 % less" if AT_LEVEL[6] < 0.83 * AT_LEVEL[1] else "13 % less"
MANY_ROWS = written(pa.table({"n": pa.nulls(2 * 122_880, pa.int32())}))


def cities():
    rows = range(8_000)
    return pa.table({"city": [f"city {n % 50:02}" for n in rows], "price": [n * 37 % 1_009 for n in rows]})


LONG_TEXTS = pa.table({"t": [RANDOM.bytes(150).hex() for _ in range(4_000)]})


def within_groups(depth):
    """A number in so many groups within each other."""
    value = [1]
    for _ in range(depth):
        value = pa.StructArray.from_arrays([pa.array(value) if isinstance(value, list) else value], ["g"])
    return pa.table({"a": value})


def unknown():
    """Numbers that ascend, but for one of 100, which is -1."""
    return [-1 if n % 100 == 7 else n for n in range(6_000)]


def columns(count, begin="c"):
    return pa.schema([(f"{begin}{i}", pa.int32()) for i in range(count)])


def empty(count):
    """A file of so many columns without a row group."""
    return rebuilt(written(columns(count).empty_table(), store_schema=False), row_groups=[])


KEYS = pa.table({"n": RANDOM.integers(0, 2**60, 200_000)})


CASES = [
    Case("equal-columns", lambda: written(pa.table({"a": KEYS["n"], "b": KEYS["n"]}), use_dictionary=False),
        lambda: written(pa.table({"a": KEYS["n"], "b": pc.add(KEYS["n"], 1)}), use_dictionary=False),
        "`b` has the same values as `a` in all 200,000 rows, and takes 1.6", level="data",
        made="pyarrow writes a column of 200,000 numbers twice.",
        spared="In the second column each number is larger by 1."),
    Case("large-page-index", lambda: ours(LONG_TEXTS, encoding="PLAIN", page_rows=12, index_bytes=None),
        lambda: ours(LONG_TEXTS, encoding="PLAIN", page_rows=12), "The page index takes ",
        made="pqexplore writes 4,000 texts of 300 characters in pages of 12 rows, and an index with whole bounds.",
        spared="The bounds are cut to 64 bytes."),
    Case("index-bounds-too-short", lambda: ours(urls("https://example.org/"), page_rows=200, index_bytes=16),
        lambda: ours(urls("https://example.org/"), page_rows=200, index_bytes=64),
        "The page index of `url` cuts bounds to 16 bytes, and all 10 pages of row group 0 have the same ones",
        made="pqexplore writes addresses with a common prefix, and a page index with bounds cut to 16 bytes.",
        spared="They are cut to 64 bytes."),
    Case("deep-nesting", lambda: written(within_groups(16)), lambda: written(within_groups(15)),
        "lies in 16 groups and lists within each other", made="pyarrow writes a number in 16 groups within each other.",
        spared="It is in 15 groups."),
    Case("sentinel-bounds", lambda: written(pa.table({"n": unknown()}), row_group_size=1_000),
        lambda: written(pa.table({"n": unknown()[:1_000] + [*range(1_000, 6_000)]}), row_group_size=1_000),
        "-1 is the smallest value of `n` in 6 of 6 row groups, whose largest values follow each other",
        made="pyarrow writes numbers that ascend in 6 row groups, and -1 in each of them.",
        spared="-1 is in the first row group only."),
    Case("some-statistics",
        lambda: without_statistics(written(NUMBERS, row_group_size=5_000, use_dictionary=False), 1, 2),
        lambda: without_statistics(written(NUMBERS, row_group_size=5_000), 0, 1, 2, 3),
        "`n` has no statistics in 2 of 4 row groups: a query with a condition on it always reads these.",
        made="pyarrow writes 4 row groups; the statistics of two are removed from the footer.",
        spared="The statistics of all four are removed: that is `no-statistics`."),
    Case("large-row-groups", lambda: rebuilt(written(NUMBERS), row_groups__0__total_byte_size=(1 << 30) + 1),
        lambda: rebuilt(written(NUMBERS), row_groups__0__total_byte_size=1 << 30),
        "1 of 1 row group is larger than 1 GiB before compression; row group 0 has 1.07 GB in 20,000 rows",
        made="The footer of a small file is changed: total_byte_size says 1 byte more than 1 GiB.",
        spared="It says 1 GiB."),
    Case("single-row-group", lambda: rebuilt(MANY_ROWS, row_groups__0__total_compressed_size=128 << 20),
        lambda: rebuilt(MANY_ROWS, row_groups__0__total_compressed_size=127 << 20),
        "All 245,760 rows (134 MB) are in one row group",
        made="pyarrow writes 245,760 rows; total_compressed_size in the footer is set to 128 MiB.",
        spared="It is set to 127 MiB."),
    Case("many-columns", lambda: empty(10_000), lambda: empty(9_999), "The schema has 10,000 leaves",
        made="The footer of pyarrow's file for 10,000 columns without rows, without its row group.",
        spared="The same with 9,999 columns."),
    Case(
        "dictionary-useless",
        lambda: written(DISTINCT, row_group_size=100_000),
        lambda: written(pa.table({"n": RANDOM.permutation(200_000) // 2}), row_group_size=200_000),
        "he dictionaries of `n` have an entry for nearly each value; in 2 row groups, 200,000 entries for 200,000 values",
        made="pyarrow writes 200,000 different numbers in 2 row groups.",
        spared="pyarrow writes 100,000 numbers, each twice, in 1 row group.",
    ),
    Case(
        "bloom-filter-beside-dictionary",
        lambda: ours(REPEATED, columns={"n": {"bloom_filter": True, "bloom_filter_bytes": 1 << 16}}),
        lambda: ours(REPEATED, columns={"n": {"bloom_filter": True, "bloom_filter_bytes": 1 << 16, "encoding": "PLAIN"}}),
        "The Bloom filter of `n` takes 65.6 kB in 1 row group whose dictionary has every value",
        made="pqexplore writes a column with a dictionary and a Bloom filter of 64 KiB.",
        spared="The column has no dictionary.",
    ),
    Case(
        "bloom-filter-beside-bounds",
        lambda: ours(NUMBERS, row_group_rows=5_000, columns={"n": {"bloom_filter": True, "bloom_filter_bytes": 1 << 14}}),
        lambda: ours(REPEATED, row_group_rows=5_000, columns={"n": {"bloom_filter": True, "bloom_filter_bytes": 1 << 14}}),
        "The 4 row groups have no value of `n` in common",
        made="pqexplore writes the numbers 0 to 19,999 in 4 row groups with Bloom filters of 16 KiB.",
        spared="Each row group has all values.",
    ),
    Case("small-pages",
        lambda: written(IN_ORDER.slice(0, 80_000), use_dictionary=False, data_page_size=500, write_batch_size=100),
        lambda: written(IN_ORDER.slice(0, 80_000), use_dictionary=False, data_page_size=16_000, write_batch_size=100),
        "`n` has 799 pages of 80", made="pyarrow writes 80,000 numbers in pages of 800 bytes.",
        spared="The pages have 16 kB."),
    Case("large-pages",
        lambda: ours(ZEROS, encoding="PLAIN", page_bytes=32 << 20, page_rows=None, row_group_rows=3_000_000),
        lambda: ours(ZEROS, encoding="PLAIN", page_bytes=32 << 20, page_rows=2_097_000, row_group_rows=3_000_000),
        "`n` has 1 page of more than 16.8 MB before compression; the largest has 16.8 MB for 2,097,153 values.",
        made="pqexplore writes 2,097,153 numbers of 8 bytes in one page.", spared="The page has 153 numbers less."),
    Case("index-of-one-page", lambda: ours(MANY_NUMBERS, page_rows=None, page_bytes=1 << 20),
        lambda: ours(MANY_NUMBERS, page_rows=122_880), "`n` has a page index, and one page a row group",
        made="pqexplore writes 122,881 numbers in one page, with a page index.",
        spared="The last number is in a page of its own."),
    Case(
        "no-page-index",
        lambda: ours(IN_ORDER, **UNINDEXED, statistics=("chunk", "page")),
        lambda: ours(IN_ORDER, **UNINDEXED | {"column_index": True}, statistics=("chunk", "page")),
        "In row group 0 the 9 pages of `n` are in order, by the statistics in their headers, and no page index",
        made="pqexplore writes 1,100,000 numbers in order, in 9 pages with statistics in their headers, without a page index.",
        spared="It has a page index.",
    ),
    Case("encoding-smaller", lambda: written(IN_STEPS, **PAGES_OF_20_000), lambda: written(DISTINCT, **PAGES_OF_20_000),
        "20,000 values of `n` ascend by 1,000; DELTA_BINARY_PACKED stores the column in about", level="data",
        made="pyarrow writes the numbers 0, 1000, 2000 … in PLAIN.", spared="It writes different numbers in no order."),
    Case("compression-level", lambda: written(REQUESTS, use_dictionary=False, compression="gzip", compression_level=1),
        lambda: written(REQUESTS, use_dictionary=False, compression="gzip", compression_level=6),
        f"GZIP level 6 would take {LESS_AT_LEVEL_6}", level="data",
        made="pyarrow writes 200,000 lines like those of a log with GZIP, level 1.", spared="The level is 6."),
    Case("rows-unsorted", lambda: written(cities(), row_group_size=1_000),
        lambda: written(cities().sort_by("city"), row_group_size=1_000),
        "50 of the 50 values of `city` in row group 0 lie in the ranges of all 8 row groups",
        made="pyarrow writes 8 row groups, and each has all of 50 cities.", spared="The rows are sorted by city."),
]  # fmt: skip
