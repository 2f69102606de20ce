"""All files by size and rows; columns by their bytes."""

import re

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pqexplore.lake import scan
from pqexplore.lake.panels import columns, fleet
from pqexplore.lake.panels.filters import Filters

ALL = Filters()


class TestFleet:
    def test_squares_have_sizes_and_rows_on_logarithmic_axes(self, lake):
        [square] = fleet.answer(lake, Filters.parse('{"rows": [400, 400]}')).picture.squares
        [size] = fleet.answer(lake, Filters.parse('{"rows": [400, 400]}')).table.column("size")
        assert square.files == 1
        assert 10 ** (square.size / fleet.BINS) <= size < 10 ** ((square.size + 1) / fleet.BINS)
        assert 10 ** (square.rows / fleet.BINS) <= 400 < 10 ** ((square.rows + 1) / fleet.BINS)

    def test_files_that_are_gone_are_told_and_not_counted(self, tmp_path):
        for name, rows in (("stays", 10), ("goes", 90)):
            pq.write_table(pa.table({"id": range(rows)}), tmp_path / f"{name}.parquet")
        lake = scan(None, str(tmp_path), out=tmp_path / "tables", processes=0)
        (tmp_path / "goes.parquet").unlink()
        lake.refresh()
        answer = fleet.answer(lake, ALL)
        assert answer.sentence.startswith("1 file has 10 rows in ")
        assert answer.sentence.endswith("; 1 is gone.")
        assert sum(square.files for square in answer.picture.squares) == 1
        gone = fleet.answer(lake, Filters.parse('{"status": "vanished"}'))
        assert gone.table.column("num_rows") == [90]


@pytest.mark.parametrize("values, said", [
    (np.zeros(9_000), r"Column x has 100 % of the 3\.\d+ kB in column chunks, compressed to \d\.\d % of its size\."),
    (np.random.default_rng(3).random(9_000), r"Column x has 100 % of the 72\.\d kB in column chunks; it does not compress\."),
])  # fmt: skip
def test_how_well_the_largest_column_compresses(tmp_path, values, said):
    pq.write_table(pa.table({"x": values}), tmp_path / "a.parquet", use_dictionary=False)
    found = columns.answer(scan(None, str(tmp_path), out=tmp_path / "t", processes=0), ALL)
    assert re.fullmatch(said, found.sentence), found.sentence


def test_columns_lead_to_their_largest_chunk(lake, folder):
    answer = columns.answer(lake, ALL)
    rows = dict(zip(answer.table.column("column_name"), answer.table.addresses, strict=True))
    assert rows["id"] == f"{folder}/day=3/it's.parquet#row_groups/0/columns/0"
    metadata = [pq.read_metadata(path) for path in sorted(folder.glob("day=*/*"))]
    expected = sum(m.row_group(0).column(0).total_compressed_size for m in metadata)
    assert (
        dict(zip(answer.table.column("column_name"), answer.table.column("compressed_bytes"), strict=True))["id"]
        == expected
    )
