"""What a file holds beside its columns, as lines: key-value metadata whole and decoded, and the text in gaps."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.format.embedded import ARROW
from pqexplore.engine.text import printable
from pqexplore.insight import key_values
from pqexplore.insight.table_lines import IN_A_PIPE, ROWS
from pqexplore.insight.terminal import READABLE, indented, is_whole, width
from pqexplore.insight.wording import plural

TEXT_LINES = 20
"""Lines of a text, such as a value of the key-value metadata, that are shown on a terminal."""


def gap_lines(file: ParquetFile, room: int) -> list[str]:
    """Each gap, and the text in it."""
    from pqexplore.insight.gaps import gaps  # the nodes of the whole tree

    found = list(gaps(file))
    lines = []
    for one in found[: None if is_whole(room) else ROWS]:
        size = plural(len(one.span), "byte")
        lines += indented(f"{one.address}  {one.span}, {size}: {one.reason}", room, 2)
        if one.text:
            lines += _texts(one.text, room)
    more = len(found) - ROWS
    if more > 0 and not is_whole(room):
        lines.append(f"  and {more:,} more gaps{IN_A_PIPE}")
    return lines


def key_value_lines(file: ParquetFile, room: int) -> list[str]:
    """Each pair of the footer."""
    if file.metadata is None:
        return []
    return pair_lines(key_values.described(file), room)


def pair_lines(pairs: Iterable[key_values.Described], room: int) -> list[str]:
    """Each pair: its key and size, where it differs from the schema, and its value, decoded if it can be."""
    lines: list[str] = []
    for one in pairs:
        value = one.value
        short = f"  {one.key} = {value}  ({one.address})"
        if value and one.content is None and "\n" not in value and width(printable(short)) <= min(room, READABLE):
            lines.append(printable(short))
            continue
        size = "no value" if value is None else plural(len(value), "character")
        lines += indented(f"{one.key}  ({size}, {one.address})", room, 2)
        for text in (one.problem, *one.disagreements):
            lines += indented(text, room, 4) if text else []
        if isinstance(one.content, list) and one.key == ARROW:
            lines += _texts("\n".join(_arrow_field(field) for field in one.content), room)
        elif one.content is not None:
            lines += _texts("\n".join(_json(one.content)), room)
        elif value:
            lines += _texts(value, room)
    return lines


def _json(content: Any, indent: str = "") -> Iterator[str]:
    """A JSON value in lines: members and elements that are short have one each."""
    whole = json.dumps(content, ensure_ascii=False)
    if not isinstance(content, (dict, list)) or len(indent) + len(whole) <= READABLE - 8:
        yield f"{indent}{whole}"
        return
    opening, closing = "{}" if isinstance(content, dict) else "[]"
    yield f"{indent}{opening}"
    for one in content.items() if isinstance(content, dict) else ((None, value) for value in content):
        key, value = one
        first, *rest = _json(value, indent + " ")
        named = "" if key is None else f"{json.dumps(key, ensure_ascii=False)}: "
        yield f"{indent} {named}{first.strip()}"
        yield from rest
    yield f"{indent}{closing}"


def _arrow_field(field: dict[str, Any]) -> str:
    metadata = "".join(f", {key}: {value}" for key, value in field.get("metadata", {}).items())
    return f"{field['name']}: {field['type']}{'' if field['nullable'] else ' not null'}{metadata}"


def _texts(text: str, room: int) -> list[str]:
    """A text of several lines, each whole; on a terminal the first ones."""
    lines = [line for part in text.split("\n") for line in _broken(part, room)]
    most = len(lines) if is_whole(room) else TEXT_LINES
    more = [f"    and {len(lines) - most:,} more lines{IN_A_PIPE}"] if len(lines) > most else []
    return lines[:most] + more


def _broken(line: str, room: int) -> list[str]:
    """A line in lines that fit; whole where the room is."""
    shown, size = printable(line), max(1, room - 4)
    pieces = [shown[at : at + size] for at in range(0, len(shown), size)]
    return [f"    {piece}" for piece in pieces or [""]]
