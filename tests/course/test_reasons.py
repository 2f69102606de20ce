"""What a check says of typical wrong answers, where the question needs no file."""

import datetime as dt
import struct

import pytest

from pqexplore.course.exercise import find

NOON = 43_200_000_000_000
REASONS = [
    ("11.2", 10, "fewer bytes are enough, too"),
    ("11.2", 8, "does not fit"),
    ("11.2", 9, True),
    ("11.2", 40, False),
    ("11.3", dt.datetime(2026, 7, 1, 9), "the number that is stored"),
    ("11.3", 1_782_903_600_000, "That is 11:00 in UTC"),
    ("11.3", 1_782_896_400_000, "That is 09:00 in UTC"),
    ("11.3", 1_782_889_200, "the unit is not"),
    ("11.3", 1_782_889_200_000, True),
    ("11.3", 1_782_892_800_000, False),
    ("11.4", struct.pack("<qi", NOON, 10_957), "does not count its days from 1970-01-01"),
    ("11.4", struct.pack("<qi", NOON, 2_451_545).hex(), "Answer with bytes"),
    ("11.4", struct.pack("<qi", NOON, 2_451_545), True),
    ("11.4", struct.pack("<qi", 0, 2_451_545), False),
    ("12.6", 305, "does not fit into seven bits"),
    ("12.6", 307, "The stop byte was there before"),
    ("12.6", 306, True),
    ("12.6", 308, False),
]


@pytest.mark.parametrize("number, answer, says", REASONS, ids=str)
def test_reasons(number, answer, says):
    said = find(number).judge(answer)
    assert says in said if isinstance(says, str) else said is says
