"""An error says where: placed once, by the innermost caller that knows."""

import pickle

import numpy as np
import pyarrow as pa
import pytest

from pqexplore.engine.arrays import arrow_numbers, arrow_strings
from pqexplore.engine.errors import CorruptFileError, LimitExceededError, UsageError, located
from pqexplore.engine.limits import Limits

# raised with offset | located at | direct | offset in the end | said in the message
PLACED = [
    (3, 100, True, 103, ""),
    (None, 100, True, 100, ""),
    (3, 100, False, 100, "at byte 3 of the decoded bytes"),
    (3, None, True, None, ""),
]


@pytest.mark.parametrize(("offset", "start", "direct", "expected", "said"), PLACED)
def test_an_offset_in_a_buffer_becomes_one_in_the_file(offset, start, direct, expected, said):
    with pytest.raises(CorruptFileError) as caught, located("a/b", start, direct=direct):
        raise CorruptFileError("wrong", offset=offset)
    assert (caught.value.offset, caught.value.address) == (expected, "a/b")
    assert said in caught.value.message


def test_the_innermost_located_sets_the_place():
    with pytest.raises(CorruptFileError) as caught, located("outer", 1000), located("outer/inner", 10):
        raise CorruptFileError("wrong", offset=1)
    assert (caught.value.offset, caught.value.address) == (11, "outer/inner")


def test_an_error_has_its_place_in_str_and_pickles():
    error = CorruptFileError("wrong", offset=1234, address="row_groups/0")
    again = pickle.loads(pickle.dumps(error))
    assert str(error) == str(again) == "wrong (at row_groups/0, byte 1,234)"
    assert (type(again), again.offset, again.address) == (CorruptFileError, 1234, "row_groups/0")


def test_a_limit_says_which_how_much_and_how_to_raise_it():
    with pytest.raises(LimitExceededError) as caught:
        Limits(page_bytes=10).check("page_bytes", 11, "a page", offset=5)
    assert "a page asks for 11" in str(caught.value)
    assert "limits=pqexplore.Limits(page_bytes=11)" in str(caught.value)
    Limits(page_bytes=10).check("page_bytes", 10, "a page")


def test_a_usage_error_is_no_parquet_error():
    assert not issubclass(UsageError, CorruptFileError)


# Arrow arrays from numpy's and from strings, as `pa.array` makes them.


@pytest.mark.parametrize(
    "numbers",
    [
        np.array([], np.int64),
        np.arange(5, dtype=np.int8),
        np.arange(10, dtype=np.uint32)[::3],
        np.array([0.5, np.nan], np.float32),
        np.array([True, False, True] * 5),
    ],
    ids=lambda one: str(one.dtype),
)
def test_numbers(numbers):
    made, expected = arrow_numbers(numbers), pa.array(numbers)
    made.validate(full=True)
    assert made.type == expected.type
    assert str(made.to_pylist()) == str(expected.to_pylist())  # NaN is not equal to itself


@pytest.mark.parametrize("texts", [[], [""], ["a", "", "größe", "a/b"]])
def test_strings(texts):
    made = arrow_strings(texts)
    made.validate(full=True)
    assert made == pa.array(texts, pa.string())
