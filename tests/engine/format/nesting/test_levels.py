"""What levels are called, and where records begin."""

import tracemalloc

import numpy as np
import pyarrow as pa
import pytest
from engine.format.nesting.schema_text import build

from pqexplore.engine.format.nesting import levels
from pqexplore.engine.format.nesting.levels import field_at, name_levels, record_bounds, record_starts, slice_records
from pqexplore.engine.format.nesting.shape import LeafColumn


@pytest.mark.parametrize(
    ("text", "definition", "repetition"),
    [
        ("required int32 a;", ["a has a value"], ["a new record"]),
        ("optional int32 a;", ["a is null", "a has a value"], ["a new record"]),
        ("repeated int32 a;", ["a is empty", "a has a value"], ["a new record", "a further element of a"]),
        ("optional group a { required group b { optional int32 c; } }",
            ["a is null", "a.b.c is null", "a.b.c has a value"], ["a new record"]),
        ("optional group a (LIST) { repeated group list { optional int32 element; } }",
            ["a is null", "a is empty", "a.list.element is null", "a.list.element has a value"],
            ["a new record", "a further element of a"]),
        ("optional group m (MAP) { repeated group key_value { required int32 key; } }",
            ["m is null", "m is empty", "m.key_value.key has a value"], ["a new record", "a further entry of m"]),
        ("required group a (LIST) { repeated group array (LIST) { repeated int32 array; } }",
            ["a is empty", "a.array is empty", "a.array.array has a value"],
            ["a new record", "a further element of a", "a further element of a.array"]),
    ],
)  # fmt: skip
def test_names(text, definition, repetition):
    (leaf,) = build(text).leaves
    assert name_levels(leaf) == (definition, repetition)
    assert len(definition) == leaf.max_definition_level + 1
    assert len(repetition) == leaf.max_repetition_level + 1


def test_field_at():
    (leaf,) = build("optional group a { required group b { repeated int32 c; } }").leaves
    assert [field_at(leaf, level).name for level in range(3)] == ["a", "c", "c"]
    assert field_at(leaf, 2) is leaf


REPETITION = np.array([0, 1, 1, 0, 0, 1], np.uint8)
DEFINITION = np.array([2, 2, 1, 0, 2, 2], np.uint8)


def test_record_bounds_are_those_of_all_records(monkeypatch):
    monkeypatch.setattr(levels, "PIECE", 7)
    repetition = np.array([0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 0], np.uint8)
    everything = np.append(np.flatnonzero(repetition == 0), len(repetition))
    for first in range(10):
        for stop in range(first, 12):
            found = record_bounds(repetition, first, stop)
            assert found.tolist() == everything[first : stop + 1].tolist()
    assert record_bounds(repetition[:0], 0, 3).tolist() == [0]


def test_a_few_records_of_a_long_page_take_little_memory():
    repetition = np.zeros(1 << 24, np.uint8)
    tracemalloc.start()
    assert record_bounds(repetition, 5, 7).tolist() == [5, 6, 7]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 32 << 20


def test_record_starts():
    assert record_starts(REPETITION).tolist() == [0, 3, 4]
    assert record_starts(REPETITION[:0]).tolist() == []


@pytest.mark.parametrize(
    ("start", "stop", "definition", "values"),
    [
        (0, 3, [2, 2, 1, 0, 2, 2], [1, 2, 3, 4]),
        (0, 1, [2, 2, 1], [1, 2]),
        (1, 2, [0], []),
        (1, 3, [0, 2, 2], [3, 4]),
        (2, 99, [2, 2], [3, 4]),
        (3, 4, [], []),
        (2, 1, [], []),
        (-5, 1, [2, 2, 1], [1, 2]),
    ],
)
def test_slice_of_records(start, stop, definition, values):
    (leaf,) = build("repeated group a { optional int32 x; }").leaves
    column = LeafColumn(leaf, DEFINITION, REPETITION, pa.array([1, 2, 3, 4], pa.int32()))
    part = slice_records(column, start, stop)
    assert part.definition_levels.tolist() == definition
    assert len(part.repetition_levels) == len(definition)
    assert part.values.to_pylist() == values


def test_slice_of_flat_records():
    required, optional = build("required int32 a; optional int32 b;").leaves
    values = pa.array([1, 2, 3], pa.int32())
    assert slice_records(LeafColumn(required, None, None, values), 1, 3).values.to_pylist() == [2, 3]
    levels = np.array([1, 0, 1, 1], np.uint8)
    part = slice_records(LeafColumn(optional, levels, None, values), 1, 3)
    assert (part.definition_levels.tolist(), part.values.to_pylist()) == ([0, 1], [2])
