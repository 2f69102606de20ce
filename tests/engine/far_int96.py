"""Files with an INT96 timestamp of a day that no Arrow timestamp reaches, beside columns that are right."""

import struct

from engine.check import forged

from pqexplore.engine.format.thrift.structs import Type
from pqexplore.engine.writer import assembly

GOOD = [(2_440_588, 5), (2_440_589, 7), (2_440_590, 1)]
FAR = [(2_440_588, 5), (1_600_000_000, 0), (2_440_590, 1)]
"""Julian days and nanoseconds; the day of the second is in the year 4,375,939."""


def stored(pairs):
    return [struct.pack("<qi", nanos, day) for day, nanos in pairs]


def file_of(*groups):
    """A file with a row group for each list of three moments: columns `t`, INT96, and `n`, 1 to 3."""
    return assembly.file(
        [forged.root(2), assembly.element("t", Type.INT96, 0), assembly.element("n", Type.INT32, 0)],
        [
            assembly.row_group(
                [
                    assembly.chunk("t", Type.INT96, [assembly.page_v1(b"".join(stored(one)), 3)]),
                    assembly.chunk("n", Type.INT32, [forged.page([1, 2, 3])]),
                ],
                3,
            )
            for one in groups
        ],
    )
