"""A lake with something to find for the doctor: small row groups of one writer, another writer, types that differ, damage."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from lake import made_lake

import pqexplore

DAYS = 7
"""Days of November 2026, from the third on."""


def make(folder: Path, files: int = 60) -> dict[str, str]:
    """Write the lake. Gives the files that cannot be read: path → kind of damage (`made_lake.FAULTS`).

    Of ten files, six are by pyarrow with row groups of 500 rows, three by pqexplore in one row group, and one has `n` in
    another type.
    """
    good = b""
    for number in range(files):
        place = folder / f"date=2026-11-{3 + number % DAYS:02d}" / f"part-{number:04d}.parquet"
        place.parent.mkdir(parents=True, exist_ok=True)
        table = pa.table({"n": range(5_000), "word": [f"w{n % 50}" for n in range(5_000)]})
        if number % 10 < 6:
            pq.write_table(table, place, row_group_size=500)
        elif number % 10 < 9:
            pqexplore.write(table, str(place), pqexplore.WriteOptions(codec="zstd"))
        else:
            pq.write_table(table.set_column(0, "n", table["n"].cast(pa.int32())), place)
        good = good or place.read_bytes()
    broken = folder / "date=2026-11-04"
    return {str(path): kind for path, kind in made_lake.damaged(broken, 3, good)}
