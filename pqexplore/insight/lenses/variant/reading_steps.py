"""How a reader puts a shredded Variant together, group by group from the innermost outwards.

A group is a pair of `value` and `typed_value`. Which of the two is there decides how to read it: see "Value Shredding" in
https://github.com/apache/parquet-format/blob/master/VariantShredding.md. Each step names the columns, what they hold in
this row, and the result.
"""

from __future__ import annotations

import contextlib
import dataclasses
from typing import Literal

import pyarrow as pa

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.format.field import Field, Leaf
from pqexplore.engine.format.variant import variant_types
from pqexplore.engine.format.variant.json_text import to_json
from pqexplore.engine.format.variant.reconstruct import encode_groups
from pqexplore.engine.format.variant.shredding import Columns, Dictionaries, Group, dictionaries, open_columns
from pqexplore.engine.tree.variant_nodes import value_at
from pqexplore.insight.short_text import shorten
from pqexplore.insight.wording import plural

GROUPS = 200
"""Groups of a shredding that is shown step by step. A wider one has no steps."""

STEPS = 48
"""Steps of one row."""

ENTRIES = 6
"""Elements of an array that a step shows."""

CELL = 200
"""Characters of a shown value."""

Source = Literal["typed", "binary", "both", "mixed", "none"]


@dataclasses.dataclass(slots=True)
class Step:
    """One group of the shredding in this row.

    `source` says where the values are: in typed_value, in value (binary), in both, in one or the other (mixed, in an
    array), or in none. `column` and `address` are those of the column that has them.
    """

    path: str
    source: Source
    sentence: str
    result: str = ""
    column: str = ""
    address: str | None = None
    error: str = ""


def fields_by_path(field: Field) -> dict[str, Field]:
    """The groups of a Variant by their path in it (`$.a[*].b`)."""
    fields: dict[str, Field] = {}
    todo = [("$", field)]
    while todo:
        path, node = todo.pop()
        fields.setdefault(path, node)
        typed = next(iter(node.named("typed_value")), None)
        if typed is None:
            continue
        if typed.list_element is not None:
            todo.append((f"{path}[*]", typed.list_element))
        else:
            todo += [(f"{path}.{child.name}", child) for child in typed.children]
    return fields


def leaf_of(node: Field, *, binary: bool) -> Leaf | None:
    """The column with the typed values of a group, or with the binary ones; if there is only one, that one."""
    names = ("value", "typed_value") if binary else ("typed_value", "value")
    for name in names:
        for child in node.named(name):
            if isinstance(child, Leaf):
                return child
    return next(iter(node.leaves()), None)


def steps(
    groups: list[Group], one: pa.StructArray, field: Field, row_group: int, row: int, entry: int, file: ParquetFile
) -> list[Step]:
    """The steps of one row, `one`: the innermost groups first, the whole Variant last."""
    if len(groups) > GROUPS or any(group.defect is not None for group in groups):
        return []
    try:
        known, columns = dictionaries(one, row), open_columns(one, groups)
    except ParquetError as error:
        return [_broken("$", error)]
    fields = fields_by_path(field)
    made: list[Step] = []
    for at in range(len(groups) - 1, -1, -1):
        own = columns[at]
        if not own.length or (at and not (own.present("value") | own.present("typed")).any()):
            continue
        if len(made) >= STEPS and at:
            continue
        step = _step(groups, columns, at, known, row)
        node = fields.get(groups[at].path)
        leaf = None if node is None else leaf_of(node, binary=step.source in ("binary", "both"))
        if leaf is not None:
            chunk = file.row_groups[row_group].columns[leaf.leaf_index]
            step.column = ".".join(leaf.path)
            step.address = chunk.address
            if leaf.max_repetition_level == field.max_repetition_level:
                with contextlib.suppress(ParquetError):
                    value = value_at(chunk, entry, field)
                    step.address = value[1] if value is not None else chunk.address
        made.append(step)
    return made


def _step(groups: list[Group], columns: list[Columns], at: int, known: Dictionaries, row: int) -> Step:
    group, own = groups[at], columns[at]
    try:
        encoded = encode_groups(groups, columns, known, row, target=at)
        results = [_json(known, own, entry, encoded) for entry in range(min(own.length, ENTRIES))]
    except ParquetError as error:
        return _broken(group.path, error)
    more = own.length - len(results)
    result = ", ".join("not there" if text is None else text for text in results)
    if group.parent >= 0 and "[*]" in group.path:
        result = f"{own.length:,} × [{result}{f', … {more:,} more' if more else ''}]"
    value, typed = own.present("value"), own.present("typed")
    source: Source
    if (value & typed).any():
        source = "both"
    elif value.any() and typed.any():
        source = "mixed"
    else:
        source = "typed" if typed.any() else "binary" if value.any() else "none"
    return Step(group.path, source, _sentence(groups, columns, at, source), _shortened(result))


def _json(known: Dictionaries, own: Columns, entry: int, encoded: pa.Array) -> str | None:
    raw = encoded[entry].as_py()
    if raw is None:
        return None
    try:
        return _shortened(to_json(known.of(own.row(entry)), raw))
    except ParquetError as error:
        return f"<{error.message}>"


def _sentence(groups: list[Group], columns: list[Columns], at: int, source: Source) -> str:
    group, own = groups[at], columns[at]
    if source == "none":
        return "Neither value nor typed_value is there: the value is missing, and reads as null."
    if source == "binary":
        if group.kind == "none":
            return "It is not shredded: value has it, as Variant bytes."
        if set(own.headers()[own.present("value")].tolist()) == {variant_types.VARIANT_NULL[0]}:
            return "typed_value is null: value has the Variant null, which has no typed form."
        return "typed_value is null: value has it, as Variant bytes."
    if source == "mixed":
        return "Some elements are in typed_value, the others in value."
    if group.kind == "object":
        there: list[str] = []
        missing: list[str] = []
        for child in group.children:
            below = columns[child]
            is_there = (below.present("value") | below.present("typed")).any()
            (there if is_there else missing).append(groups[child].name)
        sentence = f"typed_value is an object: its fields {_names(there)} are put together"
        if missing:
            sentence += f"; not there: {_names(missing)}"
        if source == "both" and _objects_only(own):
            sentence += "; value adds the fields that have no column"
        elif source == "both":
            sentence += "; value is no object, as it must be, and is ignored"
        return f"{sentence}."
    if group.kind == "array":
        count = 0 if own.counts is None else int(own.counts.sum())
        return f"typed_value is an array of {plural(count, 'element')}, one after another."
    if source == "both":
        return "value and typed_value are both there, which only an object may have."
    return "typed_value has it, as a plain column value; value is null."


def _objects_only(own: Columns) -> bool:
    """Whether every value beside a typed_value is an object."""
    headers = own.headers()[own.present("value") & own.present("typed")]
    return bool(((headers >= 0) & (headers & 3 == variant_types.OBJECT)).all())


def _names(names: list[str]) -> str:
    shown = ", ".join(name if len(name) <= 40 else f"{name[:40]}…" for name in names[:8])
    return (shown or "none") + (f" and {len(names) - 8} more" if len(names) > 8 else "")


def _broken(path: str, error: ParquetError) -> Step:
    return Step(path, "none", error.message, error=error.message)


def _shortened(text: str) -> str:
    return shorten(text, CELL)
