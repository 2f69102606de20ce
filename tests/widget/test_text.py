import datetime
import decimal
import enum

import numpy as np
import pyarrow as pa
import pytest

from pqexplore.insight import short_text


class Codec(enum.IntEnum):
    SNAPPY = 1


@pytest.mark.parametrize(("value", "shown", "kind"), [
    (None, "absent", "none"),
    (True, "true", "boolean"),
    (1234567, "1,234,567", "number"),
    (Codec.SNAPPY, "SNAPPY", "text"),
    (np.int64(12), "12", "number"),
    (1.5, "1.5", "number"),
    (decimal.Decimal("1.20"), "1.20", "number"),
    (b"\x00\xff", "00 ff", "bytes"),
    (b"", "", "bytes"),
    ("", "empty text", "none"),
    ("a\nb", "a\nb", "text"),
    ([1, None], "[1, null]", "list"),
    ({"a": b"\x01"}, "{a: 01}", "list"),
    (datetime.datetime(2024, 1, 2, 3), "2024-01-02 03:00:00", "text"),
    (pa.scalar(7), "7", "number"),
    (pa.scalar(b"\x01"), "01", "bytes"),
    (pa.scalar(None, pa.int32()), "null", "none"),
])  # fmt: skip
def test_show(value, shown, kind):
    assert short_text.show(value) == {"text": shown, "type": kind}


def test_long_values_end_and_say_how_long_they_are():
    assert short_text.show("x" * 5_000)["text"].endswith("… (5,000 characters)")
    assert short_text.show(bytes(100))["text"].endswith("… (100 bytes)")
    assert short_text.show(list(range(100)))["text"].endswith(", … 100 in all]")
    assert len(short_text.show(10**5_000)["text"]) < 100


@pytest.mark.parametrize(("array", "shown"), [
    (pa.array([1, None]), ["1", None]),
    (pa.array([0.1, float("nan")], pa.float32()), ["0.1", "NaN"]),
    (pa.array(["é", None]), ["é", None]),
    (pa.array([1], pa.timestamp("ns")), ["1970-01-01 00:00:00.000000001"]),
    (pa.array([[1, None], None], pa.list_(pa.int8())), ["[1, null]", None]),
    (pa.array([b"ab"], pa.binary(2)), ["61 62"]),
])  # fmt: skip
def test_texts_of_arrow_values(array, shown):
    assert short_text.texts(array) == shown


def test_a_date_that_python_cannot_hold_tells_its_stored_number():
    far = pa.array([-(1 << 62)], pa.timestamp("us"))
    [shown] = short_text.texts(far)
    assert shown  # pyarrow may write such years itself; what matters is that nothing is raised
    [shown] = short_text.texts(pa.array([2**31 - 1], pa.int32()).cast(pa.date32()))
    assert "2147483647" in shown or "-" in shown
