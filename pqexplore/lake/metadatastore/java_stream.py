"""Java's serialization stream, as much of it as the Bloom filters of a metadatastore need, and no more.

A Bloom filter lies in a store as the stream of one object: a `BloomFilterMetaData` whose one field is a
`BloomFilterImpl`, which wrote itself as bytes (Java Object Serialization Specification, 6.4). This is no deserializer:
it creates nothing but text and bytes, knows objects, class descriptions, strings, references, nulls and block data,
and refuses all else. Whatever the bytes say, it does work and takes memory in proportion to their number.
"""

from __future__ import annotations

import dataclasses
import struct
from typing import Any

from pqexplore.engine.errors import (
    CorruptFileError,
    LimitExceededError,
    UnsupportedFeatureError,
)

MAGIC = b"\xac\xed\x00\x05"
"""STREAM_MAGIC and STREAM_VERSION."""

TC_NULL, TC_REFERENCE, TC_CLASSDESC, TC_OBJECT, TC_STRING = 0x70, 0x71, 0x72, 0x73, 0x74
TC_BLOCKDATA, TC_ENDBLOCKDATA, TC_BLOCKDATALONG = 0x77, 0x78, 0x7A
BASE_HANDLE = 0x7E0000
SC_WRITE_METHOD, SC_SERIALIZABLE = 0x01, 0x02
BLOCK = 1024
"""Bytes of block data that `ObjectOutputStream` gathers before it writes them."""

MOST_BYTES = 64 << 20
"""Bytes of a stream; 50 million values in a filter with one false positive in a hundred."""
MOST_DEPTH = 8
MOST_FIELDS = 16
MOST_HANDLES = 64

_PRIMITIVES = {"B": ">b", "D": ">d", "F": ">f", "I": ">i", "J": ">q", "S": ">h", "Z": ">?"}


@dataclasses.dataclass(frozen=True, slots=True)
class ClassDescription:
    """A class as the stream describes it: its name, its serialVersionUID, its fields as (type code, name)."""

    name: str
    uid: int
    flags: int
    fields: tuple[tuple[str, str], ...]
    parent: ClassDescription | None


@dataclasses.dataclass(slots=True)
class JavaObject:
    """An object of the stream: its class, its fields by name, and the bytes that it wrote itself."""

    description: ClassDescription
    fields: dict[str, Any]
    data: bytes = b""

    @property
    def class_name(self) -> str:
        """The class's full name."""
        return self.description.name


def parse(stream: bytes) -> JavaObject:
    """The one object of a stream.

    Raises CorruptFileError where it is cut or contradicts itself, UnsupportedFeatureError for anything beyond the
    layout of a Bloom filter, LimitExceededError where it is too long; each with the offset into the stream.
    """
    if len(stream) > MOST_BYTES:
        raise LimitExceededError(
            f"a serialized Java object of {len(stream):,} bytes; {MOST_BYTES:,} are read", offset=0
        )
    reader = _Reader(stream)
    found = reader.content(0)
    if not isinstance(found, JavaObject):
        raise UnsupportedFeatureError("the stream has no object at its start", offset=4)
    if reader.position != len(stream):
        raise CorruptFileError(
            f"{len(stream) - reader.position:,} bytes follow the serialized object",
            offset=reader.position,
        )
    return found


def class_name(stream: bytes) -> str:
    """The class of the object in a stream, from the stream's head; raises as `parse` does."""
    reader = _Reader(stream)
    for tag, what in ((TC_OBJECT, "an object"), (TC_CLASSDESC, "a class description")):
        if reader.byte(what) != tag:
            raise UnsupportedFeatureError(
                f"the stream does not begin with {what}", offset=reader.position - 1
            )
    return reader.text("the class name")


class _Reader:
    def __init__(self, stream: bytes) -> None:
        if stream[:4] != MAGIC:
            raise CorruptFileError(
                f"no serialized Java object: it begins with {MAGIC.hex()}, not {bytes(stream[:4]).hex() or 'nothing'}",
                offset=0,
            )
        self.stream = stream
        self.position = 4
        self.handles: list[Any] = []

    def take(self, count: int, what: str) -> bytes:
        if count < 0 or count > len(self.stream) - self.position:
            raise CorruptFileError(
                f"{what} needs {count:,} bytes, {len(self.stream) - self.position:,} are left",
                offset=self.position,
            )
        self.position += count
        return self.stream[self.position - count : self.position]

    def byte(self, what: str) -> int:
        return self.take(1, what)[0]

    def number(self, layout: str, what: str) -> Any:
        return struct.unpack(layout, self.take(struct.calcsize(layout), what))[0]

    def text(self, what: str) -> str:
        raw = self.take(self.number(">H", f"the length of {what}"), what)
        try:
            return raw.decode()
        except UnicodeDecodeError:
            raise CorruptFileError(
                f"{what} is not UTF-8", offset=self.position - len(raw)
            ) from None

    def remember(self, value: Any) -> int:
        if len(self.handles) >= MOST_HANDLES:
            raise LimitExceededError(
                f"more than {MOST_HANDLES} objects and classes in one stream", offset=self.position
            )
        self.handles.append(value)
        return len(self.handles) - 1

    def reference(self) -> Any:
        at = self.position
        handle = self.number(">i", "a reference") - BASE_HANDLE
        if not 0 <= handle < len(self.handles):
            raise CorruptFileError(
                f"a reference to object {handle}, there are {len(self.handles)}", offset=at
            )
        return self.handles[handle]

    def deeper(self, depth: int) -> int:
        if depth >= MOST_DEPTH:
            raise LimitExceededError(
                f"more than {MOST_DEPTH} objects or classes inside each other", offset=self.position
            )
        return depth + 1

    def content(self, depth: int) -> JavaObject | str | None:
        """An object, a string, a reference to either, or null."""
        depth = self.deeper(depth)
        at = self.position
        tag = self.byte("a type code")
        if tag == TC_NULL:
            return None
        if tag == TC_OBJECT:
            return self.object(depth)
        if tag == TC_STRING:
            text = self.text("a string")
            self.remember(text)
            return text
        if tag == TC_REFERENCE:
            found = self.reference()
            if found is None or isinstance(found, (JavaObject, str)):
                return found
            raise CorruptFileError("a value refers to a class", offset=at)
        raise UnsupportedFeatureError(f"type code {tag:#04x} is not read here", offset=at)

    def class_description(self, depth: int) -> ClassDescription | None:
        depth = self.deeper(depth)
        at = self.position
        tag = self.byte("a class description")
        if tag == TC_NULL:
            return None
        if tag == TC_REFERENCE:
            found = self.reference()
            if isinstance(found, ClassDescription):
                return found
            raise CorruptFileError("a class refers to something that is no class", offset=at)
        if tag != TC_CLASSDESC:
            raise UnsupportedFeatureError(f"class description {tag:#04x} is not read", offset=at)
        name, uid = self.text("the class name"), self.number(">q", "the serialVersionUID")
        handle = self.remember(None)
        flags = self.byte("the class flags")
        if flags not in (SC_SERIALIZABLE, SC_SERIALIZABLE | SC_WRITE_METHOD):
            raise UnsupportedFeatureError(
                f"{name!r} has the class flags {flags:#04x}", offset=self.position - 1
            )
        fields = self.fields(depth)
        end = self.byte("the end of the class annotation")
        if end != TC_ENDBLOCKDATA:
            raise UnsupportedFeatureError(
                f"{name!r} has a class annotation", offset=self.position - 1
            )
        described = ClassDescription(name, uid, flags, fields, self.class_description(depth))
        self.handles[handle] = described
        return described

    def fields(self, depth: int) -> tuple[tuple[str, str], ...]:
        at = self.position
        count = self.number(">H", "the number of fields")
        if count > MOST_FIELDS:
            raise LimitExceededError(f"a class of {count:,} fields", offset=at)
        found = []
        for _ in range(count):
            at = self.position
            code = chr(self.byte("a field's type code"))
            name = self.text("a field's name")
            if code == "L":
                if not isinstance(self.content(depth), str):
                    raise CorruptFileError(f"the type of field {name!r} is no text", offset=at)
            elif code not in _PRIMITIVES:
                raise UnsupportedFeatureError(f"field {name!r} has type code {code!r}", offset=at)
            found.append((code, name))
        return tuple(found)

    def object(self, depth: int) -> JavaObject:
        at = self.position
        described = self.class_description(depth)
        if described is None:
            raise CorruptFileError("an object without a class", offset=at)
        made = JavaObject(described, {})
        self.remember(made)
        lineage: list[ClassDescription] = []
        level: ClassDescription | None = described
        while level is not None:
            if len(lineage) >= MOST_DEPTH:
                raise LimitExceededError("a class of too many ancestors", offset=at)
            lineage.append(level)
            level = level.parent
        for one in reversed(lineage):
            if one.flags & SC_WRITE_METHOD:
                made.data += self.block_data(one.name)
                continue
            for code, name in one.fields:
                layout = _PRIMITIVES.get(code)
                made.fields[name] = (
                    self.content(depth) if layout is None else self.number(layout, f"field {name}")
                )
        return made

    def block_data(self, owner: str) -> bytes:
        """The bytes that an object wrote itself: blocks up to the end mark."""
        pieces: list[bytes] = []
        while True:
            at = self.position
            tag = self.byte(f"block data of {owner}")
            if tag == TC_ENDBLOCKDATA:
                return b"".join(pieces)
            if tag not in (TC_BLOCKDATA, TC_BLOCKDATALONG):
                raise UnsupportedFeatureError(
                    f"{owner} wrote more than bytes: type code {tag:#04x}", offset=at
                )
            layout = ">B" if tag == TC_BLOCKDATA else ">i"
            pieces.append(self.take(self.number(layout, "the length of a block"), "a block"))


def utf(text: str) -> bytes:
    """Text as the stream has it: two bytes of length, then UTF-8."""
    raw = text.encode()
    return struct.pack(">H", len(raw)) + raw


def block_data(data: bytes) -> bytes:
    """Bytes in blocks, as `ObjectOutputStream` cuts them."""
    out = []
    for start in range(0, len(data), BLOCK):
        block = data[start : start + BLOCK]
        short = len(block) <= 255
        out.append(
            bytes([TC_BLOCKDATA, len(block)])
            if short
            else bytes([TC_BLOCKDATALONG]) + struct.pack(">i", len(block))
        )
        out.append(block)
    return b"".join(out)
