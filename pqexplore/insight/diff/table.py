"""Differences as a table: a row each."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

if TYPE_CHECKING:
    from pqexplore.insight.diff.difference import Difference

_TABLE = pa.schema(
    [
        ("subject", pa.string()),
        ("what", pa.string()),
        ("sentence", pa.string()),
        ("columns", pa.list_(pa.string())),
        ("row_groups", pa.list_(pa.int32())),
        ("first", pa.string()),
        ("second", pa.string()),
        ("effect", pa.string()),
        ("engines", pa.string()),
        ("bytes", pa.int64()),
        ("address_first", pa.string()),
        ("address_second", pa.string()),
    ]
)


def table(rows: Sequence[Difference]) -> pa.Table:
    """The differences in their order; see `Diff.table` for the columns."""
    return pa.table(
        {
            "subject": [one.subject.value for one in rows],
            "what": [one.what for one in rows],
            "sentence": [one.sentence for one in rows],
            "columns": [list(one.columns) for one in rows],
            "row_groups": [list(one.row_groups) for one in rows],
            "first": [one.first for one in rows],
            "second": [one.second for one in rows],
            "effect": [one.effect.value for one in rows],
            "engines": [json.dumps(dict(one.engines)) if one.engines else "" for one in rows],
            "bytes": [one.bytes for one in rows],
            "address_first": [one.addresses[0] for one in rows],
            "address_second": [one.addresses[1] for one in rows],
        },
        schema=_TABLE,
    )
