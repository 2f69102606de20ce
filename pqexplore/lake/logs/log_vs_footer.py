"""Holds what tables' logs say against the footers that were read: names of columns, and statistics.

A reader that goes by the log skips a file whose bounds in the log rule it out. So a bound in the log that is narrower than
the footer's makes readers lose rows; a wider one is sound, as the truncated bounds of long texts are.
"""

from __future__ import annotations

import dataclasses
import datetime
import struct
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.format.field import Leaf
from pqexplore.engine.format.logical import annotation
from pqexplore.engine.format.ordering import declared_order, type_order
from pqexplore.engine.format.schema import Schema, build
from pqexplore.engine.format.thrift import fast, structs
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.engine.text import clip, plural
from pqexplore.lake.footer_rows.bound_keys import KEY_BYTES, TEXT, KeyKind, convert
from pqexplore.lake.footer_rows.schemas import definition
from pqexplore.lake.listing.logged_tables import Table
from pqexplore.lake.logs.log_statistics import DeltaStatistics, Key
from pqexplore.lake.logs.log_types import type_conflicts
from pqexplore.lake.logs.table_log import Fact, TableLog
from pqexplore.lake.logs.table_schema import TableSchema
from pqexplore.lake.tables import NAME, TABLES

if TYPE_CHECKING:
    import pyarrow.dataset as ds

    from pqexplore.lake.listing import Listing
    from pqexplore.lake.store.manifest import Manifest
    from pqexplore.lake.store.store import Store

CHUNKS = 500_000
"""Max column chunks whose footers' statistics are compared with the log's; it takes some seconds."""

_MILLISECOND = {"ms": 0, "us": 999, "ns": 999_999}
"""Units of a timestamp that Delta cuts off: it keeps milliseconds."""

Row: TypeAlias = dict[str, str | int | None]


def write(store: Store, manifest: Manifest, found: Listing) -> None:
    """Write the tables `table_columns` and `log_conflicts` of a run, and add their parts to its manifest."""
    if not any(isinstance(one.log, TableLog) for one in found.tables):
        return
    run_id = manifest.run_id
    files = store.read(manifest, "files")
    readable = pc.and_(pc.equal(files["status"], "ok"), pc.is_valid(files["table_path"]))
    files = files.filter(readable).select(["path", "table_path", "schema_id", "num_row_groups"])
    schemas = schemas_of(store.read(manifest, "schemas"))
    chunks = store.dataset(manifest, "column_chunks")
    rows = {
        "table_columns": list(names(run_id, found.tables, files, schemas)),
        "log_conflicts": [
            *conflicts(run_id, found.tables, found.facts, files, schemas, chunks),
            *type_conflicts(run_id, found.tables, files, schemas),
        ],
    }
    for name, some in rows.items():
        if some:
            made = pa.Table.from_pylist(some, schema=TABLES[name].schema)
            manifest.parts[name] = [store.write(run_id, name, made)]


def schemas_of(rows: pa.Table) -> dict[str, Schema]:
    """The stored schemas, from rows of the table `schemas`. Those that are too large to be stored are left out."""
    stored = rows.filter(pc.is_valid(rows["footer"])).select(["schema_id", "footer"])
    found: dict[str, Schema] = {}
    for row in stored.to_pylist():
        try:
            head = fast.decode(structs.FileMetaData, row["footer"])[0]
            found[row["schema_id"]] = build(head.schema, column_orders=head.column_orders)
        except ParquetError:  # a damaged store
            continue
    return found


def names(run_id: str, tables: Iterable[Table], files: pa.Table, schemas: Mapping[str, Schema]) -> Iterator[Row]:
    """Rows of `table_columns`: leaves whose present name differs from their name in files."""
    pairs = files.select(["table_path", "schema_id"]).group_by(["table_path", "schema_id"])
    used: dict[str, list[str]] = {}
    for row in pairs.aggregate([]).to_pylist():
        used.setdefault(row["table_path"], []).append(row["schema_id"])
    for table in tables:
        columns = table.log.schema if isinstance(table.log, TableLog) else None
        for schema_id in sorted(used.get(table.path, ())) if columns is not None else ():
            schema = schemas.get(schema_id)
            for leaf in schema.leaves if schema is not None and _named(columns, schema) else ():
                now = None if columns is None else columns.names(leaf)
                if leaf.path != now:
                    yield {
                        "run_id": run_id,
                        "table_path": table.path,
                        "schema_id": schema_id,
                        "leaf": leaf.leaf_index,
                        "column_name": clip(".".join(leaf.path), NAME),
                        "table_column": None if now is None else clip(".".join(now), NAME),
                        "field_id": leaf.element.field_id,
                        "definition": None if now is None else definition(leaf, now),
                    }


def _named(columns: TableSchema | None, schema: Schema) -> bool:
    """Whether any column of a file is one of the table's: without one, the log says nothing about the file's columns."""
    return columns is not None and any(columns.names(leaf) is not None for leaf in schema.leaves)


@dataclasses.dataclass(slots=True)
class _Footer:
    """What a file's footer says of a column: bounds as keys and texts, whether they occur, counts; None if unknown."""

    low: bytes | None = None
    high: bytes | None = None
    low_text: str | None = None
    high_text: str | None = None
    exact: tuple[bool | None, bool | None] = (None, None)
    nulls: int | None = 0
    values: int | None = 0


@dataclasses.dataclass(slots=True)
class _Compared:
    """A column of a file, and what the log says of it."""

    path: str
    table: str
    leaf: Leaf
    low: bytes | None
    high: bytes | None
    nulls: object
    values: object
    words: tuple[str | None, str | None]
    """Both bounds as Delta's log writes them; None for Iceberg's bytes."""


def conflicts(
    run_id: str,
    tables: Sequence[Table],
    facts: Mapping[str, Fact],
    files: pa.Table,
    schemas: Mapping[str, Schema],
    chunks: ds.Dataset,
) -> list[Row]:
    """Rows of `log_conflicts`. Adds to the remarks of a table which statistics the log does not have, or were not compared."""
    logs = {one.path: one for one in tables if isinstance(one.log, TableLog)}
    compared: list[_Compared] = []
    room, paths = CHUNKS, []
    left: Counter[str] = Counter()
    seen: dict[str, set[Key]] = {}
    for row in files.to_pylist():
        fact, schema = facts.get(row["path"]), schemas.get(row["schema_id"])
        if fact is None or fact.statistics is None or schema is None:
            continue
        room -= (row["num_row_groups"] or 0) * len(schema.leaves)
        statistics = fact.statistics.read() if room >= 0 else None
        if statistics is None:
            left[row["table_path"]] += room < 0
            continue
        paths.append(row["path"])
        delta = isinstance(fact.statistics, DeltaStatistics)
        seen.setdefault(row["table_path"], set()).update(statistics.lows, statistics.highs, statistics.nulls)
        for leaf in schema.leaves:
            key: Key | None = leaf.path if delta else leaf.element.field_id
            if key is None or leaf.max_repetition_level or leaf.defect is not None:
                continue
            bounds = statistics.lows.get(key), statistics.highs.get(key)
            low, high = (
                _delta_bytes(leaf, bound, upper) if delta else _iceberg_bytes(leaf, bound)
                for bound, upper in zip(bounds, (False, True), strict=True)
            )
            words = (clip(str(bounds[0]), TEXT), clip(str(bounds[1]), TEXT)) if delta else (None, None)
            counts = statistics.nulls.get(key), statistics.values.get(key)
            compared.append(_Compared(row["path"], row["table_path"], leaf, low, high, *counts, words))
    for path, table in logs.items():
        _remark(table, seen.get(path, set()), left[path])
    footers = _footers(chunks, paths)
    return list(_disagreeing(run_id, compared, footers))


def _remark(table: Table, seen: set[Key], left: int) -> None:
    log = table.log
    if not isinstance(log, TableLog):
        return
    if left:
        table.remarks.append(f"the log's statistics of {plural(left, 'file')} were not compared with footers")
    if log.indexed is None or log.schema is None or not seen:
        return
    leaves = [path for path in log.schema.stored_leaves if path[0] not in log.partitions]
    if len(leaves) > log.indexed and seen <= set(leaves[: log.indexed]):
        table.remarks.append(
            f"only the first {log.indexed:,} columns have statistics in the log (delta.dataSkippingNumIndexedCols), so "
            f"readers that go by the log skip no file by the other {len(leaves) - log.indexed:,}"
        )


def _footers(chunks: ds.Dataset, paths: Sequence[str]) -> dict[tuple[str, int], _Footer]:
    names = ["path", "leaf", "min_key", "max_key", "min_text", "max_text", "min_exact", "max_exact"]
    columns = [*names, "null_count", "num_values"]
    found: dict[tuple[str, int], _Footer] = {}
    if not paths:
        return found
    import pyarrow.dataset as ds  # which imports pandas

    wanted = pa.array(paths, pa.string())
    for batch in chunks.to_batches(columns=columns, filter=ds.field("path").isin(wanted)):
        for path, leaf, low, high, low_text, high_text, *rest in zip(
            *(batch.column(name).to_pylist() for name in columns), strict=True
        ):
            at = found.setdefault((path, leaf), _Footer())
            if low is not None and (at.low is None or low < at.low):
                at.low, at.low_text, at.exact = low, low_text, (rest[0], at.exact[1])
            if high is not None and (at.high is None or high > at.high):
                at.high, at.high_text, at.exact = high, high_text, (at.exact[0], rest[1])
            at.nulls = None if rest[2] is None or at.nulls is None else at.nulls + rest[2]
            at.values = None if rest[3] is None or at.values is None else at.values + rest[3]
    return found


def _disagreeing(
    run_id: str, compared: Sequence[_Compared], footers: Mapping[tuple[str, int], _Footer]
) -> Iterator[Row]:
    leaves = {id(one.leaf): one.leaf for one in compared}
    known = {key: KeyKind.of(leaf, declared_order(leaf) or type_order(leaf)) for key, leaf in leaves.items()}
    kinds = [known[id(one.leaf)] for one in compared]
    lows, low_texts, _ = convert(kinds, [one.low for one in compared], upper=False)
    highs, high_texts, _ = convert(kinds, [one.high for one in compared], upper=True)
    low_keys, high_keys = lows.to_pylist(), highs.to_pylist()
    low_texts, high_texts = low_texts.to_pylist(), high_texts.to_pylist()
    for place, one in enumerate(compared):
        footer = footers.get((one.path, one.leaf.leaf_index))
        if footer is None:
            continue

        low, high = low_keys[place], high_keys[place]
        if _above(low, footer.low, footer.exact[0], one.leaf):
            yield _row(run_id, one, "minimum", one.words[0] or low_texts[place], footer.low_text, LOSES)
        if _below(high, footer.high, footer.exact[1], one.leaf):
            yield _row(run_id, one, "maximum", one.words[1] or high_texts[place], footer.high_text, LOSES)
        if type(one.nulls) is int and footer.nulls is not None and one.nulls != footer.nulls:
            yield _row(run_id, one, "null count", one.nulls, footer.nulls, COUNTS)
        if type(one.values) is int and footer.values is not None and one.values != footer.values:
            yield _row(run_id, one, "value count", one.values, footer.values, COUNTS)


def _row(run_id: str, one: _Compared, statistic: str, log: object, own: object, why: str) -> Row:
    name = ".".join(one.leaf.path)
    return {
        "run_id": run_id,
        "path": one.path,
        "table_path": one.table,
        "leaf": one.leaf.leaf_index,
        "column_name": clip(name, NAME),
        "statistic": statistic,
        "log_value": str(log),
        "footer_value": str(own),
        "message": f"the log's {statistic} of {clip(name, 60)} is {log}, the footer's is {own}: {why}",
    }


LOSES = "a reader that goes by the log skips the file although it has rows that match"
COUNTS = "a reader that goes by the log counts wrong, or skips the file although it has rows that match"


def _is_cut(leaf: Leaf, key: bytes, exact: bool | None) -> bool:
    """Whether a footer's bound may be a truncated one: only those of bytes are."""
    if exact is True:
        return len(key) >= KEY_BYTES
    binary = leaf.physical_type in (Type.BYTE_ARRAY, Type.FIXED_LEN_BYTE_ARRAY)
    return exact is False or (binary and annotation(leaf).name != "DECIMAL")


def _above(log: bytes | None, footer: bytes | None, exact: bool | None, leaf: Leaf) -> bool:
    """Whether a lower bound in the log is above a value of the file. A truncated lower bound is the beginning of a value."""
    if log is None or footer is None or log <= footer:
        return False
    return not (_is_cut(leaf, footer, exact) and log.startswith(footer))


def _below(log: bytes | None, footer: bytes | None, exact: bool | None, leaf: Leaf) -> bool:
    """Whether an upper bound in the log is below a value. A truncated upper bound ends in a byte that was incremented."""
    if log is None or footer is None:
        return False
    return log < (footer[:-1] if _is_cut(leaf, footer, exact) else footer)


# The log's bounds as PLAIN bytes.


def _iceberg_bytes(leaf: Leaf, value: object) -> bytes | None:
    """Source: https://iceberg.apache.org/spec/#binary-single-value-serialization."""
    found = annotation(leaf)
    if not isinstance(value, bytes):
        return None
    if found.name == "DECIMAL":
        return _decimal_bytes(leaf, int.from_bytes(value, "big", signed=True)) if value else None
    if found.name in ("TIMESTAMP", "TIME") and found.unit != "us":
        return None
    sizes: dict[int, int] = {Type.INT32: 4, Type.INT64: 8, Type.FLOAT: 4, Type.DOUBLE: 8, Type.BOOLEAN: 1}
    return value if sizes.get(leaf.physical_type, len(value)) == len(value) else None


def _bytes_of_text(leaf: Leaf, text: str, upper: bool) -> bytes | None:
    """A JSON text as PLAIN bytes; ValueError if it is not written as a value of the column's type is."""
    kind = annotation(leaf).name
    if kind == "DATE":
        return _integer(leaf, (datetime.date.fromisoformat(text[:10]) - _EPOCH.date()).days)
    if kind == "TIMESTAMP":
        return _timestamp(leaf, text, upper)
    if kind == "STRING":
        return text.encode()
    return uuid.UUID(text).bytes if kind == "UUID" else None


def _delta_bytes(leaf: Leaf, value: object, upper: bool) -> bytes | None:
    """A JSON value as PLAIN bytes; None if it is no value of the column's type."""
    found, kind = annotation(leaf), leaf.physical_type
    try:
        if found.name == "DECIMAL" and isinstance(value, int | Decimal | str):
            return _decimal_bytes(leaf, int(Decimal(value).scaleb(found.scale or 0)))
        if isinstance(value, str):
            return _bytes_of_text(leaf, value, upper)
        if found.name not in ("", "INTEGER") or isinstance(value, bool) != (kind == Type.BOOLEAN):
            return None
        if kind == Type.BOOLEAN:
            return bytes([value is True])
        if kind in (Type.FLOAT, Type.DOUBLE) and isinstance(value, int | Decimal):
            return struct.pack("<f" if kind == Type.FLOAT else "<d", float(value))
        if kind in (Type.INT32, Type.INT64) and isinstance(value, int):
            return _integer(leaf, value)
    except (ValueError, ArithmeticError, struct.error, OverflowError):
        return None
    return None


_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)


def _integer(leaf: Leaf, value: int) -> bytes:
    return value.to_bytes(4 if leaf.physical_type == Type.INT32 else 8, "little", signed=True)


def _timestamp(leaf: Leaf, text: str, upper: bool) -> bytes | None:
    unit = annotation(leaf).unit
    if leaf.physical_type != Type.INT64 or unit not in _MILLISECOND:
        return None
    at = datetime.datetime.fromisoformat(text)
    at = at.replace(tzinfo=datetime.UTC) if at.tzinfo is None else at
    micros = (at - _EPOCH) // datetime.timedelta(microseconds=1)
    number = {"ms": micros // 1000, "us": micros, "ns": micros * 1000}[unit]
    return _integer(leaf, number + (_MILLISECOND[unit] if upper else 0))


def _decimal_bytes(leaf: Leaf, unscaled: int) -> bytes | None:
    if leaf.physical_type in (Type.INT32, Type.INT64):
        return _integer(leaf, unscaled)
    length = leaf.type_length or (unscaled.bit_length() // 8 + 1)
    return unscaled.to_bytes(length, "big", signed=True)
