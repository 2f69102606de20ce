"""Tables of every kind that need no catalog, scanned on Spark (and Connect): live files and rows are those of their readers.

Which files of a table are live is decided on the driver, with and without Spark; `tests/lake/test_three_stores.py` has all kinds.
"""

import pytest
from lake.every_table import TABLES

import pqexplore.lake

STARTS = {
    # the table: where the scan begins, below its folder, and the partition that is meant
    "Delta: deleted rows": ("..", ""),
    "Delta: merged": ("", ""),
    "Delta: checkpoint": ("day=b", "b"),
    "Delta: vector in a file": ("day=[a]/*.parquet", "a"),
    "Delta: mapping by name": ("Ab", ""),
    "hive: typed partitions": ("", ""),
    "plain": ("*.parquet", ""),
}
FAST = ("Delta: vector in a file", "hive: typed partitions")


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=() if kind in FAST else pytest.mark.full) for kind in STARTS]
)
def test_live_files_and_rows(session, tmp_path, kind):
    root, (start, day) = tmp_path / "lake" / "t", STARTS[kind]
    truth = TABLES[kind](root)
    rows = pqexplore.lake.scan(session, f"{root}/{start}".removesuffix("/t/..")).views["live_rows"].collect()
    files = [f"{root}/{one}" for one in truth.files if not day or one.startswith(f"day={day}/")]
    assert sorted(row["path"] for row in rows) == files
    assert sum(row["live_rows"] for row in rows) == len([row for row in truth.rows if not day or row["day"] == day])
    if kind in ("hive: typed partitions", "plain"):
        frame = session.read.parquet(str(root))
        assert sorted(one.removeprefix("file://") for one in frame.inputFiles()) == files
        assert frame.count() == len(truth.rows)
