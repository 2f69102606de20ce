"""The lake and the Metadatastore that the tests of the panels ask."""

import importlib.util

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pqexplore.lake import metadatastore, scan

if importlib.util.find_spec("duckdb") is None:
    collect_ignore_glob = ["test_*.py"]


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """Four files of 100 to 400 rows; the last has another column; one that is no Parquet."""
    root = tmp_path_factory.mktemp("lake")
    for i in range(4):
        n = 100 * (i + 1)
        made = {"id": np.arange(i * 1_000, i * 1_000 + n), "city": ["Oslo", "Lima"] * (n // 2)}
        if i == 3:
            made["extra"] = np.ones(n)
        (root / f"day={i}").mkdir()
        pq.write_table(pa.table(made), root / f"day={i}" / "it's.parquet")
    (root / "broken.parquet").write_bytes(b"PAR1 no footer PAR1")
    return root


@pytest.fixture(scope="session")
def lake(folder, tmp_path_factory):
    return scan(None, str(folder), out=tmp_path_factory.mktemp("tables"), processes=0)


@pytest.fixture(scope="session")
def store(folder, tmp_path_factory):
    clean = tmp_path_factory.mktemp("dataset")
    for path in folder.glob("day=*/*"):
        (clean / f"{path.parent.name}.parquet").write_bytes(path.read_bytes())
    wanted = [metadatastore.MinMax("id"), metadatastore.BloomFilter("city", fpp=0.01, ndv=100)]
    return metadatastore.build(None, str(clean), indexes=wanted, out=str(tmp_path_factory.mktemp("md")))
