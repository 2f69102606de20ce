"""A Metadatastore: the value of each index for each object."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.text import plural
from pqexplore.insight.answer import Answer, Column, Table
from pqexplore.lake.panels.filters import Filters
from pqexplore.lake.panels.panel import Panel
from pqexplore.lake.panels.root import short

if TYPE_CHECKING:
    from pqexplore.lake.metadatastore import Store
    from pqexplore.lake.metadatastore.soundness import Hazard

LISTED = 2_000
SAMPLED = 200
"""Max objects whose Bloom filters are parsed."""


@dataclasses.dataclass(slots=True)
class Index:
    """An index of the store, and for how many objects it has a value.

    `locked` is why it cannot be read, or empty. `fills` are the shares of set bits in Bloom filters, 0 to 1.
    """

    column: str
    kind: str
    on: str
    known: int
    locked: str
    fills: list[float]


@dataclasses.dataclass(slots=True)
class Picture:
    """The indexes, and the number of objects in the store."""

    indexes: list[Index]
    objects: int


def answer(store: Store, filters: Filters, typed: str = "") -> Answer:
    """Objects and indexes: the value of each index for each object."""
    names = [*(index.column for index in store.indexes if index.readable and not store.locked(index.column))]
    columns = [Column("object", "object"), *(Column(name, name) for name in names)]
    table = Table(columns, caption="objects, and the value of each index", total=len(store.rows))
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
    picture = Picture(
        [
            Index(
                column=index.column,
                kind=index.name,
                on=", ".join(index.columns),
                known=sum(v is not None for v in values.get(index.column, ())),
                locked=store.locked(index.column),
                fills=fills.get(index.column, []),
            )
            for index in store.indexes
        ],
        len(store.rows),
    )
    return Answer(_sentence(store), picture=picture, table=table, code="store.objects")


def _sentence(store: Store) -> str:
    kinds: dict[str, int] = {}
    for index in store.indexes:
        kinds[index.name] = kinds.get(index.name, 0) + 1
    indexes = ", ".join(f"{count:,} {kind}" for kind, count in kinds.items()) or "no index"
    name = short(store.table_identifier) if store.table_identifier else "an unnamed dataset"
    parts = [f"{plural(len(store.rows), 'object')} of {name}, version {store.version}: {indexes}"]
    if store.duplicates:
        parts.append(f"{len(store.duplicates):,} objects are listed twice, which happens when a refresh is interrupted")
    hazards = store.check_upstream()
    if hazards:
        parts.append(f"{lost(store, hazards)}: {hazards[0]}")
    return "; ".join(parts) + "."


def lost(store: Store, hazards: Sequence[Hazard]) -> str:
    """That xskipper loses rows with the store, or may lose them."""
    sure = [one for one in hazards if one.certain]
    indexes = {one.index.column for one in sure or hazards}
    loses = "loses" if sure else "may lose"
    return f"xskipper {loses} rows of some queries, by {len(indexes):,} of {plural(len(store.indexes), 'index')}"


def _shown(kind: str, value: Any, look: bool) -> tuple[str | None, float | None]:
    """One index value as text, and for a Bloom filter the share of its bits that are set."""
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


PANEL = Panel("objects", "Objects and indexes", answer, picture=Picture)
