"""What the levels of a column say: the sentence, the counts, the steps, and the reasons if there is nothing to show."""

import io
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from made import parquet
from needs import needs_pyarrow
from widget import samples

import pqexplore
from pqexplore.engine.errors import UsageError
from pqexplore.engine.writer.samples import write_sample
from pqexplore.insight import wire
from pqexplore.insight.lenses import finish, nesting
from pqexplore.insight.lenses.nesting import STEPS
from pqexplore.insight.lenses.nesting.record_steps import HEAD, LOOKED_BACK, TAIL, Builder, steps
from pqexplore.insight.lenses.page import COUNT

TAGS = [["a", "b"], [], None, [None, "c"], ["d"]] * 20


@pytest.fixture(scope="module")
def file():
    table = pa.table(
        {
            "tags": pa.array(TAGS, pa.list_(pa.string())),
            "flat": pa.array([None if i % 4 == 0 else i for i in range(100)], pa.int32()),
            "sure": pa.array(range(100), pa.int32()),
        },
        schema=pa.schema(
            [("tags", pa.list_(pa.string())), ("flat", pa.int32()), pa.field("sure", pa.int32(), nullable=False)]
        ),
    )
    with pqexplore.open(parquet(table, write_page_index=True)) as opened:
        yield opened


def test_a_list_column_in_a_sentence(file):
    sentence = finish(nesting.of_chunk(file.row_groups[0].columns[0])).sentence
    assert sentence == (
        "Of 140 entries 100 begin a row and 40 go on with a list; 80 hold a value. Missing: 20 rows have no `tags`, "
        "20 rows have an empty `tags`, 20 times `tags.list.element` is null. Values a row, on average: 0.8."
    )


def test_a_flat_column_in_a_sentence(file):
    page = next(p for p in file.row_groups[0].columns[1].pages if p.is_data)
    assert nesting.of_page(page).sentence == (
        "100 entries, one a row: 75 hold a value. Missing: 25 rows have no `flat`."
    )


def test_a_required_column_has_no_levels_and_the_reason(file):
    answer = finish(nesting.of_chunk(file.row_groups[0].columns[2]))
    assert answer.picture is None
    assert answer.empty.startswith("Every field on the path to sure is required")


@needs_pyarrow(19, "it writes no SizeStatistics")
def test_the_histograms_count_what_is_stored(file):
    table = finish(nesting.of_chunk(file.row_groups[0].columns[0])).table
    rows = list(zip(*(table.column(n) for n in ("level_kind", "level", "entries")), strict=True))
    assert rows == [
        ("repetition", 0, 100),
        ("repetition", 1, 40),
        ("definition", 0, 20),
        ("definition", 1, 20),
        ("definition", 2, 20),
        ("definition", 3, 80),
    ]
    assert table.column("means")[2:] == [
        "tags is null",
        "tags is empty",
        "tags.list.element is null",
        "tags.list.element has a value",
    ]
    assert sum(table.column("share")[2:]) == pytest.approx(1)
    assert table.column("stated") == table.column("entries")  # pyarrow writes SizeStatistics


def test_a_row_of_the_table_leads_to_the_levels(file):
    page = next(p for p in file.row_groups[0].columns[0].pages if p.is_data)
    table = nesting.of_page(page).table
    assert table.addresses[0] == f"{page.address}/repetition_levels"
    assert file.node(table.addresses[-1]).span == table.spans[-1]


def test_the_ladder_has_the_levels_of_each_field(file):
    picture = finish(nesting.of_chunk(file.row_groups[0].columns[0])).picture
    assert [(r.name, r.repetition, r.definition_level, r.repetition_level) for r in picture.ladder] == [
        ("tags", "optional", 1, 0),
        ("list", "repeated", 2, 1),
        ("element", "optional", 3, 1),
    ]
    json.dumps(wire.encode(picture), allow_nan=False)


def test_a_dictionary_page_has_no_levels(file):
    page = file.row_groups[0].columns[0].pages[0]
    assert page.kind == "dictionary_page"
    assert "no levels" in nesting.of_page(page).empty


@pytest.mark.parametrize("groups", [0, 1])
def test_a_file_without_entries_says_so(groups):
    empty = pa.table({"x": pa.array([], pa.list_(pa.int32()))})
    sink = io.BytesIO()
    with pq.ParquetWriter(sink, empty.schema) as writer:
        for _ in range(groups):
            writer.write_table(empty)
    with pqexplore.open(sink.getvalue()) as file:
        answer = finish(nesting.of_leaf(file, file.schema.leaves[0]))
    assert "so there are no levels to walk" in answer.empty
    assert answer.picture.ladder[0].name == "x"
    assert answer.picture.walk is None


def test_a_damaged_page_body_is_left_out_of_the_counts(file):
    data = parquet(
        pa.table({"x": pa.array([[i] for i in range(3000)])}),
        use_dictionary=False,
        compression=None,
        data_page_size=1000,
        write_batch_size=100,
    )
    with pqexplore.open(data) as opened:
        first = opened.row_groups[0].columns[0].pages[0]
        whole = finish(nesting.of_chunk(opened.row_groups[0].columns[0])).table
    damaged = bytearray(data)
    damaged[first.frame.header_end : first.frame.end] = b"\xff" * (first.frame.end - first.frame.header_end)
    with pqexplore.open(bytes(damaged)) as opened:
        answer = finish(nesting.of_chunk(opened.row_groups[0].columns[0]))
    assert "Not all pages could be read: " in answer.sentence
    assert answer.table.column("entries")[0] == whole.column("entries")[0] - first.num_values


def test_a_damaged_page_header_ends_the_walk_and_the_pages_before_it_count():
    data = parquet(
        pa.table({"x": pa.array([[i] for i in range(3000)])}),
        use_dictionary=False,
        compression=None,
        data_page_size=1000,
        write_batch_size=100,
    )
    with pqexplore.open(data) as opened:
        pages = opened.row_groups[0].columns[0].pages
        before = sum(page.num_values for page in pages[:5])
        frame = pages[5].frame
    damaged = bytearray(data)
    damaged[frame.start : frame.header_end] = b"\xff" * (frame.header_end - frame.start)
    with pqexplore.open(bytes(damaged)) as opened:
        answer = finish(nesting.of_chunk(opened.row_groups[0].columns[0]))
    assert answer.sentence.startswith(f"Of {before:,} entries")
    assert "Not all pages could be read: " in answer.sentence
    assert len(answer.picture.walk.pages) == 5


@needs_pyarrow(19, "it writes no level histograms")
def test_the_stated_counts_are_of_the_page_or_of_the_chunk(file):
    """A page's are in the column index, a chunk's in its size statistics."""
    chunk = file.row_groups[0].columns[0]
    of_page = nesting.of_page(next(p for p in chunk.pages if p.is_data)).table
    of_chunk = finish(nesting.of_chunk(chunk)).table
    meanings = [table.columns[-1].meaning.split(",")[0] for table in (of_page, of_chunk)]
    assert of_page.column("stated") == of_page.column("entries")
    assert meanings == ["by the column index", "by size statistics"]


TAGS_CHUNK = "row_groups/0/columns/2"


@pytest.fixture(scope="module")
def orders():
    """The widget's sample; column 2 is `tags`, a list of texts."""
    with pqexplore.open(samples.orders_bytes()) as opened:
        yield opened


def walk(file, address):
    answer = nesting.answer(file, file.node(address))
    return answer.picture.walk


@pytest.mark.parametrize(
    ("address", "applies"),
    [
        (f"{TAGS_CHUNK}/pages/1", True),
        (f"{TAGS_CHUNK}/pages/1/definition_levels", True),
        (f"{TAGS_CHUNK}/pages/1/definition_levels/3", True),
        (f"{TAGS_CHUNK}/pages/1/values/0", True),
        (f"{TAGS_CHUNK}/pages/1/header", False),
        (TAGS_CHUNK, True),
        ("schema/5", True),
        ("schema/3", False),
        ("row_groups/0", False),
        ("", False),
    ],
)
def test_it_applies_to_what_has_levels(orders, address, applies):
    assert nesting.LENS.applies(orders.node(address)) is applies


@pytest.mark.parametrize(
    ("below", "entry"), [("", 0), ("/definition_levels/7", 7), ("/repetition_levels/1", 1), ("/values/2", 5)]
)
def test_a_level_or_value_selects_its_entry(orders, below, entry):
    """The third value of the page is `c`: before it are an empty list, no list, and a null."""
    found = walk(orders, f"{TAGS_CHUNK}/pages/1{below}")
    assert (found.selected, found.entries, found.step) == (entry, 900, STEPS)
    assert found.first.steps[entry].entry == entry


def test_steps_come_in_blocks(orders):
    block = nesting.steps_from(orders, f"{TAGS_CHUNK}/pages/1", STEPS)
    assert block.start == STEPS
    assert [step.entry for step in block.steps] == list(range(STEPS, 2 * STEPS))
    assert block.steps[0].sentence.startswith("Row ")


@pytest.mark.parametrize(("page", "start"), [(1, 1), (1, -STEPS), (1, 100 * STEPS), (0, 0)])
def test_steps_of_no_block_or_of_a_dictionary_page_raise(orders, page, start):
    with pytest.raises(UsageError, match="is not where 40 steps begin"):
        nesting.steps_from(orders, f"{TAGS_CHUNK}/pages/{page}", start)


def test_a_saved_page_keeps_the_first_entries_and_steps(orders):
    picture = nesting.answer(orders, orders.node(f"{TAGS_CHUNK}/pages/1")).picture
    requests = list(nesting.saved(wire.encode(picture)))
    page = f"{TAGS_CHUNK}/pages/1"
    assert [args["start"] for op, args in requests if op == "entries"] == [*range(0, 900, COUNT)]
    steps = [args for op, args in requests if op == "nesting_steps"]
    assert steps == [{"address": page, "start": at} for at in range(0, 900, STEPS)]
    assert list(nesting.saved({})) == []


def test_a_chunk_counts_all_its_pages():
    table = pa.table({"x": pa.array([[i, i] for i in range(1000)])})
    data = parquet(table, use_dictionary=False, data_page_size=1000, write_batch_size=100)
    with pqexplore.open(data) as file:
        answer = finish(nesting.of_chunk(file.row_groups[0].columns[0]))
        addresses = [page.address for page in file.row_groups[0].columns[0].pages]
    assert answer.picture.walk.pages == addresses and len(addresses) > 3
    assert answer.sentence.startswith("Of 2,000 entries 1,000 begin a row and 1,000 go on")


def test_a_leaf_of_the_schema_shows_its_first_row_group(orders):
    answer = finish(nesting.answer(orders, orders.node("schema/5")))
    assert answer.sentence.startswith("In row group 0 of 2: Of ")


def test_the_cost_of_a_chunk_is_its_uncompressed_size():
    table = pa.table({"x": pa.array([[i] for i in range(10)])})
    with pqexplore.open(parquet(table)) as file:
        node = file.node("row_groups/0/columns/0")
        metadata = file.row_groups[0].columns[0].metadata
        assert nesting.cost(file, node) == metadata.total_uncompressed_size


# Each entry builds its part of the row: the row after it, the new lines, and the sentence.


@pytest.fixture(scope="module")
def nested(tmp_path_factory):
    path = tmp_path_factory.mktemp("nested") / "nested.parquet"
    write_sample("nested", path)
    with pqexplore.open(path) as file:
        yield file


def drawn(lines):
    """The row as text, a `+` before a new line."""
    return [("+" if line.new else " ") + "  " * line.indent + line.text for line in lines]


def steps_of(file, column):
    return steps(file.row_groups[0].columns[column].pages[0], 0, 100)


def test_a_list_of_lists_grows_entry_by_entry(nested):
    found = steps_of(nested, 0)
    assert drawn(found[0].lines) == ["+lists: [", "+  [", "+    1", "   ]", " ]"]
    assert drawn(found[1].lines) == [" lists: [", "   [", "     1", "+    2", "   ]", " ]"]
    assert drawn(found[2].lines)[-4:] == ["+  [", "+    3", "   ]", " ]"]
    assert drawn(found[3].lines) == ["+lists: [", "+  []", " ]"]
    assert drawn(found[4].lines) == [" lists: [", "   []", "+  null", " ]"]
    assert drawn(found[7].lines) == ["+lists: []"]
    assert drawn(found[8].lines) == ["+lists: null"]


@pytest.mark.parametrize(
    ("column", "row", "lines"),
    [
        (1, 0, ['people: {name: "Ada"}']),
        (1, 2, ["people: {name: null}"]),
        (1, 3, ["people: null"]),
        (2, 2, ["people: {born: null}"]),
        (3, 1, ["people: {born: {place: null}}"]),
        (4, 0, ["maps: [", '{key: "a"}', '{key: "b"}', "]"]),
        (4, 1, ["maps: []"]),
        (5, 0, ["maps: [", "{value: [", "1", "]}", "{value: []}", "]"]),
        (5, 3, ["maps: [", "{value: null}", "]"]),
    ],
)
def test_structs_and_maps_have_the_one_field_that_the_column_has(nested, column, row, lines):
    last = [step for step in steps_of(nested, column) if step.row == row][-1]
    assert [line.text for line in last.lines] == lines


def test_the_sentence_says_what_both_levels_mean(nested):
    found = steps_of(nested, 0)
    assert found[4].sentence == (
        "Row 1. Repetition 1 of 2: lists goes on with a further element; definition 2 of 5: lists.list.element is null."
    )
    assert found[8].sentence == (
        "Row 3. Repetition 0 of 2: a new row begins; definition 0 of 5: lists is null. The row is complete."
    )
    assert steps_of(nested, 1)[0].sentence == (
        'Row 0: every entry is a row of its own; definition 2 of 2: people.name has a value, "Ada". '
        "The row is complete."
    )


def test_the_last_step_of_each_row_is_the_assembled_row(nested):
    """The last step of each row of `lists`, read as JSON, is the row."""
    rows = {}
    for step in steps_of(nested, 0):
        rows[step.row] = "".join(f"{line.text}," for line in step.lines)
    built = []
    for text in rows.values():
        text = text.removeprefix("lists: ").rstrip(",").replace("[,", "[").replace(",]", "]")
        built.append(eval(text, {"null": None}))
    assert built == nested.read(["lists"])["lists"].to_pylist()


def test_a_long_list_shows_its_ends():
    data = parquet(pa.table({"x": [list(range(50))]}))
    with pqexplore.open(data) as file:
        page = file.row_groups[0].columns[0].pages[1]
        last = steps(page, 0, 50)[-1]
    texts = [line.text for line in last.lines]
    assert texts == ["x: [", "0", "1", f"… {50 - HEAD - TAIL} more", *map(str, range(44, 50)), "]"]


def test_steps_can_begin_anywhere_in_a_row(nested):
    page = nested.row_groups[0].columns[0].pages[0]
    whole = steps(page, 0, 10)
    for start in range(10):
        assert steps(page, start, 2) == whole[start : start + 2]


def test_the_beginning_of_a_very_long_row_is_left_out():
    long = LOOKED_BACK + 100
    with pqexplore.open(parquet(pa.table({"x": [list(range(long))]}), use_dictionary=False)) as file:
        page = next(p for p in file.row_groups[0].columns[0].pages if p.is_data)
        (step,) = steps(page, long - 1, 1)
    assert step.lines[0].text == "… what came before is not known here"
    assert str(long - 1) in [line.text for line in step.lines]


def test_an_entry_that_goes_on_with_a_list_that_never_began_starts_a_cut_row(nested):
    builder = Builder(nested.row_groups[0].columns[0].leaf)
    builder.add(2, 5, "7")
    assert drawn(builder.lines())[0] == " … what came before is not known here"
    builder.add(0, 0, None)
    assert drawn(builder.lines()) == ["+lists: null"]


def test_a_deep_schema_does_not_overflow():
    kind = pa.int32()
    for depth in range(300):
        kind = pa.struct([(f"f{depth}", kind)])
    array = pa.nulls(3, kind)
    with pqexplore.open(parquet(pa.table({"deep": array}))) as file:
        page = next(p for p in file.row_groups[0].columns[0].pages if p.is_data)
        assert [drawn(step.lines) for step in steps(page, 0, 3)] == [["+deep: null"]] * 3
        assert np.all(page.definition_levels == 0)


def test_unreadable_values_keep_their_levels():
    data = parquet(pa.table({"x": ["a", None, "b"]}), use_dictionary=False, compression=None)
    with pqexplore.open(data) as file:
        page = file.row_groups[0].columns[0].pages[0]
        start = page.body.section("values").span.start
    damaged = bytearray(data)
    damaged[start : start + 4] = b"\xff" * 4  # the length of the first text
    with pqexplore.open(bytes(damaged)) as file:
        found = steps(file.row_groups[0].columns[0].pages[0], 0, 3)
    assert [step.definition for step in found] == [1, 0, 1]
    assert [line.text for step in found for line in step.lines] == [
        "x: which cannot be read",
        "x: null",
        "x: which cannot be read",
    ]


def test_a_deep_path_leaves_room_for_the_record():
    deep = pa.array([1])
    for _ in range(60):
        deep = pa.ListArray.from_arrays([0, 1], deep)
    with pqexplore.open(parquet(pa.table({"a": deep}))) as file:
        page = next(page for page in file.row_groups[0].columns[0].pages if page.is_data)
        said = steps(page, 0, 1)[0].sentence
    assert len(said) < 300
    assert "definition 121 of 121: a.list.element" in said
    assert "….list" not in said and ".element has a value, 1." in said
