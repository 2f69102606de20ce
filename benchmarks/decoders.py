"""Our own decoders against Arrow's, one column at a time, uncompressed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import duckdb
import fastparquet
import polars
import pyarrow as pa
import pyarrow.parquet as pq

import pqexplore
from benchmarks.files import ENCODINGS, Files
from benchmarks.measure import Row, compared
from pqexplore.engine.format.encodings import dictionary, value_encoding
from pqexplore.engine.format.thrift.structs import Encoding

TARGETS = {
    "PLAIN": 1.0,
    "RLE_DICTIONARY": 2.5,
    "RLE": 3.0,
    "DELTA_BINARY_PACKED": 4.0,
    "DELTA_LENGTH_BYTE_ARRAY": 1.0,
    "BYTE_STREAM_SPLIT": 1.2,
}
"""By encoding; PLAIN where nothing is copied."""

COPIED = ("plain_string", "plain_boolean")


def rows(files: Files) -> Iterator[Row]:
    path = files.encodings
    arrow = pq.ParquetFile(pa.memory_map(path))
    lazy = polars.scan_parquet(path)
    connection = duckdb.connect()
    connection.sql("set threads=1")
    other = fastparquet.ParquetFile(path)
    with pqexplore.open(path) as file:
        for name, (kind, encoding) in ENCODINGS.items():
            if kind.endswith("nulls"):
                continue  # levels: see reading
            ours = _decoder(file, name)
            peers: dict[str, Callable[[], Any]] = {
                "ours": ours,
                "pyarrow": lambda name=name: arrow.read(columns=[name], use_threads=False),
                "duckdb": lambda name=name: connection.sql(f"select {name} from '{path}'").fetch_arrow_table(),
                "polars": lambda name=name: lazy.select(name).collect(),
                "fastparquet": lambda name=name: other.to_pandas(columns=[name]),
            }
            if not _works(peers["fastparquet"]):
                del peers["fastparquet"]
            limit = None if name in COPIED else TARGETS.get(encoding)
            yield compared(f"{encoding}, {kind}: decoded", peers, limit, rounds=7)
            if encoding == "RLE_DICTIONARY":
                yield compared(
                    f"{encoding}, {kind}: ids only",
                    {"ours": _decoder(file, name, ids=True), "pyarrow": peers["pyarrow"]},
                    TARGETS[encoding],
                    rounds=7,
                )


def _works(run: Callable[[], Any]) -> bool:
    """Whether a peer reads the column at all."""
    try:
        run()
    except Exception:
        return False
    return True


def _decoder(file: Any, name: str, *, ids: bool = False) -> Callable[[], Any]:
    """Decodes the values of each page of a column, whose bodies are opened beforehand."""
    chunk = file.row_groups[0].columns[name]
    entries = chunk.dictionary_physical
    leaf = chunk.leaf
    pages = [
        (page.encoding, page.num_present, page.body.section("values").data) for page in chunk.pages if page.is_data
    ]

    def run() -> None:
        for encoding, count, data in pages:
            if encoding in (Encoding.RLE_DICTIONARY, Encoding.PLAIN_DICTIONARY):
                found = dictionary.decode_ids(data, count, len(entries))
                if not ids:
                    dictionary.take(entries, found)
            else:
                value_encoding(encoding).decode(data, count, leaf.physical_type, leaf.type_length)

    return run
