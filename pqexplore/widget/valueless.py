"""What of the answer of a lens a saved notebook may keep: names, kinds, sizes and counts, and no value of the file.

A lens that is not listed here keeps nothing: a new one must say which of its columns have no values.
"""

from __future__ import annotations

from pqexplore.insight.answer import Answer, Table

SENTENCES = frozenset({"layout", "schema", "row_group", "page", "nesting", "bloom", "encoding", "what_if"})
"""Lenses whose sentence has names, types, sizes and counts only."""

PART = ("part", "kind", "begins", "size", "share")

COLUMNS: dict[str, tuple[str, ...]] = {
    "column": ("group", "rows", "entries", "nulls", "compressed", "uncompressed", "ratio", "codec", "encodings"),
    "row_group": ("column", "compressed", "share", "uncompressed", "ratio", "values"),
    "contents": PART,
    "layout": PART,
    "schema": ("field", "repetition", "definition", "repetition_level", "logical", "physical"),
    "query": ("row_group", "kept", "by", "num_rows", "rows"),
    "what_if": ("column", "change", "choice", "encoding", "codec", "without", "bytes", "ratio"),
    "thrift": ("id", "field", "type", "bytes"),
    "statistics": ("part", "exact", "values", "nulls", "trusted"),
    "page_index": ("page", "first_row", "rows", "offset", "size", "nulls"),
    "encoding": ("step", "kind", "bytes", "values"),
    "dictionary": ("entry", "uses", "share", "bytes"),
    "nesting": ("level_kind", "level", "means", "entries", "share"),
    "bloom": ("block", "bits_set", "filled", "offset"),
    "variant": ("kind", "entries", "typed", "binary", "nulls"),
    "encryption": ("module", "belongs_to", "begins_at", "size", "cipher"),
    "compare": (
        "group",
        "rows",
        "compressed",
        "share",
        "uncompressed",
        "ratio",
        "codec",
        "encodings",
        "pages",
        "nulls",
    ),
    "diff": ("subject", "what", "bytes"),
}
"""By lens: the columns of its table that have no values. The overview's table is that of the file's columns."""

FIELDS = frozenset({"field", "struct", "list"})
"""Kinds of parts whose label is `name = value`."""

NAMELESS = frozenset({"key value", "value", "level", "run"})
"""Kinds of parts whose label is a value or a key."""


def sentence_of(made: Answer, lens: str) -> str:
    """The sentence of the answer; "" if it may have values."""
    return made.sentence if lens in SENTENCES else ""


def table_of(made: Answer, lens: str) -> Table | None:
    """The table of the answer without its values; None if nothing is left."""
    if made.table is None or lens not in COLUMNS:
        return None
    names = [column.name for column in made.table.columns]
    places = [names.index(name) for name in COLUMNS[lens] if name in names]
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
