"""The careful reader's cascade: which row groups and rows are left, by which evidence, and which bytes are read."""

import math
import pathlib

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from table_files import table_rows

import pqexplore
from pqexplore.engine.errors import UsageError
from pqexplore.insight.ask import row_ranges

ROWS = 100


def groups():
    for g in range(4):
        numbers = range(g * ROWS, (g + 1) * ROWS)
        yield pa.table(
            {
                "i": pa.array(numbers, pa.int64()),
                "even": pa.array([2 * (n * 37 % 400) for n in numbers], pa.int32()),
                "s": [f"k{n:03}" for n in numbers],
                "d": pa.array([math.nan if n == 105 else n / 2 for n in numbers], pa.float64()),
                "n": pa.array([None if g == 2 or (g == 1 and n % 2) else n for n in numbers], pa.int32()),
            }
        )


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """Four row groups of 100 rows, ten rows a page; `even` has a Bloom filter; no dictionaries."""
    found = tmp_path_factory.mktemp("ask") / "four.parquet"
    pqexplore.write(
        pa.concat_tables(groups()),
        found,
        pqexplore.WriteOptions(
            row_group_rows=ROWS,
            page_rows=10,
            encoding="PLAIN",
            codec="UNCOMPRESSED",
            columns={"even": {"bloom_filter": True}},
        ),
    )
    return str(found)


KEPT = table_rows(pathlib.Path(__file__).parent / "tables" / "cascade.txt", "kept")


@pytest.mark.parametrize("where, kept, rows, by", KEPT, ids=[row[0] for row in KEPT])
def test_row_groups_that_are_left(path, where, kept, rows, by):
    with pqexplore.open(path) as file:
        plan = pqexplore.ask(file, where)
        assert str([group.index for group in plan.kept]) == kept
        assert ", ".join(sorted({group.by for group in plan.groups if not group.kept})) == by
        found = sum(row_ranges.count(group.ranges) for group in plan.kept)
        assert rows in ("None", str(found))
        assert str([one["row_group"] for one in plan.row_groups.to_pylist() if one["kept"]]) == kept
        assert plan.row_ranges.num_rows == sum(len(group.ranges) for group in plan.kept)


def test_stages_follow_each_other(path):
    plan = pqexplore.ask(path, "even = 301 OR i = 7")
    names = [stage.name for stage in plan.stages]
    assert names == ["bounds", "Bloom filter", "dictionary", "page index"]
    for before, after in zip(plan.stages, plan.stages[1:]):
        assert (before.groups_out, before.rows_out) == (after.groups_in, after.rows_in)
    assert plan.stages[0].groups_in == 4 and plan.stages[-1].groups_out == len(plan.kept)
    assert plan.stages[-1].rows_out == 10


def test_the_evidence_of_a_row_group_without_a_page_is_that_of_its_pages(path):
    """Not the bounds, which let the row group through."""
    table = pqexplore.ask(path, "i < 110 AND s > 'k170' AND i > 100").row_groups.to_pylist()
    assert table[1]["by"] == "page index"
    assert table[1]["evidence"] == ("1 of 10 pages by i < 110, 3 of 10 pages by s > 'k170', 10 of 10 pages by i > 100")
    assert table[0]["by"] == "bounds" and "pages" not in table[0]["evidence"]


def test_pages_are_those_that_the_rows_need_and_no_others(path):
    plan = pqexplore.ask(path, "i BETWEEN 95 AND 104", columns=["s"])
    read = [(p["row_group"], p["column"], p["page"]) for p in plan.pages.to_pylist() if p["kept"]]
    assert sorted(read) == [(0, "i", 9), (0, "s", 9), (1, "i", 0), (1, "s", 0)]
    skipped = [p for p in plan.pages.to_pylist() if not p["kept"]]
    assert len(skipped) == 18 and {p["by"] for p in skipped} == {"bounds"}
    with pqexplore.open(path) as file:
        for page in plan.pages.to_pylist():
            if page["kept"]:
                span = file.node(page["address"]).span
                assert (span.start, span.end) == (page["start"], page["end"])


def test_bytes_are_those_of_the_pieces(path):
    plan = pqexplore.ask(path, "i = 150", columns=["s"])
    whole = pqexplore.ask(path, "i >= 0")
    assert plan.reading.bytes < whole.reading.bytes
    requested = {at for one in plan.reading.requests for at in range(one.start, one.end)}
    needed = {at for one in plan.reading.pieces for at in range(one.span.start, one.span.end)}
    assert requested == needed
    assert plan.reading.all_bytes == whole.reading.all_bytes


SENTENCES = [
    # condition, what the sentence says, what it does not say
    ("i = 150", ["reads 1 of 4 row groups, 10 of 400 rows", "Row group 1 is read: i = 150", "the max 99 is too small"], []),
    ("i < 0", ["reads 0 of 4 row groups, 0 of 400 rows", "Row group 0 is skipped"], ["is read"]),
    ("i <> 5", ["reads 4 of 4 row groups, 400 of 400 rows"], ["is skipped", "may lose"]),
    ("d > 1000", ["there are NaNs"], ["may lose"]),
    ("n IS NULL", ["there are no nulls"], []),
]  # fmt: skip


@pytest.mark.parametrize("where, said, unsaid", SENTENCES, ids=[row[0] for row in SENTENCES])
def test_the_sentence(path, where, said, unsaid):
    sentence = pqexplore.ask(path, where).sentence
    for words in said:
        assert words in sentence
    for words in unsaid:
        assert words not in sentence


def test_a_column_that_is_not_there(path):
    with pytest.raises(UsageError, match="nope"):
        pqexplore.ask(path, "nope = 1")
    with pytest.raises(UsageError, match="nope"):
        pqexplore.ask(path, "i = 1", columns=["nope"])


def test_only_the_columns_of_the_condition_are_looked_at(path):
    with pqexplore.open(path) as file:
        before = file.bytes_read
        pqexplore.ask(file, "i = 150", columns=["s"])
        assert file.bytes_read - before < 4_000


def test_a_damaged_page_index_skips_nothing(tmp_path, path):
    with pqexplore.open(path) as file:
        where = file.row_groups[1].columns["i"].struct.column_index_offset
    data = bytearray(pathlib.Path(path).read_bytes())
    data[where : where + 8] = b"\xff" * 8
    broken = tmp_path / "broken.parquet"
    broken.write_bytes(data)
    plan = pqexplore.ask(str(broken), "i = 150")
    assert [group.index for group in plan.kept] == [1]
    assert row_ranges.count(plan.groups[1].ranges) == ROWS


def test_no_row_groups(tmp_path):
    empty = tmp_path / "empty.parquet"
    pq.write_table(pa.table({"i": pa.array([], pa.int64())}), empty)
    plan = pqexplore.ask(str(empty), "i = 1")
    assert plan.kept == [] and "0 of 0 rows" in plan.sentence


@pytest.mark.parametrize("engine", ["format", "spark", "duckdb", "pyarrow"])
def test_without_bounds_that_is_why_and_not_a_filter_that_could_not_help(tmp_path, engine):
    bare = tmp_path / "bare.parquet"
    options = pqexplore.WriteOptions(statistics=(), column_index=False, encoding="PLAIN")
    pqexplore.write(pa.table({"x": [1, 2]}), bare, options)
    said = pqexplore.ask(bare, "x > 1", engine=engine).sentence
    assert "Row group 0 is read whole: x > 1: no " in said
    assert "Bloom" not in said
