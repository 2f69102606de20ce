"""Apache Thrift's reader in C, fed with classes of our choice.

It takes a specification of a struct, which names a class to call and the fields to set on what the call returns; other
fields are skipped.

None of the following is documented; `WORKS` shows on a few bytes whether the installed version does it, and `slow`
takes its place if not. `test_the_c_reader_works_here` fails where it does not, and test_fast.py compares every struct with
what `slow` and `spans` read.

- The reader calls the class before it reads the fields. So a class whose call returns the position in the buffer gives
  the struct's offset, one whose call raises stops the reader, and one whose call ends after a while is a budget.
- `__call__` is looked up on the metaclass at each call, so that `Bulk` can exchange what is called between reads.
- It reads from any object with the attributes of `_Source`, moves the position of its `BytesIO` itself, and asks for
  more bytes only where there are none.
- Nesting that is too deep is an error ("recursion") from version 0.25 on; older ones overflow the stack.

Struct objects are far larger than the bytes they can be made of (20 MB of zeros are 20 million structs), so whatever is
not small is read under a budget of objects.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO
from itertools import repeat, starmap
from typing import Any

from pqexplore.engine.errors import CorruptFileError, LimitExceededError
from pqexplore.engine.format.thrift.cursor import Cursor, Truncated
from pqexplore.engine.format.thrift.declaration import S
from pqexplore.engine.format.thrift.structs import STRUCTS, Field, Struct
from pqexplore.engine.format.thrift.wire import STRUCT
from pqexplore.engine.limits import Limits

try:
    from thrift.protocol import fastbinary
except ImportError:
    fastbinary = None

Specification = list[Any]
"""`[class, fields by id]`: the C reader's description of a struct."""

_KINDS = {"bool": 2, "i8": 3, "double": 4, "i16": 6, "i32": 8, "i64": 10, "string": 11, "binary": 11}
_STRUCT, _LIST = 12, 15
_SKIP: Specification = [type("Skipped", (), {}), ()]


class Mistyped(CorruptFileError):
    """A list has elements of another type than declared, which the C reader cannot skip."""


class Stopped(Exception):
    """Raised in place of making a struct, to stop the reader there."""


class _Source:
    """The bytes for the C reader: protocol and transport in one. The reader moves the position of the `BytesIO`."""

    __slots__ = ("cstringio_buf", "ended")

    string_length_limit = container_length_limit = (1 << 31) - 1
    """No limit of its own: the end of the bytes is the bound."""

    def __init__(self, stream: BytesIO) -> None:
        self.cstringio_buf = stream
        self.ended = False

    @property
    def trans(self) -> _Source:
        """The transport; the reader gets it from the protocol."""
        return self

    def cstringio_refill(self, partial: bytes, size: int) -> BytesIO:
        """Called when the reader needs more bytes than there are."""
        self.ended = True
        raise EOFError


def run(specification: Specification, stream: BytesIO, obj: Struct | None = None) -> Any:
    """The struct at the position of `stream`, which moves to the struct's end; fields are set on `obj`, if given.

    Raises `Truncated`, `Mistyped` or `CorruptFileError`, with offsets in the stream, and lets `Stopped` pass.
    """
    source, start = _Source(stream), stream.tell()
    try:
        return fastbinary.decode_compact(obj, source, specification)
    except Stopped:
        raise
    except Exception as error:
        offset = stream.tell()
        if source.ended:
            raise Truncated("the bytes end inside a struct", offset=offset) from None
        if isinstance(error, StopIteration):
            message = "there are far more structs than a footer, header or index of this size can need"
            raise CorruptFileError(message, offset=offset) from None
        if str(error) == "got wrong ttype while reading field":
            message = "the elements of a list have another type than declared"
            raise Mistyped(message, offset=offset) from None
        raise _explained(str(error), stream, start, offset) from None


_MESSAGES = (
    ("recursion", "structs or lists are nested too deeply (recursion)"),
    ("varint", "a number has too many bytes"),
    ("negative", "a length is negative"),
    ("size", "a length is too large"),
    ("type", "a field or an element has a wire type that Thrift does not have"),
)
"""What the C reader's messages mean, by a word in them."""

EXPLAINED = 1 << 16
"""Max bytes that are read again to find the byte that the C reader could not read."""


def _explained(message: str, stream: BytesIO, start: int, offset: int) -> CorruptFileError:
    """The C reader's error in our words; at the byte that is wrong if it is near the struct's start."""
    if offset - start <= EXPLAINED:
        cursor = Cursor(memoryview(stream.getvalue())[: offset + 1], start, Limits())
        try:
            cursor.skip(STRUCT, 0)
        except (Truncated, LimitExceededError):
            pass
        except CorruptFileError as error:
            return CorruptFileError(f"not a struct: {error.message}", offset=error.offset)
    words = (words for part, words in _MESSAGES if part in message.lower())
    return CorruptFileError(f"not a struct: {next(words, 'it cannot be read')}", offset=offset)


def specify(class_of: Callable[[type[Struct]], Any], keep: Callable[[Field, str], bool]) -> dict[str, Specification]:
    """A specification of every struct: the class that is called for it, and the fields that are kept."""
    specifications: dict[str, Specification] = {name: [class_of(s), ()] for name, s in STRUCTS.items()}

    def entry(field: Field) -> tuple[Any, ...]:
        argument: Any = {"string": "UTF8", "binary": "BINARY"}.get(field.base)
        kind = _KINDS.get(field.base, _KINDS["i32"])
        if field.struct is not None:
            kind, argument = _STRUCT, specifications[field.base]
        if field.is_list:
            kind, argument = _LIST, (kind, argument, False)
        return (field.id, kind, field.name, argument, None)

    for name, struct in STRUCTS.items():
        fields: list[Any] = [None] * (max(struct.BY_ID, default=-1) + 1)
        for field in struct.FIELDS:
            if keep(field, name):
                fields[field.id] = entry(field)
        specifications[name][1] = tuple(fields)
    return specifications


def skip(stream: BytesIO) -> None:
    """Move `stream` to the end of the struct that begins at its position. Raises as `run` does."""
    run(_SKIP, stream)


def plain() -> dict[str, Specification]:
    """Specifications that make the declared classes, without a budget."""
    return specify(lambda struct: struct, lambda field, struct: True)


_bulk_lock = threading.Lock()
_bulk_depth = 0
_bulk_restore = False


@contextmanager
def collection_paused() -> Iterator[None]:
    """Pause garbage collection: it would visit the million objects that are being made, again and again.

    Threads can overlap; the last one to leave restores the state that the first one found.
    """
    global _bulk_depth, _bulk_restore
    with _bulk_lock:
        if _bulk_depth == 0:
            _bulk_restore = gc.isenabled()
            gc.disable()
        _bulk_depth += 1
    try:
        yield
    finally:
        with _bulk_lock:
            _bulk_depth -= 1
            if _bulk_depth == 0 and _bulk_restore:
                gc.enable()


class Bulk:
    """Specifications in which each use of `read` sets what is called to make a struct.

    Structs without fields are made once and shared. Threads can call `read` at the same time.
    """

    def __init__(
        self,
        keep: Callable[[Field, str], bool] = lambda field, struct: True,
        *,
        replaced: tuple[str, ...] = tuple(STRUCTS),
    ) -> None:
        """`replaced` are the structs that are counted, or replaced; others are made without a count."""
        self._keep = keep
        self._replaced = replaced
        self._idle: list[tuple[dict[str, Any], dict[str, Specification]]] = []

    def _make(self) -> tuple[dict[str, Any], dict[str, Specification]]:
        makers: dict[str, Any] = {name: type(name, (type,), {}) for name in self._replaced}
        for name in self._replaced:
            if not STRUCTS[name].FIELDS:
                makers[name].__call__ = repeat(STRUCTS[name]()).__next__

        def class_of(struct: type[Struct]) -> Any:
            maker = makers.get(struct.NAME)
            return struct if maker is None else maker(struct.NAME, (), {})

        return makers, specify(class_of, self._keep)

    def read(
        self,
        struct_class: type[S],
        stream: BytesIO,
        budget: int | Iterator[tuple[()]],
        instead: dict[str, Callable[..., Any]],
        obj: S | None = None,
    ) -> S:
        """`run` with at most `budget` structs; for the names in `instead`, its functions are called in place of the class.

        A budget that is an iterator gives one item for each struct, and can be shared by several calls.
        """
        try:
            idle = self._idle.pop()
        except IndexError:
            idle = self._make()
        makers, specifications = idle
        one_each = repeat((), budget) if isinstance(budget, int) else budget
        for name in self._replaced:
            if name in instead:
                makers[name].__call__ = instead[name]
            elif STRUCTS[name].FIELDS:
                makers[name].__call__ = starmap(STRUCTS[name], one_each).__next__
        try:
            with collection_paused():
                result: S = run(specifications[struct_class.NAME], stream, obj)
                return result
        finally:
            for name in instead:
                del makers[name].__call__  # it holds the buffer
            self._idle.append(idle)


def _works() -> bool:
    """Whether the installed reader does what this module needs, tried on a few bytes."""
    if fastbinary is None:
        return False
    # version 1; one schema element named r; 0 rows; one row group with two column chunks of one field each
    footer = b"\x15\x02\x19\x1c\x48\x01r\x00\x16\x00\x19\x1c\x19\x2c\x26\x02\x00\x26\x04\x00\x16\x00\x00\x00"
    try:
        bulk = Bulk(lambda field, struct: struct != "ColumnChunk")
        stream = BytesIO(footer)
        found: Any = bulk.read(STRUCTS["FileMetaData"], stream, 3, {"ColumnChunk": stream.tell})
        if found.row_groups[0].columns != [14, 17] or found.row_groups[0].total_byte_size != 0:
            return False
        if found.schema[0].name != "r" or stream.tell() != len(footer):
            return False
        # Nesting without an end must be an error, where old versions overflow the stack: 80 levels are harmless.
        bulk.read(STRUCTS["FileMetaData"], BytesIO(b"\xfc" * 80 + b"\x00" * 81), 3, {})
    except CorruptFileError as error:
        return "recursion" in error.message
    except Exception:  # this runs at import, on a reader of any version: any failure means that it is not used
        return False
    return False


WORKS = _works()
"""Whether the C reader can be used; `slow` is used if not."""
