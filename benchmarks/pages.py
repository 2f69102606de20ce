"""One page of a big file with a page index, at random, the metadata open."""

# ruff: noqa: B023 - what is measured runs before the loop goes on

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from typing import Any

import duckdb
import numpy as np
import polars
import pyarrow as pa
import pyarrow.parquet as pq

import pqexplore
from benchmarks.files import Files
from benchmarks.measure import Row


def rows(files: Files) -> Iterator[Row]:
    path = files.big
    rng = np.random.default_rng(5)
    arrow = pq.ParquetFile(pa.memory_map(path))
    lazy = polars.scan_parquet(path)
    connection = duckdb.connect()
    connection.sql("set threads=1")
    names = [arrow.schema_arrow.field(i).name for i in range(len(arrow.schema_arrow))]
    ratios: dict[str, list[float]] = {"pyarrow": [], "duckdb": [], "polars": []}
    with pqexplore.open(path) as file:
        for column, name in enumerate(names):
            taken: dict[str, list[float]] = {"ours": [], "pyarrow": [], "duckdb": [], "polars": []}
            for number in range(16):
                group = int(rng.integers(0, len(file.row_groups)))
                page, first, count = _some_page(file, group, column, rng)
                start = int(first) + sum(file.row_groups[g].num_rows for g in range(group))
                contenders = {
                    "ours": lambda g=group, p=page: _ours(file, g, column, p),
                    "pyarrow": lambda g=group, f=first, n=count: arrow.read_row_group(
                        g, columns=[name], use_threads=False
                    ).slice(f, n),
                    "duckdb": lambda s=start, n=count: connection.sql(
                        f"select \"{name}\" from read_parquet('{path}', file_row_number=true) "
                        f"where file_row_number >= {s} and file_row_number < {s + n}"
                    ).fetch_arrow_table(),
                    "polars": lambda s=start, n=count: lazy.select(name).slice(s, n).collect(),
                }
                for who, run in contenders.items():
                    begun = time.process_time()
                    run()
                    if number:
                        taken[who].append(time.process_time() - begun)
            median = {who: statistics.median(some) for who, some in taken.items()}
            for who, some in ratios.items():
                some.append(median["ours"] / median[who])
            yield Row(f"one page of the big file, {name}", median, median["ours"] / median["pyarrow"], 0.2)
    for who, limit in (("pyarrow", 0.05), ("duckdb", 0.1), ("polars", None)):
        middle = statistics.median(ratios[who])
        yield Row(f"… median of the columns, against {who}", {}, middle, limit, who)


def _some_page(file: Any, group: int, column: int, rng: Any) -> tuple[int, int, int]:
    """(index among all pages, first row in the row group, rows) of a data page, by the offset index."""
    chunk = file.row_groups[group].columns[column]
    places = chunk.offset_index.page_locations
    firsts = [place.first_row_index for place in places] + [file.row_groups[group].num_rows]
    chosen = int(rng.integers(0, len(places)))
    before = len(chunk.pages) - len(places)
    return before + chosen, firsts[chosen], firsts[chosen + 1] - firsts[chosen]


def _ours(file: Any, group: int, column: int, page: int) -> Any:
    file.cache.clear()
    return file.row_groups[group].columns[column].pages[page].values
