"""Every byte of a file has one owner; gaps are named and overlaps are findings."""

import pyarrow as pa
import pytest
from engine.check import forged
from made import events, parquet, rebuilt
from needs import ONE_COLUMN_METADATA

import pqexplore
from pqexplore.engine.writer import assembly

DATA = parquet(events(500), row_group_size=200, write_page_index=True)


def tiles(file):
    table = file.layout()
    starts, ends = table.column("start").to_pylist(), table.column("end").to_pylist()
    assert starts == [0, *ends[:-1]]
    assert ends[-1] == file.size
    assert all(start < end for start, end in zip(starts, ends, strict=True))
    return table.to_pylist()


@ONE_COLUMN_METADATA
def test_the_owners_tile_the_file():
    rows = tiles(pqexplore.open(DATA))
    assert (rows[0]["kind"], rows[-1]["kind"]) == ("magic", "footer_magic")
    assert {row["kind"] for row in rows} == {
        "magic", "page_header", "dictionary_page", "data_page", "column_index", "offset_index",
        "footer", "footer_length", "footer_magic",
    }  # fmt: skip


def test_every_owner_is_a_node_that_lies_there():
    file = pqexplore.open(DATA)
    for row in tiles(file):
        node = file.node(row["address"])
        assert node.span.start <= row["start"] < row["end"] <= node.span.end, row


def test_chunks_are_enough_for_a_first_look():
    rows = pqexplore.open(DATA).layout("chunks").to_pylist()
    assert sum(row["kind"] == "column_chunk" for row in rows) == 3 * 8
    assert sum(row["end"] - row["start"] for row in rows) == len(DATA)
    with pytest.raises(ValueError, match="levels are"):
        pqexplore.open(DATA).layout("rows")


# what lies between the last page and the footer | what is said of it
GAPS = [
    (bytes(100), "padding"),
    (bytes(3), "alignment"),
    (b"PAR1", "a magic in the middle"),
    (b"\xfe\xfe\xfe\xfe\xfe", "unreferenced bytes: no structure"),
    (b"Written by hand\n", r'unreferenced text that reads "Written by hand\n"'),
    ("größer, länger".encode(), 'unreferenced text that reads "größer, länger"'),
    (b"x" * 100 + bytes(28), f'unreferenced text that reads "{"x" * 59}…"'),
    (b"abc", "unreferenced bytes: no structure"),
    (b"Written\x01by hand", "unreferenced bytes: no structure"),
    (b"\xc3\xff\xff\xff\xff", "unreferenced bytes: no structure"),
    (bytes(211) + b"\xfe\xfe", "211 zero bytes, then unreferenced bytes: no structure"),
    (bytes(4) + b"a note", '4 zero bytes, then unreferenced text that reads "a note"'),
    (forged.page([1, 2]).stored, "begin like a page header"),
    (bytes(20) + forged.page([1, 2]).stored, "20 zero bytes, then unreferenced bytes that begin like"),
    (forged.page([1, 2]).stored[:-1], "unreferenced bytes: no structure"),
    (assembly.page_v1(forged.encoded([1, 2]), 2, type=9).stored, "unreferenced bytes: no structure"),
    (b"\x15\x00\x15\x02\x15\x02\x00" + b"\xfe" * 9, "unreferenced bytes: no structure"),
]


@ONE_COLUMN_METADATA
@pytest.mark.parametrize(("between", "reason"), GAPS, ids=range(len(GAPS)))
def test_gaps_have_a_reason(between, reason):
    start = pqexplore.open(DATA).footer.start
    file = pqexplore.open(DATA[:start] + between + DATA[start:])
    gap = [row for row in tiles(file) if row["kind"] == "gap"]
    assert [(row["start"], row["end"]) for row in gap] == [(start, start + len(between))]
    node = file.node(gap[0]["address"])
    assert reason in {fact.name: fact.value for fact in node.facts}["reason"]
    assert file.node("gaps").children[0].address == f"gaps/{start}"


@ONE_COLUMN_METADATA
def test_a_second_copy_of_the_column_metadata_is_recognised():
    from pqexplore.engine.format.thrift import encode

    good = pqexplore.open(DATA)
    copy = encode.encode(good.row_groups[0].columns["name"].metadata)
    file = pqexplore.open(DATA[: good.footer.start] + copy + DATA[good.footer.start :])
    [gap] = [row for row in tiles(file) if row["kind"] == "gap"]
    reason = {fact.name: fact.value for fact in file.node(gap["address"]).facts}["reason"]
    assert reason == "a second copy of the ColumnMetaData of name"


def test_overlapping_owners_are_a_finding():
    offset = pqexplore.open(DATA).row_groups[0].columns[0].struct.column_index_offset
    data = rebuilt(DATA, row_groups__1__columns__0__column_index_offset=offset)
    file = pqexplore.open(data)
    rows = tiles(file)
    [overlap] = [finding for finding in file.findings if finding.rule == "overlap"]
    assert overlap.severity.level == "error"
    assert {overlap.evidence["first"], overlap.evidence["second"]} == {
        "row_groups/0/columns/0/column_index", "row_groups/1/columns/0/column_index",
    }  # fmt: skip
    assert any(row["kind"] == "gap" for row in rows)


def test_a_part_that_ends_outside_the_file_owns_no_bytes_of_others():
    size = len(DATA)
    data = rebuilt(
        DATA,
        row_groups__0__columns__0__column_index_offset=size - 20,
        row_groups__0__columns__0__column_index_length=99,
    )
    found = [(one.rule, one.address) for one in pqexplore.open(data).check()]
    assert ("unreadable", "row_groups/0/columns/0/column_index") in found
    assert "overlap" not in {rule for rule, _ in found}


def test_the_layout_of_a_file_without_row_groups_tiles_it():
    tiles(pqexplore.open(parquet(pa.table({"a": pa.array([], pa.int32())}))))
