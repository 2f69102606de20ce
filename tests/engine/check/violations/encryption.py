"""Violations of the rules of encryption: keys, nonces, AADs, where metadata may lie, modules that were changed or moved.

`encrypted` writes a file, and changes its footer afterwards: it is signed or encrypted anew.
"""

import functools
import itertools
import os
import struct
from collections.abc import Callable, Mapping

import pyarrow as pa
from engine.check import forged
from engine.check.violations import Violation
from made import ours

import pqexplore
from pqexplore.engine.format.encryption.encryptor import FileEncryptor, counting_nonces
from pqexplore.engine.format.encryption.keys import Decryption
from pqexplore.engine.format.thrift import encode, fast, structs
from pqexplore.engine.format.thrift.structs import FileMetaData
from pqexplore.engine.writer.options import Encryption, WriteOptions

FOOTER_KEY, A_KEY = b"f" * 16, b"a" * 16
KEYS = {"footer_key": FOOTER_KEY, "column_keys": {"a": A_KEY}}
UNIQUE = b"8 bytes!"
A, B = "row_groups/0/columns/0", "row_groups/0/columns/1"
Change = Callable[[FileMetaData], object]


def table() -> pa.Table:
    return pa.table({"a": pa.array(range(40), pa.int64()), "b": [f"text {n}" for n in range(40)]})


def encrypted(change: Change | None = None, **choices: object) -> bytes:
    """Two row groups of columns `a`, with a key of its own, and `b`, with the footer's; `change` changes the footer."""
    given = {"column_keys": {"a": A_KEY, "b": None}, "file_unique": UNIQUE, "nonces": counting_nonces} | choices
    made = Encryption(FOOTER_KEY, **given)
    options = WriteOptions(
        encryption=made, row_group_rows=20, page_rows=8, bloom_filter=True, encoding="PLAIN", codec="UNCOMPRESSED"
    )
    data = ours(table(), options)
    return data if change is None else refootered(data, change, given)


def refootered(data: bytes, change: Change, given: Mapping[str, object] | None) -> bytes:
    """The file with a changed footer, encrypted or signed as before; `given` is None if it is not encrypted."""
    chosen = {name: value for name, value in (given or {}).items() if name != "nonces"}
    again = FileEncryptor(FOOTER_KEY, **chosen, nonces=lambda: os.urandom(12))
    with pqexplore.open(data, decryption=Decryption(FOOTER_KEY)) as file:
        start, crypto, raw = file.footer.start, file.footer.crypto_metadata, file.footer.raw
        metadata, _ = fast.decode(FileMetaData, raw)
    change(metadata)
    plain = encode.encode(metadata)
    if crypto is None:
        footer = plain + (b"" if given is None else again.sign_footer(plain))
    else:
        footer = encode.encode(crypto) + again.encrypt_footer(plain)
    return data[:start] + footer + struct.pack("<I", len(footer)) + data[-4:]


def signed(change: Change | None = None, **choices: object) -> bytes:
    return encrypted(change, plaintext_footer=True, **choices)


def chunk_of(metadata: FileMetaData, column: int = 0) -> structs.ColumnChunk:
    return metadata.row_groups[0].columns[column]


def with_statistics(value: bytes, column: int) -> Change:
    def change(metadata: FileMetaData) -> None:
        kept = structs.Statistics(min_value=value, max_value=value, null_count=0)
        chunk_of(metadata, column).meta_data.statistics = kept

    return change


def without_statistics(metadata: FileMetaData) -> None:
    for group in metadata.row_groups:
        for chunk in group.columns:
            chunk.meta_data.statistics = None


def renamed(*path: str) -> Change:
    def change(metadata: FileMetaData) -> None:
        chunk_of(metadata).crypto_metadata.ENCRYPTION_WITH_COLUMN_KEY.path_in_schema = list(path)

    return change


def ordinals(*numbers: int) -> Change:
    def change(metadata: FileMetaData) -> None:
        for group, number in zip(metadata.row_groups, numbers, strict=True):
            group.ordinal = number

    return change


def set_chunk(column: int = 0, **fields: object) -> Change:
    def change(metadata: FileMetaData) -> None:
        for name, value in fields.items():
            setattr(chunk_of(metadata, column), name, value)

    return change


def set_footer(**fields: object) -> Change:
    def change(metadata: FileMetaData) -> None:
        for name, value in fields.items():
            setattr(metadata, name, value)

    return change


def copied_metadata(metadata: FileMetaData) -> None:
    """Column `a` gets the plaintext meta_data of column `b`, with its own path."""
    copy, _ = fast.decode(structs.ColumnMetaData, encode.encode(chunk_of(metadata, 1).meta_data))
    copy.path_in_schema = ["a"]
    chunk_of(metadata).meta_data = copy


def twice() -> Callable[[], bytes]:
    """Nonces; the second repeats the first."""
    counter = itertools.count(1)

    def nonce() -> bytes:
        number = next(counter)
        return (1 if number == 2 else number).to_bytes(12, "big")

    return nonce


def both_prefixes(supply: bool) -> bytes:
    """A file that stores its AAD prefix; `supply` says that readers must supply it, too."""

    def change(metadata: FileMetaData) -> None:
        metadata.encryption_algorithm.AES_GCM_V1.supply_aad_prefix = supply

    return signed(change, aad_prefix=b"orders")


@functools.cache
def places() -> dict[str, tuple[int, int]]:
    """The bytes of modules of column `a`, by their addresses, in the file that `encrypted` writes."""
    with pqexplore.open(encrypted(), decryption=Decryption(**KEYS)) as file:
        wanted = [f"{A}/pages/1/header/module", *(f"{A}/pages/{n}/body" for n in range(3))]
        wanted += [f"row_groups/1/columns/0/pages/{n}/body" for n in range(3)]
        wanted += [f"{A}/{name}/module" for name in ("column_index", "offset_index")]
        wanted += [f"{A}/bloom_filter/header/module", f"{A}/bloom_filter/bitset"]
        return {at: (span.start, span.end) for at in wanted if (span := file.node(at).span)}


def tampered(address: str) -> bytes:
    """The file with a changed bit in the ciphertext of a module."""
    start, end = places()[address]
    data = bytearray(encrypted())
    data[(start + 16 + end) // 2] ^= 1
    return bytes(data)


def exchanged(one: str, other: str) -> bytes:
    """The file with two modules exchanged, which are equally long."""
    (a, b), (c, d) = places()[one], places()[other]
    assert b - a == d - c
    data = bytearray(encrypted())
    data[a:b], data[c:d] = data[c:d], data[a:b]
    return bytes(data)


def signing_key_only() -> bytes:
    return forged.one_column([forged.page([1])], file={"footer_signing_key_metadata": b"key"})


NUMBER = (7).to_bytes(8, "little")
UNSIGNED = {"column_keys": {"a": A_KEY}}

UNREAD = ("crc-mismatch",)
"""What is also wrong if a page of `a` cannot be decrypted; its entries in the page index are not judged."""

VIOLATIONS = [
    Violation("a page and its header under one nonce", "nonce-reused", lambda: encrypted(nonces=twice), encrypted,
        keys=KEYS),
    Violation("a page and its header under one nonce, seen without keys", "nonce-reused", lambda: signed(nonces=twice),
        signed),
    Violation("two modules under one nonce of the footer key", "nonce-reused",
        lambda: signed(nonces=twice, column_keys=None), lambda: signed(column_keys=None)),
    Violation("a file identifier of no bytes", "short-file-identifier",
        lambda: signed(file_unique=b"", aad_prefix=b"orders"), lambda: signed(file_unique=UNIQUE, aad_prefix=b"orders"),
        "warning", "footer_signature"),
    Violation("a file identifier of seven bytes, in an encrypted footer", "short-file-identifier",
        lambda: encrypted(file_unique=UNIQUE[:7]), encrypted, "warning", "crypto_metadata"),
    Violation("an AAD prefix that is stored, and that readers must supply", "aad-prefix-stored",
        lambda: both_prefixes(True), lambda: both_prefixes(False), "warning", "footer_signature"),
    Violation("two row groups with one ordinal", "row-group-ordinal-repeated", lambda: signed(ordinals(0, 0)),
        lambda: signed(ordinals(0, 1)), address="row_groups/1", also=("row-group-ordinal",)),
    Violation("two row groups with one ordinal, one of them by its position", "row-group-ordinal-repeated",
        lambda: signed(ordinals(1, None)), lambda: signed(ordinals(None, None)), address="row_groups/1",
        also=("row-group-ordinal",)),
    Violation("crypto_metadata of another column", "encrypted-path-disagrees", lambda: signed(renamed("b")),
        lambda: signed(renamed("a")), address=f"{A}/metadata/crypto_metadata"),
    Violation("crypto_metadata without a path", "encrypted-path-disagrees", lambda: signed(renamed()), signed,
        address=f"{A}/metadata/crypto_metadata"),
    Violation("statistics of an encrypted INT64 column in a plaintext footer", "plaintext-statistics",
        lambda: signed(with_statistics(NUMBER, 0)), signed, address=f"{A}/metadata/meta_data/statistics"),
    Violation("statistics of an encrypted BYTE_ARRAY column in a plaintext footer", "plaintext-statistics",
        lambda: signed(with_statistics(b"text", 1)), lambda: signed(without_statistics),
        address=f"{B}/metadata/meta_data/statistics"),
    Violation("statistics of a column that is encrypted, not of one beside it", "plaintext-statistics",
        lambda: signed(with_statistics(NUMBER, 0), **UNSIGNED), lambda: signed(**UNSIGNED),
        address=f"{A}/metadata/meta_data/statistics"),
    Violation("meta_data of a column with a key of its own in an encrypted footer", "column-metadata-place",
        lambda: encrypted(copied_metadata), encrypted, address=f"{A}/metadata/meta_data", keys=KEYS),
    Violation("no encrypted_column_metadata below a plaintext footer", "column-metadata-place",
        lambda: signed(set_chunk(encrypted_column_metadata=None)), signed,
        address=f"{A}/metadata/encrypted_column_metadata"),
    Violation("no encrypted_column_metadata of a column that shares the footer's key, below a plaintext footer",
        "column-metadata-place", lambda: signed(set_chunk(1, encrypted_column_metadata=None)), signed,
        address=f"{B}/metadata/encrypted_column_metadata"),
    Violation("no meta_data below a plaintext footer", "column-metadata-place",
        lambda: signed(set_chunk(meta_data=None)), signed, address=f"{A}/metadata/meta_data"),
    # Unreadable: it is no module.
    Violation("encrypted_column_metadata beside meta_data of a column that shares the footer's key",
        "column-metadata-place", lambda: encrypted(set_chunk(1, encrypted_column_metadata=bytes(40))), encrypted,
        address=f"{B}/metadata/encrypted_column_metadata", also=("unreadable",), keys=KEYS),
    Violation("encryption_algorithm in an encrypted footer", "signing-fields",
        lambda: encrypted(set_footer(encryption_algorithm=structs.EncryptionAlgorithm(AES_GCM_V1=structs.AesGcmV1()))),
        encrypted, address="footer/encryption_algorithm", keys=KEYS),
    Violation("footer_signing_key_metadata in an encrypted footer", "signing-fields",
        lambda: encrypted(set_footer(footer_signing_key_metadata=b"key")), lambda: signed(key_metadata={"": b"key"}),
        address="footer/footer_signing_key_metadata", keys=KEYS),
    Violation("footer_signing_key_metadata in a footer that is not signed", "signing-fields", signing_key_only,
        lambda: forged.one_column([forged.page([1])]), address="footer/footer_signing_key_metadata"),
    Violation("crypto_metadata in a file that is not encrypted", "unreadable",
        lambda: forged.one_column([forged.page([1])],
            crypto_metadata=structs.ColumnCryptoMetaData(ENCRYPTION_WITH_FOOTER_KEY=structs.EncryptionWithFooterKey())),
        lambda: forged.one_column([forged.page([1])]), address=A),
    *(Violation(f"a changed bit in the {name}", "unreadable", functools.partial(lambda at: tampered(at), f"{A}/{at}"),
        encrypted, address=where, also=UNREAD if where.endswith("pages/1") else (), keys=KEYS)
        for name, at, where in (
            ("header of a page", "pages/1/header/module", f"{A}/pages/1/header"),
            ("body of a page", "pages/1/body", f"{A}/pages/1"),
            ("column index", "column_index/module", f"{A}/column_index"),
            ("offset index", "offset_index/module", f"{A}/offset_index"),
            ("header of a Bloom filter", "bloom_filter/header/module", f"{A}/bloom_filter"),
            ("bitset of a Bloom filter", "bloom_filter/bitset", f"{A}/bloom_filter"),
        )
    ),
    Violation("two pages of a chunk exchanged", "unreadable",
        lambda: exchanged(f"{A}/pages/0/body", f"{A}/pages/1/body"), encrypted, address=f"{A}/pages/0", also=UNREAD,
        keys=KEYS),
    Violation("two pages of two row groups exchanged", "unreadable",
        lambda: exchanged(f"{A}/pages/1/body", "row_groups/1/columns/0/pages/1/body"), encrypted,
        address=f"{A}/pages/1", also=UNREAD, keys=KEYS),
]  # fmt: skip
