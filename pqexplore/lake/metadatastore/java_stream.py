"""Parses the part of Java's serialization stream that the Bloom filters of a metadatastore use.

A store keeps a Bloom filter as the stream of one object: a `BloomFilterMetaData` with one field, a `BloomFilterImpl`,
which is written as block data (Java Object Serialization Specification, 6.4:
https://docs.oracle.com/en/java/javase/21/docs/specs/serialization/protocol.html). The parser loads no Java class: it
creates only text and bytes, accepts objects, class descriptions, strings, references, nulls and block data, and
rejects everything else. Time and memory are proportional to the length of the stream.
"""

from __future__ import annotations

import dataclasses
import struct
from typing import Any

from pqexplore.engine.errors import CorruptFileError, LimitExceededError, UnsupportedFeatureError

MAGIC = b"\xac\xed\x00\x05"
"""STREAM_MAGIC and STREAM_VERSION."""

TC_NULL, TC_REFERENCE, TC_CLASSDESC, TC_OBJECT, TC_STRING = 0x70, 0x71, 0x72, 0x73, 0x74
TC_BLOCKDATA, TC_ENDBLOCKDATA, TC_BLOCKDATALONG = 0x77, 0x78, 0x7A
BASE_HANDLE = 0x7E0000
SC_WRITE_METHOD, SC_SERIALIZABLE = 0x01, 0x02
BLOCK = 1024
"""The size of `ObjectOutputStream`'s block data buffer, in bytes."""

MAX_BYTES = 64 << 20
"""Of a stream: enough for a filter of 50 million values with a false positive probability of 0.01."""
MAX_DEPTH = 8
MAX_FIELDS = 16
MAX_HANDLES = 64

_PRIMITIVES = {"B": ">b", "D": ">d", "F": ">f", "I": ">i", "J": ">q", "S": ">h", "Z": ">?"}


@dataclasses.dataclass(frozen=True, slots=True)
class ClassDescription:
    """A class description of the stream: name, serialVersionUID, fields as (type code, name)."""

    name: str
    uid: int
    flags: int
    fields: tuple[tuple[str, str], ...]
    parent: ClassDescription | None


@dataclasses.dataclass(slots=True)
class JavaObject:
    """An object of the stream: its class, its fields by name, and the block data of its `writeObject` method."""

    description: ClassDescription
    fields: dict[str, Any]
    data: bytes = b""

    @property
    def class_name(self) -> str:
        """The class's full name."""
        return self.description.name


def parse(stream: bytes) -> JavaObject:
    """Parses the only object of a stream.

    Raises CorruptFileError if the stream is truncated or contradicts itself, UnsupportedFeatureError for anything that
    a Bloom filter does not use, LimitExceededError if it is too long; each with the offset into the stream.
    """
    if len(stream) > MAX_BYTES:
        raise LimitExceededError(
            f"a serialized Java object of {len(stream):,} bytes; at most {MAX_BYTES:,} are read", offset=0
        )
    reader = _Reader(stream)
    found = reader.content(0)
    if not isinstance(found, JavaObject):
        raise UnsupportedFeatureError("the stream has no object at its start", offset=4)
    if reader.position != len(stream):
        raise CorruptFileError(
            f"{len(stream) - reader.position:,} bytes follow the serialized object", offset=reader.position
        )
    return found


def class_name(stream: bytes) -> str:
    """The class name of the object in a stream; reads only the stream's start. Raises as `parse` does."""
    reader = _Reader(stream)
    for tag, what in ((TC_OBJECT, "an object"), (TC_CLASSDESC, "a class description")):
        if reader.byte(what) != tag:
            raise UnsupportedFeatureError(f"the stream does not begin with {what}", offset=reader.position - 1)
    return reader.text("the class name")


class _Reader:
    def __init__(self, stream: bytes) -> None:
        if stream[:4] != MAGIC:
            raise CorruptFileError(
                f"not a serialized Java object: it starts with {bytes(stream[:4]).hex() or 'nothing'}; {MAGIC.hex()} "
                "is expected",
                offset=0,
            )
        self.stream = stream
        self.position = 4
        self.handles: list[Any] = []

    def take(self, count: int, what: str) -> bytes:
        if count < 0 or count > len(self.stream) - self.position:
            raise CorruptFileError(
                f"{what} needs {count:,} bytes, {len(self.stream) - self.position:,} are left", offset=self.position
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
            raise CorruptFileError(f"{what} is not UTF-8", offset=self.position - len(raw)) from None

    def remember(self, value: Any) -> int:
        if len(self.handles) >= MAX_HANDLES:
            raise LimitExceededError(f"more than {MAX_HANDLES} objects and classes in one stream", offset=self.position)
        self.handles.append(value)
        return len(self.handles) - 1

    def reference(self) -> Any:
        at = self.position
        handle = self.number(">i", "a reference") - BASE_HANDLE
        if not 0 <= handle < len(self.handles):
            raise CorruptFileError(f"a reference to object {handle}, there are {len(self.handles)}", offset=at)
        return self.handles[handle]

    def deeper(self, depth: int) -> int:
        if depth >= MAX_DEPTH:
            raise LimitExceededError(
                f"more than {MAX_DEPTH} objects or classes inside each other", offset=self.position
            )
        return depth + 1

    def content(self, depth: int) -> JavaObject | str | None:
        """Reads an object, a string, a reference to either, or null."""
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
            raise CorruptFileError("a class refers to something that is not a class", offset=at)
        if tag != TC_CLASSDESC:
            raise UnsupportedFeatureError(f"class description {tag:#04x} is not read", offset=at)
        name, uid = self.text("the class name"), self.number(">q", "the serialVersionUID")
        handle = self.remember(None)
        flags = self.byte("the class flags")
        if flags not in (SC_SERIALIZABLE, SC_SERIALIZABLE | SC_WRITE_METHOD):
            raise UnsupportedFeatureError(f"{name!r} has the class flags {flags:#04x}", offset=self.position - 1)
        fields = self.fields(depth)
        end = self.byte("the end of the class annotation")
        if end != TC_ENDBLOCKDATA:
            raise UnsupportedFeatureError(f"{name!r} has a class annotation", offset=self.position - 1)
        described = ClassDescription(name, uid, flags, fields, self.class_description(depth))
        self.handles[handle] = described
        return described

    def fields(self, depth: int) -> tuple[tuple[str, str], ...]:
        at = self.position
        count = self.number(">H", "the number of fields")
        if count > MAX_FIELDS:
            raise LimitExceededError(f"a class of {count:,} fields", offset=at)
        found = []
        for _ in range(count):
            at = self.position
            code = chr(self.byte("a field's type code"))
            name = self.text("a field's name")
            if code == "L":
                if not isinstance(self.content(depth), str):
                    raise CorruptFileError(f"the type of field {name!r} is not text", offset=at)
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
            if len(lineage) >= MAX_DEPTH:
                raise LimitExceededError("a class of too many ancestors", offset=at)
            lineage.append(level)
            level = level.parent
        for one in reversed(lineage):
            if one.flags & SC_WRITE_METHOD:
                made.data += self.block_data(one.name)
                continue
            for code, name in one.fields:
                layout = _PRIMITIVES.get(code)
                made.fields[name] = self.content(depth) if layout is None else self.number(layout, f"field {name}")
        return made

    def block_data(self, owner: str) -> bytes:
        """Reads the block data of an object's `writeObject` method, up to the end mark."""
        pieces: list[bytes] = []
        while True:
            at = self.position
            tag = self.byte(f"block data of {owner}")
            if tag == TC_ENDBLOCKDATA:
                return b"".join(pieces)
            if tag not in (TC_BLOCKDATA, TC_BLOCKDATALONG):
                raise UnsupportedFeatureError(f"{owner} wrote more than bytes: type code {tag:#04x}", offset=at)
            layout = ">B" if tag == TC_BLOCKDATA else ">i"
            pieces.append(self.take(self.number(layout, "the length of a block"), "a block"))


def utf(text: str) -> bytes:
    """Encodes text for the stream: two bytes of length, then UTF-8."""
    raw = text.encode()
    return struct.pack(">H", len(raw)) + raw


def block_data(data: bytes) -> bytes:
    """Encodes bytes as blocks, as `ObjectOutputStream` does."""
    out = []
    for start in range(0, len(data), BLOCK):
        block = data[start : start + BLOCK]
        short = len(block) <= 255
        out.append(
            bytes([TC_BLOCKDATA, len(block)]) if short else bytes([TC_BLOCKDATALONG]) + struct.pack(">i", len(block))
        )
        out.append(block)
    return b"".join(out)
