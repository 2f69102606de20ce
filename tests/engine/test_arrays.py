"""Arrow to numpy without pandas: the same as Arrow's own `to_numpy`."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pqexplore.engine.arrays import arrow_numbers, numpy_numbers

TYPES = [pa.bool_(), pa.int8(), pa.uint16(), pa.int32(), pa.int64(), pa.uint64(), pa.float32(), pa.float64()]


@pytest.mark.parametrize("kind", TYPES, ids=str)
@given(st.lists(st.integers(0, 1), max_size=40), st.integers(0, 40), st.integers(0, 40))
def test_numbers_and_truth_values_of_any_slice(kind, values, start, length):
    array = pa.array(values, pa.int64()).cast(kind).slice(start, length)
    numbers = numpy_numbers(array)
    expected = array.to_numpy(zero_copy_only=False)
    assert numbers.dtype == expected.dtype
    assert np.array_equal(numbers, expected)
    assert arrow_numbers(numbers).equals(array)
