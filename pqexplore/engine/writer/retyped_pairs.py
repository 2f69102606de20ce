"""Key-value metadata after a change of types: what other programs left there must not name the old type.

`ARROW:schema`, pandas's and Spark's descriptions get the new type of a column at the top of the schema. A description that
cannot be changed so (of a nested column, in Avro's or Iceberg's form, or damaged) is left out; readers then go by the
Parquet schema. Other pairs are kept.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa

from pqexplore.engine.format import embedded
from pqexplore.engine.format.logical import meaning
from pqexplore.engine.writer.retype import TARGETS, Change

Pairs = Mapping[str, str | None]

_SPARK = {
    "date32": "date",
    **dict.fromkeys(("timestamp[ms]", "timestamp[us]"), "timestamp_ntz"),
    **dict.fromkeys(("timestamp[ms, tz=UTC]", "timestamp[us, tz=UTC]"), "timestamp"),
    "int32": "integer",
    "int64": "long",
    "float32": "float",
    "uuid": "binary",
}
"""Spark's types by the name of the new one; it has none for nanoseconds."""

_PANDAS = {"date32": ("date", "object"), "uuid": ("bytes", "object")}


def retyped(pairs: Pairs, changes: Iterable[Change]) -> dict[str, str | None]:
    """The pairs of a file in which these columns have new types."""
    changed = [one for one in changes if meaning(one.old).name != "DECIMAL"]  # still the same type
    kept = dict(pairs)
    for key in embedded.KEYS if changed else ():
        if key in kept and key != embedded.GEO:
            value = _updated(key, kept.pop(key), changed)
            if value is not None:
                kept[key] = value
    return kept


def _updated(key: str, value: str | None, changes: list[Change]) -> str | None:
    """A description with the new types; None if it cannot be changed."""
    known = embedded.decode(key, value)
    if known is None or known.content is None or any(len(one.old.path) > 1 for one in changes):
        return None
    targets = {one.old.path[0]: one.target for one in changes}
    content = known.content
    if isinstance(content, pa.Schema):
        for name, target in targets.items():
            for at in content.get_all_field_indices(name):
                content = content.set(at, content.field(at).with_type(TARGETS[target]))
        inner: dict[bytes, bytes] = dict(content.metadata or {})
        copies = {one: inner.pop(one.encode()) for one in embedded.KEYS if one.encode() in inner}
        texts = {one: raw.decode(errors="replace") for one, raw in copies.items()}
        for one, text in retyped(texts, changes).items():
            inner[one.encode()] = (text or "").encode()
        content = content.with_metadata(inner or None)
        return base64.b64encode(content.serialize().to_pybytes()).decode()
    update = {embedded.SPARK: _spark, embedded.PANDAS: _pandas}.get(key)
    return json.dumps(content) if update is not None and update(content, targets) else None


def _spark(content: dict[str, Any], targets: dict[str, str]) -> bool:
    fields = content.get("fields")
    for field in fields if isinstance(fields, list) else ():
        if isinstance(field, dict) and field.get("name") in targets:
            kind = _SPARK.get(targets[field["name"]])
            if kind is None:
                return False
            field["type"] = kind
    return isinstance(fields, list)


def _pandas(content: dict[str, Any], targets: dict[str, str]) -> bool:
    columns = content.get("columns")
    for one in columns if isinstance(columns, list) else ():
        if isinstance(one, dict) and (one.get("field_name") or one.get("name")) in targets:
            target = targets[one.get("field_name") or one["name"]]
            kind = TARGETS[target]
            if pa.types.is_timestamp(kind):
                names = "datetimetz" if kind.tz else "datetime", f"datetime64[{kind.unit}]"
            else:
                names = _PANDAS.get(target, (target, target))
            one["pandas_type"], one["numpy_type"] = names
            one["metadata"] = {"timezone": kind.tz} if getattr(kind, "tz", None) else None
    return isinstance(columns, list)
