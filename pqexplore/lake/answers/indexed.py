"""A Metadatastore: what it knows of each object, and which objects a condition leaves out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pqexplore.engine.errors import ParquetError
from pqexplore.insight.answer import Answer, Column, Table

if TYPE_CHECKING:
    from pqexplore.lake.metadatastore import Evaluation, Store

LISTED = 2_000
SAMPLED = 200
"""Objects whose Bloom filters are looked into."""

VERDICTS = ("kept", "skipped", "partition pruned")


def objects(store: Store) -> Answer:
    """Objects and indexes: what each index says of each object."""
    names = [
        *(
            index.column
            for index in store.indexes
            if index.readable and not store.locked(index.column)
        )
    ]
    columns = [Column("object", "object"), *(Column(name, name) for name in names)]
    table = Table(
        columns, caption="objects, and what each index says of them", total=len(store.rows)
    )
    values = {name: store.values(name) for name in names}
    fills: dict[str, list[float]] = {}
    for at, (name, rows) in enumerate(store.rows.items()):
        if at >= LISTED:
            break
        shown = []
        for index in store.indexes:
            if index.column in values:
                text, fill = _shown(index.name, values[index.column][rows[0]], at < SAMPLED)
                shown.append(text)
                if fill is not None:
                    fills.setdefault(index.column, []).append(fill)
        table.add(name, *shown, address=f"object:{name}")
    picture = {
        "indexes": [
            {
                "column": index.column,
                "kind": index.name,
                "on": ", ".join(index.columns),
                "known": sum(v is not None for v in values.get(index.column, ())),
                "locked": store.locked(index.column),
                "fills": fills.get(index.column, []),
            }
            for index in store.indexes
        ],
        "objects": len(store.rows),
    }
    return Answer(_sentence(store), picture=picture, table=table, code="store.objects")


def _sentence(store: Store) -> str:
    kinds: dict[str, int] = {}
    for index in store.indexes:
        kinds[index.name] = kinds.get(index.name, 0) + 1
    made = ", ".join(f"{count:,} {kind}" for kind, count in kinds.items()) or "no index"
    parts = [
        f"{len(store.rows):,} objects of {store.table_identifier or 'an unnamed dataset'}, version {store.version}: {made}"
    ]
    if store.duplicates:
        parts.append(
            f"{len(store.duplicates):,} objects are there twice, as an interrupted refresh leaves them"
        )
    hazards = store.check_upstream()
    if hazards:
        parts.append(f"xskipper would lose rows by {len(hazards):,} of its indexes: {hazards[0]}")
    return "; ".join(parts) + "."


def _shown(kind: str, value: Any, look: bool) -> tuple[str | None, float | None]:
    """One index value as a text, and how full it is where it is a Bloom filter."""
    if value is None:
        return None, None
    if kind == "minmax" and isinstance(value, dict):
        return f"{value.get('min')} … {value.get('max')}", None
    if kind == "valuelist" and isinstance(value, list):
        more = f", … {len(value):,} in all" if len(value) > 6 else ""
        return ", ".join(map(str, value[:6])) + more, None
    if kind == "bloomfilter" and isinstance(value, bytes):
        if not look:
            return f"{len(value):,} bytes", None
        from pqexplore.lake.metadatastore import sketch

        try:
            filter_ = sketch.from_java(value)
        except ParquetError as error:
            return f"not readable: {error.message}", None
        if filter_ is None:
            return "empty", None
        return f"{filter_.bits:,} bits, {filter_.occupancy:.0%} set", filter_.occupancy
    return f"{len(value):,} bytes" if isinstance(value, bytes) else str(value), None


def skipping(store: Store, condition: str, mode: str = "sound") -> Answer:
    """Which objects a condition leaves out, and what every index says of each. Raises UsageError where it is no SQL."""
    found = store.evaluate(condition, mode=mode)
    table = Table(
        (Column("object", "object"), Column("verdict", "verdict"), Column("reason", "reason")),
        caption="objects, and why each is kept or left out",
        total=len(store.rows),
    )
    order = [*found.skipped, *found.partition_pruned, *found.kept]
    for name in order[:LISTED]:
        table.add(name, found.verdict(name), _reason(found, name), address=f"object:{name}")
    counts = [len(found.kept), len(found.skipped), len(found.partition_pruned)]
    picture = {
        "condition": condition,
        "mode": mode,
        "counts": counts,
        "verdicts": [
            [name, VERDICTS.index(found.verdict(name))] for name in list(store.rows)[:LISTED]
        ],
        "may_lose": [[name, why] for name, why in list(found.may_lose.items())[:100]],
    }
    return Answer(
        _told(found, counts),
        picture=picture,
        table=table,
        code=f"store.evaluate({condition!r}, mode={mode!r})",
    )


def _told(found: Evaluation, counts: list[int]) -> str:
    kept, skipped, pruned = counts
    total = kept + skipped + pruned
    told = f"{kept:,} of {total:,} objects have to be read: {skipped:,} are ruled out by indexes"
    if pruned:
        told += f", {pruned:,} by partition columns alone"
    if found.may_lose:
        told += (
            f"; {len(found.may_lose):,} of them may have rows that match, which xskipper would lose"
        )
    return told + "."


def _reason(found: Evaluation, name: str) -> str:
    reasons = found.reasons[name]
    deciding = [reason for reason in reasons if reason.rules_out] or list(reasons)
    return "; ".join(map(str, deciding[:4])) or "no index says anything of it"
