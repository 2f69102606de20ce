"""A file of a web server whose answers take 50 ms: requests, bytes and seconds, with what they may be.

100 MB: 10 row groups of 10 columns of doubles, with an offset index, in pages of 160 kB. The time is wall time; the server
runs in the same process.
"""

from __future__ import annotations

import contextlib
import io
import sys
import time
from collections.abc import Callable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import pqexplore
from benchmarks.browser import ROOT
from benchmarks.files import Files
from benchmarks.measure import Row
from pqexplore import cli

LATENCY = 0.05
HEADER = 128
"""Bytes that are read for a page header. In an answer with several ranges, each comes with as many at most."""


def rows(files: Files) -> Iterator[Row]:
    sys.path.insert(0, str(ROOT / "tests"))
    from engine.file.web import Server

    count = 125_000 if files.quick else 1_250_000
    sink = io.BytesIO()
    pq.write_table(
        pa.table({f"c{i}": np.random.default_rng(i).random(count) for i in range(10)}),
        sink,
        row_group_size=count // 10,
        write_page_index=True,
        use_dictionary=False,
        compression="none",
    )
    server = Server(sink.getvalue())
    server.delay = LATENCY
    url = server.url("ranges/x.parquet")
    pqexplore.open(url).close()  # imports, and the loop of fsspec

    def row(what: str, run: Callable[[], object], size: float, requests: float = np.inf) -> Row:
        """What `run` costs; it may cost so many bytes and requests."""
        server.seen.clear()
        server.sent = 0
        begun = time.perf_counter()
        with contextlib.redirect_stdout(io.StringIO()):
            run()
        taken = time.perf_counter() - begun
        note = f"wall, {len(server.seen):,} requests, {server.sent:,} bytes"
        share = max(len(server.seen) / requests, server.sent / size)
        budget = f"{size:,.0f} bytes" + (f", {requests} requests" if requests < np.inf else "")
        return Row(what, {"ours": taken}, share, 1.0, budget, note=note)

    size = len(server.data)
    with pqexplore.open(url) as file, pqexplore.open(server.data) as local:
        chunk, pages = file.row_groups[3].columns[2], len(local.row_groups[3].columns[2].pages)
        yield row(f"`pqexplore FILE`, {size / 1e6:.0f} MB", lambda: cli.main([url]), 128_000, 2)
        yield row(f"all {pages} pages of a chunk", lambda: list(chunk.pages), 2 * HEADER * pages, 2)
        yield row("layout()", file.layout, size / 100)
    server.close()
