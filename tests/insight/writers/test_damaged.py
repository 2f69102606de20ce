"""Tests of the writer's defects and marks on files with a damaged footer: they answer, or the file does not open."""

import pytest
from insight.writers.defective_files import FILES

import pqexplore
from pqexplore.insight.writers.defects import DEFECTS
from pqexplore.insight.writers.fingerprint import disagrees, guess, identify

EVERY = 11
"""One byte in so many of the footer is changed."""


@pytest.mark.parametrize("case", FILES[::3], ids=lambda case: case.name)
def test_a_damaged_footer_breaks_nothing(case):
    data = case.bad(created_by=case.of)
    start = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    opened = 0
    for at in range(start, len(data) - 8, EVERY):
        broken = bytearray(data)
        broken[at] ^= 0x55
        try:
            file = pqexplore.open(bytes(broken))
        except pqexplore.ParquetError:
            continue
        with file:
            if file.metadata is None:
                continue
            opened += 1
            for one in DEFECTS:
                one.seen(file)
                one.about(file)
            str(identify(file)), guess(file), disagrees(file)
    assert opened > 2
