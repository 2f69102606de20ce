"""Each entry builds its part of the row: the row after it, the new lines, and the sentence."""

import numpy as np
import pyarrow as pa
import pytest
from made import parquet

import pqexplore
from pqexplore.engine.writer.samples import write_sample
from pqexplore.insight.lenses.nesting.record_steps import HEAD, LOOKED_BACK, TAIL, Builder, steps


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
