"""Why a module cannot be decrypted: a wrong key, a moved module, a wrong prefix, or changed bytes.

A GCM tag that does not fit only says that key, AAD and ciphertext do not belong together. Two checks show more. The tag
is tried with the AADs of other modules: if one fits, the module was moved, or has another prefix. And GCM's keystream
depends only on key and nonce: if the decrypted bytes begin like the expected struct, the key is right, and the AAD or the
bytes are wrong.

The search is bounded in attempts and in bytes. Decrypted bytes do not leave this module.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterator, Mapping

from pqexplore.engine.errors import CorruptFileError, EncryptedFileError, ParquetError
from pqexplore.engine.format.encryption.keys import Buffer, Key
from pqexplore.engine.format.encryption.modules import (
    PAGES,
    WITH_PAGE_ORDINAL,
    Module,
    ModuleFrame,
    ModuleType,
    TagMismatchError,
    decrypt_gcm,
    unverified_gcm,
)
from pqexplore.engine.format.thrift import struct_spans, structs
from pqexplore.engine.format.thrift.structs import Struct

Plausible = Callable[[bytes], bool]

MAX_ATTEMPTS = 2_000
MAX_BYTES = 64 << 20
"""Bytes that one search may decrypt: 64 attempts at a page of 1 MiB."""
_ATTEMPT_BYTES = 4096
"""Minimum cost of an attempt, as the bytes that are decrypted in the same time."""
GLANCE_BYTES = 4096
"""Bytes of a module that are decrypted without verification, to see whether they can be the expected struct."""

_STRUCTS: dict[ModuleType, type[Struct]] = {
    ModuleType.FOOTER: structs.FileMetaData,
    ModuleType.COLUMN_METADATA: structs.ColumnMetaData,
    ModuleType.DATA_PAGE_HEADER: structs.PageHeader,
    ModuleType.DICTIONARY_PAGE_HEADER: structs.PageHeader,
    ModuleType.COLUMN_INDEX: structs.ColumnIndex,
    ModuleType.OFFSET_INDEX: structs.OffsetIndex,
    ModuleType.BLOOM_FILTER_HEADER: structs.BloomFilterHeader,
}

_TWINS = {
    ModuleType.DATA_PAGE: ModuleType.DICTIONARY_PAGE,
    ModuleType.DATA_PAGE_HEADER: ModuleType.DICTIONARY_PAGE_HEADER,
    ModuleType.COLUMN_INDEX: ModuleType.OFFSET_INDEX,
    ModuleType.BLOOM_FILTER_HEADER: ModuleType.BLOOM_FILTER_BITSET,
}
_PAGED = PAGES | {ModuleType.DATA_PAGE_HEADER, ModuleType.DICTIONARY_PAGE_HEADER}


@dataclasses.dataclass(frozen=True, slots=True)
class Situation:
    """What a reader knows when it cannot decrypt a module.

    It used `key`, `module`, `prefix` and `file_unique`. `prefixes` has other AAD prefixes by a name for people, `keys`
    other keys. `proven` is true if key and prefix decrypted another module of the file, `prefix_supplied` if the prefix
    is the caller's and not the file's.
    """

    key: Key
    module: Module
    prefix: bytes
    file_unique: bytes
    prefixes: Mapping[str, bytes] = dataclasses.field(default_factory=dict)
    keys: Mapping[str, Key] = dataclasses.field(default_factory=dict)
    proven: bool = False
    prefix_supplied: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class Diagnosis:
    """The cause of the failure.

    `verdict` is one of `wrong prefix`, `swapped module`, `no AAD`, `other key`, `changed`, `wrong key`,
    `prefix or changed`, `unknown`. `corrupt` is true if the file is wrong, false if the keys are; `found` is the module
    that the bytes really are; `attempts` and `bytes` count the work of the search.
    """

    verdict: str
    message: str
    corrupt: bool
    found: Module | None = None
    attempts: int = 0
    bytes: int = 0

    def error(self, offset: int | None = None) -> ParquetError:
        """The error to raise: CorruptFileError if the file is wrong, else EncryptedFileError."""
        kind = CorruptFileError if self.corrupt else EncryptedFileError
        return kind(self.message, offset=offset)


@dataclasses.dataclass(frozen=True, slots=True)
class _Attempt:
    verdict: str
    key: Key
    aad: bytes
    label: str = ""
    module: Module | None = None


def diagnose(
    buffer: Buffer,
    frame: ModuleFrame,
    situation: Situation,
    *,
    plausible: Plausible | None = None,
    max_bytes: int = MAX_BYTES,
) -> Diagnosis:
    """Why the tag of the module in `frame` does not fit.

    `plausible` tells whether the first decrypted bytes can be the expected content; modules that are a struct do not
    need it.
    """
    what = f"the {situation.module}"
    attempts = spent = 0
    cost = max(frame.size, _ATTEMPT_BYTES)
    for attempt in _attempts(situation):
        if attempts >= MAX_ATTEMPTS or spent + cost > max_bytes:
            break
        attempts += 1
        spent += cost
        if _opens(attempt, buffer, frame):
            message, corrupt = _explain(attempt, what)
            return Diagnosis(attempt.verdict, message, corrupt, attempt.module, attempts, spent)
    judge = plausible or struct_judge(situation.module.type)
    plausible_bytes = None
    if judge is not None:
        plausible_bytes = _judge(judge, unverified_gcm(situation.key, buffer, frame, GLANCE_BYTES))
    verdict, reason, corrupt = _conclude(situation, plausible_bytes)
    tried = f" (tried: {attempts:,} other places and keys)" if attempts else ""
    message = f"the GCM tag of {what} does not fit: {reason}{tried}"
    return Diagnosis(verdict, message, corrupt, None, attempts, spent)


def struct_judge(module_type: ModuleType) -> Plausible | None:
    """A function that tells whether bytes begin like the struct of a module type; None if the type is not a struct."""
    struct = _STRUCTS.get(module_type)
    return None if struct is None else lambda data: _begins_as(struct, data)


def _begins_as(struct: type[Struct], data: bytes) -> bool:
    """Whether `data` begins with field 1 of `struct` and goes on with fields that it has.

    The end may be missing or damaged. Of random bytes fewer than one in 5,000 pass.
    """
    span = struct_spans.read(struct, data[:GLANCE_BYTES])
    known = [field for field in span.fields if field.field is not None and not field.note]
    if not known or known[0].id != 1 or span.fields[0] is not known[0]:
        return False
    return len(known) > 1 or (span.error is None and len(span.fields) == 1)


def _judge(judge: Plausible, data: bytes) -> bool | None:
    try:
        return judge(data)
    except Exception:  # these bytes were decrypted with a key or place that may be wrong: any failure is a no
        return False


def _opens(attempt: _Attempt, buffer: Buffer, frame: ModuleFrame) -> bool:
    try:
        decrypt_gcm(attempt.key, buffer, frame, attempt.aad)
    except TagMismatchError:
        return False
    return True


def _attempts(situation: Situation) -> Iterator[_Attempt]:
    """What to try, likely causes first."""
    s = situation
    for label, prefix in s.prefixes.items():
        if prefix != s.prefix:
            yield _Attempt("wrong prefix", s.key, s.module.aad(prefix, s.file_unique), label)
    near, far = itertools.tee(_other_modules(s.module))
    for module in itertools.islice(near, 64):
        yield _Attempt("swapped module", s.key, module.aad(s.prefix, s.file_unique), "", module)
    yield _Attempt("no AAD", s.key, b"")
    for label, key in s.keys.items():
        if key != s.key:
            yield _Attempt("other key", key, s.module.aad(s.prefix, s.file_unique), label)
    for module in itertools.islice(far, 64, None):
        yield _Attempt("swapped module", s.key, module.aad(s.prefix, s.file_unique), "", module)


def _other_modules(module: Module) -> Iterator[Module]:
    """Other modules of the file, near ones first: other types, then other ordinals."""
    group, column = module.row_group_ordinal, module.column_ordinal
    if module.type == ModuleType.FOOTER or group is None or column is None:
        return
    page = module.page_ordinal
    kinds = _kinds(module.type)
    for kind in kinds:
        yield from _valid(kind, group, column, page or 0)
    twins = [module.type, kinds[0]] if module.type in _PAGED else [module.type]
    for step in range(1, 65):
        for sign, kind in itertools.product((-step, step), twins):
            yield from _valid(kind, group, column + sign, page or 0)
            yield from _valid(kind, group + sign, column, page or 0)
            if kind in WITH_PAGE_ORDINAL:
                yield from _valid(kind, group, column, (page or 0) + sign)
    steps = sorted(itertools.product(range(-4, 5), repeat=3), key=lambda s: sum(map(abs, s)))
    for by_group, by_column, by_page in steps:
        if (by_group, by_column, by_page).count(0) < 2:
            for kind in twins:
                if kind in WITH_PAGE_ORDINAL or by_page == 0:
                    yield from _valid(kind, group + by_group, column + by_column, (page or 0) + by_page)


def _kinds(kind: ModuleType) -> list[ModuleType]:
    """The other module types of a column, the one most similar to `kind` first."""
    twin = (_TWINS | {second: first for first, second in _TWINS.items()}).get(kind)
    others = sorted(set(ModuleType) - {ModuleType.FOOTER, kind})
    return sorted(others, key=lambda other: other != twin)


def _valid(kind: ModuleType, group: int, column: int, page: int) -> Iterator[Module]:
    if all(0 <= ordinal < 1 << 15 for ordinal in (group, column, page)):
        yield Module(kind, group, column, page if kind in WITH_PAGE_ORDINAL else None)


def _explain(attempt: _Attempt, what: str) -> tuple[str, bool]:
    """The sentence for an attempt that fits, and whether the file is wrong."""
    match attempt.verdict:
        case "wrong prefix":
            return f"{what} was encrypted with {attempt.label}, not with the one in use", False
        case "swapped module":
            return (f"{what} is another module, put here: its GCM tag is that of the {attempt.module}", True)
        case "no AAD":
            return (
                f"{what} was encrypted without an AAD; the specification wants one of file identifier, "
                "module type and ordinals",
                True,
            )
        case _:
            return f"{what} does not open with its key, but with {attempt.label}", False


def _conclude(situation: Situation, looks: bool | None) -> tuple[str, str, bool]:
    """Verdict, reason, and whether the file is wrong, if no attempt fits. `looks`: the bytes look right, if known."""
    what = situation.module.type.label
    if situation.proven:
        if looks is False:
            reason = (
                f"the key opens other modules of the file, and this one decrypts to nothing like a {what}; "
                "its nonce or its first bytes were changed, or it was encrypted with another key"
            )
        else:
            reason = (
                "the key opens other modules of the file; the bytes of this one were changed, "
                "or it comes from another file or place"
            )
        return "changed", reason, True
    if looks and situation.prefix_supplied:
        reason = (
            f"it decrypts to what looks like a {what}, so the key is right; the AAD prefix that was given is not "
            "the one it was encrypted with, or the bytes were changed"
        )
        return "prefix or changed", reason, False
    if looks:
        reason = (
            f"it decrypts to what looks like a {what}, so the key is right; the bytes were changed, "
            "or it comes from another file or place"
        )
        return "changed", reason, True
    if looks is False:
        reason = f"the key gives nothing like a {what}; another key is needed, or the nonce was changed"
        return "wrong key", reason, False
    return "unknown", "another key is needed, or the bytes were changed or moved", False
