"""Intervals of Delta's settings, and the files of deletion vectors."""

import pytest

from pqexplore.lake.logs import retention
from pqexplore.lake.logs.vectors import vector_file


@pytest.mark.parametrize("text, expected", [
    ("interval 1 week", 7 * retention.DAY),
    ("interval 1 weeks 2 days", 9 * retention.DAY),
    ("INTERVAL 168 HOURS", 7 * retention.DAY),
    ("30 minutes", 1800 * retention.SECOND),
    ("interval 0 seconds", 0),
    ("interval 1 month", None),
    ("interval", None),
    ("", None),
    ("7", None),
    ("interval -1 days", None),
    ("interval 1 day x", None),
])  # fmt: skip
def test_intervals(text, expected):
    assert retention.interval(text) == expected


@pytest.mark.parametrize("storage, where, expected", [
    # the protocol's own example
    ("u", "ab^-aqEH.-t@S}K{vb[*k^", "ab/deletion_vector_d2c639aa-8816-431a-aaf6-d3fe2512ff61.bin"),
    ("u", "^-aqEH.-t@S}K{vb[*k^", "deletion_vector_d2c639aa-8816-431a-aaf6-d3fe2512ff61.bin"),
    ("p", "x/dv.bin", "x/dv.bin"),
    ("i", "wi5b=000010000siXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L", None),
    ("u", "short", None),
    ("u", "~" * 20, None),
    ("u", "#" * 20, None),
    (None, None, None),
])  # fmt: skip
def test_the_file_of_a_deletion_vector(storage, where, expected):
    assert vector_file(storage, where) == expected
