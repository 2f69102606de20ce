"""Runs of equal count and any widths, unpacked together, are what each run unpacked alone is."""

import numpy as np
import pytest

from pqexplore.engine.format.encodings import bits
from pqexplore.engine.format.encodings.packed_rows import unpack_rows

ALL_WIDTHS = list(range(65))


@pytest.mark.parametrize(
    ("widths", "columns"),
    [
        pytest.param(ALL_WIDTHS, 8, id="each width once, short"),
        pytest.param(ALL_WIDTHS, 4096, id="each width once, long"),
        pytest.param([13] * 300, 32, id="one width"),
        pytest.param([13] * 300 + [0] * 5 + [64], 32, id="one common, two rare"),
        pytest.param([9, 10] * 200 + ALL_WIDTHS[::-1], 32, id="two common, many rare"),
        pytest.param([0, 0], 8, id="nothing packed"),
    ],
)
@pytest.mark.parametrize("gap", [0, 3])
def test_unpack_rows(widths, columns, gap):
    rng = np.random.default_rng(1)
    order = rng.permutation(len(widths))
    widths = np.array(widths)[order]
    runs = [
        rng.integers(0, 2**64, columns, np.uint64) >> np.uint64(64 - w) if w else np.zeros(columns, np.uint64)
        for w in widths.tolist()
    ]
    packed = [bits.pack(run, w) for run, w in zip(runs, widths.tolist(), strict=True)]
    octets = np.frombuffer(bytes(gap).join(packed), np.uint8)
    sizes = np.array([len(run) for run in packed])
    starts = np.cumsum(sizes + gap) - sizes - gap
    out = np.full((len(widths), columns), 99, np.uint64)
    unpack_rows(octets, starts, widths.astype(np.uint8), out)
    assert np.array_equal(out, np.array(runs))
