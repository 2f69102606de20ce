"""The lens diff: what it says at each place, how columns and row groups are aligned, and when it is offered."""

import numpy as np
import pyarrow as pa
import pytest
from insight.diff.diff_pairs import CITIES, TABLE, ours, theirs
from needs import ONE_COLUMN_METADATA, has

import pqexplore
from pqexplore.engine.errors import UsageError
from pqexplore.engine.text import printable
from pqexplore.insight import lenses
from pqexplore.insight.diff import row_group_alignment, second_file
from pqexplore.insight.diff.diff import DATA, diff
from pqexplore.insight.lenses.diff import LENS, column_map
from pqexplore.widget import lens as lens_view

OTHER = TABLE.drop(["price"]).append_column("new", CITIES)


def looked(first, other, at="", level=None):
    """The answer of the lens at an address of the first file."""
    with pqexplore.open(first) as a, pqexplore.open(other) as b, second_file.compared_with(b):
        if level is not None:
            lenses.finish(second_file.compared(a, b, level))
        return lenses.finish(lenses.answer_of(a, a.node(at), lenses.require("diff", a.node(at))))


@pytest.fixture(scope="module")
def pair():
    """Two row groups of 2,000 rows, and four of 1,000; `price` is gone, `new` is new."""
    return ours(), ours(OTHER, codec="ZSTD", row_group_rows=1_000)


def test_the_answer_at_the_file_is_that_of_diff(pair):
    found, made = diff(*pair), looked(*pair)
    assert made.sentence == found.sentence
    assert made.table.column("sentence") == found.table["sentence"].to_pylist()
    assert made.table.column("bytes") == found.table["bytes"].to_pylist()


@ONE_COLUMN_METADATA
def test_a_difference_of_one_row_group_is_not_listed_at_another():
    """Only the second row group has so many values that its dictionary reaches the lower limit."""
    table = pa.table({"n": np.concatenate([np.zeros(2_000), np.arange(2_000)])})
    options = {"row_group_size": 2_000, "write_batch_size": 100}
    one, two = theirs(table, **options), theirs(table, dictionary_pagesize_limit=4_000, **options)
    assert "encoding" in looked(one, two, "row_groups/1").table.column("what")
    first = looked(one, two, "row_groups/0")
    assert first.table.rows == []
    size = 101 if has("pyarrow", "22") else 99  # older ones do not say in a page's header whether its bounds are exact
    assert first.sentence == (
        f"By their footers, row group 0 takes {size} B in both files, and nothing else differs there."
    )


def test_the_values_are_compared_when_asked(pair, monkeypatch):
    monkeypatch.setattr("pqexplore.insight.diff.diff.SMALL", 0)
    values = TABLE["n"].to_pylist()
    values[7] = 99
    other = ours(TABLE.set_column(3, "n", pa.array(values, pa.int32())))
    with pqexplore.open(pair[0]) as a, pqexplore.open(other) as b, second_file.compared_with(b):
        node = a.node("schema/4")
        before = lenses.finish(lenses.answer_of(a, node, LENS))
        assert before.picture.level == "footer" and "values" not in before.table.column("what")
        count = lenses.finish(LENS.operations["diff_values"](a)).differences
        after = lenses.finish(lenses.answer_of(a, node, LENS))
        assert after.picture.level == DATA
        assert "other values in 1 row; the first is row 7: 99 in place of 0" in after.sentence
        assert not after.sentence.startswith("By their footers")
        assert count == len(diff(a, b, DATA).differences)
        calm = lenses.finish(lenses.answer_of(a, a.node("schema/1"), LENS))
        assert calm.sentence == "`id` takes 21.8 kB in both files, and nothing else differs there."


def test_the_same_bytes_are_the_same_everywhere(pair):
    made = looked(pair[0], pair[0], "row_groups/0", DATA)
    assert "byte for byte" in made.sentence and made.table.rows == []
    assert set(made.picture.map.states) == {"same"}


# The alignment.

SLOTS = {
    "the same row groups": ([5, 5], [5, 5], "0-1|0-1 1-2|1-2"),
    "as many, of other sizes": ([5, 7], [9, 3], "0-1|0-1 1-2|1-2"),
    "two for one": ([4, 4], [2, 2, 2, 2], "0-1|0-2 1-2|2-4"),
    "no common end": ([3, 3], [2, 2, 2], "0-2|0-3"),
    "one more": ([5, 5], [5, 5, 5], "0-1|0-1 1-2|1-2 2-2|2-3"),
    "one fewer": ([5, 5], [5], "0-1|0-1 1-2|1-1"),
    "the last is longer, and one more": ([5, 2], [5, 5, 1], "0-1|0-1 1-2|1-2 2-2|2-3"),
    "none": ([], [5], "0-0|0-1"),
    "empty ones": ([0, 5], [5], "0-2|0-1"),
    "not known": ([5, None], [5], "0-1|0-1 1-2|1-1"),
}


@pytest.mark.parametrize("case", SLOTS)
def test_row_groups_are_paired_by_their_rows(case):
    one, two, wanted = SLOTS[case]
    made = row_group_alignment.slots(one, two)
    assert " ".join(
        f"{s.first.start}-{s.first.stop}|{s.second.start}-{s.second.stop}" for s in made
    ) == wanted  # fmt: skip


def test_the_bytes_of_the_map_are_those_of_the_chunks(pair):
    with pqexplore.open(pair[0]) as a:
        drawn = looked(*pair).picture.map
        cells = np.array(drawn.first).reshape(len(drawn.lines), len(drawn.slots), len(drawn.kinds))
        chunk = a.row_groups[1].columns[0]
        nodes = {kind: a.node(f"{chunk.address}/{kind}") for kind in ("column_index", "offset_index")}  # fmt: skip
        at = dict(zip(drawn.kinds, cells[1, 1], strict=True))
        assert at["dictionary_page"] + at["data_page"] == len(chunk.span)
        assert at["dictionary_page"] == len(a.node(f"{chunk.address}/pages/0").span)
        assert all(at[kind] == len(node.span) for kind, node in nodes.items())
        assert drawn.starts[len(drawn.slots) + 1] == chunk.span.start
        assert cells[0].sum() + drawn.rest[0] == a.size == drawn.sizes[0]


def test_files_with_nothing_in_common_are_all_gone_and_all_added():
    made = looked(ours(TABLE.select(["id"])), ours(TABLE.select(["city"])))
    assert [(line.label, line.state) for line in made.picture.map.lines[1:]] == [("id", "gone"), ("city", "added")]
    assert made.picture.beside.sides[1].address == ""


def test_the_root_of_the_schema_is_the_file(pair):
    assert looked(*pair, "schema/0").sentence == looked(*pair).sentence
    without = ours(pa.table({}))
    assert "because `price` is new" in looked(without, pair[0], "schema/0").sentence


@pytest.mark.parametrize("empty", [0, 1])
def test_a_file_without_row_groups_has_no_partner(empty):
    files = [ours(), ours(TABLE.slice(0, 0))]
    made = looked(*(files if empty else files[::-1]))
    state = {"gone" if empty else "added"}
    assert made.picture.map is None or set(made.picture.map.states) == state


def test_many_chunks_are_folded():
    """100 columns and 100 row groups; what differs most, and what is selected, keeps its line."""
    names = [f"c{i}" for i in range(100)]
    small = pa.table({name: np.zeros(100, np.int8) for name in names})
    large = small.set_column(70, "c70", pa.array(np.arange(100)))
    one, two = (theirs(t, row_group_size=1, write_statistics=False) for t in (small, large))
    made = looked(one, two, "row_groups/57/columns/99").picture.map
    assert len(made.lines) == 1 + column_map.LINES + 1 and len(made.slots) <= column_map.SLOTS
    assert (made.columns, made.groups) == (100, [100, 100])
    labels = [line.label for line in made.lines]
    assert "c70" in labels and "c99" in labels and labels[-1] == "40 more columns"
    line, slot = made.chosen
    assert labels[line] == "c99" and made.slots[slot].first[0] <= 57 < made.slots[slot].first[1]
    assert sum(line.columns for line in made.lines[1:]) == 100


# The place of the second file.


def test_a_place_of_the_second_file_alone_is_shown_when_asked(pair):
    with pqexplore.open(pair[0]) as a, pqexplore.open(pair[1]) as b, second_file.compared_with(b):
        found = LENS.operations["diff_beside"](a, None, "row_groups/0/columns/3")
        assert found.sides[0].address is None and found.sides[1].label == "new"
        with pytest.raises(LookupError):
            LENS.operations["diff_beside"](a, None, "row_groups/0/columns/9")


def test_a_group_of_the_schema_is_beside_its_group():
    nested = pa.table({"x": [1], "s": [{"a": 1, "b": {"c": 2}}]})
    other = pa.table({"s": [{"b": {"c": 2}, "a": 1}], "y": [1]})
    found = looked(ours(nested), ours(other), "schema/4").picture.beside
    assert [side.label for side in found.sides] == ["s.b", "s.b"]


# When it is offered.


def test_without_a_second_file_it_is_not_offered_and_says_how(pair):
    with pqexplore.open(pair[0]) as a:
        assert "diff" not in [lens.name for lens in lenses.applying(a.root)]
        with pytest.raises(UsageError, match=r"against=b.*%pqexplore A --diff B.*pqexplore diff A B"):
            lenses.require("diff", a.root)
        with pytest.raises(UsageError, match="needs a second file"):
            pqexplore.explore(a, view="diff")


@pytest.mark.parametrize(("at", "offered"), [
    ("", True),
    ("row_groups/0", True),
    ("row_groups/0/columns/0", True),
    ("row_groups/0/columns/0/pages/0", True),
    ("schema/1", True),
    ("footer", False),
    ("row_groups/0/columns/0/pages/0/header", False),
    ("magic", False),
])  # fmt: skip
def test_it_is_offered_where_files_can_be_aligned(pair, at, offered):
    with pqexplore.open(pair[0]) as a, pqexplore.open(pair[1]) as b, second_file.compared_with(b):
        assert ("diff" in [lens.name for lens in lenses.applying(a.node(at))]) is offered


def test_two_second_files_do_not_share_answers(pair):
    with pqexplore.open(pair[0]) as a, pqexplore.open(pair[1]) as b:
        sentences = []
        for other in (a, b, a):
            with second_file.compared_with(other):
                sentences.append(lenses.finish(lenses.answer_of(a, a.root, LENS)).sentence)
    assert sentences[0] == sentences[2] != sentences[1]


# Files that are not trusted.


def test_more_chunks_than_are_compared_say_so(pair, monkeypatch):
    monkeypatch.setattr("pqexplore.insight.diff.diff.CHUNKS", 5)
    made = looked(*pair)
    assert made.sentence == "The two files were not compared." and made.picture is None
    assert "more than 5 column chunks" in made.empty


def test_hostile_names_are_printable():
    bad = "a\u202eb\x1b[2J\n<script>"
    table = pa.table({bad: [1, 2]})
    for at in ("", "schema/1", "row_groups/0/columns/0"):
        made = looked(ours(table), ours(pa.table({bad: [1, 2, 3]})), at)
        texts = [made.sentence, *(line.label for line in made.picture.map.lines)]
        texts += [side.label for side in made.picture.beside.sides]
        texts += [text for row in made.table.rows for text in row if isinstance(text, str)]
        assert all(text == printable(text) for text in texts)


def test_a_footer_that_lies_about_bytes_gives_a_bounded_map(pair):
    from pqexplore.engine.format.thrift import structs

    lie = structs.ColumnChunk(file_offset=0, column_index_length=-5, offset_index_length=1 << 30)
    lie.meta_data = structs.ColumnMetaData(
        total_compressed_size=1 << 60, data_page_offset=1 << 62, dictionary_page_offset=3
    )
    assert row_group_alignment._parts(lie, 1_000) == ((1_000, 0, 0, 1_000, 0), 3)
    assert row_group_alignment._parts(None, 1_000) == ((-1,) * 5, -1)


def test_the_answer_travels(pair):
    with pqexplore.open(pair[0]) as a, pqexplore.open(pair[1]) as b, second_file.compared_with(b):
        shown = lenses.finish(lens_view.payload(a, a.root, LENS))
    assert shown["picture"]["map"]["names"] == ["the first file", "the second file"]
