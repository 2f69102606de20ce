"""INT96: Julian days and nanoseconds in, timestamps out."""

import struct
import subprocess
import sys

import pyarrow as pa
import pytest
from engine.format.leaves import leaf

from pqexplore.engine.errors import UsageError
from pqexplore.engine.format import int96, types, value_text
from pqexplore.engine.format.fixed_width import to_fixed, to_variable
from pqexplore.engine.format.thrift.structs import Type


def int96_array(*pairs):
    return pa.array([struct.pack("<qi", nanos, day) for day, nanos in pairs], pa.binary(12))


@pytest.mark.parametrize(
    ("day", "nanos", "unit"),
    [
        (2440588, 0, "ns"),
        (2440588, -1, "ns"),
        (2440588 + 106751, 85636854775807, "ns"),
        (2440588 + 106751, 85636854775808, "us"),
        (2440588 - 106752, 763145224192, "ns"),
        (2440588 - 106752, 763145224191, "us"),
        (1721426, 0, "us"),
        (1, 0, "us"),
    ],
)
def test_int96_is_in_nanoseconds_if_all_values_fit(day, nanos, unit):
    array = int96_array((2440588, 5), (day, nanos))
    assert types.type_of(leaf(Type.INT96), [int96_array(), array]) == pa.timestamp(unit)
    expected = (day - 2440588) * 86_400 * 10**9 + nanos
    result = types.to_arrow(array, leaf(Type.INT96), pa.timestamp(unit))
    assert result.type == pa.timestamp(unit)
    assert result.cast(pa.int64())[1].as_py() == expected // (1 if unit == "ns" else 1000)


def test_int96_of_julian_day_0_is_the_epoch_as_in_arrow():
    array = int96_array((0, 0), (0, 99))
    assert types.type_of(leaf(Type.INT96), [array]) == pa.timestamp("ns")
    assert int96.to_arrow(array, "ns").cast(pa.int64()).to_pylist() == [0, 0]


def test_int96_of_a_slice():
    array = int96_array((0, 0), (2440588, 7))
    assert int96.to_arrow(array.slice(1), "ns").cast(pa.int64()).to_pylist() == [7]


@pytest.mark.parametrize("pair", [(2**31 - 1, 0), (1_600_000_000, 5), (-(2**31), -1), (-105_862_232, 0)])
def test_int96_beyond_microseconds_stays_as_stored_and_is_never_wrapped(pair):
    """The last two are far in the past, without the mark of Spark's overflow."""
    array = int96_array((2440588, 0), pair)
    assert int96.beyond(array).tolist() == [False, True]
    assert types.type_of(leaf(Type.INT96), [array]) == pa.binary(12)
    assert types.to_arrow(array, leaf(Type.INT96)).equals(array)
    assert int96.clamped(array).tolist() == [0, 2**63 - 1 if pair[0] > 0 else -(2**63)]


def test_int96_that_overflowed_in_spark_is_wrapped_back():
    """The microseconds are those of the file's own description, int96_from_spark.md."""
    stored = pa.array([bytes.fromhex("0060b9c76ee2ffffa8abb0f9")], pa.binary(12))
    assert types.to_arrow(stored, leaf(Type.INT96)).cast(pa.int64()).to_pylist() == [9_089_380_393_200_000_000]
    explained = value_text.explain_value(leaf(Type.INT96), stored[0].as_py())
    assert explained["logical"] == "+290000-12-30 23:00:00.000000"
    assert "overflowed" in explained["note"]


# Fixed-size binary to binary and back, whatever the array's offset. Older pyarrow crashed on a slice.


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
