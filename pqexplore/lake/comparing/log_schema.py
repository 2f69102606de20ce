"""How the schemas of two tables differ, by their logs: columns are the same if they have the same id, or the same path."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from pqexplore.engine.text import clip, printable
from pqexplore.insight.diff.difference import Difference, Effect, Subject
from pqexplore.insight.diff.schema import nullability, only, retyped
from pqexplore.insight.diff.types import change
from pqexplore.insight.wording import name
from pqexplore.lake.log_types import leaf_of
from pqexplore.lake.logs.table_log import TableLog
from pqexplore.lake.logs.table_schema import TableField


def differences(one: TableLog, two: TableLog) -> Iterator[Difference]:
    """The differences of the schemas of two logs of one format; none if a schema cannot be read."""
    if one.schema is None or two.schema is None:
        return
    fields, others = one.schema.leaves, two.schema.leaves
    by_id = all(field.id is not None for field in (*fields, *others) if len(field.path) == 1)
    before = {_key(field, by_id): field for field in fields}
    after = {_key(field, by_id): field for field in others}
    for key, field in before.items():
        if key not in after:
            yield only("column-removed", "the first schema", [_dotted(field)], [clip(field.type, 60)])
    for key, field in after.items():
        if key not in before:
            yield only("column-added", "the second schema", [_dotted(field)], [clip(field.type, 60)])
        else:
            # What engines make of two files says nothing of a table's versions, so no difference has a kind.
            yield from (dataclasses.replace(d, kind="") for d in _changed(before[key], field, one.format))
    if [key for key in before if key in after] != [key for key in after if key in before]:
        sentence = "The columns stand in another order."
        yield Difference(Subject.SCHEMA, "column-order", sentence, effect=Effect.LOOKS)


def _key(one: TableField, by_id: bool) -> object:
    return one.id if by_id and one.id is not None else one.path


def _dotted(one: TableField) -> str:
    return printable(".".join(one.path))


def _changed(one: TableField, two: TableField, format: str) -> Iterator[Difference]:
    path, before = _dotted(two), _dotted(one)
    if one.path != two.path:
        sentence = f"{name(before)} is called {name(path)}: both have the field id {two.id}."
        yield Difference(
            Subject.SCHEMA, "column-renamed", sentence, (path,), first=before, second=path, effect=Effect.LOOKS
        )
    if one.type != two.type:
        own, other = leaf_of(one.type, format), leaf_of(two.type, format)
        effect = None if own is None or other is None else change(own, other)
        yield retyped(path, clip(one.type, 60), clip(two.type, 60), effect)
    if one.required != two.required:
        words = ("required", "optional") if one.required else ("optional", "required")
        yield nullability(*words, [path], [path])
