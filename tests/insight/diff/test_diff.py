"""What differs between two files: each pair of the table differs in one thing, which the sentence names."""

import math
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from insight.diff.diff_pairs import PAIRS, changed, one, ours
from made import parquet

import pqexplore
from pqexplore.engine.errors import UsageError
from pqexplore.insight.diff.second_file import compared
from pqexplore.insight.steps import finish


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_the_one_difference_is_named_and_there_is_no_other(pair):
    found = pqexplore.diff(pair.first(), pair.second(), pair.level)
    assert [one.what for one in found.differences] == [pair.what], found.table.to_pylist()
    assert pair.said in found.sentence
    assert found.table.num_rows == 1


@pytest.mark.parametrize(
    "level", ["pages", pytest.param("footer", marks=pytest.mark.full), pytest.param("data", marks=pytest.mark.full)]
)
@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_a_file_does_not_differ_from_itself(pair, level):
    data = pair.second()
    assert pqexplore.diff(data, data, level).same


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_the_other_way_round_there_is_one_difference_too(pair):
    found = pqexplore.diff(pair.second(), pair.first(), pair.level)
    assert len(found.differences) == 1, found.table.to_pylist()
    [there] = pqexplore.diff(pair.first(), pair.second(), pair.level).differences
    back = found.differences[0]
    if pair.what != "row-order":
        assert (there.first, there.second) == (back.second, back.first)
    assert there.bytes == (None if back.bytes is None else -back.bytes)


def test_what_a_larger_file_is_larger_by():
    """Each column's bytes have one cause, and these are the bytes of the pages."""
    found = pqexplore.diff(ours(), ours(codec="UNCOMPRESSED", columns={"id": {"encoding": "PLAIN"}}))
    sizes = []
    for data in (ours(), ours(codec="UNCOMPRESSED", columns={"id": {"encoding": "PLAIN"}})):
        with pqexplore.open(data) as file:
            sizes.append(sum(c.metadata.total_compressed_size for g in file.row_groups for c in g.columns))
    assert sum(one.bytes or 0 for one in found.differences) == sizes[1] - sizes[0] > 0


def test_small_files_whose_sizes_the_footers_do_not_explain_are_read(monkeypatch):
    rows = pa.table({"n": np.random.default_rng(4).permutation(50_000)})
    first, second = parquet(rows.sort_by("n")), parquet(rows)
    found = pqexplore.diff(first, second)
    assert [one.what for one in found.differences] == ["row-order"] and found.level == "data"
    assert found.causes == {"row-order": len(second) - len(first)}
    with pqexplore.open(first) as a, pqexplore.open(second) as b:  # the explorer says the same
        assert finish(compared(a, b)).sentence == found.sentence
    assert pqexplore.diff(first, second, "footer").level == "footer"
    assert (
        pqexplore.diff(first, parquet(rows.sort_by("n"), compression="none")).level == "footer"
    )  # the codec explains it
    monkeypatch.setattr("pqexplore.insight.diff.diff.SMALL", 1_000)
    assert [one.what for one in pqexplore.diff(first, second).differences][:1] in (["size"], ["compression"])


def test_only_some_columns():
    data = ours(changed("price", 3, 0.25))
    assert pqexplore.diff(ours(), data, "data", columns=["id", "city"]).same
    [found] = pqexplore.diff(ours(), data, "data", columns=["price"]).differences
    assert found.what == "values"


@pytest.mark.parametrize("arguments, message", [
    ({"level": "values"}, "level is footer, pages or data, not 'values'"),
    ({"columns": ["prise"]}, "neither file has a column 'prise'"),
])  # fmt: skip
def test_usage(arguments, message):
    with pytest.raises(UsageError, match=message):
        pqexplore.diff(ours(), ours(), **arguments)


def test_names_of_files_are_in_the_sentence(tmp_path):
    for name, codec in (("old.parquet", "SNAPPY"), ("new.parquet", "ZSTD")):
        (tmp_path / name).write_bytes(ours(codec=codec))
    found = pqexplore.diff(tmp_path / "old.parquet", tmp_path / "new.parquet", "data")
    assert found.sentence.startswith("new.parquet holds the same rows as old.parquet; it is ")
    assert repr(found).startswith("<Diff data of old.parquet and new.parquet: ")


NESTED = {
    "struct": [{"a": 1, "b": "x"}, None, {"a": None, "b": "y"}] * 50,
    "list": [[1.5, None], [], None] * 50,
    "map": [[("k", 1)], [], None] * 50,
}


@pytest.mark.parametrize("name", NESTED)
def test_nested_values(name):
    kinds = {"map": pa.map_(pa.string(), pa.int64())}
    rows = NESTED[name]
    other = [*rows[:100], rows[0], *rows[101:]]
    assert other[100] != rows[100]
    first, second = (ours(pa.table({name: pa.array(v, kinds.get(name))})) for v in (rows, other))
    [found] = pqexplore.diff(first, second, "data", columns=[name]).differences
    assert found.what in ("values", "null-count") and "row 100" in found.sentence


def test_nan_is_equal_to_itself_and_so_are_the_zeros():
    values = [math.nan, 0.0, 1.0, None] * 30
    other = [math.nan, -0.0, 1.0, None] * 30
    first, second = (ours(pa.table({"x": pa.array(v, pa.float64())})) for v in (values, other))
    assert pqexplore.diff(first, second, "data").values.equal
    same = ours(pa.table({"x": pa.array(values, pa.float64())}), created_by="another")
    assert [one.what for one in pqexplore.diff(first, same, "data").differences] == ["writer"]
    third = ours(pa.table({"x": pa.array([1.0, *values[1:]], pa.float64())}))
    found = pqexplore.diff(first, third, "data").values.columns[0]
    assert (found.rows, found.row, found.first, found.second) == (1, 0, "nan", "1.0")


def test_values_of_a_wider_type_are_compared():
    small, large = ours(one(pa.int32())), ours(one(pa.int64(), (1, 2, 4)))
    found = pqexplore.diff(small, large, "data")
    assert {d.what for d in found.differences} == {"type", "values"}
    assert found.values.columns[0].row == 2


def test_values_that_cannot_be_compared_are_not_called_equal():
    found = pqexplore.diff(ours(one(pa.string(), "ab")), ours(one(pa.int64(), (1, 2))), "data")
    assert {d.what for d in found.differences} == {"type", "not-compared"}
    assert "same rows" not in found.sentence


X = [1, 2, 3]
NONE = pa.array([], pa.int64())
NO_RENAME = [
    # what is alike, the columns of the first file, those of the second
    ("other values", {"a": X, "b": X}, {"a": X, "c": [1, 2, 4]}),
    ("another order", {"a": X, "b": X}, {"a": X, "c": [3, 2, 1]}),
    ("another type", {"a": X, "b": X}, {"a": X, "c": ["1", "2", "3"]}),
    ("only nulls", {"a": X, "b": pa.nulls(3, pa.int64())}, {"a": X, "c": pa.nulls(3, pa.int64())}),
    ("two columns have the values", {"a": X, "b": X}, {"a": X, "c": X, "d": X}),
    ("another place", {"a": X, "s": [{"b": n} for n in X]}, {"a": X, "b": X}),
    ("no rows", {"a": NONE, "b": NONE}, {"a": NONE, "c": NONE}),
]


@pytest.mark.parametrize(("first", "second"), [case[1:] for case in NO_RENAME], ids=[case[0] for case in NO_RENAME])
def test_no_column_is_renamed_without_its_values_or_if_another_has_them(first, second):
    found = pqexplore.diff(ours(pa.table(first)), ours(pa.table(second)), "data")
    what = {one.what for one in found.differences}
    assert "column-renamed" not in what and "column-removed" in what
    assert "is now" not in found.sentence


def test_by_the_footers_a_rename_is_a_question_that_level_data_answers():
    tables = [pa.table({"a": X, "b": X}), pa.table({"a": X, "c": X}), pa.table({"a": X, "c": [1, None, 3]})]
    first, same, nulls = map(ours, tables)
    said = pqexplore.diff(first, same).sentence
    assert "Level `data` tells whether `c` is this column under another name." in said and "is now" not in said
    assert "another name" not in pqexplore.diff(first, nulls).sentence


TEXTS, NUMBERS = ["x", "y", "z"], pa.array([1, 2, 3])


@pytest.mark.parametrize("second, said", [
    (pa.table({"a": pa.array([1, 2, 3], pa.date32()), "b": pa.array([3, 1, 2])}), ["But for `a`, both files have the same rows in another order"]),
    (pa.table({"a": pa.array([1, 2, 3], pa.date32()), "b": pa.array([3, 1, 4])}), ["`b` has other values in 3 rows"]),
    (pa.table({"a": TEXTS, "b": pa.array([1, 2, 3], pa.int32())}), ["INT32 in place of INT64: all values are the same"]),
    (pa.table({"a": TEXTS[::-1], "b": pa.array([3, 2, 1], pa.int32())}), ["same rows in another order", "INT32 in place of INT64: all values are the same"]),
    (pa.table({"a": TEXTS, "b": pa.array([1, 2, 4], pa.int32())}), ["INT32 in place of INT64: values may be lost"]),
])  # fmt: skip
def test_what_the_values_say_of_order_and_of_types(second, said):
    first = ours(pa.table({"a": TEXTS, "b": NUMBERS}))
    found = pqexplore.diff(first, ours(second), "data")
    sentences = " ".join(difference.sentence for difference in found.differences)
    assert all(text in sentences for text in said)
    assert ("another order" in sentences) == any("another order" in text for text in said)


def test_a_damaged_column_costs_only_itself():
    data = bytearray(ours(columns={"price": {"codec": "UNCOMPRESSED"}}))
    with pqexplore.open(bytes(data)) as file:
        at = file.row_groups[1].columns["price"].start
    data[at : at + 8] = b"\xff" * 8
    found = pqexplore.diff(ours(columns={"price": {"codec": "UNCOMPRESSED"}}), bytes(data), "data")
    assert [d.what for d in found.differences] == ["not-compared"]
    assert found.differences[0].columns == ("price",)
    assert "same" not in found.sentence


def test_a_locked_column_is_not_compared():
    keys = pqexplore.Encryption(b"k" * 16, {"price": b"c" * 16}, plaintext_footer=True)
    data = ours(encryption=keys)
    found = pqexplore.diff(ours(), data)
    assert "encryption" in {d.what for d in found.differences}
    assert "footer-encryption" in {d.what for d in found.differences}


def test_text_of_a_file_is_text():
    data = ours(created_by="\x1b[31mred", key_value_metadata={"\x1b]0;x\x07": "<b>"})
    found = pqexplore.diff(ours(), data)
    said = found.sentence + "".join(map(str, found.differences)) + str(found.table.to_pylist())
    assert "\x1b" not in said and "\x07" not in said


@given(
    st.lists(st.one_of(st.none(), st.integers(-3, 3)), min_size=1, max_size=30),
    st.lists(st.one_of(st.none(), st.integers(-3, 3)), min_size=1, max_size=30),
)
def test_two_columns_are_equal_permuted_or_different_as_python_says(a, b):
    first, second = (ours(pa.table({"x": pa.array(v, pa.int64())})) for v in (a, b))
    values = pqexplore.diff(first, second, "data").values
    if a == b:
        assert values is None or values.equal  # None: the same bytes
        return
    assert not values.equal
    counts = Counter(a), Counter(b)
    assert values.only_first == (counts[0] - counts[1]).total()
    assert values.only_second == (counts[1] - counts[0]).total()
    assert values.permuted == (counts[0] == counts[1])
