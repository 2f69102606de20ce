"""Shredding: nested values in, levels out; and that assembly, and pyarrow, make the same values of them."""

import numpy as np
import pyarrow as pa
import pytest
from engine.format.nesting import by_pyarrow
from engine.format.nesting.schema_text import elements, field
from hypothesis import given, settings
from hypothesis import strategies as st

from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.format import schema, types
from pqexplore.engine.format.nesting.assembly import LeafColumn, assemble
from pqexplore.engine.format.nesting.record_shredding import shred
from pqexplore.engine.format.nesting.shape import arrow_field


def pairs(column):
    """Levels as the Dremel paper writes them: repetition and definition of each entry."""
    count = len(column.values) if column.definition_levels is None else len(column.definition_levels)
    levels = [np.zeros(count, int) if x is None else x for x in (column.repetition_levels, column.definition_levels)]
    return " ".join(f"{r}{d}" for r, d in zip(*levels, strict=True))


def test_the_dremel_papers_records():
    top = field(
        "repeated group Name { repeated group Language { required binary Code (STRING); optional binary Country (STRING); } optional binary Url (STRING); }"
    )
    names = pa.array(
        [
            [
                {"Language": [{"Code": "en-us", "Country": "us"}, {"Code": "en"}], "Url": "http://A"},
                {"Language": [], "Url": "http://B"},
                {"Language": [{"Code": "en-gb", "Country": "gb"}]},
            ],
            [{"Language": [], "Url": "http://C"}],
        ],
        arrow_field(top, types.arrow_type).type,
    )
    code, country, url = shred(names, top)
    assert (pairs(code), code.values.to_pylist()) == ("02 22 11 12 01", ["en-us", "en", "en-gb"])
    assert (pairs(country), country.values.to_pylist()) == ("03 22 11 13 01", ["us", "gb"])
    assert (pairs(url), url.values.to_pylist()) == ("02 12 11 02", ["http://A", "http://B", "http://C"])


LIST = "optional group a (LIST) { repeated group list { optional int32 element; } }"


@pytest.mark.parametrize(
    ("text", "array", "levels", "values"),
    [
        ("required int32 a;", pa.array([1, 2]), "00 00", [1, 2]),
        ("optional int32 a;", pa.array([1, None, 2]), "01 00 01", [1, 2]),
        (LIST, pa.array([None, [], [None], [1, 2]], pa.list_(pa.int32())), "00 01 02 03 13", [1, 2]),
        (LIST, pa.array([[1], None, [2]], pa.large_list(pa.int32())), "03 00 03", [1, 2]),
        (LIST, pa.array([[1, None], None], pa.list_(pa.int32(), 2)), "03 12 00", [1]),
        (LIST, pa.array([[9], [8, 7], [], [1]], pa.list_(pa.int32())).slice(1), "03 13 01 03", [8, 7, 1]),
        (LIST, pa.array([[9, 9], [1, 2], None], pa.list_(pa.int32(), 2)).slice(1), "03 13 00", [1, 2]),
        (LIST, pa.array([], pa.list_(pa.int32())), "", []),
        ("optional int32 a;", pa.array(["x", None, "x"]).dictionary_encode(), "01 00 01", ["x", "x"]),
        ("optional int32 a;", pa.nulls(2), "00 00", []),
        ("repeated int32 a;", pa.array([[1, 2], []], pa.list_(pa.int32())), "01 11 00", [1, 2]),
    ],
    ids=str,
)
def test_arrays_in_levels_out(text, array, levels, values):
    (column,) = shred(array, field(text))
    assert (pairs(column), column.values.to_pylist()) == (levels, values)


def test_values_below_a_null_are_ignored():
    """Arrow allows values under a null struct and elements under a null list."""
    struct = pa.StructArray.from_arrays([pa.array([1, 2])], ["x"], mask=pa.array([False, True]))
    (column,) = shred(struct, field("optional group s { required int32 x; }"))
    assert (pairs(column), column.values.to_pylist()) == ("01 00", [1])
    offsets, values = np.array([0, 2, 3], np.int32), pa.array([1, 2, 3])
    null_first = pa.py_buffer(bytes([0b10]))
    lists = pa.Array.from_buffers(pa.list_(pa.int64()), 2, [null_first, pa.py_buffer(offsets)], children=[values])
    (column,) = shred(lists, field(LIST))
    assert (pairs(column), column.values.to_pylist()) == ("00 03", [3])


def test_a_slice_of_a_map():
    top = field("optional group m (MAP) { repeated group kv { required int32 k; optional int32 v; } }")
    maps = pa.array([[(9, 9)], [(1, None), (2, 3)], None, []], pa.map_(pa.int32(), pa.int32())).slice(1)
    key, value = shred(maps, top)
    assert (pairs(key), key.values.to_pylist()) == ("02 12 00 01", [1, 2])
    assert (pairs(value), value.values.to_pylist()) == ("02 13 00 01", [3])
    assert assemble(top, [key, value]).to_pylist() == maps.to_pylist()


@pytest.mark.parametrize(
    ("text", "array"),
    [
        ("required int32 a;", pa.array([1, None])),
        ("required int32 a;", pa.array([[1]])),
        (LIST, pa.array([1])),
        (LIST, pa.array([{"x": 1}])),
        ("optional group s { optional int32 x; optional int32 y; }", pa.array([{"x": 1}])),
        ("optional group s { optional int32 x; }", pa.array([1])),
        ("optional group s { required int32 x; }", pa.array([{"x": None}])),
    ],
)
def test_arrays_that_do_not_fit_the_field(text, array):
    with pytest.raises(UsageError):
        shred(array, field(text))


@st.composite
def fields(draw, depth=3, name="a", repetitions=("required", "optional", "repeated")):
    """A field in the specification's notation: lists of all styles, maps, structs, int32 and strings."""
    repetition = draw(st.sampled_from(repetitions))
    kinds = ["int32", "text"] + ["list", "list", "map", "struct", "tuple"] * (depth > 0)
    kind = draw(st.sampled_from(kinds))
    below = fields(depth=depth - 1, repetitions=("required", "optional"))
    if kind == "int32":
        return f"{repetition} int32 {name};"
    if kind == "text":
        return f"{repetition} binary {name} (STRING);"
    if kind == "struct":
        children = draw(st.integers(1, 3))
        inner = " ".join(draw(fields(depth=depth - 1, name=f"f{i}")) for i in range(children))
        return f"{repetition} group {name} {{ {inner} }}"
    single = "optional" if repetition == "repeated" else repetition  # a repeated list or map is no legal schema
    if kind == "map":
        key = draw(fields(depth=0, name="k", repetitions=("required",)))
        value = draw(fields(depth=depth - 1, name="v"))
        return f"{single} group {name} (MAP) {{ repeated group kv {{ {key} {value} }} }}"
    if kind == "tuple":
        inner = draw(fields(depth=depth - 1, name="x", repetitions=("required", "optional")))
        return f"{single} group {name} (LIST) {{ repeated group {name}_tuple {{ {inner} }} }}"
    inner = draw(below)
    return f"{single} group {name} (LIST) {{ repeated group list {{ {inner} }} }}"


def values_of(arrow):
    """Python values that fit an Arrow field."""
    kind = arrow.type
    if pa.types.is_map(kind):
        entry = st.tuples(values_of(kind.key_field), values_of(kind.item_field))
        value = st.lists(entry, max_size=3)
    elif pa.types.is_list(kind):
        value = st.lists(values_of(kind.value_field), max_size=3)
    elif pa.types.is_struct(kind):
        value = st.fixed_dictionaries({f.name: values_of(f) for f in kind})
    elif pa.types.is_string(kind):
        value = st.text("aé", max_size=2)
    else:
        value = st.integers(-3, 3)
    return st.none() | value if arrow.nullable else value


@settings(max_examples=150, deadline=None)
@given(data=st.data(), text=fields())
def test_shredded_arrays_read_back_by_assembly_and_pyarrow(data, text):
    said = elements(text)
    tree = schema.build(said)
    (top,) = tree.root.children
    arrow = arrow_field(top, types.arrow_type)
    rows = data.draw(st.lists(values_of(arrow), max_size=6))
    array = pa.array(rows, arrow.type)
    columns = shred(array, top)
    assert [column.leaf for column in columns] == tree.leaves
    again = assemble(top, columns)
    again.validate(full=True)
    assert again.type == array.type
    assert again.to_pylist() == array.to_pylist()
    theirs = by_pyarrow.table_of(said, columns, len(rows)).column(0)
    assert theirs.type == again.type
    assert theirs.to_pylist() == again.to_pylist()
    start = data.draw(st.integers(0, len(rows)))
    part = assemble(top, shred(array.slice(start), top))
    assert part.to_pylist() == array.to_pylist()[start:]


@settings(max_examples=100, deadline=None)
@given(data=st.data(), text=fields())
def test_damaged_levels_raise_or_make_a_valid_array(data, text):
    """Whatever the levels say: an array that Arrow finds valid, or an error of ours."""
    top = field(text)
    arrow = arrow_field(top, types.arrow_type)
    rows = data.draw(st.lists(values_of(arrow), min_size=1, max_size=4))
    columns = shred(pa.array(rows, arrow.type), top)
    victim = data.draw(st.integers(0, len(columns) - 1))
    column = columns[victim]
    levels = [column.definition_levels, column.repetition_levels]
    for which in (0, 1):
        if levels[which] is not None and len(levels[which]) and data.draw(st.booleans()):
            levels[which] = levels[which].copy()
            at = data.draw(st.integers(0, len(levels[which]) - 1))
            levels[which][at] = data.draw(st.integers(0, 9))
    values = column.values.slice(0, data.draw(st.integers(0, len(column.values))))
    columns[victim] = LeafColumn(column.leaf, *levels, values)
    try:
        array = assemble(top, columns)
    except ParquetError as error:
        assert error.address
        assert error.message
    else:
        array.validate(full=True)


@pytest.mark.parametrize("depth", [100, 450])
def test_deep(depth):
    """A list takes two levels of the schema: 450 lists are 901 deep."""
    text = "optional group a (LIST) { repeated group list { " * depth
    top = field(text + "optional int32 x;" + "} }" * depth)
    array = pa.array([1, None], pa.int32())
    for _ in range(depth):
        offsets = pa.py_buffer(np.arange(len(array) + 1, dtype=np.int32))
        kind = pa.list_(array.type)
        array = pa.Array.from_buffers(kind, len(array), [None, offsets], children=[array])
    (column,) = shred(array, top)
    assert column.definition_levels.tolist() == [2 * depth + 1, 2 * depth]
    assert column.repetition_levels.tolist() == [0, 0]
    again = assemble(top, [column])
    for _ in range(depth):
        assert (len(again), again.null_count) == (2, 0)
        again = again.values
    assert again.to_pylist() == [1, None]
