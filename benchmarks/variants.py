"""Variant: decoding, one path of a shredded column, reconstruction."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import pqexplore
from benchmarks.files import Files
from benchmarks.measure import Row, compared, interleaved
from pqexplore.engine.format.variant.decode import decode_array
from pqexplore.engine.format.variant.encode import encode_array
from pqexplore.engine.format.variant.reconstruct import reconstruct
from pqexplore.engine.format.variant.shred import shred

FIELDS = pa.struct([("id", pa.int64()), ("name", pa.string()), ("score", pa.float64())])


def rows(files: Files) -> Iterator[Row]:
    count = 5_000 if files.quick else 50_000
    objects = [{"id": i, "name": f"n{i % 100}", "score": i / 7} for i in range(count)]
    variants = encode_array(objects)
    taken = interleaved({"ours": lambda: decode_array(variants)})
    yield Row(
        "Variant objects of three fields decoded to Python, checked",
        taken,
        count / taken["ours"],
        150_000,
        "",
        at_least=True,
        note="objects a second",
    )
    shredded = shred(variants, FIELDS)
    taken = interleaved({"ours": lambda: reconstruct(shredded)})
    yield Row(
        "Variant column of three shredded fields reconstructed",
        taken,
        3 * count / taken["ours"],
        1_000_000,
        "",
        at_least=True,
        note="fields a second",
    )
    yield _one_path(shredded, count)


def _one_path(shredded: pa.StructArray, count: int) -> Row:
    """`$.id` of a file, against the same numbers as a column of their own."""
    repeated = pa.concat_arrays([shredded] * max(1, 1_000_000 // count))
    numbers = np.tile(np.arange(count), len(repeated) // count)
    stored = io.BytesIO()
    pq.write_table(pa.table({"v": repeated, "plain": numbers}), stored, use_dictionary=["v"])
    with pqexplore.open(stored.getvalue()) as file:

        def through_variant() -> Any:
            file.cache.clear()
            return file.variant_get("v", "$.id", pa.int64())

        def plain() -> Any:
            file.cache.clear()
            return file.read(["plain"])

        return compared(
            "variant_get of a shredded path, reading included",
            {"ours": through_variant, "ours, plain": plain},
            2.0,
            against="ours, plain",
        )
