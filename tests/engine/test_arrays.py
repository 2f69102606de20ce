"""Arrow arrays from numpy's and from strings, as `pa.array` makes them."""

import numpy as np
import pyarrow as pa
import pytest

from pqexplore.engine.arrays import arrow_numbers, arrow_strings


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
