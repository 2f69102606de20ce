"""The modules of an encrypted file, counted by key, and the sentences about them.

Without the footer key it is not known which key encrypts a module: such modules are counted apart.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable, Iterator

from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.format.encryption.cipher import FileCipher
from pqexplore.engine.format.encryption.key_material import describe_key_metadata, parse
from pqexplore.engine.format.encryption.keys import Key
from pqexplore.engine.format.encryption.nonces import NonceAudit
from pqexplore.engine.span import FILE
from pqexplore.engine.tree import layout, unknown_parts
from pqexplore.insight import wording
from pqexplore.insight.lenses.encryption import module_list as modules
from pqexplore.insight.lenses.encryption.module_list import TEXT, Encrypted
from pqexplore.insight.short_text import shorten
from pqexplore.insight.wording import listing, plural

NAMED = 4
"""Columns and places that a sentence names."""

LISTED = 20
"""Columns that a key names."""


@dataclasses.dataclass(slots=True)
class KeyFact:
    """A field of the key metadata."""

    name: str
    value: str
    meaning: str


@dataclasses.dataclass(slots=True)
class KeyUse:
    """A key by its purpose: what its metadata asks for, whether the reader has it, and how much it encrypts.

    `reason` says why the key is missing; `asks_for` is empty for modules whose key is not known. `columns` are the first that it encrypts, `facts` its key metadata.
    """

    name: str
    asks_for: str
    at_hand: bool
    reason: str
    modules: int
    bytes: int
    columns: list[str]
    facts: list[KeyFact]


class Account:
    """Counts modules by key, and finds nonces that are used twice under one key.

    `audit_unknown` has the nonces of modules whose keys are not known. `modules` are the first, `key_of` the index of each
    one's key in `uses`; `left_out` counts the others. `paths` are the encrypted columns.
    """

    def __init__(self, cipher: FileCipher) -> None:
        self.cipher = cipher
        self.uses: dict[Hashable, KeyUse] = {}
        self.paths: dict[str, None] = {}
        self.audit = NonceAudit()
        self.audit_unknown = NonceAudit()
        self.modules: list[Encrypted] = []
        self.key_of: list[int] = []
        self.left_out = 0

    def add(self, one: Encrypted) -> None:
        """Count a module."""
        if one.key_unknown:
            self.audit_unknown.add("", one.nonce, one.address)
        else:
            secret = self.cipher.footer_key() if one.column is None else one.column.key()
            key: Hashable = secret if isinstance(secret, Key) else self._key_name(one)
            self.audit.add(key, one.nonce, one.address)
        if len(self.modules) >= modules.LISTED:
            self.left_out += 1
            return
        use = self._use(one)
        if one.reason == modules.WRONG_KEY:
            use.at_hand, use.reason = False, one.reason
        use.modules += 1
        use.bytes += len(one.span)
        self.modules.append(one)
        self.key_of.append(list(self.uses).index(self._key_name(one)))

    def count(self, found: Iterator[Encrypted]) -> Iterator[float]:
        """Count modules, with progress."""
        for number, one in enumerate(found):
            self.add(one)
            if number % 64 == 0:
                yield min(0.99, number / modules.LISTED)

    def repeated(self) -> set[str]:
        """The addresses of modules that share their nonce with another one."""
        pairs = [*self.audit.repeated, *self.audit_unknown.repeated]
        return {address for pair in pairs for address in (pair.first, pair.second)}

    def _key_name(self, one: Encrypted) -> Hashable:
        if one.key_unknown:
            return "unknown"
        if one.column is None or one.column.with_footer_key:
            return "footer"
        return one.column.key_metadata or one.column.path

    def _use(self, one: Encrypted) -> KeyUse:
        key, column = self._key_name(one), one.column
        use = self.uses.get(key)
        if use is None:
            use = self.uses[key] = self._new_use(one)
        if column is not None:
            path = ".".join(column.path)
            if path not in use.columns and len(use.columns) < LISTED:
                use.columns.append(path)
            self.paths[path] = None
        return use

    def _new_use(self, one: Encrypted) -> KeyUse:
        column = one.column
        if one.key_unknown:
            return KeyUse("a key that is not known", "", False, one.reason, 0, 0, [], [])
        if column is None or column.with_footer_key:
            metadata, name = self.cipher.footer_key_metadata, "footer key"
            reason = self.cipher.footer_reason
        else:
            metadata, reason = column.key_metadata, column.reason
            name = f"key of column {wording.name(column.path)}"
        facts = [
            KeyFact(fact.name, shorten(str(fact.value), TEXT), fact.meaning) for fact in describe_key_metadata(metadata)
        ]
        return KeyUse(name, parse(metadata).asks_for, not reason, reason, 0, 0, [], facts)


def summary(account: Account, size: int | None) -> str:
    """How many modules, under which keys, and whether nonces repeat; `size` is the file's, None for a part of it."""
    # a column's metadata is inside the footer's module: its bytes are not counted twice
    total = sum(len(one.span) for one in account.modules if one.span.space == FILE)
    sentence = f"{plural(len(account.modules) + account.left_out, 'module')}, {total:,} "
    sentence += f"of the file's {size:,} bytes" if size is not None else "bytes"
    overhead = sum(len(one.span) - one.plaintext_bytes for one in account.modules)
    unknown = any(part.name == modules.PERHAPS_TAGGED for one in account.modules for part in one.parts)
    sentence += f" ({'at least ' if unknown else ''}{overhead:,} of them lengths, nonces and tags)."
    for key, use in account.uses.items():
        if key == "unknown":
            sentence += f" Which key encrypts {_others(use.modules, account)} is not known."
            continue
        sentence += f" The {use.name} encrypts {plural(use.modules, 'module')}"
        if use.reason == modules.WRONG_KEY:
            sentence += f"; the key that was given does not open them, the file asks for {use.asks_for}"
        elif use.reason:
            sentence += f"; it is not at hand, the file asks for {use.asks_for}"
        sentence += "."
    sentence += _nonces(account)
    if any(one.ctr for one in account.modules):
        sentence += " Pages are under AES-CTR, without a tag: a changed page goes unnoticed."
    return sentence


def _nonces(account: Account) -> str:
    """Whether nonces are used twice."""
    sentence, repeated = "", len(account.audit.repeated)
    if repeated:
        sentence += (
            f" {repeated:,} nonce{'s are' if repeated > 1 else ' is'} used twice under one key: the content of these modules "
            "is no longer secret from a reader who has both."
        )
    elif "unknown" not in account.uses:
        sentence += " No nonce is used twice under one key."
    same = len(account.audit_unknown.repeated)
    if same:
        sentence += (
            f" {plural(same, 'nonce')} among those whose keys are not known {'occurs' if same == 1 else 'occur'} twice: if "
            "one key encrypts both modules, their content is no longer secret from a reader who has both."
        )
    elif "unknown" in account.uses and not repeated:
        sentence += " No nonce is used twice."
    return sentence


def _others(count: int, account: Account) -> str:
    return plural(count, "module") if len(account.uses) == 1 else f"the other {plural(count, 'module')}"


def in_clear(file: ParquetFile) -> str:
    """Where pages begin that are not encrypted, of columns that are not known."""
    starts = [
        run.start for place in layout.unknown(file) for run in unknown_parts.runs(file, *place) if run.kind == "pages"
    ]
    if not starts:
        return ""
    named = listing([f"{start:,}" for start in starts], most=NAMED)
    what = "One run of pages that are" if len(starts) == 1 else f"{len(starts):,} runs of pages that are"
    verb, byte = ("begins", "byte") if len(starts) == 1 else ("begin", "bytes")
    return f" {what} not encrypted {verb} at {byte} {named}; pqexplore.salvage can read them."


def closing(account: Account, file: ParquetFile) -> str:
    """Which columns are not encrypted, and what is not known."""
    if file.metadata is None:
        words = (
            "Without the footer key it is not known which module is what; their lengths and nonces are not encrypted."
        )
        return f" {words}{in_clear(file)}"
    clear = [".".join(leaf.path) for leaf in file.schema.leaves]
    clear = [path for path in clear if path not in account.paths]
    if not clear:
        return ""
    named = ", ".join(wording.name(path) for path in clear[:NAMED])
    more = f" and {len(clear) - NAMED:,} more" if len(clear) > NAMED else ""
    return f" Not encrypted: {'column' if len(clear) == 1 else 'columns'} {named}{more}."


def module_sentence(one: Encrypted) -> str:
    """What one module hides, and whether it can be decrypted."""
    if one.key_unknown:
        most = "up to " if one.parts[-1].name == modules.PERHAPS_TAGGED else ""
        return (
            f"This module hides {most}{plural(one.plaintext_bytes, 'byte')}; it is {one.group} what they are, and "
            "which key encrypts them."
        )
    sentence = f"This module hides {plural(one.plaintext_bytes, 'byte')}: "
    sentence += "" if one.module is not None else "what is probably "
    sentence += f"{'an' if one.name[0] in 'aeio' else 'a'} {one.name}. "
    if one.ctr:
        sentence += "AES-CTR has no tag: nothing vouches for the bytes, nor for their place."
    else:
        sentence += "Its tag vouches for the bytes and for the AAD, which says where the module belongs."
    opened = "A key for it is at hand." if one.ctr else "The key that was given opens it."
    rest = f"It cannot be decrypted: {one.reason}." if one.reason else opened
    return f"{sentence} {rest}"
