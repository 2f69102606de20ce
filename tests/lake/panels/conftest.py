"""The lake and the Metadatastore that the tests of the panels ask."""

import importlib.util
import os
import shutil

import numpy as np
import pyarrow as pa
import pytest

from pqexplore.engine.writer.file import write
from pqexplore.engine.writer.options import WriteOptions
from pqexplore.lake import metadatastore, scan

OPTIONS = WriteOptions(created_by="golden version 1.0 (build 0)", codec="UNCOMPRESSED")
"""Files are the same whichever version of a library is installed."""

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
        write(pa.table(made), root / f"day={i}" / "it's.parquet", OPTIONS)
    (root / "broken.parquet").write_bytes(b"PAR1 no footer PAR1")
    for day, path in enumerate(sorted(root.rglob("*.parquet"))):
        os.utime(path, (1_600_000_000 + 86_400 * day,) * 2)
    return root


@pytest.fixture(scope="session")
def lake(folder, tmp_path_factory):
    return scan(None, str(folder), out=tmp_path_factory.mktemp("tables"), processes=0)


@pytest.fixture(scope="session")
def store(folder, tmp_path_factory):
    clean = tmp_path_factory.mktemp("dataset")
    for path in folder.glob("day=*/*"):
        shutil.copy2(path, clean / f"{path.parent.name}.parquet")
    wanted = [metadatastore.MinMax("id"), metadatastore.BloomFilter("city", fpp=0.01, ndv=100)]
    return metadatastore.build(None, str(clean), indexes=wanted, out=str(tmp_path_factory.mktemp("md")))
