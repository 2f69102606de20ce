"""What filters, bounds and the page index cost or would cost: as much as in the file that is then written."""

import io

import numpy as np
import pyarrow as pa
import pytest
from made import ours, parquet

import pqexplore
from pqexplore.engine.format.thrift.encode import encode
from pqexplore.insight.steps import finish
from pqexplore.insight.what_if.indexes import indexes
from pqexplore.insight.what_if.saving import Kind

ROWS = 30_000
_RANDOM = np.random.default_rng(5)
NOISE = _RANDOM.integers(0, 1 << 40, ROWS)
SORTED = np.arange(ROWS)
LONG = [f"{at:08d}{'x' * 500}" for at in range(100)]
LATE = [f"{'x' * 500}{at:08d}" for at in range(100)]


def written(values, rows, **options):
    return ours(pa.table({"a": pa.array(values)}), row_group_rows=rows, **options)


def found(data, kind):
    return [one for one in pqexplore.what_if(data).savings if one.kind is kind]


NO_INDEX = {"column_index": False, "offset_index": False}
FILTERED = {"bloom_filter": True, "bloom_filter_bytes": 32 << 10}

# The kind, the values, the rows of a row group, the writer's options, and the choice and words of the saving.
FOUND = {
    "values that all row groups share": (Kind.BLOOM_FILTERS, NOISE, 10_000, {"encoding": "PLAIN"}, "Bloom filters", "All 3 row groups have a range"),
    "filters beside bounds": (Kind.BLOOM_FILTERS, SORTED, 10_000, FILTERED, "no Bloom filters", "have no value of `a` in common"),
    "filters beside a dictionary": (Kind.BLOOM_FILTERS, NOISE % 9, 10_000, FILTERED, "no Bloom filters", "dictionaries have every value"),
    "long bounds": (Kind.STATISTICS, LONG, 25, {}, "bounds of at most 64 bytes", "still tell the row groups apart"),
    "long bounds of one row group, also the deprecated ones": (Kind.STATISTICS, LONG, 1_000, {"statistics_fields": ("bounds", "null_count", "nan_count", "exactness", "legacy")}, "bounds of at most 64 bytes", "A search skips less only for values between a bound and its cut."),
    "pages without an index": (Kind.PAGE_INDEX, NOISE, 30_000, NO_INDEX, "page index", "lets a reader that uses it skip pages"),
    "an index of single pages": (Kind.PAGE_INDEX, SORTED[:1_500] % 3, 100, {}, "no page index", "Each of the 15 column chunks has one data page"),
}  # fmt: skip

NOT_FOUND = {
    "two row groups": (Kind.BLOOM_FILTERS, NOISE, 15_000, {"encoding": "PLAIN"}),
    "bounds that answer": (Kind.BLOOM_FILTERS, SORTED, 10_000, {"encoding": "PLAIN"}),
    "dictionaries that answer": (Kind.BLOOM_FILTERS, NOISE % 9, 10_000, {}),
    "floats": (Kind.BLOOM_FILTERS, NOISE * 0.5, 10_000, {"encoding": "PLAIN"}),
    "a filter that is needed": (Kind.BLOOM_FILTERS, NOISE, 10_000, {"encoding": "PLAIN", "bloom_filter": True}),
    "bounds that are cut": (Kind.STATISTICS, LONG, 25, {"statistics_bytes": 64}),
    "bounds that differ at the end": (Kind.STATISTICS, LATE, 25, {}),
    "short values": (Kind.STATISTICS, [text[:20] for text in LONG], 25, {}),
    "one page, no index": (Kind.PAGE_INDEX, NOISE, 10_000, NO_INDEX),
    "pages with an index": (Kind.PAGE_INDEX, NOISE, 30_000, {}),
    "single pages whose bounds are in the index only": (Kind.PAGE_INDEX, SORTED[:1_500] % 3, 100, {"statistics": ()}),
}  # fmt: skip


@pytest.mark.parametrize("name", FOUND)
def test_the_bytes_are_those_of_the_file_that_is_written(name, tmp_path):
    kind, values, rows, options, choice, words = FOUND[name]
    data = written(values, rows, **options)
    [one] = found(data, kind)
    assert (one.choice, one.sampled) == (choice, False)
    assert words in one.sentence
    with pqexplore.open(data) as file:
        plan = pqexplore.rewrite(file, tmp_path / "new.parquet", one.options)
        today = costs(file)[kind]
    [column] = plan.columns
    with pqexplore.open(tmp_path / "new.parquet") as file:
        made = costs(file)[kind]
    assert one.without == today
    pages = column.num_pages if choice == "page index" else 0  # offsets are those of today's chunks
    assert abs(one.bytes - made) <= 2 * pages
    assert (one.bytes > one.without) == (choice in ("Bloom filters", "page index"))


def costs(file):
    """The bytes of the filters, the bounds and the page index in a file."""
    structs = [chunk.struct for group in file.row_groups for chunk in group.columns]
    return {
        Kind.BLOOM_FILTERS: sum(one.meta_data.bloom_filter_length or 0 for one in structs),
        Kind.STATISTICS: sum(
            len(encode(one.meta_data.statistics)) for one in structs if one.meta_data.statistics
        ),  # fmt: skip
        Kind.PAGE_INDEX: sum(
            (one.column_index_length or 0) + (one.offset_index_length or 0) for one in structs
        ),  # fmt: skip
    }


@pytest.mark.parametrize("name", NOT_FOUND)
def test_near_misses_are_not_found(name):
    kind, values, rows, options = NOT_FOUND[name]
    assert found(written(values, rows, **options), kind) == []


def test_a_filter_that_is_sampled_says_so():
    data = written(NOISE, 2_500, encoding="PLAIN")
    trial = pqexplore.what_if(data)
    with pqexplore.open(data) as file:
        room = 5 * max(len(group.columns[0].span) for group in file.row_groups)
        [one] = finish(indexes(file, trial.columns, pqexplore.Budget(bytes=room).start()))
    assert one.sampled and one.error is not None and "about " in one.sentence


def test_an_ordinary_file_of_pyarrow_has_a_page_index_to_buy_and_nothing_to_drop():
    data = parquet(pa.table({"a": NOISE, "b": SORTED}))
    trial = pqexplore.what_if(data)
    with pqexplore.open(data) as file:
        found = finish(indexes(file, trial.columns, pqexplore.Budget().start()))
    assert {(one.kind, one.choice) for one in found} <= {(Kind.PAGE_INDEX, "page index")}


def test_a_damaged_column_costs_only_itself():
    out = io.BytesIO()
    table = pa.table({"a": NOISE, "b": NOISE})
    options = pqexplore.WriteOptions(row_group_rows=10_000, encoding="PLAIN", codec="UNCOMPRESSED")
    pqexplore.write(table, out, options)
    data = bytearray(out.getvalue())
    with pqexplore.open(bytes(data)) as file:
        start = file.row_groups[1].columns[0].span.start
    data[start : start + 40] = b"\xff" * 40
    found = pqexplore.what_if(bytes(data)).savings
    assert {one.column for one in found if one.kind is Kind.BLOOM_FILTERS} == {"b"}
