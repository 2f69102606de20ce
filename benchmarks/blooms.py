"""Bloom filters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import duckdb
import numpy as np

import pqexplore
from benchmarks.files import Files
from benchmarks.measure import Row, compared, interleaved
from pqexplore.engine.format import bloom


def rows(files: Files) -> Iterator[Row]:
    hashes = bloom.of_words(np.arange(1 << 20 if files.quick else 6_000_000))
    bitset = bloom.build(hashes, 1 << 20 if files.quick else 10 << 20)
    taken = interleaved({"ours": lambda: bloom.occupancy(bitset)}, rounds=15)
    size = len(bitset) >> 20
    yield Row(f"Bloom filter of {size} MB: occupancy, NDV, FPP", taken, taken["ours"], 0.02, "")
    path = files.bloom
    connection = duckdb.connect()
    connection.sql("set threads=1")

    def ours() -> Any:
        with pqexplore.open(path) as file:
            return [g.columns["id"].bloom_filter.probe(77_777).hit for g in file.row_groups]

    yield compared(
        "Bloom filter probe, 3 row groups, open included",
        {
            "ours": ours,
            "duckdb": lambda: connection.sql(f"select * from parquet_bloom_probe('{path}', 'id', 77777)").fetchall(),
        },
        0.15,
        against="duckdb",
        rounds=30,
    )
