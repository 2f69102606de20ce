"""Finds queries for which xskipper loses rows with a store.

Four faults of xskipper are known. The first three were reproduced with its code, the fourth follows from reading it:

1. `column <> v`, with a MinMax index. xskipper keeps an object only if the minimum is above v or the maximum is below
   v, so it skips an object with v and other values. `NOT column = v` and `NOT IN` of one value are the same.
2. MinMax values from a Parquet footer without bounds (a NaN in the only row group). xskipper stores them as NULL, and
   reads NULL as "all NULL": every comparison skips the object.
3. MinMax values from a footer where some row groups have no bounds. The range covers only the other row groups.
4. MinMax values of text. xskipper computes them in the order of UTF-16 code units and compares them by UTF-8. The
   orders differ between characters from U+10000 on and characters from U+E000 to U+FFFF.

Faults 2 and 3 concern stores whose indexes are all MinMax on numbers other than decimals; xskipper uses footers only
for these.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.text import printable
from pqexplore.lake.metadatastore import evidence, store_schema, store_types

if TYPE_CHECKING:
    from pqexplore.lake.metadatastore.store import Store

NOT_EQUAL, NO_BOUNDS, SOME_BOUNDS = "not equal", "no bounds", "some bounds"
TEXT_ORDER = "text order"
FAULTS = {
    NOT_EQUAL: "xskipper skips objects that have the excluded value and others",
    NO_BOUNDS: "xskipper treats an object without bounds in its footer as all NULL",
    SOME_BOUNDS: "row groups without bounds, such as those with a NaN, may be missing from the range",
    TEXT_ORDER: "xskipper computes the bounds of text in a different order from Spark's",
}
"""A description of each fault."""


@dataclasses.dataclass(frozen=True)
class Hazard:
    """Queries for which xskipper gives a wrong answer with a store.

    - `fault`: a key of `FAULTS`; `index`: the index with the fault; `queries`: the queries, in words.
    - `example`: a condition for which mode xskipper skips one of `objects` that may have matching rows.
    - `objects`: names of the objects concerned.
    - `certain`: True if rows are certainly lost (fault 1); False if rows are lost only if xskipper took the values from
      footers, which the store does not record.
    """

    fault: str
    index: store_schema.Index
    queries: str
    example: str
    objects: tuple[str, ...]
    certain: bool

    def __str__(self) -> str:
        sure = "loses rows" if self.certain else "may lose rows"
        return printable(
            f"{self.index}: {self.queries} {sure} of {len(self.objects):,} objects, for example {self.example}; "
            f"{FAULTS[self.fault]}"
        )


def check(store: Store) -> list[Hazard]:
    """The hazards of a store; empty if xskipper's answers are right, or if it cannot read the store."""
    if not store.schema.values_readable:
        return []
    hazards = []
    for index in store.indexes:
        if index.name != store_schema.MINMAX or not index.readable:
            continue
        try:
            hazards += _of_minmax(store, index)
        except ParquetError:
            continue  # it needs a key, or is damaged
    return hazards


def _of_minmax(store: Store, index: store_schema.Index) -> list[Hazard]:
    kind, column = index.value_type or "", index.columns[0]
    values = store.values(index.column)
    beyond = TEXT_ORDER if kind == "string" else SOME_BOUNDS
    groups: dict[str, list[str]] = {NOT_EQUAL: [], NO_BOUNDS: [], beyond: []}
    for name, rows in store.rows.items():
        value = values[rows[0]]
        if value is None:
            continue
        low, high = value["min"], value["max"]
        if low is not None and high is not None and low != high:
            groups[NOT_EQUAL].append(name)
        if evidence.minmax_doubt(store, rows[0], index, low, high):
            groups[NO_BOUNDS if low is None and high is None else beyond].append(name)
    found = []
    if groups[NOT_EQUAL]:
        first = values[store.rows[groups[NOT_EQUAL][0]][0]]["min"]
        queries = f"{column} <> v, NOT {column} = v and {column} NOT IN (v)"
        example = f"{column} <> {_literal(first, kind)}"
        found.append(Hazard(NOT_EQUAL, index, queries, example, tuple(groups[NOT_EQUAL]), True))
    if groups[NO_BOUNDS]:
        queries = f"all comparisons of {column}"
        names = tuple(groups[NO_BOUNDS])
        found.append(Hazard(NO_BOUNDS, index, queries, f"{column} > 0", names, False))
    if groups[beyond]:
        names = tuple(groups[beyond])
        high = values[store.rows[names[0]][0]]["max"]
        queries = f"comparisons of {column} with values beyond its range"
        example = f"{column} > {_literal(high, kind)}"
        found.append(Hazard(beyond, index, queries, example, names, False))
    return found


def _literal(value: object, kind: str) -> str:
    """Formats a plain value as a literal of Spark's SQL, with its type."""
    if isinstance(value, str):
        return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
    text = store_types.shown(value, kind)
    if kind == "date":
        return f"DATE '{text}'"
    if kind == "timestamp":
        return f"TIMESTAMP '{text}'"
    if kind == "timestamp_ntz":
        return f"TIMESTAMP_NTZ '{text}'"
    return f"{text}D" if kind in store_types.FRACTIONAL and text[-1:].isdigit() else text
