"""Reads the parts of Thrift's compact protocol at a position in a buffer: varints, lengths, container headers.

Numbers are varints, signed ones after zigzag (see `format.varint`; the loop is repeated here, where each byte is checked
and each error has an offset). The header of a container holds the number of its elements and their wire type, in a
byte, or in a byte and a varint from 15 elements on.

Specification: https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
"""

from __future__ import annotations

from typing import TypeAlias

from pqexplore.engine.errors import CorruptFileError
from pqexplore.engine.format.thrift.wire import BINARY, CONTAINERS, DOUBLE, FALSE, I8, INTEGERS, MAP, STRUCT, TRUE, UUID
from pqexplore.engine.limits import Limits

Buffer: TypeAlias = bytes | bytearray | memoryview


class Truncated(CorruptFileError):
    """The buffer ends inside a struct; a caller that has more bytes can try again with more."""


def no_wire_type(kind: int, what: str, offset: int) -> CorruptFileError:
    """The error of a byte that names a wire type that Thrift does not have."""
    return CorruptFileError(f"{what} has wire type {kind}; Thrift has {TRUE} (true) to {UUID} (uuid)", offset=offset)


class Cursor:
    """A position in a buffer; reading moves it. Raises CorruptFileError, with the offset of what cannot be read."""

    def __init__(self, buffer: Buffer, position: int, limits: Limits) -> None:
        self.buffer = buffer
        self.end = len(buffer)
        self.position = position
        self.limits = limits

    def byte(self) -> int:
        """One byte."""
        position = self.position
        if position >= self.end:
            raise Truncated("the bytes end inside a struct", offset=position)
        self.position = position + 1
        return self.buffer[position]

    def bytes(self, size: int, what: str) -> bytes:
        """`size` bytes; `what` names them in the error."""
        start = self.position
        if size > self.end - start:
            raise Truncated(f"{what} takes {size:,} bytes, {self.end - start:,} are left", offset=start)
        self.position = start + size
        return bytes(self.buffer[start : start + size])

    def varint(self, max_bytes: int) -> int:
        """An unsigned varint of at most `max_bytes` bytes."""
        start = self.position
        value = shift = 0
        for _ in range(max_bytes):
            byte = self.byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7
        raise CorruptFileError(f"a number has more than {max_bytes} bytes", offset=start)

    def integer(self, kind: int) -> int:
        """A zigzag varint of wire type `kind`; bits beyond the type's width are dropped, as readers in C do."""
        max_bytes, bits = INTEGERS[kind]
        number = self.varint(max_bytes) & ((1 << bits) - 1)
        return (number >> 1) ^ -(number & 1)

    def length(self, what: str) -> int:
        """The length of bytes or of a container, below 2^31; `what` names it in the error."""
        start = self.position
        length = self.varint(5) & 0xFFFFFFFF
        if length >= 1 << 31:
            raise CorruptFileError(f"{what} has the negative length {length - (1 << 32):,}", offset=start)
        return length

    def container(self, kind: int) -> tuple[int, tuple[int, ...]]:
        """The header of a container: the number of elements (of pairs, for a map), and their wire types."""
        if kind == MAP:
            count = self.length("a map")
            types = self.byte() if count else 0
            return count, (types >> 4, types & 15)
        byte = self.byte()
        count = byte >> 4
        if byte & 15 > UUID:
            raise no_wire_type(byte & 15, "the element of a list", self.position - 1)
        return (self.length("a list") if count == 15 else count), (byte & 15,)

    def skip(self, kind: int, depth: int) -> None:
        """Move to the end of a value without keeping it."""
        if kind == BINARY:
            size = self.length("binary")
            if size > self.end - self.position:
                raise Truncated("binary goes on beyond the bytes", offset=self.position)
            self.position += size
        elif kind in INTEGERS:
            self.varint(INTEGERS[kind][0])
        elif kind == STRUCT:
            self.limits.check("thrift_depth", depth, "the nesting of structs", offset=self.position)
            while (byte := self.byte()) & 15:
                if byte & 15 > UUID:
                    raise no_wire_type(byte & 15, "a field header", self.position - 1)
                if byte < 16:
                    self.varint(3)
                if byte & 15 > FALSE:
                    self.skip(byte & 15, depth + 1)
        elif kind in CONTAINERS:
            self.limits.check("thrift_depth", depth, "the nesting of lists", offset=self.position)
            count, types = self.container(kind)
            for _ in range(count):
                for element in types:
                    self.skip(element, depth + 1)
        elif kind in (TRUE, FALSE, I8):
            self.byte()
        elif kind in (DOUBLE, UUID):
            self.bytes(8 if kind == DOUBLE else 16, "a value")
        else:
            raise no_wire_type(kind, "an element", self.position)


def to_int16(number: int) -> int:
    """The number modulo 2^16 as a signed integer, the type of field ids."""
    return (number + 0x8000 & 0xFFFF) - 0x8000
