"""The rules about how bytes are laid out and what they let a query skip: where each speaks, and where it is silent."""

import struct

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from insight.doctor.cases_bytes import (
    DISTINCT,
    IN_ORDER,
    REQUESTS,
    UNINDEXED,
    cities,
    columns,
    groups,
    without_statistics,
)
from insight.doctor.doctor_cases import NOISE, NUMBERS, RANDOM, written
from made import ours, rebuilt
from needs import has

import pqexplore
from pqexplore.insight.doctor.diagnose import steps
from pqexplore.insight.lenses.lens import finish


def found(data, rule, level="footer"):
    """The diagnoses of one rule."""
    with pqexplore.open(data) as file:
        return [one for one in finish(steps(file, level)).findings if one.rule == rule]


def said(data, rule, level="footer"):
    """The sentence of the only diagnosis of a rule; "" without one."""
    return "".join(one.sentence for one in found(data, rule, level))


def short(value):
    """The name of a parameter; a file has none."""
    return "file" if isinstance(value, bytes) else None


# None where pyarrow is too old to declare an order; the case of it is left out then.
SORTED = [pq.SortingColumn(0)] if has("pyarrow", "15") else None


@pytest.mark.parametrize(
    ("data", "descending", "nulls_first"),
    [(groups([5, 4], [3, 2], [1, None]), True, False), (groups([None, 1], [2, 3], [4, 5]), False, True)],
    ids=short,
)
def test_the_order_to_declare_is_that_of_the_rows(data, descending, nulls_first):
    [one] = found(data, "order-not-declared")
    options = eval(one.code["pqexplore"])
    assert options.sorting_columns == [("n", descending, nulls_first)]
    pqexplore.write(pq.read_table(pa.BufferReader(data)), pa.BufferOutputStream(), options)


@pytest.mark.parametrize(("data", "rule", "words"), [
    (groups([1], [2], write_statistics=False, use_dictionary=False), "no-statistics",
        "`n` has no statistics in any row group: a query with a condition on it reads all 2 row groups."),
    (
        # Spark's scan asks dictionaries: it reads 20,000 of 200,000 rows of such a file.
        groups([1], [2], write_statistics=False),
        "no-statistics",
        "reads all 2 row groups in DataFusion, DuckDB, polars and pyarrow; Spark by the dictionary can skip some.",
    ),
    (written(pa.table({"a": [1, 2], "b": [1, 2]}), row_group_size=1, write_statistics=False, use_dictionary=False),
        "no-statistics",
        "`a` and `b` have no statistics in any row group: a query with a condition on one of them reads"),
    (
        # parquet-java asks no dictionaries of booleans: the columns do not share a sentence.
        written(pa.table({"a": [1, 2], "b": [True, False]}), row_group_size=1, write_statistics=False),
        "no-statistics",
        "`b` has no statistics in any row group: a query with a condition on it reads all 2 row groups.",
    ),
    (
        # The list has statistics, and no bounds of a list let a reader skip: it is not spoken of.
        written(pa.table({"a": [1, 2], "l": [[1], [2]]}), row_group_size=1, write_statistics=["l.list.element"]),
        "no-statistics",
        "`a` has no statistics",
    ),
    (without_statistics(groups([1], [2]), 0), "no-statistics", ""),
    (without_statistics(groups([1], [2], use_dictionary=False), 0), "some-statistics", "in 1 of 2 row groups: a query with a condition on it always reads this one."),
    (without_statistics(groups([1], [2]), 0), "some-statistics", "reads this one in DataFusion, DuckDB, polars and pyarrow; Spark by the dictionary can skip it."),
    (groups([1], [2]), "some-statistics", ""),
    (groups([1], [None]), "some-statistics", ""),
], ids=short)  # fmt: skip
def test_statistics_that_are_absent(data, rule, words):
    sentence = said(data, rule)
    assert words in sentence and bool(words) == bool(sentence)


def with_sizes(*sizes):
    """A file of row groups of 2,000 rows with these bytes, by its footer."""
    data = written(NUMBERS, row_group_size=2_000)
    return rebuilt(data, **{f"row_groups__{i}__total_compressed_size": size for i, size in enumerate(sizes)})


LONG = pa.table({"s": ["x" * 200_000]})


@pytest.mark.parametrize(("data", "words", "fix"), [
    # No row group: a schema of columns with long names.
    (
        rebuilt(written(columns(1_000, "c" * 300).empty_table(), store_schema=False), row_groups=[]),
        "it describes a schema of 1,000 columns, and no row group.",
        "Write fewer columns.",
    ),
    # The bounds are the footer: fewer row groups do not help.
    (ours(LONG, statistics=("chunk",)), "400 kB of it are bounds", "Let the writer cut bounds"),
    # Key-value metadata are `heavy-key-values`.
    (ours(NUMBERS.slice(0, 10), key_value_metadata={"k": "v" * 400_000}), "", ""),
], ids=short)  # fmt: skip
def test_a_large_footer_is_explained_by_what_it_holds(data, words, fix):
    findings = found(data, "large-footer")
    assert [words in one.sentence and one.fix.startswith(fix) for one in findings] == [True] * bool(words)


NOISE_IN_GROUPS = written(NOISE, row_group_size=100_000, use_dictionary=False, compression="snappy")


@pytest.mark.parametrize(("changes", "rule", "words", "row_groups"), [
    ({}, "codec-does-not-shrink", "SNAPPY does not shrink `noise`: 1.60 MB", (0, 1)),
    # Two codecs: each is judged by its own row groups.
    ({"codec": 6, "total_compressed_size": 2 << 20, "total_uncompressed_size": 1 << 20}, "codec-enlarges",
        "ZSTD makes `noise` larger in 1 of 2 row groups: 2.10 MB compressed, 1.05 MB without.", (1,)),
    # 1 MB of 1.6 MB without a codec, and Snappy for the others.
    ({"codec": 0, "total_compressed_size": 1 << 20}, "uncompressed",
        "are in 1 column without a codec; it is `noise` with 1.05 MB.", (1,)),
    ({"codec": 6, "total_compressed_size": 1 << 19}, "codec-enlarges", "", ()),
    ({"codec": 0, "total_compressed_size": 1 << 21}, "codec-enlarges", "", ()),
], ids=short)  # fmt: skip
def test_row_groups_with_different_codecs(changes, rule, words, row_groups):
    data = rebuilt(
        NOISE_IN_GROUPS, **{f"row_groups__1__columns__0__meta_data__{key}": to for key, to in changes.items()}
    )
    assert [(words in one.sentence, one.row_groups) for one in found(data, rule)] == [(True, row_groups)] * bool(words)


@pytest.mark.parametrize(("level", "sentence", "cost"), [
    ("footer", "in 1 row group: 4 of 10 data pages are without it.", "these column chunks take"),
    ("pages", "In row group 0 it stopped before page 7 (row 120,000), with 120,000 entries in 960 kB, about the usual limit of 1 MiB.", "these column chunks take"),
    ("data", "In row group 0 it stopped before page 7", "with a dictionary of all 200,000 values they would take 1.3"),
])  # fmt: skip
def test_where_a_dictionary_was_given_up_and_what_it_costs(level, sentence, cost):
    [one] = found(ours(DISTINCT, row_group_rows=200_000), "dictionary-given-up", level)
    assert sentence in one.sentence and cost in one.cost.text
    assert one.address == "row_groups/0/columns/0" + "/pages/7" * (level != "footer")


@pytest.mark.parametrize(
    ("table", "saved_by"),
    [(DISTINCT, {"encoding": "PLAIN"}), (pa.table({"n": np.tile(DISTINCT["n"], 2)}), {"dictionary_bytes": None})],
)  # fmt: skip
def test_the_cost_of_a_dictionary_is_what_another_file_takes(table, saved_by):
    """The bytes said to be saved are those that a file written so has less."""
    now = {"row_group_rows": 400_000}
    [one] = found(ours(table, **now), "dictionary-given-up", "data")
    better = pqexplore.plan(table, pqexplore.WriteOptions(**now, **saved_by))
    fixed = pqexplore.plan(table, pqexplore.WriteOptions(**now))
    assert one.cost.bytes == pytest.approx(fixed.size - better.size, rel=0.02)
    assert found(ours(table, **now, **eval_options(one)), "dictionary-given-up") == []


def test_a_dictionary_that_was_given_up_in_time():
    """Values that repeat at first, then different ones: neither way is smaller, and nothing is proposed."""
    values = np.concatenate([np.tile(RANDOM.integers(0, 2**60, 60_000), 3), RANDOM.integers(0, 2**60, 150_000)])
    [one] = found(ours(pa.table({"n": values})), "dictionary-given-up", "data")
    assert one.cost.bytes == 0 and one.code == {} and "neither is smaller" in one.fix


def eval_options(one):
    options = eval(one.code["pqexplore"])
    return {"columns": options.columns, "encodings": options.encodings}


FILTERED = {"columns": {"n": {"bloom_filter": True, "bloom_filter_bytes": 1 << 15}}}


SPOKEN = {
    # rule: its level, how a file is made, and the files with words of the sentence, "" where the rule is silent
    # an order that is not declared
    "order-not-declared": ("footer", bytes, [
        (groups([1, 2], [2, 3], [4, 5]), "the 3 row groups are in the order of `n`, and"),
        (groups([5, 4], [3, 2], [1, 0]), "in the order of `n` (descending), and"),
        (groups([1, 2], [3, 4], [5, None]), "order of `n`, and"),
        (groups([None, 1], [2, 3], [4, 5]), "order of `n`, and"),
        (groups([1, 1], [1, 1], [1, 2]), "order of `n`, and"),
        (groups([1, 1], [1, 1], [1, 1]), ""),  # one value is in no order
        (groups([1, 2], [1, 2], [1, 2]), ""),
        (groups([1, 2], [3, 4]), ""),  # two row groups are in some order always
        (groups([1, 2], [None, 3], [4, 5]), ""),  # a null in the middle
        (groups([None, 2], [3, 4], [5, None]), ""),
        (groups([1, 2], [None, None], [4, 5]), ""),
        *([(groups([1, 2], [3, 4], [5, 6], sorting_columns=SORTED), "")] if SORTED else []),
        (groups([1, 2], [3, 4], [5, 6], write_statistics=False), ""),
    ]),
    # a row group of few long rows is not small
    "small-row-groups": ("footer", lambda sizes: with_sizes(*sizes), [
        ([], "10 row groups hold 2,000 rows ("),
        ([200 << 20] * 10, ""),  # few rows, and far from small
        ([8 << 20] * 10, ""),
        ([(8 << 20) - 1] * 10, "10 row groups hold 2,000 rows (8.39 MB) each"),
        ([8 << 20] * 5 + [8_000] * 5, ""),  # four of nine are small, the last one does not count
    ]),
    # a dictionary of values that are there once
    "dictionary-useless": ("pages", lambda values: ours(pa.table({"n": pa.array(values, pa.int64())}), dictionary_bytes=None), [
        (np.arange(200_000), " 200,000 entries for 200,000 values"),
        (np.arange(200_000) * 9 // 10, " 180,000 entries for 200,000 values"),
        (np.arange(200_000) * 8 // 10, ""),
        ([None, *range(199_999)], " 199,999 entries for 199,999 values"),
    ]),
    # filters beside bounds that separate
    "bloom-filter-beside-bounds": ("footer", lambda values: ours(pa.table({"n": values}), row_group_rows=2, **FILTERED), [
        ([1, 2, 3, 4, 5, 6], "The 3 row groups have no value of `n` in common"),
        ([6, 5, 4, 3, 2, 1], "no value of `n` in common"),
        ([5, 6, 1, 2, 3, 4], "no value of `n` in common"),
        ([1, 2, 2, 3, 4, 5], ""),  # a search for 2 reads two row groups
    ]),
    # ordered pages without an index
    "no-page-index": ("pages", lambda make: make(), [
        (lambda: ours(IN_ORDER, **UNINDEXED, statistics=("chunk", "page")), "by the statistics in their headers"),
        (lambda: ours(IN_ORDER, **UNINDEXED, sorting_columns=[("n", False, False)]), "by the footer's sorting columns"),
        (lambda: ours(IN_ORDER, **UNINDEXED), ""),  # nothing shows the order
        (lambda: ours(IN_ORDER.take(RANDOM.permutation(1_100_000)), **UNINDEXED, statistics=("chunk", "page")), ""),
        (lambda: ours(IN_ORDER, **UNINDEXED | {"page_rows": 200_000}, statistics=("chunk", "page")), ""),
        (lambda: ours(IN_ORDER.slice(0, 1_000_000), **UNINDEXED | {"page_rows": 1_000}, statistics=("chunk", "page")), ""),
    ]),
    # rows in no order
    "rows-unsorted": ("pages", lambda values: written(pa.table({"n": pa.array(values, pa.int64())}), row_group_size=1_000), [
        ([*range(50)] * 160, "50 of the 50 values"),
        ([*range(48), -1_000, 1_000] * 20 + [*range(50)] * 140, "48 of the 50 values"),
        ([*range(40), *range(-10, 0)] * 20 + [*range(50)] * 140, ""),  # 40 of 50 are in all ranges
        ([*range(8_000)], ""),
        ([1] * 8_000, ""),  # a column of one value cannot be sorted
        ([None] * 8_000, ""),
    ]),
}  # fmt: skip


@pytest.mark.parametrize("rule", SPOKEN)
def test_where_a_rule_speaks(rule):
    level, make, cases = SPOKEN[rule]
    for given, words in cases:
        sentence = said(make(given), rule, level)
        assert words in sentence and bool(words) == bool(sentence), (given, sentence)


SMALL_GROUPS = written(NUMBERS, row_group_size=4_000)
GROUP, CHUNK = "row_groups__1__", "row_groups__1__columns__0__meta_data__"


@pytest.mark.parametrize("value", [None, -1, 0, 1, 2**31 - 1, 2**63 - 1, [], b""], ids=repr)
@pytest.mark.parametrize("path", [
    *(GROUP + name for name in ("num_rows", "total_byte_size", "total_compressed_size", "sorting_columns")),
    *(CHUNK + name for name in ("codec", "num_values", "total_compressed_size", "total_uncompressed_size")),
    *(CHUNK + name for name in ("encoding_stats", "statistics", "bloom_filter_length", "data_page_offset")),
    CHUNK + "encoding_stats__0__count",
    CHUNK + "statistics__null_count",
])  # fmt: skip
def test_footers_that_lie_raise_nothing(path, value):
    """Whatever a footer says, a diagnosis is a list of findings."""
    try:
        data = rebuilt(SMALL_GROUPS, **{path: value})
    except (AttributeError, TypeError, ValueError, OverflowError, struct.error):
        return  # the encoder does not write such a value
    with pqexplore.open(data) as file:
        assert finish(steps(file, "data")).sentence


N = 400_000
STEPS = np.arange(N) * 1_000
SORTED_URLS = [f"https://example.org/{n:09}".encode() for n in sorted(RANDOM.integers(0, 10**9, 200_000))]
URLS = [f"https://example.org/{n:09}".encode() for n in range(N // 4)]


@pytest.mark.parametrize(("values", "codec", "encoding", "better"), [
    (STEPS, "UNCOMPRESSED", "PLAIN", "DELTA_BINARY_PACKED"),
    (STEPS, "ZSTD", "RLE_DICTIONARY", "DELTA_BINARY_PACKED"),
    (STEPS, "UNCOMPRESSED", "DELTA_BINARY_PACKED", ""),
    (STEPS, "ZSTD", "PLAIN", ""),  # the codec makes up for the encoding
    (RANDOM.integers(0, 2**60, 100)[RANDOM.integers(0, 100, 2 * N)], "SNAPPY", "PLAIN", "RLE_DICTIONARY"),
    (SORTED_URLS, "SNAPPY", "PLAIN", "DELTA_BYTE_ARRAY"),
    (URLS, "UNCOMPRESSED", "PLAIN", ""),  # a codec alone is better
    (np.arange(1_300_000) / 8, "ZSTD", "PLAIN", "BYTE_STREAM_SPLIT"),
    (RANDOM.integers(0, 2**60, N), "SNAPPY", "PLAIN", ""),
    (RANDOM.random(N), "ZSTD", "PLAIN", ""),
])  # fmt: skip
def test_an_encoding_that_would_be_smaller(values, codec, encoding, better):
    """The estimate from a sample is close to what a file in that encoding takes."""
    table, options = pa.table({"n": values}), {"codec": codec, "dictionary_bytes": None}
    findings = found(ours(table, encoding=encoding, **options), "encoding-smaller", "data")
    assert [f"; {better} stores the column in about " in one.sentence for one in findings] == [True] * bool(better)
    for one in findings:
        before = pqexplore.plan(table, pqexplore.WriteOptions(encoding=encoding, **options))
        after = pqexplore.plan(table, pqexplore.WriteOptions(encoding=better, **options))
        assert one.cost.bytes == pytest.approx(before.size - after.size, rel=0.15)


@pytest.mark.parametrize(
    ("table", "saves"),
    [(REQUESTS, True), (pa.table({"n": URLS}), True), (NOISE, False), (pa.table({"n": STEPS}), False)],
)
def test_a_codec_that_would_save(table, saves):
    """The estimate is close to what a file with Zstandard takes; noise does not shrink, and steps shrink more by an encoding."""
    options = {"encoding": "PLAIN"}
    findings = found(ours(table, codec="UNCOMPRESSED", **options), "uncompressed", "data")
    before = pqexplore.plan(table, pqexplore.WriteOptions(codec="UNCOMPRESSED", **options))
    after = pqexplore.plan(table, pqexplore.WriteOptions(codec="ZSTD", **options))
    expected = [pytest.approx(before.size - after.size, rel=0.1)] * saves
    assert [one.cost.bytes for one in findings] == expected


@pytest.mark.parametrize(("codec", "level", "words"), [
    ("ZSTD", -7, "ZSTD level 9 would take"),
    ("ZSTD", 9, ""),
    ("GZIP", 1, "GZIP level 6 would take"),
    ("GZIP", 6, ""),
    ("SNAPPY", None, ""),
])  # fmt: skip
def test_a_level_that_would_be_smaller(codec, level, words):
    options = {"codec": codec, "codec_level": level, "encoding": "PLAIN"}
    findings = found(ours(REQUESTS, **options), "compression-level", "data")
    assert [words in one.sentence for one in findings] == [True] * bool(words)
    for one in findings:
        fixed = eval_level(one)
        before = pqexplore.plan(REQUESTS, pqexplore.WriteOptions(**options))
        after = pqexplore.plan(REQUESTS, pqexplore.WriteOptions(**options | fixed))
        assert one.cost.bytes == pytest.approx(before.size - after.size, rel=0.1)


def eval_level(one):
    options = eval(one.code["pqexplore"])
    return {"codec": options.codec, "codec_level": options.codec_level}


def test_a_file_with_one_column_in_order_is_not_unsorted():
    """Row groups by day have all cities each, and a search by day skips."""
    with_days = cities().append_column("day", pa.array(np.arange(8_000) // 500))
    assert said(written(cities(), row_group_size=1_000), "rows-unsorted", "pages")
    assert said(written(with_days, row_group_size=1_000), "rows-unsorted", "pages") == ""
