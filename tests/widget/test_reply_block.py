"""Replies by columns: what is written is what is read."""

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from widget.pages import unpacked, values_of

from pqexplore.widget import reply_block

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
JSON = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=2), inner, max_size=4)
)


def alike(left, right):
    """Whether two values are the same JSON, also in the order of names, and in 1, 1.0 and true."""
    return json.dumps(left) == json.dumps(right)


@given(st.lists(JSON, max_size=8))
def test_values_come_back(values):
    assert alike(values_of(json.loads(json.dumps(reply_block.column(values)))), values)


@pytest.mark.parametrize(("values", "form"), [
    ([7, 7, 7], "same"),
    (["a"] * 3, "same"),
    (list(range(1_000, 1_020)), "steps"),
    ([1 << 53, (1 << 53) + 1], "values"),
    (["a", "b"] * 4, "words"),
    (["a", "b", "c"], "values"),
    ([{"a": 1}, {"a": 2}], "objects"),
    ([{"a": 1}, {"b": 2}], "kinds"),
    ([[1], [2, 3]], "lists"),
    ([1, "a"], "kinds"),
    ([0.0, -0.0], "values"),
    ([1, True, None], "values"),
    ([{}, {}], "values"),
    ([], "values"),
])  # fmt: skip
def test_the_form_of_a_column(values, form):
    made = reply_block.column(values)
    assert made[0] == form
    assert alike(values_of(json.loads(json.dumps(made))), values)


def test_equal_buffers_are_in_a_block_once():
    buffer = bytes(range(256)) * 4
    one = json.dumps({"ok": True, "result": 1, "buffers": [base64.b64encode(buffer).decode()] * 2})
    error = json.dumps({"ok": False, "error": {"message": "broken"}})
    block = reply_block.block([reply_block.read(name, reply) for name, reply in (("a", one), ("b", one), ("c", error))])
    assert unpacked(block)["b"]["buffers"] == [buffer, buffer]
    assert unpacked(block)["c"] == {"ok": False, "error": {"message": "broken"}, "buffers": []}
    assert len(base64.b64decode(block)) < 256 + 300
