"""A file, a node or a list of findings as lines of text, for people at a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pqexplore.engine import types
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file import ParquetFile
from pqexplore.engine.schema import Field, Leaf
from pqexplore.engine.thrift import structs
from pqexplore.engine.tree import FILE, Finding, Node, Span
from pqexplore.insight import features, summary
from pqexplore.insight.answer import Answer, Column
from pqexplore.insight.terminal import clip, hexdump, table, visible, wrap

ROWS = 200
"""Columns, schema fields and row groups that are listed; the rest is counted."""

BYTES = 64
"""Bytes of a node that are shown."""

SHOWN = 160
"""Characters of a value or a label that are shown."""


def file_report(file: ParquetFile, room: int) -> Iterator[str]:
    """What a file is: identity, schema, row groups, columns, where its bytes are, what it has and lacks."""
    yield from _identity(file, room)
    for title, part in (
        ("Schema", _schema),
        ("Row groups", _row_groups),
        ("Columns", _columns),
        ("Bytes", _bytes),
        ("Features", _features),
        ("Key-value metadata", _key_values),
    ):
        try:
            lines = part(file, room)
        except ParquetError as error:
            lines = _wrapped(f"cannot be read: {error}", room)
        if lines:
            yield from ("", title, *lines)
    if file.findings:
        yield from ("", "Findings", *findings_report(file.findings, room))


def _identity(file: ParquetFile, room: int) -> Iterator[str]:
    known = summary.identity(file)
    yield visible(known.name)
    counts = [f"{known.size:,} bytes"]
    if known.rows is not None:
        counts.append(f"{known.rows:,} rows")
    if known.row_groups is not None:
        counts.append(_count(known.row_groups, "row group"))
    if known.columns is not None:
        counts.append(_count(known.columns, "column"))
    if known.version is not None:
        counts.append(f"format version {known.version}")
    yield from _wrapped(", ".join(counts), room)
    if known.locked:
        yield from _wrapped(f"the footer is locked: {known.locked}", room)
    else:
        yield from _wrapped(f"written by {known.created_by or 'a writer that gives no name'}", room)


def _schema(file: ParquetFile, room: int) -> list[str]:
    fields = file.schema.fields[1:]
    rows = [
        (
            "  " * (field.depth - 1) + field.name,
            _type(field),
            structs.enum_name(structs.FieldRepetitionType, field.repetition).lower(),
            str(field.max_definition_level),
            str(field.max_repetition_level),
        )
        for field in fields[:ROWS]
    ]
    head = ("field", "type", "repetition", "def", "rep")
    return [*table(head, rows, room, right="   >>"), *_more(len(fields), "fields")]


def _type(field: Field) -> str:
    if not isinstance(field, Leaf):
        return field.kind
    physical = structs.enum_name(structs.Type, field.physical_type)
    described = types.describe(field)
    return described if described.startswith(physical) else f"{described} in {physical}"


def _row_groups(file: ParquetFile, room: int) -> list[str]:
    groups = file.row_groups
    rows = []
    for one in summary.row_groups(file):
        if one.index == ROWS:
            break
        rows.append(
            (
                str(one.index),
                "?" if one.rows is None else f"{one.rows:,}",
                f"{one.compressed_size:,}",
                f"{one.uncompressed_size:,}",
                _ratio(one.uncompressed_size, one.compressed_size),
                "" if one.first_byte is None else f"{one.first_byte:,}",
                f"{one.unread:,} unreadable: {one.reason}" if one.unread else "",
            )
        )
    head = ["#", "rows", "bytes", "uncompressed", "ratio", "first byte", ""]
    return [*table(head, rows, room, right=">>>>>>"), *_more(len(groups), "row groups")]


def _columns(file: ParquetFile, room: int) -> list[str]:
    found = summary.columns(file)
    rows = [
        (
            one.path,
            f"{one.compressed_size:,}",
            f"{one.share:.1%}",
            f"{one.uncompressed_size:,}",
            _ratio(one.uncompressed_size, one.compressed_size),
            "?" if one.null_count is None else f"{one.null_count:,}",
            ", ".join(one.codecs),
            one.reason if one.unread else ", ".join(one.encodings),
        )
        for one in found[:ROWS]
    ]
    head = ("column", "bytes", "share", "uncompressed", "ratio", "nulls", "codec", "encodings")
    return [*table(head, rows, room, right=" >>>>>"), *_more(len(found), "columns")]


def _bytes(file: ParquetFile, room: int) -> list[str]:
    found = summary.shares(file)
    rows = [
        (one.kind.replace("_", " "), f"{one.count:,}", f"{one.size:,}", f"{one.share:.1%}")
        for one in found
    ]
    rows.append(("all", "", f"{sum(one.size for one in found):,}", "100.0%"))
    return table(("what", "pieces", "bytes", "share"), rows, room, right=" >>>")


def _features(file: ParquetFile, room: int) -> list[str]:
    lines = []
    for one in features.features(file):
        mark = {"all": "has", "some": "has", "none": "lacks", "unknown": "?"}[one.state]
        some = f" ({one.count:,} of {one.of:,} {one.unit})" if one.state == "some" else ""
        text = f"{mark:<6} {one.name}{some}: {one.meaning}"
        lines += [f"  {line}" for line in wrap(text, room - 2, " " * 7)]
    return lines


def _key_values(file: ParquetFile, room: int) -> list[str]:
    metadata = file.metadata
    pairs = () if metadata is None else metadata.key_value_metadata or ()
    lines = []
    for pair in pairs[:ROWS]:
        value = pair.value
        length = "" if value is None or len(value) <= SHOWN else f"{len(value):,} characters: "
        shown = "no value" if value is None else length + visible(value[: 4 * SHOWN])
        lines.append(clip(f"  {visible(str(pair.key))} = {shown}", room))
    return lines + _more(len(pairs), "pairs")


def node_report(file: ParquetFile, node: Node, room: int, children: int) -> Iterator[str]:
    """One node: what it is, where, its facts with what they mean, its first bytes and its children."""
    yield visible(f"{node.label}  ({node.kind.replace('_', ' ')})")
    yield from _wrapped(f"address  {node.address or '(the file)'}", room)
    if node.span is not None:
        yield from _wrapped(f"bytes    {node.span}, {_count(len(node.span), 'byte')}", room)
    if node.state != "ok":
        yield from _wrapped(f"{node.state}  {node.reason}", room)
    yield from _facts(node, room)
    yield from _first_bytes(file, node)
    yield from _children(node, room, children)


def _facts(node: Node, room: int) -> Iterator[str]:
    try:
        facts = node.facts
    except ParquetError as error:
        yield from ("", "Facts", *_wrapped(f"cannot be read: {error}", room))
        return
    if facts:
        yield from ("", "Facts")
    name_width = min(32, max((len(visible(fact.name)) for fact in facts), default=0))
    for fact in facts:
        value = shown(fact.value)
        text = f"{visible(fact.name):<{name_width}}  {value}"
        pointed = f" → {fact.address}" if fact.address else ""
        meaning = f"  – {visible(fact.meaning)}" if fact.meaning else ""
        yield from (
            f"  {line}"
            for line in wrap(text + meaning + visible(pointed), room - 2, " " * (name_width + 2))
        )


def _first_bytes(file: ParquetFile, node: Node) -> Iterator[str]:
    span = node.span
    if span is None or not len(span) or node.kind == "file":
        return
    try:
        data = file.bytes(Span(span.start, min(span.end, span.start + BYTES), span.space))
    except (ParquetError, KeyError, ValueError):
        return
    yield from ("", f"Bytes{'' if span.space == FILE else ' of ' + visible(span.space)}")
    yield from hexdump(data, span.start)
    if len(span) > BYTES:
        yield f"  and {len(span) - BYTES:,} more"


def _children(node: Node, room: int, most: int) -> Iterator[str]:
    try:
        below = node.children
        count = len(below)
        first = below[:most]
    except ParquetError as error:
        yield from ("", "Below", *_wrapped(f"cannot be read: {error}", room))
        return
    if not count:
        return
    yield from ("", f"Below ({count:,})")
    rows = [
        (
            child.address,
            child.label,
            _place(child.span),
            child.reason or "",
        )
        for child in first
    ]
    yield from table(("address", "what", "bytes", ""), rows, room, whole=(0,))
    if count > most:
        yield f"  and {count - most:,} more"


def _place(span: Span | None) -> str:
    """A span in brief: of a space other than the file only what made it."""
    if span is None:
        return ""
    space = "" if span.space == FILE else " " + span.space.rpartition(":")[2]
    return f"[{span.start:,}, {span.end:,}){space}"


def findings_report(findings: Sequence[Finding], room: int) -> Iterator[str]:
    """Findings, the worst first, each with its address."""
    order = {"error": 0, "warning": 1, "note": 2}
    for one in sorted(findings, key=lambda one: order.get(one.severity, 3)):
        text = f"{one.severity:<7} {visible(one.message)}  [{one.rule}] at {visible(one.address) or 'file'}"
        yield from (f"  {line}" for line in wrap(text, room - 2, " " * 8))


def answer_report(answer: Answer, room: int) -> Iterator[str]:
    """What one look says: the sentence, then the first rows of its table with the address of each."""
    for text in (answer.sentence, answer.empty):
        if text:
            yield from _wrapped(text, room)
    if answer.table is None or not answer.table.rows:
        return
    made = answer.table
    head = [column.title for column in made.columns]
    right = "".join(">" if c.kind in ("number", "bytes", "share") else " " for c in made.columns)
    rows = [
        [_cell(c, v) for c, v in zip(made.columns, row, strict=True)] for row in made.rows[:ROWS]
    ]
    if any(made.addresses[:ROWS]):
        head.append("address")
        rows = [[*row, made.addresses[i] or ""] for i, row in enumerate(rows)]
    yield ""
    if made.caption:
        yield from _wrapped(made.caption, room)
    yield from table(head, rows, room, right=right)
    yield from _more(made.total, "rows")


def _cell(column: Column, value: Any) -> str:
    if value is None:
        return ""
    if column.kind == "share":
        return f"{value:.1%}"
    return shown(value)


def shown(value: Any) -> str:
    """A fact's value as one short visible text."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return (
            f"{value:,}"
            if value.bit_length() < 200
            else f"an integer of {value.bit_length():,} bits"
        )
    if isinstance(value, (bytes, bytearray, memoryview)):
        head = bytes(value[:24])
        more = f" … ({len(value):,} bytes)" if len(value) > len(head) else ""
        return f"{head.hex(' ')}{more}" if head else "empty"
    if isinstance(value, str):
        return clip(visible(value[: 4 * SHOWN]), SHOWN) or "empty"
    return clip(visible(str(value)[: 4 * SHOWN]), SHOWN)


def _wrapped(text: str, room: int) -> list[str]:
    return [f"  {line}" for line in wrap(visible(text), room - 2)]


def _more(count: int, what: str) -> list[str]:
    return [f"  and {count - ROWS:,} more {what}"] if count > ROWS else []


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _ratio(uncompressed: int, compressed: int) -> str:
    return f"{uncompressed / compressed:.2f}" if compressed > 0 else ""
