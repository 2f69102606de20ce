"""`read()` of one column chunk, with Snappy and without, and of one that is encrypted."""

# ruff: noqa: B023 - what is measured runs before the loop goes on

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import duckdb
import polars
import pyarrow.parquet as pq
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

import pqexplore
from benchmarks.files import ENCODINGS, Files, LocalKeys
from benchmarks.measure import Row, compared, interleaved

UNCOMMON = ("delta_length_string", "delta_string", "rle_boolean")
"""Encodings that few files have; measured, without a target."""


def rows(files: Files) -> Iterator[Row]:
    for path, compression in ((files.snappy, "Snappy"), (files.encodings, "uncompressed")):
        arrow = pq.ParquetFile(path)
        lazy = polars.scan_parquet(path)
        connection = duckdb.connect()
        connection.sql("set threads=1")
        with pqexplore.open(path) as file:
            for name, (kind, encoding) in ENCODINGS.items():
                contenders: dict[str, Callable[[], Any]] = {
                    "ours": lambda name=name: read(file, name),
                    "pyarrow": lambda name=name: arrow.read(columns=[name], use_threads=False),
                }
                if compression == "Snappy":
                    contenders["duckdb"] = lambda name=name: connection.sql(
                        f"select {name} from '{path}'"
                    ).fetch_arrow_table()
                    contenders["polars"] = lambda name=name: lazy.select(name).collect()
                yield compared(
                    f"read(), {compression}, {encoding}, {kind}",
                    contenders,
                    None if name in UNCOMMON else 1.5,
                    rounds=7,
                )
    yield from _encrypted(*files.encrypted)


def read(file: Any, name: str) -> Any:
    """A column, with nothing kept from the time before."""
    file.cache.clear()
    return file.read([name])


def _encrypted(path: str, plain_path: str) -> Iterator[Row]:
    keys = pqexplore.Decryption(kms=LocalKeys())
    with pqexplore.open(path, decryption=keys) as file, pqexplore.open(plain_path) as plain:
        for name in ("double", "string"):
            size = plain.row_groups[0].columns[name].metadata.total_compressed_size
            pages = len([p for p in plain.row_groups[0].columns[name].pages if p.is_data])
            cipher = AESGCM(os.urandom(16))
            part = os.urandom(size // pages)
            nonce = os.urandom(12)
            sealed = cipher.encrypt(nonce, part, b"aad")

            def aes(cipher=cipher, nonce=nonce, sealed=sealed, pages=pages) -> None:
                for _ in range(pages):
                    cipher.decrypt(nonce, sealed, b"aad")

            taken = interleaved(
                {
                    "ours": lambda name=name: read(file, name),
                    "ours, plain": lambda name=name: read(plain, name),
                    "AES": aes,
                }
            )
            yield Row(
                f"read(), encrypted, {name}",
                taken,
                taken["ours"] / (taken["ours, plain"] + taken["AES"]),
                1.15,
                "plain + AES of its bytes",
            )
