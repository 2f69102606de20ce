"""Modules: the parts of an encrypted file, each encrypted separately.

A module is a footer, a column's metadata, a page header, a page, an index or a part of a Bloom filter. It is stored as a
4-byte length, a 12-byte nonce, the ciphertext and, with GCM, a 16-byte tag. The tag authenticates the ciphertext and the
AAD, which is not stored: reader and writer both compute it from the position of the module in the file. So a module that
was moved cannot be decrypted.

This is the layout and the encryption of one module. `cipher` chooses its key and its AAD.

Specification: https://github.com/apache/parquet-format/blob/master/Encryption.md#5-file-format
"""

from __future__ import annotations

import dataclasses
import os
import struct
from collections.abc import Callable, Iterator
from enum import IntEnum
from typing import NoReturn

from pqexplore.engine.errors import CorruptFileError, EncryptedFileError, UsageError
from pqexplore.engine.format.encryption.keys import Buffer, Key
from pqexplore.engine.span import Span

LENGTH_BYTES = 4
NONCE_BYTES = 12
TAG_BYTES = 16
GCM_OVERHEAD = LENGTH_BYTES + NONCE_BYTES + TAG_BYTES
CTR_OVERHEAD = LENGTH_BYTES + NONCE_BYTES
SIGNATURE_BYTES = NONCE_BYTES + TAG_BYTES
"""Bytes of the signature after a plaintext footer: nonce and tag (specification, "Plaintext footer mode")."""

INVOCATION_LIMIT = 1 << 32
"""How many modules one key may encrypt (NIST SP 800-38D, 8.3; specification, "Invocation limit")."""

_COUNTER_ONE = b"\x00\x00\x00\x01"
_COUNTER_TWO = b"\x00\x00\x00\x02"
_MAX_LENGTH = (1 << 31) - 1
ORDINAL_BYTES = 2
MAX_ORDINAL = (1 << 15) - 1


class ModuleType(IntEnum):
    """The byte of the AAD that says what a module is (specification, "AAD suffix")."""

    FOOTER = 0
    COLUMN_METADATA = 1
    DATA_PAGE = 2
    DICTIONARY_PAGE = 3
    DATA_PAGE_HEADER = 4
    DICTIONARY_PAGE_HEADER = 5
    COLUMN_INDEX = 6
    OFFSET_INDEX = 7
    BLOOM_FILTER_HEADER = 8
    BLOOM_FILTER_BITSET = 9

    @property
    def label(self) -> str:
        """The name for people: `data page header`."""
        return _LABELS[self]


_LABELS = {
    ModuleType.FOOTER: "footer",
    ModuleType.COLUMN_METADATA: "column metadata",
    ModuleType.DATA_PAGE: "data page",
    ModuleType.DICTIONARY_PAGE: "dictionary page",
    ModuleType.DATA_PAGE_HEADER: "data page header",
    ModuleType.DICTIONARY_PAGE_HEADER: "dictionary page header",
    ModuleType.COLUMN_INDEX: "column index",
    ModuleType.OFFSET_INDEX: "offset index",
    ModuleType.BLOOM_FILTER_HEADER: "Bloom filter header",
    ModuleType.BLOOM_FILTER_BITSET: "Bloom filter bitset",
}
PAGES = frozenset({ModuleType.DATA_PAGE, ModuleType.DICTIONARY_PAGE})
"""The modules that AES_GCM_CTR_V1 encrypts with CTR."""
WITH_PAGE_ORDINAL = frozenset({ModuleType.DATA_PAGE, ModuleType.DATA_PAGE_HEADER})
"""The modules whose AAD has a page ordinal."""


class TagMismatchError(EncryptedFileError):
    """A GCM tag does not fit: the key, the AAD or the bytes are not the writer's."""


@dataclasses.dataclass(frozen=True, slots=True)
class Module:
    """The identity of a module in its file: its type, and the ordinals in its AAD.

    `page_ordinal` counts the data pages of a chunk from 0; a dictionary page has none.
    """

    type: ModuleType
    row_group_ordinal: int | None = None
    column_ordinal: int | None = None
    page_ordinal: int | None = None

    def __str__(self) -> str:
        parts = [self.type.label]
        if self.row_group_ordinal is not None:
            parts.append(f"row group {self.row_group_ordinal}")
        if self.column_ordinal is not None:
            parts.append(f"column {self.column_ordinal}")
        if self.page_ordinal is not None:
            parts.append(f"page {self.page_ordinal}")
        return ", ".join(parts)

    def aad(self, prefix: bytes | None, file_unique: bytes | None) -> bytes:
        """The AAD of this module. Errors as in `explain_aad`."""
        return aad(prefix, file_unique, self.type, self.row_group_ordinal, self.column_ordinal, self.page_ordinal)


@dataclasses.dataclass(frozen=True, slots=True)
class AadPart:
    """One part of an AAD: its name, its bytes, their value, and a sentence that explains it.

    `data` is None if the file does not store it; `size`, its bytes, is None if that is not known either.
    """

    name: str
    data: bytes | None
    value: bytes | int | str
    meaning: str
    size: int | None


@dataclasses.dataclass(frozen=True, slots=True)
class Aad:
    """The AAD of a module, part by part. If there are no parts, `absent` is "none" or "not known", and `why` says why."""

    parts: tuple[AadPart, ...] = ()
    absent: str = ""
    why: str = ""


def explain_aad(
    prefix: bytes | None,
    file_unique: bytes | None,
    module_type: ModuleType,
    row_group_ordinal: int | None = None,
    column_ordinal: int | None = None,
    page_ordinal: int | None = None,
) -> tuple[AadPart, ...]:
    """The parts of a module's AAD, in order; joined they are `aad` (specification, "Additional Authenticated Data").

    Raises CorruptFileError for an ordinal that the two bytes of the AAD cannot hold, UsageError if an ordinal that the
    module type needs is missing, or one that it does not have is given.
    """
    module_type = ModuleType(module_type)
    ordinals = _ordinals(module_type, row_group_ordinal, column_ordinal, page_ordinal)
    return (
        AadPart("AAD prefix", bytes(prefix or b""), bytes(prefix or b""), _PREFIX, len(prefix or b"")),
        AadPart(
            "file identifier", bytes(file_unique or b""), bytes(file_unique or b""), _UNIQUE, len(file_unique or b"")
        ),
        AadPart("module type", bytes([module_type]), module_type.label, _TYPE, 1),
        *(
            AadPart(name, struct.pack("<h", ordinal), ordinal, meaning, ORDINAL_BYTES)
            for (name, meaning), ordinal in zip(_ORDINALS, ordinals, strict=False)
        ),
    )


def _ordinals(module_type: ModuleType, *given: int | None) -> tuple[int, ...]:
    """The ordinals that the AAD of such a module has, checked."""
    asked = 0 if module_type == ModuleType.FOOTER else 3 if module_type in WITH_PAGE_ORDINAL else 2
    for position, ordinal in enumerate(given):
        name = _ORDINALS[position][0]
        if (ordinal is None) != (position >= asked):
            problem = "needs a" if ordinal is None else "has no"
            raise UsageError(f"the AAD of a {module_type.label} {problem} {name}")
        if ordinal is not None and not 0 <= ordinal <= MAX_ORDINAL:
            raise CorruptFileError(
                f"{name} {ordinal:,} of an encrypted {module_type.label}: its AAD holds 0 to {MAX_ORDINAL:,}"
            )
    return tuple(ordinal for ordinal in given if ordinal is not None)


_PREFIX = "The file's identity, chosen by its writer; stored in the file, or supplied by the reader."
_UNIQUE = "Random bytes that the writer made for this file (aad_file_unique)."
_TYPE = "What the module is, so that a module of another type cannot replace it."
_ORDINALS = (
    ("row group ordinal", "RowGroup.ordinal, or the row group's position; 2 bytes, little endian."),
    ("column ordinal", "The column chunk's position in its row group; 2 bytes, little endian."),
    (
        "page ordinal",
        "The data page's position in its column chunk, the dictionary page not counted; 2 bytes, little endian.",
    ),
)


def aad(
    prefix: bytes | None,
    file_unique: bytes | None,
    module_type: ModuleType,
    row_group_ordinal: int | None = None,
    column_ordinal: int | None = None,
    page_ordinal: int | None = None,
) -> bytes:
    """The additional authenticated data of a module: prefix, file identifier, type, ordinals.

    Errors as in `explain_aad`.
    """
    ordinals = _ordinals(module_type, row_group_ordinal, column_ordinal, page_ordinal)
    suffix = struct.pack(f"<B{len(ordinals)}h", module_type, *ordinals)
    return (prefix or b"") + (file_unique or b"") + suffix


@dataclasses.dataclass(frozen=True, slots=True)
class ModuleFrame:
    """The spans of a module's parts in a buffer; `length` is the value of its first four bytes.

    `tag` is None with CTR. `end` is the offset after the module.
    """

    start: int
    length: int
    nonce: Span
    ciphertext: Span
    tag: Span | None
    end: int

    @property
    def size(self) -> int:
        """Bytes of the module, its length field included."""
        return self.end - self.start

    @property
    def plaintext_size(self) -> int:
        """Bytes that it decrypts to."""
        return len(self.ciphertext)


def module_size(buffer: Buffer, offset: int = 0) -> int:
    """Bytes of the module that begins at `offset`, its length field included; reads only those four bytes.

    Raises CorruptFileError if they are missing, or hold a length that no module has.
    """
    if not 0 <= offset <= len(buffer) - LENGTH_BYTES:
        raise CorruptFileError(
            f"an encrypted module begins with a length of {LENGTH_BYTES} bytes, {max(len(buffer) - offset, 0)} are left",
            offset=offset,
        )
    (length,) = struct.unpack_from("<I", buffer, offset)
    if not NONCE_BYTES <= length <= _MAX_LENGTH:
        raise CorruptFileError(
            f"an encrypted module declares a length of {length:,} bytes; "
            f"it has at least {NONCE_BYTES} for its nonce and at most {_MAX_LENGTH:,}",
            offset=offset,
        )
    return LENGTH_BYTES + int(length)


def hop(head: Callable[[int], Buffer], start: int, end: int) -> Iterator[tuple[int, int]]:
    """(start, end) of each of the consecutive modules in `[start, end)`, by their lengths alone, without a key.

    `head` reads at least four bytes at an offset. Stops if no module begins, or one ends beyond `end`.
    """
    while start < end:
        try:
            stop = start + module_size(head(start))
        except CorruptFileError:
            return
        if stop > end:
            return
        yield start, stop
        start = stop


def split(buffer: Buffer, offset: int = 0, *, ctr: bool) -> ModuleFrame:
    """The frame of the module at `offset`; bytes after it are ignored.

    Raises CorruptFileError if it is shorter than nonce and tag, or ends beyond the buffer.
    """
    end = offset + module_size(buffer, offset)
    length = end - offset - LENGTH_BYTES
    trailer = 0 if ctr else TAG_BYTES
    if length < NONCE_BYTES + trailer:
        raise CorruptFileError(
            f"an encrypted module declares a length of {length:,} bytes, "
            f"nonce and tag alone take {NONCE_BYTES + trailer}",
            offset=offset,
        )
    if end > len(buffer):
        raise CorruptFileError(
            f"an encrypted module declares a length of {length:,} bytes, "
            f"{len(buffer) - offset - LENGTH_BYTES:,} are left",
            offset=offset,
        )
    nonce_end = offset + LENGTH_BYTES + NONCE_BYTES
    return ModuleFrame(
        start=offset,
        length=length,
        nonce=Span(offset + LENGTH_BYTES, nonce_end),
        ciphertext=Span(nonce_end, end - trailer),
        tag=None if ctr else Span(end - trailer, end),
        end=end,
    )


def nonce_of(buffer: Buffer, frame: ModuleFrame) -> bytes:
    """The nonce of the module in `frame`."""
    return bytes(memoryview(buffer)[frame.nonce.start : frame.nonce.end])


def decrypt_gcm(key: Key, buffer: Buffer, frame: ModuleFrame, aad: bytes) -> bytes:
    """The plaintext of a GCM module. Raises TagMismatchError if its tag does not fit."""
    from cryptography.exceptions import InvalidTag  # slow to import, and unencrypted files never use it

    encrypted = memoryview(buffer)[frame.ciphertext.start : frame.end]
    try:
        return key.gcm.decrypt(nonce_of(buffer, frame), encrypted, aad)
    except InvalidTag:
        pass
    _mismatch(frame)


def _mismatch(frame: ModuleFrame) -> NoReturn:
    raise TagMismatchError("the GCM tag of an encrypted module does not fit its key, AAD and bytes", offset=frame.start)


def decrypt_ctr(key: Key, buffer: Buffer, frame: ModuleFrame) -> bytes:
    """The plaintext of a CTR module. A wrong key or changed bytes are not detected."""
    stored = memoryview(buffer)[frame.ciphertext.start : frame.ciphertext.end]
    return key.ctr(nonce_of(buffer, frame) + _COUNTER_ONE, stored)


def unverified_gcm(key: Key, buffer: Buffer, frame: ModuleFrame, size: int | None = None) -> bytes:
    """The first `size` bytes of a GCM module's plaintext, with the tag not checked: for diagnosis only.

    GCM is CTR with a counter that starts at 2 for the payload; 1 masks the tag (NIST SP 800-38D, 7.1).
    """
    start, end = frame.ciphertext.start, frame.ciphertext.end
    stored = memoryview(buffer)[start : end if size is None else min(end, start + size)]
    return key.ctr(nonce_of(buffer, frame) + _COUNTER_TWO, stored)


def random_nonce() -> bytes:
    """A nonce: 12 random bytes (specification, "Nonces and IVs")."""
    return os.urandom(NONCE_BYTES)


def encrypt_gcm(key: Key, plaintext: Buffer, aad: bytes, nonce: Callable[[], bytes] = random_nonce) -> bytes:
    """A whole GCM module: length, nonce, ciphertext, tag. `nonce` is called once."""
    fresh = _nonce(nonce)
    encrypted = key.gcm.encrypt(fresh, plaintext, aad)
    return struct.pack("<I", NONCE_BYTES + len(encrypted)) + fresh + encrypted


def encrypt_ctr(key: Key, plaintext: Buffer, nonce: Callable[[], bytes] = random_nonce) -> bytes:
    """A whole CTR module: length, nonce, ciphertext. `nonce` is called once."""
    fresh = _nonce(nonce)
    stored = key.ctr(fresh + _COUNTER_ONE, plaintext)
    return struct.pack("<I", NONCE_BYTES + len(stored)) + fresh + stored


def sign(key: Key, footer: Buffer, aad: bytes, nonce: Callable[[], bytes] = random_nonce) -> bytes:
    """The 28-byte signature of a plaintext footer: nonce and tag of its encryption, without the ciphertext."""
    fresh = _nonce(nonce)
    return fresh + key.gcm.encrypt(fresh, footer, aad)[-TAG_BYTES:]


def _nonce(source: Callable[[], bytes]) -> bytes:
    nonce = bytes(source())
    if len(nonce) != NONCE_BYTES:
        raise UsageError(f"a nonce has {NONCE_BYTES} bytes, this one {len(nonce)}")
    return nonce
