"""Files for the rules about how bytes are laid out and what they let a query skip."""

import pyarrow as pa
from insight.doctor.doctor_cases import NUMBERS, RANDOM, Case, ours, written
from made import rebuilt


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
MANY_ROWS = written(pa.table({"n": pa.nulls(2 * 122_880, pa.int32())}))


def columns(count, begin="c"):
    return pa.schema([(f"{begin}{i}", pa.int32()) for i in range(count)])


def empty(count):
    """A file of so many columns without a row group."""
    return rebuilt(written(columns(count).empty_table(), store_schema=False), row_groups=[])


CASES = [
    Case(
        "some-statistics",
        lambda: without_statistics(written(NUMBERS, row_group_size=5_000), 1, 2),
        lambda: without_statistics(written(NUMBERS, row_group_size=5_000), 0, 1, 2, 3),
        "`n` has no statistics in 2 of 4 row groups: a query with a condition on it always reads these.",
        "pyarrow writes 4 row groups; the statistics of two are removed from the footer.",
        "The statistics of all four are removed: that is `no-statistics`.",
    ),
    Case(
        "large-row-groups",
        lambda: rebuilt(written(NUMBERS), row_groups__0__total_byte_size=(1 << 30) + 1),
        lambda: rebuilt(written(NUMBERS), row_groups__0__total_byte_size=1 << 30),
        "1 of 1 row group is larger than 1 GiB before compression; row group 0 has 1.07 GB in 20,000 rows",
        "The footer of a small file is changed: total_byte_size says 1 byte more than 1 GiB.",
        "It says 1 GiB.",
    ),
    Case(
        "single-row-group",
        lambda: rebuilt(MANY_ROWS, row_groups__0__total_compressed_size=128 << 20),
        lambda: rebuilt(MANY_ROWS, row_groups__0__total_compressed_size=127 << 20),
        "All 245,760 rows (134 MB) are in one row group",
        "pyarrow writes 245,760 rows; total_compressed_size in the footer is set to 128 MiB.",
        "It is set to 127 MiB.",
    ),
    Case(
        "many-columns",
        lambda: empty(10_000),
        lambda: empty(9_999),
        "The schema has 10,000 leaves",
        "The footer of pyarrow's file for 10,000 columns without rows, without its row group.",
        "The same with 9,999 columns.",
    ),
    Case(
        "dictionary-useless",
        lambda: written(DISTINCT, row_group_size=100_000),
        lambda: written(pa.table({"n": RANDOM.permutation(200_000) // 2}), row_group_size=200_000),
        "The dictionaries of `n` in 2 row groups have 200,000 entries for 200,000 values",
        "pyarrow writes 200,000 different numbers in 2 row groups.",
        "pyarrow writes 100,000 numbers, each twice, in 1 row group.",
    ),
    Case(
        "bloom-filter-beside-dictionary",
        lambda: ours(REPEATED, columns={"n": {"bloom_filter": True, "bloom_filter_bytes": 1 << 16}}),
        lambda: ours(REPEATED, columns={"n": {"bloom_filter": True, "bloom_filter_bytes": 1 << 16, "encoding": "PLAIN"}}),
        "The Bloom filter of `n` takes 65.6 kB in 1 row group whose dictionary has every value",
        "pqexplore writes a column with a dictionary and a Bloom filter of 64 KiB.",
        "The column has no dictionary.",
    ),
    Case(
        "bloom-filter-beside-bounds",
        lambda: ours(NUMBERS, row_group_rows=5_000, columns={"n": {"bloom_filter": True, "bloom_filter_bytes": 1 << 14}}),
        lambda: ours(REPEATED, row_group_rows=5_000, columns={"n": {"bloom_filter": True, "bloom_filter_bytes": 1 << 14}}),
        "The 4 row groups have no value of `n` in common",
        "pqexplore writes the numbers 0 to 19,999 in 4 row groups with Bloom filters of 16 KiB.",
        "Each row group has all values.",
    ),
]  # fmt: skip
