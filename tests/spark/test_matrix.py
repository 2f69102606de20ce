"""Tables of every kind that need no catalog, scanned on Spark (and Connect): live files and rows are those of their readers.

Which files of a table are live is decided on the driver, with and without Spark; `tests/lake/test_matrix.py` has all kinds.
"""

import pytest
from lake.conftest import Store
from lake.matrix import KINDS, source

import pqexplore.lake

STARTS = {
    "delta delete": "parent",
    "delta merge": "partition",
    "delta checkpoint": "root",
    "delta deletion vectors": "glob",
    "delta column mapping": "partition",
    "hive": "root",
    "plain": "glob",
}


FAST = ("delta deletion vectors", "hive")


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=() if kind in FAST else pytest.mark.full) for kind in STARTS]
)
def test_live_files_and_rows(session, tmp_path, kind):
    table = KINDS[kind].make(Store(str(tmp_path), {}, {}, {}))
    where, day = source(KINDS[kind], table, STARTS[kind])
    lake = pqexplore.lake.scan(session, where)
    rows = lake.views["live_rows"].collect()
    live = sum(row["live_rows"] for row in rows)
    assert (sorted(row["path"] for row in rows), live) == table.reads(day)
    if kind in ("hive", "plain"):
        frame = session.read.parquet(table.url)
        assert sorted(one.removeprefix("file://") for one in frame.inputFiles()) == table.reads(None)[0]
        assert frame.count() == table.reads(None)[1]
