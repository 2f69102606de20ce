"""What of the answer of a lens a saved notebook may keep: names, kinds, sizes and counts, and no value of the file.

The record of a lens says which columns have no values (`Lens.value_free`); without that, nothing is kept.
"""

from __future__ import annotations

from pqexplore.insight.answer import Answer, Table
from pqexplore.insight.lenses import LENSES

FIELDS = frozenset({"field", "struct", "list"})
"""Kinds of parts whose label is `name = value`."""

NAMELESS = frozenset({"key value", "value", "level", "run"})
"""Kinds of parts whose label is a value or a key."""


def sentence_of(made: Answer, lens: str) -> str:
    """The sentence of the answer; "" if it may have values."""
    return made.sentence if LENSES[lens].value_free_sentence else ""


def table_of(made: Answer, lens: str) -> Table | None:
    """The table of the answer without its values; None if nothing is left."""
    if made.table is None or not LENSES[lens].value_free:
        return None
    names = [column.name for column in made.table.columns]
    places = [names.index(name) for name in LENSES[lens].value_free if name in names]
    columns = [made.table.columns[at] for at in places]
    table = Table(columns, made.table.caption, made.table.total)
    parts = {"part", "kind"} <= {column.name for column in columns}
    for row in made.table.rows:
        kept = [row[at] for at in places]
        if parts:
            kept[0] = _label(str(kept[0]), str(kept[1]))
        table.add(*kept)
    return table if columns else None


def _label(label: str, kind: str) -> str:
    if kind in FIELDS:
        return label.partition(" = ")[0] if " = " in label else kind
    return kind if kind in NAMELESS else label
