"""Where the bytes are: the sums add up to the file, and the sentence names what matters."""

import os
import re

import pyarrow as pa
import pytest
from made import events, parquet, rebuilt

import pqexplore
from pqexplore.insight.overview import overview, pieces
from pqexplore.widget import sheet


def opened(table, **options):
    return pqexplore.open(parquet(table, **options))


def noise(rows):
    return pa.table(
        {"id": pa.array(range(rows)), "payload": [os.urandom(900) for _ in range(rows)]}
    )


@pytest.mark.parametrize(
    "options",
    [{}, {"row_group_size": 300}, {"write_page_index": True}, {"compression": "none"}],
    ids=str,
)
def test_every_byte_is_in_one_piece(options):
    with opened(events(), **options) as f:
        found = pieces(f)
        assert sum(one.size for one in found) == f.size
        for chunk in f.chunks():
            own = [p for p in found if (p.group, p.column) == (chunk.row_group.index, chunk.index)]
            pages = [p for p in own if "index" not in p.kind]
            assert sum(p.size for p in pages) == len(chunk.span)


def test_kinds_are_told_apart():
    with opened(events(), write_page_index=True) as f:
        own = {p.kind: p.size for p in pieces(f) if p.column == 1}
        chunk = f.row_groups[0].columns[1]
        assert own["dictionary"] + own["data pages"] + own["page headers"] == len(chunk.span)
        assert own["column index"] == chunk.struct.column_index_length
        assert own["offset index"] == chunk.struct.offset_index_length


def test_the_column_that_takes_the_file_is_named_with_what_its_codec_does():
    with opened(noise(1000), compression="snappy", use_dictionary=False) as f:
        said = overview(f).sentence
    assert re.fullmatch(
        r"99 % of 9\d\d kB is column `payload`, which Snappy does not shrink; there is no page index\.",
        said,
    )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"compression": "none"}, "which is not compressed"),
        ({"compression": "zstd"}, "which ZSTD shrinks"),
        ({"write_statistics": False}, "there are no statistics and no page index."),
        ({"write_page_index": True}, "."),
    ],
    ids=str,
)
def test_sentences(options, words):
    table = pa.table({"x": pa.array([i * 7919 % 100_003 for i in range(20_000)], pa.int64())})
    with opened(table, use_dictionary=False, **options) as f:
        said = overview(f).sentence
    assert words.lower() in said.lower()
    assert ("page index" in said) is not bool(options.get("write_page_index"))


def test_a_file_that_is_mostly_footer_says_so():
    with opened(pa.table({"x": [1]})) as f:
        assert "is the footer" in overview(f).sentence


def test_a_file_without_rows():
    with opened(pa.table({"x": pa.array([], pa.int64())})) as f:
        made = overview(f)
    assert "is the footer" in made.sentence
    assert made.table.rows[0][0] == "x"


def test_the_table_has_a_row_a_column_and_the_rest_of_the_file():
    with opened(events(), row_group_size=300) as f:
        table = overview(f).table
        sizes = table.column("size")
        assert sum(sizes) == f.size  # no page index: nothing of a column lies outside its chunks
        names = table.column("column")
        assert set(names) >= {"id", "name", "(footer)", "(magics and footer length)"}
        shares = table.column("share")[: len(f.schema.leaves)]
        assert shares == sorted(shares, reverse=True)
        address = table.addresses[names.index("id")]
        assert f.node(address).label == "id"
        assert len(sheet.to_frame(table)) == len(names)


def test_a_schema_that_cannot_be_read_leaves_the_bytes():
    broken = rebuilt(parquet(pa.table({"x": [1, 2]})), schema__0__num_children=5)
    with pqexplore.open(broken) as f:
        made = overview(f)
    assert made.picture is not None
    assert sum(one.size for one in made.picture["pieces"]) == len(broken)
    assert "cannot be told" in made.empty


def test_bytes_that_nobody_owns_are_told():
    data = parquet(pa.table({"x": [1]}))
    length = int.from_bytes(data[-8:-4], "little")
    start = len(data) - 8 - length
    with pqexplore.open(data[:start] + bytes(5000) + data[start:]) as f:
        said = overview(f).sentence
    assert said == "91 % of 5.48 kB belong to nobody; there is no page index."
