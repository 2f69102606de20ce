"""Footers: opening, indexing, byte maps, imports."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from typing import Any

import duckdb
import fastparquet
import polars
import pyarrow.parquet as pq

import pqexplore
from benchmarks.files import Files
from benchmarks.measure import Row, compared, in_fresh_process, interleaved
from pqexplore.engine.format.thrift import fast


def rows(files: Files) -> Iterator[Row]:
    yield from _imports()
    yield from _wide(files.wide)
    yield from _map(files.big)
    yield from _many(files.many)


def _imports() -> Iterator[Row]:
    """Importing us after numpy and pyarrow, in CPU time of a fresh process."""
    code = """
import json, time, numpy, pyarrow
start = time.process_time()
import {module}
print(json.dumps(time.process_time() - start))
"""
    for what, module in (
        ("import pqexplore", "pqexplore"),
        ("import all that open and read need", "pqexplore.engine.file.file, pqexplore.engine.file.table_reader"),
    ):
        taken = statistics.median(in_fresh_process(code.format(module=module)))
        yield Row(f"{what}, beyond numpy and pyarrow", {"ours": taken}, taken, 0.15, "", unit="ms")


def _wide(path: str) -> Iterator[Row]:
    connection = duckdb.connect()
    connection.sql("set threads=1")

    def ours() -> Any:
        with pqexplore.open(path) as file:
            return len(file.footer.chunk_offsets)

    yield compared(
        "footer 10,000 columns × 10: open, index every chunk",
        {
            "ours": ours,
            "pyarrow": lambda: pq.read_metadata(path),
            "polars": lambda: polars.read_parquet_metadata(path),
            "duckdb": lambda: connection.sql(
                f"select count(*), sum(total_compressed_size) from parquet_metadata('{path}')"
            ).fetchall(),
            "fastparquet": lambda: fastparquet.ParquetFile(path),
        },
        1.0,
        once=("duckdb", "fastparquet"),
    )
    with open(path, "rb") as file:
        data = file.read()
    raw = data[-8 - int.from_bytes(data[-8:-4], "little") : -8]
    metadata = pq.read_metadata(path)

    def properties() -> list[Any]:
        found = []
        for g in range(metadata.num_row_groups):
            group = metadata.row_group(g)
            for c in range(group.num_columns):
                chunk = group.column(c)
                found.append(
                    (
                        chunk.total_compressed_size,
                        chunk.total_uncompressed_size,
                        chunk.encodings,
                        chunk.data_page_offset,
                        chunk.dictionary_page_offset,
                    )
                )
        return found

    def through_pyarrow() -> Any:
        nonlocal metadata
        metadata = pq.read_metadata(path)
        return properties()

    def through_ours() -> Any:
        with pqexplore.open(path) as file:
            return fast.chunk_columns(file.footer.raw, SAME)

    yield compared(
        "… sizes, encodings, offsets as arrays (file open)",
        {"ours": lambda: fast.chunk_columns(raw, SAME), "pyarrow": properties},
        0.8,
    )
    yield compared(
        "… sizes, encodings, offsets as arrays (opening included)",
        {"ours": through_ours, "pyarrow": through_pyarrow},
        0.8,
    )


SAME = (
    *("total_compressed_size", "total_uncompressed_size", "encodings"),
    *("data_page_offset", "dictionary_page_offset"),
)
"""The numbers of each chunk that are asked of pyarrow too."""


def _map(path: str) -> Iterator[Row]:
    connection = duckdb.connect()
    connection.sql("set threads=1")

    def ours(level: str) -> Any:
        with pqexplore.open(path) as file:
            return file.layout(level).num_rows

    for level, what in (("chunks", "column chunks"), ("pages", "every page header walked")):
        contenders: dict[str, Any] = {"ours": lambda level=level: ours(level)}
        if level == "chunks":
            contenders["duckdb"] = lambda: connection.sql(
                f"select total_compressed_size from parquet_metadata('{path}')"
            ).fetchall()
        taken = interleaved(contenders, clock=time.perf_counter)
        yield Row(f"first byte map of the big file, {what}, open included (wall)", taken, taken["ours"], 0.5, "")


_MEMORY = """
import json, resource, time, {warm}
def used():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * resource.getpagesize()
before = used()
start = time.process_time()
held = {run}
print(json.dumps([used() - before, time.process_time() - start]))
"""


def _many(path: str) -> Iterator[Row]:
    def ours() -> Any:
        with pqexplore.open(path) as file:
            return len(file.footer.chunk_offsets)

    yield compared(
        "footer 1,000 columns × 1,000: open, index every chunk",
        {"ours": ours, "pyarrow": lambda: pq.read_metadata(path), "polars": lambda: polars.read_parquet_metadata(path)},
        1.0,
        rounds=5,
    )
    opened = f"pqexplore.engine.file.open({path!r})"
    warm = "pqexplore.engine.file.file, pyarrow.parquet"
    programs = {
        "ours": _MEMORY.format(warm=warm, run=opened),
        "every chunk indexed": _MEMORY.format(warm=warm, run=f"{opened}; held.footer.chunk_offsets"),
        "pyarrow": _MEMORY.format(warm="pyarrow.parquet", run=f"pyarrow.parquet.read_metadata({path!r})"),
    }
    memory = {
        name: statistics.median(found[0] for found in in_fresh_process(code, rounds=3)) / 1e9
        for name, code in programs.items()
    }
    indexed = memory.pop("every chunk indexed")
    for what, used in (("opened", memory["ours"]), ("every chunk indexed", indexed)):
        yield Row(
            f"… memory of a fresh process, {what}", {**memory, "ours": used}, used / memory["pyarrow"], 0.25, unit="MB"
        )
    with open(path, "rb") as file:
        data = file.read()

    def first_group() -> Any:
        with pqexplore.open(data) as file:
            return [chunk.metadata.codec for chunk in file.row_groups[0].columns]

    taken = interleaved({"ours": first_group}, rounds=5)
    yield Row("… first row group listed, bytes in hand", taken, taken["ours"], 0.05, "")
