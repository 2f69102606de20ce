"""What group nodes, the footer and row groups open on: sizes against pyarrow's metadata, and what stands out."""

import io

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from made import grouped, open_sample, parquet, rebuilt
from needs import ONE_COLUMN_METADATA

import pqexplore
from pqexplore.insight.lenses import contents, row_group

RANDOM = np.random.default_rng(7)


def opened(table, **options):
    return pqexplore.open(parquet(table, **options))


def groups(*tables):
    """A file with a row group for each table."""
    return pqexplore.open(grouped(tables[0].schema, *tables))


def held(file, address):
    return contents.answer(file, file.node(address))


def beside(file, group):
    return row_group.answer(file, file.node(f"row_groups/{group}"))


N = 4_000
CALM = pa.table({"a": pa.array(np.arange(N)), "b": ["x"] * N})
WILD = pa.table({"a": pa.array(np.arange(N)), "b": [f"{n:.15f}" for n in RANDOM.random(N)]})


@ONE_COLUMN_METADATA
def test_row_groups_are_summed_up():
    file = opened(CALM, row_group_size=1_500)
    metadata = pq.ParquetFile(io.BytesIO(parquet(CALM, row_group_size=1_500))).metadata
    answer = held(file, "row_groups")
    assert answer.sentence.startswith("3 row groups, of 1,000 to 1,500 rows and ")
    assert answer.table.column("rows") == [1_500, 1_500, 1_000]
    sizes = [sum(metadata.row_group(i).column(c).total_compressed_size for c in range(2)) for i in range(3)]
    assert answer.table.column("size") == sizes
    plain = [sum(metadata.row_group(i).column(c).total_uncompressed_size for c in range(2)) for i in range(3)]
    assert answer.table.column("ratio") == [u / c for u, c in zip(plain, sizes, strict=True)]
    assert [one.bytes for one in answer.picture.children] == sizes
    assert answer.table.addresses == [f"row_groups/{i}" for i in range(3)]
    one = held(opened(CALM), "row_groups").sentence
    assert one.startswith("1 row group, of 4,000 rows and ") and "largest" not in one


def test_row_groups_that_lie_in_several_places_have_their_sizes():
    """Their column chunks are not beside each other, so a row group has no bytes of its own."""

    def swap(groups):
        one, other = (group.columns for group in groups)
        one[1], other[1] = other[1], one[1]
        return groups

    swapped = rebuilt(parquet(CALM, row_group_size=2_000), row_groups=swap)
    answer = held(pqexplore.open(swapped), "row_groups")
    assert all(answer.table.column("size"))


@ONE_COLUMN_METADATA
def test_row_groups_of_one_size_have_no_largest():
    said = held(groups(CALM, CALM), "row_groups").sentence
    assert said.startswith("2 row groups, each of 4,000 rows and ") and "largest" not in said
    assert "; row group 1 is the largest. " in held(groups(CALM, WILD), "row_groups").sentence


def test_the_footer_says_what_fills_it():
    file = opened(CALM, row_group_size=100)
    answer = held(file, "footer")
    assert "row_groups 9" in answer.sentence and "of the file" in answer.sentence
    fields = [one.rpartition("/")[2] for one in answer.table.addresses]
    assert fields[:2] == ["version", "schema"] and "row_groups" in fields
    assert sum(answer.table.column("size")) + 1 == file.footer.end - file.footer.start  # a stop byte
    bounds = 40 * (4 * 8 + 2)  # of INT64 also the deprecated ones
    assert f"minimum and maximum values in it are {bounds / 1000:.2f} kB" in answer.sentence
    plain = held(opened(CALM, write_statistics=False), "footer")
    assert "minimum" not in plain.sentence


@ONE_COLUMN_METADATA
def test_many_children_are_cut_to_the_largest(monkeypatch):
    monkeypatch.setattr(contents, "BARS", 2)
    answer = held(groups(CALM, WILD, CALM, WILD), "row_groups")
    assert [one.address for one in answer.picture.children] == ["row_groups/1", "row_groups/3"]
    monkeypatch.setattr(contents, "LISTED", 3)
    answer = held(groups(CALM, WILD, CALM, WILD), "row_groups")
    assert answer.sentence.startswith("4 row groups, the first 3 of them, each of 4,000 rows")
    assert (answer.picture.listed, answer.picture.total, answer.table.total) == (3, 4, 4)


def test_a_row_group_that_differs_names_the_column_that_makes_it():
    file = groups(CALM, WILD, CALM)
    answer = beside(file, 1)
    chunks = [[c.metadata.total_compressed_size for c in g.columns] for g in file.row_groups]
    assert answer.picture.compressed == [sum(one) for one in chunks]
    assert answer.sentence.startswith("Row group 1 of 3: 4,000 rows in ")
    assert " more than the usual " in answer.sentence and "most of it by `b` (" in answer.sentence
    assert answer.table.column("column") == ["b", "a"]
    assert answer.table.column("compressed") == [chunks[1][1], chunks[1][0]]
    usual = answer.table.column("usual")[0]
    assert usual == round(chunks[0][1] / N, 3)


@pytest.mark.parametrize(("tables", "words"), [
    ((CALM, CALM), "the other has "),
    ((CALM, CALM, CALM), "the 2 others have "),
    ((CALM, CALM.slice(0, 2_000)), "the other has "),
])  # fmt: skip
def test_row_groups_that_are_alike_are_said_to_be(tables, words):
    said = beside(groups(*tables), 0).sentence
    assert words in said and "usual" not in said


def test_of_many_row_groups_the_nearest_are_compared(monkeypatch):
    monkeypatch.setattr(row_group, "GROUPS", 3)
    file = opened(CALM, row_group_size=400)
    for mine, first in ((0, 0), (5, 4), (9, 7)):
        picture = beside(file, mine).picture
        assert (picture.first, len(picture.compressed), picture.total) == (first, 3, 10)
    assert " others have " in beside(file, 5).sentence
    assert "the 2 others" not in beside(file, 5).sentence
    monkeypatch.setattr(row_group, "CHUNKS", 1)
    alone = beside(file, 5).picture
    assert alone.compressed == [sum(one.compressed for one in alone.parts)]


def test_columns_that_cannot_be_read_are_named_with_the_reason():
    answer = beside(open_sample("encrypted-columns", column_keys=None), 0)
    assert ", without 1 column that cannot be read; " in answer.sentence
    assert answer.table.column("column")[-1] == "secret"
    assert "was not given" in answer.table.column("trouble")[-1]
    assert "trouble" not in [one.name for one in beside(opened(CALM), 0).table.columns]
