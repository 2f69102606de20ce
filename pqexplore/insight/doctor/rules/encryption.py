"""Rules about encryption: what is in the clear, nonces that repeat, and key material that is missing or left over.

No key is ever shown, wrapped or not.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pqexplore.engine.errors import EncryptedFileError, ParquetError
from pqexplore.engine.finding import Finding
from pqexplore.engine.rule import FOOTER, PAGES, Cost, Rule, Severity, Source
from pqexplore.engine.rules import RULES as ALL
from pqexplore.insight.doctor.subject import concerned
from pqexplore.insight.wording import plural

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.format.field import Leaf
    from pqexplore.insight.doctor.subject import Subject

ENCRYPTION = Source("Parquet, modular encryption", "https://github.com/apache/parquet-format/blob/master/Encryption.md")
KEY_TOOLS = Source(
    "parquet-java, PropertiesDrivenCryptoFactory and KeyToolkit",
    "https://github.com/apache/parquet-java/blob/master/parquet-hadoop/README.md",
)

COLUMN_KEYS = {
    "Spark": "df.write.option('parquet.encryption.column.keys', 'masterKey: a, b').option('parquet.encryption.footer.key', "
    "'masterKey').parquet(path)",
    "pyarrow": "pe.EncryptionConfiguration(footer_key='masterKey', column_keys={'masterKey': ['a', 'b']})",
}
"""Code that gives columns keys."""


def _chunks(subject: Subject, leaf: Leaf) -> Iterator[ColumnChunk]:
    """The chunks of a leaf, those without readable metadata included."""
    for index in range(subject.groups):
        try:
            yield subject.file.row_groups[index].columns[leaf.leaf_index]
        except ParquetError:
            continue


def _encrypted(chunk: ColumnChunk) -> bool | None:
    """Whether a chunk is encrypted; None if its crypto_metadata is damaged."""
    try:
        return chunk.encrypted
    except ParquetError:
        return None


def clear_beside_encrypted(subject: Subject) -> Iterator[Finding]:
    """Columns in the clear in a file that encrypts others."""
    if subject.file.footer.cipher is None:
        return
    clear, encrypted = [], 0
    for leaf in subject.leaves:
        found = {_encrypted(chunk) for chunk in _chunks(subject, leaf)}
        if False in found:
            clear.append(leaf)
        encrypted += found == {True}
    if not clear or not encrypted:
        return
    which = concerned(clear)
    yield Finding(
        "clear-beside-encrypted",
        which.address,
        f"{plural(encrypted, 'column')} {'are' if encrypted > 1 else 'is'} encrypted, and {which.total:,} not: anyone can "
        f"read {which.names}.",
        {"encrypted": encrypted, "clear": which.paths},
        column=which.column,
        fix="If that is not meant, give the writer a key for these columns, too.",
        code=COLUMN_KEYS,
    )


def plaintext_statistics(subject: Subject) -> Iterator[Finding]:
    """Statistics of encrypted columns that a plaintext footer shows."""
    return _checked(subject, "plaintext-statistics")


def plaintext_sizes(subject: Subject) -> Iterator[Finding]:
    """Size statistics of encrypted columns that a plaintext footer shows."""
    return _checked(subject, "plaintext-size-statistics")


def repeated_nonces(subject: Subject) -> Iterator[Finding]:
    """Modules that share a nonce under one key."""
    if subject.file.footer.cipher is None:
        return
    from pqexplore.engine.check import encryption as checks

    yield from (one for one in checks.findings(subject.file) if one.rule == "nonce-reused")


def _checked(subject: Subject, rule: str) -> Iterator[Finding]:
    """What `check()` says of encrypted columns whose statistics are in the clear."""
    if subject.file.footer.cipher is None:
        return
    from pqexplore.engine.check import encryption as checks

    yield from checks.in_the_clear(subject.file, rule)


def _key_metadata(subject: Subject) -> dict[bytes, str]:
    """Each key metadata of the file, and what it is of."""
    cipher = subject.file.footer.cipher
    if cipher is None:
        return {}
    found = {cipher.footer_key_metadata: "the footer key"}
    for leaf in subject.leaves:
        chunk = next(_chunks(subject, leaf), None)
        try:
            column = None if chunk is None else chunk.column_cipher
        except ParquetError:
            continue
        if column is not None and not column.with_footer_key:
            found.setdefault(column.key_metadata, f"the key of column {'.'.join(leaf.path)!r}")
    return found


def unusable_material(subject: Subject) -> Iterator[Finding]:
    """Key material of the key tools that is damaged, or not where the file says."""
    cipher = subject.file.footer.cipher
    if cipher is None:
        return
    from pqexplore.engine.format.encryption import key_material

    for metadata, whose in _key_metadata(subject).items():
        parsed = key_material.parse(metadata)
        if parsed.reference is not None and not cipher.keys.beside:
            continue  # of a source without a folder
        try:
            cipher.keys.material(metadata)
            problem = parsed.problem
        except EncryptedFileError as error:
            problem = error.message
        if problem:
            yield Finding(
                "key-material-unusable",
                "footer",
                f"The key material of {whose} cannot be used: {problem.rstrip('.')}.",
                {"key": whose, "kind": parsed.kind, "problem": problem},
                cost=Cost("a reader that asks a key management service cannot unwrap this key"),
                fix="Bring back the key material file, or open the file with the key itself.",
                code={"pqexplore": "pqexplore.Decryption(footer_key=…, column_keys=…)"},
            )


def left_over_material(subject: Subject) -> Iterator[Finding]:
    """A key material file beside a file that does not refer to it."""
    cipher = subject.file.footer.cipher
    if cipher is None:
        return
    from pqexplore.engine.format.encryption import key_material

    kinds = {key_material.parse(metadata).kind for metadata in _key_metadata(subject)}
    name = cipher.keys.beside
    if "key reference" in kinds or "key material" not in kinds or not cipher.keys.has_beside():
        return
    yield Finding(
        "key-material-left-over",
        "footer",
        f"There is a key material file, {name}, and the file has its key material inside: no reader uses the one beside it.",
        {"file": name, "kinds": sorted(kinds)},
        cost=Cost("a rotation of the master key renews the file that nothing reads"),
        fix="Remove it, if no other version of the file needs it.",
    )


def internal_material(subject: Subject) -> Iterator[Finding]:
    """Wrapped keys inside of the file, which a rotation of the master key cannot renew."""
    if subject.file.footer.cipher is None:
        return
    from pqexplore.engine.format.encryption import key_material

    inside = [
        whose for metadata, whose in _key_metadata(subject).items() if key_material.parse(metadata).material is not None
    ]
    if not inside:
        return
    yield Finding(
        "key-material-internal",
        "footer",
        f"{plural(len(inside), 'wrapped key')} {'lie' if len(inside) > 1 else 'lies'} inside the file: to wrap "
        f"{'them' if len(inside) > 1 else 'it'} with another master key, the file must be written again.",
        {"keys": inside[:100]},
        fix="If master keys are to be rotated, store the key material beside the file.",
        code={
            "Spark": "df.write.option('parquet.encryption.key.material.store.internally', 'false').parquet(path)",
            "pyarrow": "pe.EncryptionConfiguration(footer_key='masterKey', internal_key_material=False)",
        },
    )


RULES = (
    Rule(
        "clear-beside-encrypted", Severity.NOTE, FOOTER,
        "Columns in the clear beside encrypted ones", "It is often meant, and sometimes an oversight.",
        clear_beside_encrypted, ENCRYPTION,
    ),
    dataclasses.replace(ALL["plaintext-statistics"], level=FOOTER, find=plaintext_statistics),
    dataclasses.replace(ALL["plaintext-size-statistics"], level=FOOTER, find=plaintext_sizes),
    dataclasses.replace(ALL["nonce-reused"], level=PAGES, find=repeated_nonces),
    Rule(
        "key-material-unusable", Severity.DAMAGE, FOOTER,
        "Key material that is damaged or missing", "The file refers to wrapped keys that are not there.",
        unusable_material, KEY_TOOLS, locked=True,
    ),
    Rule(
        "key-material-left-over", Severity.NOTE, FOOTER,
        "A key material file that nothing uses", "It is stale: of an earlier file of this name.",
        left_over_material, KEY_TOOLS, locked=True,
    ),
    Rule(
        "key-material-internal", Severity.NOTE, FOOTER,
        "Wrapped keys inside the file", "It is the default of the key tools, and rules out the rotation of master keys.",
        internal_material, KEY_TOOLS, locked=True,
    ),
)  # fmt: skip
