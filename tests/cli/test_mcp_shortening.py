"""Documents that are cut to a length: never longer, never something else than a beginning of what they were."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pqexplore.cli.mcp import shortening
from pqexplore.cli.mcp.shortening import FULL, SHORT, shortened

PLAIN = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=50)
VALUES = st.recursive(
    PLAIN, lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=20), inner), max_leaves=60
)


def begins(cut, whole):
    """Whether a value is the beginning of another one."""
    if isinstance(whole, dict):
        return isinstance(cut, dict) and all(name in whole and begins(cut[name], whole[name]) for name in cut)
    if isinstance(whole, list):
        return isinstance(cut, list) and len(cut) <= len(whole) and all(map(begins, cut, whole))
    return cut == whole or (isinstance(cut, str) and cut.endswith("…") and str(whole).startswith(cut[:-1]))


@given(VALUES, st.integers(60, 400))
def test_a_value_fits_and_is_a_beginning(value, room):
    cut = shortening._Cut()
    made = cut.fit(value, room, "")
    assert len(json.dumps(made)) <= room
    assert begins(made, value)
    assert (made == value) == (not cut.parts)


LONG = {
    "rows": {"rows": [{"x": number} for number in range(20_000)]},
    "a text": {"text": "\x1b" * 100_000},
    "a name": {"x" * 100_000: 1, "y": 2},
    "names": {f"name {number}": [number] for number in range(20_000)},
    "deep": {"a": json.loads('{"a": [' * 100 + json.dumps(["x"] * 20_000) + "]}" * 100)},
    "both": {"few": [1, 2, 3], "many": ["x" * 100] * 10_000, "more": [["y"] * 1000] * 1000},
}


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("name", LONG)
def test_a_long_document_is_cut(name, full):
    whole = {"version": 1, "kind": "rows", **LONG[name]}
    made = shortened(whole, full)
    assert len(json.dumps(made)) <= (FULL if full else SHORT)
    said = made.pop("shortened")
    assert said["parts"] and said["how"] == (shortening.NO_MORE if full else shortening.MORE)
    assert begins(made, whole) and made["version"] == 1
    assert len(json.dumps(made)) >= min(4_000, len(json.dumps(whole)) // 2) or name in ("a name", "deep")


def test_what_is_small_stays_whole():
    whole = {"kind": "rows", **LONG["both"]}
    made = shortened(whole)
    assert made["few"] == [1, 2, 3]
    assert made["shortened"]["parts"][0] == {"at": "/many", "shown": len(made["many"]), "of": 10_000}


def test_a_short_document_is_the_same():
    whole = {"kind": "rows", "rows": [1, 2]}
    assert shortened(whole) == whole


def test_the_schema_and_row_groups_of_a_file_are_for_a_full_answer():
    whole = {"kind": "file", "schema": [1, 2], "row_groups": [3], "columns": [4]}
    made = shortened(whole)
    assert made == {
        "shortened": {
            "how": shortening.MORE,
            "parts": [{"at": "/schema", "shown": 0, "of": 2}, {"at": "/row_groups", "shown": 0, "of": 1}],
        },
        "kind": "file",
        "schema": [],
        "row_groups": [],
        "columns": [4],
    }
    assert shortened(whole, full=True) == whole


def test_more_places_than_are_named_are_counted():
    made = shortened({"documents": [{"kind": "file", "schema": [1], "row_groups": [2]}] * 10})
    assert len(made["shortened"]["parts"]) == 8 and made["shortened"]["other_parts"] == 12
