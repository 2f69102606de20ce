"""Samples of Variants: values of all types, shredded values, and offsets of every width."""

from __future__ import annotations

import datetime
import uuid
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa

from pqexplore.engine.format.variant import encode as variant_encode
from pqexplore.engine.format.variant import metadata as variant_metadata
from pqexplore.engine.format.variant.encode import encode_array
from pqexplore.engine.writer.samples.sample_file import Sample, from_table

VARIANT: dict[str, Any] = {"columns": {"v": {"logical_type": "VARIANT"}}}

VALUES: tuple[Any, ...] = (
    *(True, False, 1, -300, 70_000, 1 << 40, 0.5, np.float32(0.25), "short", "long " * 20),
    *(Decimal("12.34"), Decimal("1234567890.12"), Decimal("123456789012345678901.5")),
    *(datetime.date(2026, 8, 1), datetime.time(12, 30), datetime.datetime(2026, 8, 1, 12, 30)),
    datetime.datetime(2026, 8, 1, 12, 30, tzinfo=datetime.UTC),
    *(b"bytes", uuid.UUID("12345678-1234-5678-1234-567812345678"), [], [1, "two", [3.0]], {}),
    {"name": "Ada", "tags": ["x", "y"], "nested": {"deep": None}},
    None,
)

ALL_TYPES = from_table(
    "variant",
    "A VARIANT column with a value of each type, and a null row.",
    lambda: pa.table({"v": encode_array(VALUES)}),
    **VARIANT,
)


def _events() -> pa.Table:
    rows: list[Any] = [
        {"id": i, "user": f"user {i % 5}", "score": i / 8, "tags": ["a", i], "extra": {"n": i}} for i in range(40)
    ]
    rows[7] = {"id": "seven", "user": 7}
    rows[8] = "no object at all"
    rows[9] = None
    return pa.table({"v": encode_array(rows)})


SHREDDED = from_table(
    "variant-shredded",
    "A VARIANT shredded into columns for id, user, score and tags; what does not fit them stays binary.",
    _events,
    columns={
        "v": {
            "logical_type": "VARIANT",
            "shredding": pa.struct(
                [("id", pa.int64()), ("user", pa.string()), ("score", pa.float64()), ("tags", pa.list_(pa.string()))]
            ),
        }
    },
)


def _offset_sizes() -> pa.Table:
    """Rows whose metadata, field ids and offsets take 1, 2, 3 and 4 bytes, wider than they need."""
    metadata: list[bytes] = []
    values: list[bytes] = []
    fields = {"a": 1, "b": "two", "c": None}
    for size in (1, 2, 3, 4):
        known = variant_metadata.read(variant_metadata.encode(fields, offset_size=size))
        cells = [variant_encode.encode_primitive(value) for value in fields.values()]
        ids = [known.ids[name] for name in fields]
        metadata += [known.buffer] * 2
        values.append(variant_encode.encode_container(cells, ids, id_size=size, offset_size=size))
        values.append(variant_encode.encode_container(cells, offset_size=size))
    kind = pa.struct([("metadata", pa.binary()), ("value", pa.binary())])
    pairs = [{"metadata": m, "value": v} for m, v in zip(metadata, values, strict=True)]
    return pa.table({"v": pa.array(pairs, kind)})


OFFSET_SIZES = from_table(
    "variant-offset-sizes",
    "An object and an array with offsets and field ids of 1, 2, 3 and 4 bytes, and metadata to match.",
    _offset_sizes,
    **VARIANT,
)

LARGE = from_table(
    "variant-large",
    "An array of 300 elements and an object of 300 fields: is_large, because their number takes more than a byte.",
    lambda: pa.table({"v": encode_array([list(range(300)), {f"field {i:03}": i for i in range(300)}, "small"])}),
    **VARIANT,
)

SAMPLES: tuple[Sample, ...] = (ALL_TYPES, SHREDDED, OFFSET_SIZES, LARGE)
