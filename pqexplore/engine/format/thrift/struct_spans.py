"""Structs from bytes, with the byte span of every field and value, for the explorer.

A struct in Thrift's compact protocol is a sequence of fields and a stop byte. A field is a header, which holds the
difference to the id before and the wire type, and a value; the wire type of a boolean is its value. Reading returns a
`StructSpan` whose fields and stop byte tile its bytes. Nothing is dropped: fields that the format does not know, wrong
wire types, the extension field 32767 and text that is not UTF-8 are all kept, with a note. If the bytes are damaged, the
fields before the damage are kept and `error` says what is wrong.

Offsets count from the start of the buffer.

Specification: https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
"""

from __future__ import annotations

import dataclasses
import struct
from collections.abc import Collection, Sequence
from io import BytesIO
from typing import Any

from pqexplore.engine.errors import CorruptFileError, LimitExceededError, ParquetError, UsageError
from pqexplore.engine.format.thrift import c_reader, wire
from pqexplore.engine.format.thrift.cursor import Buffer, Cursor, Truncated, no_wire_type, to_int16
from pqexplore.engine.format.thrift.declaration import ENUMS, STRUCTS, Field, S, Struct
from pqexplore.engine.format.thrift.wire import (
    BINARY,
    CONTAINERS,
    DOUBLE,
    EXTENSION_IDS,
    FALSE,
    I8,
    I16,
    INTEGERS,
    LIST,
    STRUCT,
    TRUE,
    UUID,
)
from pqexplore.engine.limits import DEFAULT, Limits

MAX_SPANS = 250_000
"""The maximum of fields and elements in one `read`: about 100 MB, and a second."""


@dataclasses.dataclass(slots=True)
class ValueSpan:
    """A value and its bytes `[start, end)`.

    `value` is an int, float, bool, str or bytes; a `StructSpan`; or a list of `ElementSpan`s for lists, sets and maps
    (a map's keys and values alternate); None if it could not be read. `length` is the span of the length with which text,
    bytes and containers begin. `declared` is the type in the format's declaration, None if there is none. `note` says
    what is unusual.
    """

    wire_type: int
    declared: str | None
    start: int
    end: int
    value: Any = None
    note: str = ""
    length: tuple[int, int] | None = None
    raw: bytes | None = None
    """The bytes of a text that is not UTF-8."""

    @property
    def children(self) -> Sequence[ValueSpan]:
        """The fields of a struct, the elements of a container; nothing for other values."""
        if isinstance(self.value, StructSpan):
            return self.value.fields
        return self.value if isinstance(self.value, list) else ()

    @property
    def wire_name(self) -> str:
        """The wire type in words."""
        return wire.name(self.wire_type)


@dataclasses.dataclass(slots=True)
class ElementSpan(ValueSpan):
    """An element of a list or set, or a key or value of a map."""

    index: int = 0


@dataclasses.dataclass(slots=True)
class FieldSpan(ValueSpan):
    """A field: its header's span, and its value, which has no bytes of its own if it is a boolean.

    `field` is the format's declaration; for unknown ids it is None and `name` is `unknown 12` or `extension`.
    """

    id: int = 0
    name: str = ""
    field: Field | None = None
    header: tuple[int, int] = (0, 0)

    @property
    def fits(self) -> bool:
        """Whether the format declares the field, and it is stored as the declared type."""
        return self.field is not None and self.value is not None and _fits(self)


@dataclasses.dataclass(slots=True)
class StructSpan:
    """A struct and its bytes `[start, end)`: fields in the order of the bytes, then the stop byte.

    `struct_class` is None for a struct that the format does not know. If the struct could not be read to its end, `stop`
    is None and `error` says why. `opaque` is true if the fields were skipped.
    """

    struct_class: type[Struct] | None
    start: int
    end: int
    fields: list[FieldSpan] = dataclasses.field(default_factory=list)
    stop: tuple[int, int] | None = None
    error: ParquetError | None = None
    opaque: bool = False

    def field(self, name: str) -> FieldSpan | None:
        """The field with this name; of several, readers use the last one that is as declared. None if there is none."""
        named = [f for f in self.fields if f.name == name]
        return next((f for f in reversed(named) if f.fits), named[-1] if named else None)

    @property
    def missing(self) -> list[str]:
        """Names of required fields without a default that are absent, or not as declared."""
        present = {f.name for f in self.fields if f.fits}
        declared = self.struct_class.FIELDS if self.struct_class else ()
        return [f.name for f in declared if f.required and f.default is None and f.name not in present]


def read(
    struct_class: type[Struct],
    buffer: Buffer,
    offset: int = 0,
    *,
    limits: Limits = DEFAULT,
    opaque: Collection[str] = (),
) -> StructSpan:
    """The struct that begins at `offset` of `buffer`. Never raises for damaged bytes, see `StructSpan.error`.

    Structs named in `opaque` (such as `{"RowGroup"}`) are skipped: they have a span but no fields, which is ten times
    faster. Nesting deeper than `limits.thrift_depth` and more than `MAX_SPANS` fields and elements end the
    reading with a `LimitExceededError` as `error`.
    """
    if not 0 <= offset <= len(buffer):
        error = Truncated(f"{struct_class.NAME} begins outside of the bytes", offset=offset)
        return StructSpan(struct_class, offset, offset, error=error)
    reader = _Reader(buffer, offset, limits, frozenset(opaque))
    try:
        return reader.struct(struct_class, 1)
    except RecursionError:
        deep = LimitExceededError("structs are nested deeper than Python can follow", offset=offset)
        return StructSpan(struct_class, offset, offset, error=deep)


def to_object(span: StructSpan) -> Struct:
    """The struct as an object, from the fields that are as declared: as `fast.decode` gives, with the extension.

    The fields of an opaque struct are absent. Raises UsageError for a struct that the format does not know.
    """
    return object_of(Struct, span)


def object_of(struct_class: type[S], span: StructSpan) -> S:
    """`to_object` for a span of `struct_class`."""
    if span.struct_class is None:
        raise UsageError("the format does not know this struct")
    obj = span.struct_class()
    assert isinstance(obj, struct_class)
    for field in span.fields:
        if field.fits:
            setattr(obj, field.name, _plain(field))
        elif field.id in EXTENSION_IDS and field.wire_type == BINARY:
            obj._extension = field.value
    return obj


def _plain(span: ValueSpan) -> Any:
    if isinstance(span.value, StructSpan):
        return to_object(span.value)
    if isinstance(span.value, list):
        return [_plain(element) for element in span.value]
    return span.value


def _fits(span: ValueSpan) -> bool:
    if span.declared is None or not wire.matches(span.wire_type, span.declared):
        return False
    if isinstance(span.value, list) and span.value:
        return _fits(span.value[0])
    return True


class _Reader(Cursor):
    """Yields spans, and counts them."""

    def __init__(self, buffer: Buffer, offset: int, limits: Limits, opaque: frozenset[str]) -> None:
        super().__init__(buffer, offset, limits)
        self.opaque = opaque
        self.left = MAX_SPANS
        self.stream: BytesIO | None = None

    def struct(self, struct_class: type[Struct] | None, depth: int) -> StructSpan:
        span = StructSpan(struct_class, self.position, self.position)
        try:
            self.limits.check("thrift_depth", depth, "the nesting of structs", offset=span.start)
            if struct_class is not None and struct_class.NAME in self.opaque and depth > 1:
                span.opaque = True
                self.pass_over(depth)
            else:
                self.fields(span, depth)
        except ParquetError as error:
            span.error = error
        span.end = self.position
        return span

    def pass_over(self, depth: int) -> None:
        """Move to the end of the struct that begins here: with the C reader, or, for the offset of damage, in Python."""
        if c_reader.WORKS:
            if self.stream is None:
                self.stream = BytesIO(self.buffer)
            self.stream.seek(self.position)
            try:
                c_reader.skip(self.stream)
            except CorruptFileError:
                pass
            else:
                self.position = self.stream.tell()
                return
        self.skip(STRUCT, depth)

    def fields(self, span: StructSpan, depth: int) -> None:
        by_id = span.struct_class.BY_ID if span.struct_class is not None else {}
        number = 0
        while True:
            start = self.position
            try:
                byte = self.byte()
                kind = byte & 15
                if kind == 0:
                    span.stop = (start, self.position)
                    return
                if kind > UUID:
                    raise no_wire_type(kind, "a field header", start)
                number = to_int16(number + (byte >> 4)) if byte > 15 else self.integer(I16)
            except ParquetError:
                self.position = start
                raise
            at = self.position
            declared = by_id.get(number)
            name, type = (declared.name, declared.type) if declared else (_unknown(number), None)
            header = (start, at)
            field = FieldSpan(kind, type, at, at, None, "", None, None, number, name, declared, header)
            span.fields.append(field)
            self.count(at)
            if kind <= FALSE:
                field.value = kind == TRUE
            else:
                self.value(field, depth)
            if type is not None and not wire.matches(kind, type):
                field.note = (
                    f"stored as {wire.name(kind)} and declared as {type}: a reader skips it, or refuses the file"
                )

    def count(self, offset: int) -> None:
        """Count one more span, at `offset`. Raises LimitExceededError."""
        self.left -= 1
        if self.left < 0:
            raise LimitExceededError(
                f"more than {MAX_SPANS:,} fields and elements; read a part of the struct, or leave structs opaque",
                offset=offset,
            )

    def value(self, span: ValueSpan, depth: int) -> None:
        """Read the value that begins here into `span`."""
        kind = span.wire_type
        error: ParquetError | None = None
        try:
            if kind in INTEGERS:
                span.value = self.integer(kind)
                if span.declared in ENUMS:
                    _note_unknown(span)
            elif kind == BINARY:
                self.binary(span)
            elif kind == STRUCT:
                known = STRUCTS.get(span.declared) if span.declared else None
                span.value = self.struct(known, depth + 1)
                error = span.value.error
            elif kind in CONTAINERS:
                error = self.elements(span, depth + 1)
            elif kind == I8:
                byte = self.byte()
                span.value = byte - 256 if byte > 127 else byte
            elif kind == DOUBLE:
                span.value = struct.unpack("<d", self.bytes(8, "a double"))[0]
            elif kind == UUID:
                span.value = self.bytes(16, "a UUID")
            elif kind in (TRUE, FALSE):
                byte = self.byte()
                span.value = byte == TRUE
                if byte not in (TRUE, FALSE, 0):
                    span.note = f"{byte} is not a boolean: readers take it as false"
            else:
                raise no_wire_type(kind, "an element", span.start)
        except ParquetError as damage:
            self.position = span.start
            span.note, span.length = damage.message, None
            raise
        span.end = self.position
        if error is not None:
            raise error

    def binary(self, span: ValueSpan) -> None:
        what = span.declared or "binary"
        size = self.length(what)
        span.length = (span.start, self.position)
        raw = self.bytes(size, what)
        if span.declared != "string":
            span.value = raw
            return
        try:
            span.value = raw.decode()
        except UnicodeDecodeError as error:
            span.value, span.raw = raw.decode(errors="replace"), raw
            span.note = f"not UTF-8: {error.reason} at byte {error.start} of the text"

    def elements(self, span: ValueSpan, depth: int) -> ParquetError | None:
        """Read the elements of a container into `span`. Returns the error at the first damaged one, else None."""
        self.limits.check("thrift_depth", depth, "the nesting of lists", offset=span.start)
        count, types = self.container(span.wire_type)
        span.length = (span.start, self.position)
        elements: list[ElementSpan] = []
        span.value = elements
        declared = None
        if span.wire_type == LIST and span.declared and span.declared.startswith("list<"):
            declared = span.declared[5:-1]
            if count and not wire.matches(types[0], declared):
                stored = wire.name(types[0])
                span.note = f"stored with elements of {stored} and declared with elements of {declared}"
                declared = None
        try:
            for index in range(count):
                for kind in types:
                    at = self.position
                    element = ElementSpan(kind, declared, at, at, index=index)
                    elements.append(element)
                    self.count(at)
                    self.value(element, depth)
        except ParquetError as error:
            return error
        return None


def _unknown(number: int) -> str:
    return "extension" if number in EXTENSION_IDS else f"unknown {number}"


def _note_unknown(span: ValueSpan) -> None:
    """Set the note if the declared enum does not have the number."""
    if span.declared and span.value not in ENUMS[span.declared]._value2member_map_:
        span.note = f"the format knows no {span.declared} {span.value}"
