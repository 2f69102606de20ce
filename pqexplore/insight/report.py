"""A file, a node or a list of findings as lines of text for a terminal."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.finding import Finding
from pqexplore.engine.format import types
from pqexplore.engine.format.embedded import ARROW
from pqexplore.engine.format.field import Field, Leaf
from pqexplore.engine.format.logical import physical_name
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.kind import Kind
from pqexplore.engine.rule import Severity
from pqexplore.engine.span import FILE, Span
from pqexplore.engine.text import printable
from pqexplore.engine.tree.at import chunk_at
from pqexplore.engine.tree.chunks import compression_ratio
from pqexplore.engine.tree.node import Node
from pqexplore.insight import account, key_values, places, summary
from pqexplore.insight.cells import shown
from pqexplore.insight.places import is_encrypted
from pqexplore.insight.steps import finish
from pqexplore.insight.table_lines import table_lines
from pqexplore.insight.terminal import (
    READABLE,
    hexdump,
    indented,
    is_whole,
    listed,
    more,
    most_lines,
    table,
    width,
    wrap,
)
from pqexplore.insight.wording import listing, plural

if TYPE_CHECKING:
    from pqexplore.insight.answer import Answer


TEXT_LINES = 20
"""Lines of a text, such as a value of the key-value metadata, that are shown on a terminal; elsewhere those of a list."""

SUMMED = 40
"""Columns whose totals stand above a list."""


def gap_lines(file: ParquetFile, room: int) -> list[str]:
    """Each gap, and the text in it."""
    from pqexplore.insight.gaps import gaps  # the nodes of the whole tree

    found = list(gaps(file))
    lines = []
    most = most_lines(room)
    for one in found[:most]:
        size = plural(len(one.span), "byte")
        lines += indented(f"{one.address}  {one.span}, {size}: {one.reason}", room, 2)
        if one.text:
            lines += _texts(one.text, room)
    return lines + _more(len(found), "gap", most)


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
    most = most_lines(room)
    most = TEXT_LINES if most is not None and not is_whole(room) else most
    return lines[:most] + [f"  {line}" for line in _more(len(lines), "line", most)]


def _broken(line: str, room: int) -> list[str]:
    """A line in lines that fit; whole where the room is."""
    shown, size = printable(line), max(1, room - 4)
    pieces = [shown[at : at + size] for at in range(0, len(shown), size)]
    return [f"    {piece}" for piece in pieces or [""]]


NOTES = 4
"""Rules of notes that are named above the file's parts."""

READ = 1 << 20
"""Bytes of a node that are read at a time."""


def file_report(file: ParquetFile, room: int) -> Iterator[str]:
    """A file: its diagnosis, identity, schema, row groups, columns, bytes by kind, features, findings."""
    from pqexplore.insight.doctor.diagnose import so_far  # all rules; a node needs none
    from pqexplore.insight.lenses.overview_headline import line as headline

    yield printable(summary.identity(file).name)
    line = headline(file)
    report = finish(so_far(file))
    above = report.worst() not in (None, Severity.NOTE)
    if above and report.verdict.startswith(line.rstrip(".")):
        yield from _wrapped(report.verdict, room)
    else:
        yield from _wrapped(line, room)
        more = report.verdict if above else " ".join(report.unseen)
        if more and not line.startswith(more.rstrip(".")):
            yield from _wrapped(more, room)
    notes = dict.fromkeys(one.rule for one in report.findings if one.severity is Severity.NOTE)
    if notes:
        yield from _wrapped(
            f"{plural(len(notes), 'note')}: {listing(list(notes), most=NOTES)}. pqexplore doctor says more.", room
        )
    yield from _identity(file, room)
    for title, part in (
        ("Schema", _schema),
        ("Row groups", _row_groups),
        ("Columns", _columns),
        ("Bytes", _bytes),
        ("Gaps", gap_lines),
        ("Features", _features),
        ("Key-value metadata", key_value_lines),
    ):
        try:
            lines = part(file, room)
        except ParquetError as error:
            lines = _wrapped(f"cannot be read: {error}", room)
        if lines:
            yield from ("", title, *lines)
    if file.findings:
        yield from ("", "Findings", *findings_report(file.findings, room, file))


def _identity(file: ParquetFile, room: int) -> Iterator[str]:
    known = summary.identity(file)
    counts = [plural(known.size, "byte")]
    if known.rows is not None:
        counts.append(plural(known.rows, "row"))
    if known.row_groups is not None:
        counts.append(plural(known.row_groups, "row group"))
    if known.columns is not None:
        counts.append(plural(known.columns, "column"))
    if known.version is not None:
        counts.append(f"format version {known.version}")
    yield from _wrapped(", ".join(counts), room)
    if known.other_files:
        words = f"the footer of a data set: the column chunks lie in {plural(known.other_files, 'other file')}"
        yield from _wrapped(words, room)
    if known.locked:
        yield from _wrapped(f"the footer is encrypted: {known.locked}", room)
    else:
        yield from _wrapped(f"written by {known.created_by or 'a writer that gives no name'}", room)
    yield from _wrapped(_encryption(file), room) if is_encrypted(file) else ()


def _encryption(file: ParquetFile) -> str:
    """The algorithm, whether the footer is encrypted too, and the AAD prefix."""
    crypto, metadata = file.footer.crypto_metadata, file.metadata
    holder = crypto if crypto is not None else metadata
    algorithm = None if holder is None else holder.encryption_algorithm
    said = "" if crypto is None else ", the footer too"
    if algorithm is None:
        return f"encrypted{said}; the file names no algorithm"
    for field in algorithm.FIELDS:
        found = getattr(algorithm, field.name)
        if found is not None:
            prefix = "no AAD prefix is stored"
            if found.aad_prefix is not None:
                prefix = f"the AAD prefix is {printable(found.aad_prefix.decode(errors='backslashreplace'))!r}"
            asks = ", and a reader must supply one" if found.supply_aad_prefix else ""
            return f"encrypted with {field.name}{said}; {prefix}{asks}"
    return f"encrypted{said}; the file names no algorithm"


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
        for field in fields[: most_lines(room)]
    ]
    head = ("field", "type", "repetition", "def", "rep")
    return [*table(head, rows, room, right="   >>", names=(0,)), *_more(len(fields), "field", len(rows))]


def _type(field: Field) -> str:
    if not isinstance(field, Leaf):
        return field.kind
    physical = physical_name(field)
    described = types.describe(field)
    return described if described.startswith(physical) else f"{described} in {physical}"


def _row_groups(file: ParquetFile, room: int) -> list[str]:
    groups = file.row_groups
    rows = []
    for one in summary.row_groups(file):
        if one.index == most_lines(room):
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
    if len(groups) > 1:
        all_of = summary.sums(file)
        stated = "?" if all_of.rows is None else f"{all_of.rows:,}"
        sizes = all_of.compressed_size, all_of.uncompressed_size
        rows.append(("all", stated, f"{sizes[0]:,}", f"{sizes[1]:,}", _ratio(sizes[1], sizes[0]), "", ""))
    head = ["#", "rows", "bytes", "uncompressed", "ratio", "first byte", ""]
    more = _more(len(groups), "row group", min(len(groups), most_lines(room) or len(groups)))
    return [*table(head, rows, room, right=">>>>>>"), *more, *_sorted_by(file, room)]


def _sorted_by(file: ParquetFile, room: int) -> list[str]:
    """What the row groups say of the order of their rows."""
    orders: dict[str, int] = {}
    for group in file.row_groups:
        columns = group.metadata.sorting_columns
        if columns:
            said = ", ".join(_sorting_column(file, one) for one in columns)
            orders[said] = orders.get(said, 0) + 1
    count = len(file.row_groups)
    return [
        line
        for said, of in orders.items()
        for line in _wrapped(f"by the file {of:,} of {plural(count, 'row group')} sorted by {said}", room)
    ]  # fmt: skip


def _sorting_column(file: ParquetFile, one: structs.SortingColumn) -> str:
    leaves, index = file.schema.leaves, one.column_idx
    known = isinstance(index, int) and 0 <= index < len(leaves)
    name = ".".join(leaves[index].path) if known else f"column {index}, which does not exist"
    return f"{name}{' descending' if one.descending else ''}{' nulls first' if one.nulls_first else ''}"


def _columns(file: ParquetFile, room: int) -> list[str]:
    found, encrypted = summary.columns(file), is_encrypted(file)  # encryption adds bytes, too
    rows = [
        (
            one.path,
            f"{one.compressed_size:,}",
            f"{one.share:.1%}",
            f"{one.uncompressed_size:,}",
            _ratio(one.uncompressed_size, one.compressed_size) + " grows" * (_grows(one) and not encrypted),
            "?" if one.null_count is None else f"{one.null_count:,}",
            ", ".join(one.codecs),
            one.reason if one.unread else ", ".join(one.encodings),
        )
        for one in found[: most_lines(room)]
    ]
    head = ("column", "bytes", "share", "uncompressed", "ratio", "nulls", "codec", "encodings")
    more = _more(len(found), "column", len(rows))
    if len(found) > 1:
        all_of = summary.sums(file)
        sizes = all_of.compressed_size, all_of.uncompressed_size
        nulls = "?" if all_of.null_count is None else f"{all_of.null_count:,}"
        rows.append(("all", f"{sizes[0]:,}", "100.0%", f"{sizes[1]:,}", _ratio(sizes[1], sizes[0]), nulls, "", ""))
    return [*table(head, rows, room, right=" >>>>>", names=(0,)), *more]


def _grows(one: summary.ColumnSummary) -> bool:
    """Whether a codec makes a column larger: by the footer its pages take more bytes than before compression."""
    return one.ratio is not None and one.ratio < 1 and any(codec != "UNCOMPRESSED" for codec in one.codecs)


def _bytes(file: ParquetFile, room: int) -> list[str]:
    found = account.shares(file)
    rows = [(one.kind.replace("_", " "), f"{one.count:,}", f"{one.size:,}", f"{one.share:.1%}") for one in found]
    rows.append(("all", "", f"{sum(one.size for one in found):,}", "100.0%"))
    return table(("what", "pieces", "bytes", "share"), rows, room, right=" >>>")


def _features(file: ParquetFile, room: int) -> list[str]:
    from pqexplore.insight import features

    lines = []
    for one in features.features(file):
        if one.name == "encryption" and one.absent:  # most files are not encrypted, and lack nothing
            continue
        mark = {"all": "has", "some": "has", "none": "lacks", "unknown": "?"}[one.state]
        some = f" ({one.count:,} of {one.of:,} {one.unit})" if one.state == "some" else ""
        text = f"{mark:<6} {one.name}{some}: {one.meaning}"
        lines += [f"  {line}" for line in wrap(text, room - 2, " " * 7)]
    return lines


def node_report(file: ParquetFile, node: Node, room: int, children: int, most: int = 64) -> Iterator[str]:
    """A node: kind, address, facts with their meanings, its first bytes, at most `most`, and children."""
    yield printable(f"{node.label}  ({node.kind.replace('_', ' ')})")
    yield from _wrapped(f"address  {node.address or '(the file)'}", room)
    if node.span is not None:
        yield from _wrapped(f"bytes    {node.span}, {plural(len(node.span), 'byte')}", room)
    if node.state != "ok":
        yield from _wrapped(f"{node.state}  {node.reason}", room)
    yield from _facts(node, room)
    yield from _column_key_values(file, node, room)
    yield from _first_bytes(file, node, most)
    yield from _children(node, room, children)


def _facts(node: Node, room: int) -> Iterator[str]:
    try:
        facts = node.facts
    except ParquetError as error:
        yield from ("", "Facts", *_wrapped(f"cannot be read: {error}", room))
        return
    if facts:
        yield from ("", "Facts")
    name_width = min(32, max((len(printable(fact.name)) for fact in facts), default=0))
    for fact in facts:
        value = shown(fact.value)
        text = f"{printable(fact.name):<{name_width}}  {value}"
        pointed = f" → {fact.address}" if fact.address else ""
        meaning = f"  – {printable(fact.meaning)}" if fact.meaning else ""
        yield from (f"  {line}" for line in wrap(text + meaning + printable(pointed), room - 2, " " * (name_width + 2)))


def _column_key_values(file: ParquetFile, node: Node, room: int) -> Iterator[str]:
    """The key-value metadata of a column chunk."""
    if node.kind != Kind.COLUMN_CHUNK:
        return
    try:
        pairs = chunk_at(file, node.address).metadata.key_value_metadata or ()
    except ParquetError:  # the facts say why
        return
    above = Address.of(node.address, "key_value_metadata")
    lines = pair_lines(
        (key_values.Described(pair.key or "", pair.value, Address.of(above, at)) for at, pair in enumerate(pairs)), room
    )
    if lines:
        yield from ("", "Key-value metadata", *lines)


def _first_bytes(file: ParquetFile, node: Node, most: int) -> Iterator[str]:
    span = node.span
    if span is None or not len(span) or not most or (node.kind == "file" and most < len(span)):
        return
    end = min(span.end, span.start + most)
    for start in range(span.start, end, READ):
        try:
            data = file.bytes(Span(start, min(end, start + READ), span.space))
        except (ParquetError, KeyError, ValueError):
            return
        if start == span.start:
            yield from ("", f"Bytes{'' if span.space == FILE else ' of ' + printable(span.space)}")
        yield from hexdump(data, start)
    if span.end > end:
        yield f"  … and {span.end - end:,} more bytes: --bytes all"


def _children(node: Node, room: int, limit: int) -> Iterator[str]:
    try:
        below = node.children
        count = len(below)
        first = below[:limit]
    except ParquetError as error:
        yield from ("", "Below", *_wrapped(f"cannot be read: {error}", room))
        return
    if not count:
        return
    yield from ("", f"Below ({count:,})")
    rows = [(child.address, child.label, _span_text(child.span), child.reason or "") for child in first]
    yield from table(("address", "what", "bytes", ""), rows, room, whole=(0,))
    if count > limit:
        yield f"  and {count - limit:,} more"


def _span_text(span: Span | None) -> str:
    """A span in brief. Of a space that is not the file, only the last part of its name."""
    if span is None:
        return ""
    space = "" if span.space == FILE else " " + span.space.rpartition(":")[2]
    return f"[{span.start:,}, {span.end:,}){space}"


def findings_report(findings: Sequence[Finding], room: int, file: ParquetFile | None = None) -> Iterator[str]:
    """Findings, the most severe first, each with its address, and its bytes in `file`."""
    from pqexplore.insight.doctor.check_findings import worst_first  # and the defects of writers; a node needs none

    def lines(one: Finding) -> Iterator[str]:
        byte = "" if file is None else _bytes_of(one, file)
        text = f"{one.severity.level:<7} {printable(one.message)}  [{one.rule}] at {printable(one.address) or 'file'}{byte}"
        return (f"  {line}" for line in wrap(text, room - 2, " " * 8))

    return listed(worst_first(findings), lines, room, "finding")


def _bytes_of(one: Finding, file: ParquetFile) -> str:
    """The byte at which reading failed, or else the bytes of the innermost node around that is in the file itself."""
    offset = one.evidence.get("offset") if one.rule == "unreadable" else None
    if offset is not None:
        return f", byte {offset:,}"
    span = places.file_span(one, file)
    return "" if span is None else f", bytes {_span_text(span)}"


def answer_report(answer: Answer, room: int) -> Iterator[str]:
    """An answer: its sentence, the totals, then its table with addresses; a list of bounded length.

    On a terminal, columns of blanks are left out.
    """
    said = answer.totals
    lines = [line for text in (answer.sentence, answer.empty) if text for line in _wrapped(text, room)]
    lines += _wrapped(said.line, room) if said is not None else []
    most = most_lines(room)
    if said is not None and said.by_column is not None:
        lines += ["", *table_lines(said.by_column, room, None if most is None else SUMMED)]
    if answer.table is not None and answer.table.rows:
        left = None if most is None else max(SUMMED, most - len(lines) - 1)
        lines += ["", *table_lines(answer.table, room, left)]
    yield from lines


def _wrapped(text: str, room: int) -> list[str]:
    return [f"  {line}" for line in wrap(printable(text), room - 2)]


def _more(count: int, what: str, shown: int | None) -> list[str]:
    return [f"  {more(count - shown, what)}"] if shown is not None and count > shown else []


def _ratio(uncompressed: int, compressed: int) -> str:
    ratio = compression_ratio(uncompressed, compressed)
    return "" if ratio is None else f"{ratio:.2f}"
