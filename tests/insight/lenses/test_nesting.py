"""What the levels of a column say: the sentence, the counts, the steps, and the reasons if there is nothing to show."""

import numpy as np
import pyarrow as pa
import pytest
from made import grouped, open_sample, parquet
from widget import samples

import pqexplore
from pqexplore.engine.errors import UsageError
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


@pytest.mark.parametrize("groups", [0, 1])
def test_a_file_without_entries_says_so(groups):
    empty = pa.table({"x": pa.array([], pa.list_(pa.int32()))})
    with pqexplore.open(grouped(empty.schema, *[empty] * groups)) as file:
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


TAGS_CHUNK = "row_groups/0/columns/2"


@pytest.fixture(scope="module")
def orders():
    """The widget's sample; column 2 is `tags`, a list of texts."""
    with pqexplore.open(samples.orders_bytes()) as opened:
        yield opened


def walk(file, address):
    answer = nesting.answer(file, file.node(address))
    return answer.picture.walk


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


def test_the_cost_of_a_chunk_is_its_uncompressed_size():
    table = pa.table({"x": pa.array([[i] for i in range(10)])})
    with pqexplore.open(parquet(table)) as file:
        node = file.node("row_groups/0/columns/0")
        metadata = file.row_groups[0].columns[0].metadata
        assert nesting.cost(file, node) == metadata.total_uncompressed_size


# Each entry builds its part of the row: the row after it, the new lines, and the sentence.


@pytest.fixture(scope="module")
def nested():
    with open_sample("nested") as file:
        yield file


def drawn(lines):
    """The row as text, a `+` before a new line."""
    return [("+" if line.new else " ") + "  " * line.indent + line.text for line in lines]


def steps_of(file, column):
    return steps(file.row_groups[0].columns[column].pages[0], 0, 100)


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
