"""Rules about encryption: what is in the clear, nonces that repeat, and key material that is missing or left over.

No key is ever shown, wrapped or not.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pqexplore.engine.errors import EncryptedFileError, ParquetError
from pqexplore.engine.finding import Finding
from pqexplore.engine.format.encryption import key_material
from pqexplore.engine.rule import FOOTER, PAGES, Cost, Rule, Severity, Source
from pqexplore.insight.doctor.subject import concerned
from pqexplore.insight.wording import listing, plural

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.format.field import Leaf
    from pqexplore.insight.doctor.subject import Subject

ENCRYPTION = Source("Parquet, modular encryption", "https://github.com/apache/parquet-format/blob/master/Encryption.md")
NONCES = Source(
    "Parquet, modular encryption: nonces and IVs",
    "https://github.com/apache/parquet-format/blob/master/Encryption.md#41-encryption-algorithms",
)
KEY_TOOLS = Source(
    "parquet-java, PropertiesDrivenCryptoFactory and KeyToolkit",
    "https://github.com/apache/parquet-java/blob/master/parquet-hadoop/README.md",
)

BOUNDS = ("statistics", "geospatial_statistics")
COUNTS = ("size_statistics",)
"""Fields of a ColumnMetaData that tell about values, and about nulls and lengths."""

LISTED = 20
"""Pairs of modules in the evidence."""

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
    return _in_the_clear(
        subject,
        "plaintext-statistics",
        Severity.DAMAGE,
        BOUNDS,
        "what the encryption should hide (the smallest and largest value, or counts) is in the clear",
    )


def plaintext_sizes(subject: Subject) -> Iterator[Finding]:
    """Size statistics of encrypted columns that a plaintext footer shows."""
    return _in_the_clear(
        subject,
        "plaintext-size-statistics",
        Severity.NOTE,
        COUNTS,
        "they tell how many values are null, how long lists are, and how many bytes the values have",
    )


def _in_the_clear(
    subject: Subject, rule: str, severity: Severity, fields: tuple[str, ...], cost: str
) -> Iterator[Finding]:
    """The encrypted columns with one of the fields in a plaintext footer."""
    footer = subject.file.footer
    if footer.cipher is None or footer.crypto_metadata is not None:
        return
    leaves: dict[Leaf, None] = {}
    names: dict[str, None] = {}
    groups: set[int] = set()
    for leaf in subject.leaves:
        for chunk in _chunks(subject, leaf):
            plain = chunk.struct.meta_data
            shown = [one for one in fields if plain is not None and getattr(plain, one) is not None]
            if shown and _encrypted(chunk):
                leaves[leaf] = None
                groups.add(chunk.row_group.index)
                names.update(dict.fromkeys(shown))
    if not leaves:
        return
    found = concerned(list(leaves))
    yield Finding(
        rule,
        found.address,
        f"The plaintext footer has {listing(list(names))} of {plural(found.total, 'encrypted column')} ({found.names}): "
        "anyone can read them.",
        {"columns": found.paths, "fields": list(names), "row_groups": len(groups)},
        severity=severity,
        column=found.column,
        row_groups=tuple(sorted(groups)[:1_000]),
        cost=Cost(cost),
        fix="Encrypt the footer, or use a writer that leaves them out of a plaintext footer; treat what they tell as known.",
        code={
            "Spark": "df.write.option('parquet.encryption.plaintext.footer', 'false').parquet(path)",
            "pyarrow": "pe.EncryptionConfiguration(footer_key='masterKey', plaintext_footer=False)",
        },
        source=ENCRYPTION,
    )


def repeated_nonces(subject: Subject) -> Iterator[Finding]:
    """Modules that share a nonce under one key."""
    from pqexplore.engine.check import encryption as checks

    found = [one for one in checks.findings(subject.file) if one.rule == "repeated-nonce"]
    if not found:
        return
    first = found[0]
    yield Finding(
        "nonce-reused",
        first.address,
        f"{plural(len(found), 'module')} {'use' if len(found) > 1 else 'uses'} a nonce that another module used under the "
        f"same key: the first is {first.address}, after {first.evidence['first']}.",
        {"modules": len(found), "pairs": [[one.evidence["first"], one.address] for one in found[:LISTED]]},
        cost=Cost("who has both modules learns how their contents differ, and with GCM can forge others of this key"),
        fix="Take the key out of use, and write the data again with a new key and a writer with random nonces.",
    )


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
    Rule(
        "plaintext-statistics", Severity.DAMAGE, FOOTER,
        "Statistics of encrypted columns in a plaintext footer",
        "A plaintext footer must be stripped of the statistics of encrypted columns.",
        plaintext_statistics, ENCRYPTION,
        repeats=("statistics-not-encrypted",),
    ),
    Rule(
        "plaintext-size-statistics", Severity.NOTE, FOOTER,
        "Size statistics of encrypted columns in a plaintext footer",
        "The specification wants the statistics stripped, and does not name the size statistics.",
        plaintext_sizes, ENCRYPTION,
    ),
    Rule(
        "nonce-reused", Severity.DAMAGE, PAGES,
        "Nonces that are used twice", "AES-GCM and AES-CTR protect nothing if a key sees a nonce twice.",
        repeated_nonces, NONCES,
        repeats=("repeated-nonce",),
    ),
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
