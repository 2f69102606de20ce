"""How the schemas of two tables differ, by their logs: columns are the same if they have the same id, or the same path.

Which changes of a type keep all values: https://iceberg.apache.org/spec/#schema-evolution, and the table feature
`typeWidening` of https://github.com/delta-io/delta/blob/master/PROTOCOL.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pqexplore.engine.text import clip, printable
from pqexplore.insight.diff.difference import Difference, Effect, Subject
from pqexplore.insight.wording import name
from pqexplore.lake.logs.table_schema import TableField

_WIDER = {
    "byte": ("short", "integer", "long", "double"),
    "short": ("integer", "long", "double"),
    "integer": ("long", "double"),
    "int": ("long",),
    "float": ("double",),
    "date": ("timestamp_ntz", "timestamp", "timestamp_ns"),
}
_DECIMAL = re.compile(r"decimal\((\d+), ?(\d+)\)")


def differences(first: Sequence[TableField], second: Sequence[TableField]) -> Iterator[Difference]:
    """The differences of two schemas of one table format."""
    by_id = all(one.id is not None for one in (*first, *second) if len(one.path) == 1)
    mine = {_key(one, by_id): one for one in first}
    others = {_key(one, by_id): one for one in second}
    for key, one in mine.items():
        if key not in others:
            yield _only(one, "column-removed", "first", Effect.LOST)
    for key, two in others.items():
        before = mine.get(key)
        if before is None:
            yield _only(two, "column-added", "second", Effect.NONE)
        else:
            yield from _changed(before, two)
    common = [key for key in mine if key in others]
    if common != [key for key in others if key in mine]:
        sentence = "The columns stand in another order."
        yield Difference(Subject.SCHEMA, "column-order", sentence, effect=Effect.LOOKS)


def _key(one: TableField, by_id: bool) -> object:
    return one.id if by_id and one.id is not None else one.path


def _dotted(one: TableField) -> str:
    return printable(".".join(one.path))


def _only(one: TableField, what: str, has: str, effect: Effect) -> Difference:
    path, kind = _dotted(one), clip(one.type, 60)
    sentence = f"Only the {has} schema has {name(path)} ({kind})."
    texts = (kind, "") if has == "first" else ("", kind)
    return Difference(Subject.SCHEMA, what, sentence, (path,), (), *texts, effect=effect)


def _changed(one: TableField, two: TableField) -> Iterator[Difference]:
    path, before = _dotted(two), _dotted(one)
    if one.path != two.path:
        yield Difference(
            Subject.SCHEMA,
            "column-renamed",
            f"{name(before)} is called {name(path)}: both have the field id {two.id}.",
            (path,),
            first=before,
            second=path,
            effect=Effect.LOOKS,
        )
    if one.type != two.type:
        effect = _effect(one.type, two.type)
        said = f": {effect.value}" if effect.value else ""
        yield Difference(
            Subject.SCHEMA,
            "type",
            f"The type of {name(path)} is {clip(two.type, 60)} in place of {clip(one.type, 60)}{said}.",
            (path,),
            first=one.type,
            second=two.type,
            effect=effect,
        )
    if one.required != two.required:
        texts = ("required", "optional") if one.required else ("optional", "required")
        yield Difference(
            Subject.SCHEMA,
            "nullability",
            f"{name(path)} is {texts[1]} in place of {texts[0]}.",
            (path,),
            first=texts[0],
            second=texts[1],
            effect=Effect.WIDENED if one.required else Effect.NARROWED,
        )


def _effect(one: str, two: str) -> Effect:
    """What becomes of values; NONE if the formats' rules do not say."""
    if two in _WIDER.get(one, ()):
        return Effect.WIDENED
    if one in _WIDER.get(two, ()):
        return Effect.NARROWED
    before, after = _DECIMAL.fullmatch(one), _DECIMAL.fullmatch(two)
    if before is None or after is None:
        return Effect.NONE
    (digits, scale), (digits_two, scale_two) = ([int(n) for n in match.groups()] for match in (before, after))
    wider = scale_two >= scale and digits_two - scale_two >= digits - scale
    return Effect.WIDENED if wider else Effect.NARROWED
