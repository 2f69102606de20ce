"""Finds a snapshot of an Iceberg table, and writes partition values as text."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pqexplore.lake.logs.table_log import NoSuchVersion, Version, moment, partition_text

if TYPE_CHECKING:
    from pyiceberg.partitioning import PartitionField, PartitionSpec
    from pyiceberg.schema import Schema
    from pyiceberg.table.metadata import TableMetadata
    from pyiceberg.table.snapshots import Snapshot


def snapshot_of(metadata: TableMetadata, wanted: Version) -> Snapshot:
    """The snapshot of an id, a name or a time. NoSuchVersion if the metadata has none."""
    number: object = wanted
    if isinstance(wanted, datetime.datetime):
        at = int(wanted.timestamp() * 1000)
        before = [one.snapshot_id for one in metadata.snapshot_log if one.timestamp_ms <= at]
        number = before[-1] if before else f"as old as {wanted.isoformat()}"
    elif str(wanted) in metadata.refs:
        number = metadata.refs[str(wanted)].snapshot_id
    found = next((one for one in metadata.snapshots if str(one.snapshot_id) == str(number)), None)
    if found is None:
        known = ", ".join(map(_dated, metadata.snapshots[-5:])) or "none"
        raise NoSuchVersion(f"the metadata has no snapshot {number}; the last are {known}")
    return found


def _dated(snapshot: Snapshot) -> str:
    return f"{snapshot.snapshot_id} ({moment(snapshot.timestamp_ms)})"


def _value_text(field: PartitionField, schema: Schema, value: object) -> str:
    """A partition value as people write it; as it is stored if its column was dropped."""
    try:
        kind = field.transform.result_type(schema.find_type(field.source_id))
    except ValueError:
        return str(value)
    return str(field.transform.to_human_string(kind, value))


def partition_values(spec: PartitionSpec, values: Sequence[object], schema: Schema) -> str:
    """The values of a partition as text: by the column's name if they are its own, else by the field's name."""
    pairs = []
    for field, value in zip(spec.fields, values, strict=False):
        if str(field.transform) == "void":
            continue  # the field was dropped from the spec, and may have its column's name
        name = field.name
        if str(field.transform) == "identity":
            name = schema.find_column_name(field.source_id) or name
        pairs.append((name, None if value is None else _value_text(field, schema, value)))
    return partition_text(pairs)
