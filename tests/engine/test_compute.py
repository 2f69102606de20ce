"""Arrow's functions without pyarrow.compute: the same results, and no import of it."""

import subprocess
import sys

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from pqexplore.engine import compute

NUMBERS, TEXTS = pa.array([3, 1, None, 2, 1]), pa.array([b"bb", b"a", None, b"", b"a"])
CALLS = [
    ("binary_length", (TEXTS,), {}),
    ("cast", (NUMBERS, pa.float32()), {}),
    ("cast", (TEXTS, pa.string()), {}),
    ("cast", (pa.array([True, None]), pa.uint8()), {}),
    ("dictionary_encode", (TEXTS,), {}),
    ("index", (TEXTS, pa.scalar(b"a")), {}),
    ("index", (NUMBERS, pa.scalar(7)), {}),
    ("min_max", (NUMBERS,), {}),
    ("min_max", (TEXTS,), {}),
    ("rank", (pa.chunked_array([NUMBERS, NUMBERS]),), {"sort_keys": "descending", "tiebreaker": "dense"}),
    ("sum", (NUMBERS,), {}),
    ("take", (TEXTS, pa.array([1, 0, 2])), {}),
    ("take", (NUMBERS, pa.array([4, 4])), {"boundscheck": False}),
]


@pytest.mark.parametrize(("name", "arguments", "options"), CALLS)
def test_the_result_is_that_of_pyarrow(name, arguments, options):
    from pyarrow import _compute

    expected = getattr(pc, name)(*arguments, **options)
    assert compute.SHORT[name](_compute, *arguments, **options).equals(expected)


@pytest.mark.parametrize(
    ("name", "arguments"), [("cast", (NUMBERS, pa.binary())), ("take", (TEXTS, pa.array([9]))), ("sum", (TEXTS,))]
)
def test_the_error_is_that_of_pyarrow(name, arguments):
    from pyarrow import _compute

    errors = []
    for call in (getattr(pc, name), lambda *given: compute.SHORT[name](_compute, *given)):
        with pytest.raises(pa.ArrowException) as raised:
            call(*arguments)
        errors.append((type(raised.value), str(raised.value)))
    assert errors[0] == errors[1]


def test_every_short_function_is_compared():
    assert {name for name, _, _ in CALLS} == compute.SHORT.keys()


def test_the_first_call_of_another_function_imports_pyarrow_compute():
    code = (
        "import sys, numpy; from pqexplore.engine import compute; from pqexplore.engine.arrays import arrow_numbers\n"
        "some = arrow_numbers(numpy.arange(3))  # pyarrow.array would import pandas\n"
        "for name in ('sum', 'negate'): getattr(compute, name)(some); print('pyarrow.compute' in sys.modules)"
    )
    made = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert made == ["False", "True"]
