"""Fixed-size binary to binary and back, whatever the array's offset. Older pyarrow crashed on a slice."""

import subprocess
import sys

import pyarrow as pa
import pytest

from pqexplore.engine.errors import UsageError
from pqexplore.engine.format.fixed_width import to_fixed, to_variable

FIXED = pa.array([b"ab", None, b"cd", b"ef"], pa.binary(2))
ARRAYS = [
    (FIXED, [b"ab", None, b"cd", b"ef"]),
    (FIXED.slice(1), [None, b"cd", b"ef"]),
    (FIXED.slice(2, 1), [b"cd"]),
    (FIXED.slice(4), []),
    (pa.array([b"", b"abc"]).slice(1), [b"abc"]),
    (pa.array([b"x" * 40] * 500, pa.binary(40)).slice(499), [b"x" * 40]),
]


@pytest.mark.parametrize("array, expected", ARRAYS)
def test_to_variable(array, expected):
    found = to_variable(array)
    assert found.type == pa.binary()
    assert found.to_pylist() == expected


@pytest.mark.parametrize("kind", [pa.binary(), pa.large_binary()], ids=str)
@pytest.mark.parametrize("start", [0, 1, 3])
def test_to_fixed(kind, start):
    values = [b"ab", b"cd", b"ef"]
    found = to_fixed(pa.array(values, kind).slice(start), 2)
    found.validate(full=True)
    assert found.type == pa.binary(2)
    assert found.to_pylist() == values[start:]


def test_to_fixed_names_a_value_of_another_length():
    with pytest.raises(UsageError, match="2 bytes; value 1 has 3"):
        to_fixed(pa.array([b"ab", b"cde", b"f"]), 2)


WHERE = {
    "decimal of 77 digits": "decimal.to_arrow(pa.array([b'a' * 33] * 9, pa.binary(33)).slice(5), pa.binary())",
    "order of bytes": "comparable.comparable(None, pa.array([b'ab'] * 9, pa.binary(2)).slice(5), Order.BYTES)",
    "written as BYTE_ARRAY": "pqexplore.write(pa.table({'a': pa.array([b'ab'] * 9, pa.binary(2)).slice(5)}), io.BytesIO(), "
    "pqexplore.WriteOptions(physical_type='BYTE_ARRAY'))",
}


@pytest.mark.parametrize("code", WHERE.values(), ids=WHERE)
def test_no_cast_of_a_slice_crashes(code):
    program = (
        "import io, pyarrow as pa, pqexplore\n"
        "from pqexplore.engine.format import decimal\n"
        "from pqexplore.engine.check import comparable\n"
        "from pqexplore.engine.format.ordering import Order\n"
    )
    run = subprocess.run([sys.executable, "-c", program + code], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
