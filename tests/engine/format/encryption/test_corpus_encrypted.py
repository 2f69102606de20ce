"""Files that parquet-java, Arrow and Spark encrypted, opened to the last page.

`open_file` is what a reader of files does, in thirty lines: it opens the footer, each column's metadata, each page
header, each page, the indexes and the Bloom filters, and gives what it decrypted, by place.
"""

import base64
import json
from pathlib import Path

import pytest

from pqexplore.engine.errors import CorruptFileError, EncryptedFileError
from pqexplore.engine.format.encryption.cipher import FileCipher
from pqexplore.engine.format.encryption.column_cipher import column_cipher
from pqexplore.engine.format.encryption.keys import Decryption, LocalKms
from pqexplore.engine.format.encryption.modules import SIGNATURE_BYTES, Module, ModuleType, module_size
from pqexplore.engine.format.encryption.nonces import NonceAudit
from pqexplore.engine.format.thrift import fast, structs

DIRECT = [
    "apache__parquet-testing/data/encrypt_columns_and_footer_aad.parquet.encrypted",
    "apache__parquet-testing/data/encrypt_columns_and_footer_bloom_filter.parquet.encrypted",
    "apache__parquet-testing/data/encrypt_columns_and_footer_ctr.parquet.encrypted",
    "apache__parquet-testing/data/encrypt_columns_and_footer_disable_aad_storage.parquet.encrypted",
    "apache__parquet-testing/data/encrypt_columns_plaintext_footer.parquet.encrypted",
    "apache__parquet-testing/data/external_key_material_java.parquet.encrypted",
    "apache__parquet-testing/data/uniform_encryption.parquet.encrypted",
    "apache__parquet-testing/data/aes256/encrypt_columns_and_footer.parquet.encrypted",
    "apache__parquet-testing/data/aes256/uniform_encryption.parquet.encrypted",
    "duckdb__duckdb/data/parquet-testing/encryption/arrow_uniform_encryption_ten_row_groups.parquet",
    "duckdb__duckdb/data/parquet-testing/encryption/encrypted_column.parquet",
    "hardwood-hq__hardwood/core/src/test/resources/encrypted_footer.parquet",
    "hardwood-hq__hardwood/core/src/test/resources/encrypted_plaintext_footer.parquet",
]
WRAPPED = [
    "spark-samples/enc_bloom_pageindex",
    "spark-samples/enc_external_keymaterial",
    "spark-samples/enc_footer_encrypted",
    "spark-samples/enc_plaintext_footer",
    "spark-samples/enc_uniform",
    "xskipper-v4-build/md_encA",
    "xskipper-v4-build/md_encPT",
]


class Opened:
    def __init__(self, path: Path, decryption: Decryption | None, data: bytes | None = None):
        self.data = path.read_bytes() if data is None else data
        self.modules: dict[str, bytes] = {}
        self.locked: list[str] = []
        self.audit = NonceAudit()
        end = len(self.data) - 8
        body = self.data[end - int.from_bytes(self.data[-8:-4], "little") : end]
        beside = {"sibling": lambda name: _read(path.parent / name), "file_name": path.name}
        if self.data[-4:] == b"PARE":
            crypto, size = fast.decode(structs.FileCryptoMetaData, body)
            self.cipher = FileCipher(crypto.encryption_algorithm, decryption, crypto.key_metadata, **beside)
            self.footer = self.cipher.decrypt_footer(body[size:])
            self.metadata = fast.decode(structs.FileMetaData, self.footer)[0]
            self.signed = None
        else:
            self.metadata, size = fast.decode(structs.FileMetaData, body)
            assert size == len(body) - SIGNATURE_BYTES
            self.cipher = FileCipher(
                self.metadata.encryption_algorithm, decryption, self.metadata.footer_signing_key_metadata, **beside
            )
            self.footer = body[:size]
            self.signature = body[size:]
        for position, group in enumerate(self.metadata.row_groups):
            for ordinal, chunk in enumerate(group.columns):
                at = position if group.ordinal is None else group.ordinal
                self._chunk(chunk, at, ordinal)

    def _chunk(self, chunk, group, ordinal):
        crypto = chunk.crypto_metadata
        own = crypto and crypto.ENCRYPTION_WITH_COLUMN_KEY
        path = tuple(own.path_in_schema if own else chunk.meta_data.path_in_schema)
        column = column_cipher(self.cipher, path, crypto, group, ordinal)
        if column is None:
            return
        if column.locked:
            self.locked.append(column.reason)
            return
        metadata = chunk.meta_data
        if chunk.encrypted_column_metadata is not None:
            plain = self._open(column, ModuleType.COLUMN_METADATA, chunk.encrypted_column_metadata, 0)
            metadata = fast.decode(structs.ColumnMetaData, plain)[0]
        assert metadata.path_in_schema == list(path)
        self._pages(column, metadata)
        for kind, struct, offset, length in (
            (ModuleType.COLUMN_INDEX, structs.ColumnIndex, chunk.column_index_offset, chunk.column_index_length),
            (ModuleType.OFFSET_INDEX, structs.OffsetIndex, chunk.offset_index_offset, chunk.offset_index_length),
        ):
            if offset is not None:
                plain = self._open(column, kind, self.data, offset)
                assert module_size(self.data, offset) == length
                assert structs.missing(fast.decode(struct, plain)[0]) == []
        if metadata.bloom_filter_offset is not None:
            offset = metadata.bloom_filter_offset
            plain = self._open(column, ModuleType.BLOOM_FILTER_HEADER, self.data, offset)
            header = fast.decode(structs.BloomFilterHeader, plain)[0]
            offset += module_size(self.data, offset)
            bitset = self._open(column, ModuleType.BLOOM_FILTER_BITSET, self.data, offset)
            assert len(bitset) == header.numBytes

    def _pages(self, column, metadata):
        offset = metadata.dictionary_page_offset or metadata.data_page_offset
        end = offset + metadata.total_compressed_size
        values = page = 0
        while offset < end:
            size = module_size(self.data, offset)
            window = self.data[offset : offset + size]
            first = page == 0 and values == 0 and not self._has(column, ModuleType.DICTIONARY_PAGE)
            kind, plain = column.decrypt_page_header(window, page, first=first)
            self._note(column, kind, window, plain, page)
            header = fast.decode(structs.PageHeader, plain)[0]
            offset += size
            data_page = kind == ModuleType.DATA_PAGE_HEADER
            assert data_page == (header.type != structs.PageType.DICTIONARY_PAGE)
            kind = ModuleType.DATA_PAGE if data_page else ModuleType.DICTIONARY_PAGE
            body = self._open(column, kind, self.data, offset, page if data_page else None)
            assert module_size(self.data, offset) == header.compressed_page_size
            assert len(body) == header.compressed_page_size - column.overhead(kind)
            offset += header.compressed_page_size
            if data_page:
                page += 1
                values += (header.data_page_header or header.data_page_header_v2).num_values
        assert values == metadata.num_values

    def _has(self, column, kind):
        return str(column.module(kind)) in self.modules

    def _open(self, column, kind, buffer, offset, page=None):
        window = buffer[offset : offset + module_size(buffer, offset)]
        plain = column.decrypt(kind, window, page)
        return self._note(column, kind, window, plain, page)

    def _note(self, column, kind, window, plain, page):
        with_page = kind in (ModuleType.DATA_PAGE, ModuleType.DATA_PAGE_HEADER)
        place = str(column.module(kind, page if with_page else None))
        assert place not in self.modules
        self.modules[place] = plain
        self.audit.add_frame(column.key(), window, column.frame(kind, window), place)
        return plain


def _read(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None


def keys_of(corpus: Path, name: str) -> dict:
    return json.loads((corpus / "keys.json").read_text())[name]


def direct_keys(corpus: Path, name: str) -> Decryption:
    keys = keys_of(corpus, name)
    return Decryption(
        footer_key=bytes.fromhex(keys["footer_key_hex"]),
        column_keys={p: bytes.fromhex(k) for p, k in keys["column_keys_hex"].items()},
        aad_prefix=keys["aad_prefix"],
    )


def master_keys(corpus: Path, name: str) -> Decryption:
    samples = json.loads((corpus / "keys-samples.json").read_text())[name.split("/")[0]]
    masters = samples["master_keys_base64"]
    return Decryption(kms=LocalKms({n: base64.b64decode(k) for n, k in masters.items()}))


def sample(corpus: Path, folder: str) -> Path:
    [path] = (corpus / folder).rglob("part-*.parquet")
    return path


@pytest.mark.parametrize("name", DIRECT)
def test_explicit_keys_open_every_module(corpus, name):
    opened = Opened(corpus / name, direct_keys(corpus, name))
    assert opened.modules
    assert opened.locked == []
    assert opened.audit.findings() == []
    assert not opened.cipher.aad_omitted
    if opened.data[-4:] == b"PAR1":
        assert opened.cipher.verify_footer_signature(opened.footer, opened.signature)


@pytest.mark.parametrize("name", WRAPPED)
def test_key_material_opens_every_module(corpus, name):
    opened = Opened(sample(corpus, name), master_keys(corpus, name))
    assert opened.modules
    assert opened.locked == []
    assert opened.audit.findings() == []
    if opened.data[-4:] == b"PAR1":
        assert opened.cipher.verify_footer_signature(opened.footer, opened.signature)


def test_the_keys_of_the_list_are_all_tried(corpus):
    assert sorted(json.loads((corpus / "keys.json").read_text())) == sorted(DIRECT)


class ToyKms:
    """Wraps a key as base64 of a prefix and the key."""

    def __init__(self, prefix: bytes = b""):
        self.prefix = prefix

    def unwrap_key(self, wrapped, master_key_id):
        return base64.b64decode(wrapped).removeprefix(self.prefix)


@pytest.mark.parametrize(
    ("name", "kms"),
    [
        (DIRECT[5], LocalKms({"kf": b"0123456789012345", "kc1": b"1234567890123450", "kc2": b"1234567890123451"})),
        (DIRECT[11], ToyKms()),
        (DIRECT[12], ToyKms()),
    ],
    ids=["external, double", "internal, double, PARE", "internal, double, PAR1"],
)
def test_other_key_services(corpus, name, kms):
    opened = Opened(corpus / name, Decryption(kms=kms))
    assert opened.locked == []
    assert opened.modules == Opened(corpus / name, direct_keys(corpus, name)).modules


def test_single_wrapping(corpus):
    name = DIRECT[10]

    class Sample:
        def unwrap_key(self, wrapped, master_key_id):
            assert master_key_id in ("footer_key", "col_key")
            return base64.b64decode(wrapped)[16:]

    opened = Opened(corpus / name, Decryption(kms=Sample()))
    assert opened.locked == []
    assert opened.cipher.verify_footer_signature(opened.footer, opened.signature)


def test_without_keys_a_plaintext_footer_names_the_key_of_each_column(corpus):
    opened = Opened(sample(corpus, "spark-samples/enc_plaintext_footer"), None)
    assert opened.locked == [
        'column "ssn" is encrypted (AES_GCM_V1) with a column key that was not given; the file asks for a data key '
        'wrapped twice with master key "keyA" '
        '(no kms is given that unwraps keys of master key "keyA"); '
        'pass Decryption(column_keys={"ssn": …})'
    ]
    with pytest.raises(EncryptedFileError, match='asks for a data key wrapped twice with master key "keyB"'):
        opened.cipher.verify_footer_signature(opened.footer, opened.signature)


def test_without_keys_an_encrypted_footer_names_its_key(corpus):
    with pytest.raises(EncryptedFileError) as caught:
        Opened(corpus / DIRECT[0], None)
    assert caught.value.message == (
        'the footer key was not given; the file is encrypted with AES_GCM_V1 and asks for the key "kf"; '
        "pass Decryption(footer_key=…)"
    )


def test_only_the_footer_key(corpus):
    keys = keys_of(corpus, DIRECT[0])
    opened = Opened(corpus / DIRECT[0], Decryption(footer_key=bytes.fromhex(keys["footer_key_hex"])))
    assert [reason.split(" is encrypted")[0] for reason in opened.locked] == [
        'column "float_field"',
        'column "double_field"',
    ]
    assert opened.metadata.num_rows == 50


def test_a_missing_aad_prefix(corpus):
    keys = keys_of(corpus, DIRECT[3])
    footer_key = bytes.fromhex(keys["footer_key_hex"])
    with pytest.raises(EncryptedFileError, match="does not store its AAD prefix"):
        Opened(corpus / DIRECT[3], Decryption(footer_key=footer_key))
    with pytest.raises(EncryptedFileError, match="AAD prefix that was given is not the one"):
        Opened(corpus / DIRECT[3], Decryption(footer_key=footer_key, aad_prefix="someone else"))


def test_a_forged_plaintext_footer(corpus):
    opened = Opened(corpus / DIRECT[4], direct_keys(corpus, DIRECT[4]))
    forged = opened.footer.replace(b"float_field", b"fl0at_field")
    assert forged != opened.footer
    with pytest.raises(CorruptFileError, match="was changed after it was signed"):
        opened.cipher.verify_footer_signature(forged, opened.signature)


def test_pages_swapped_between_row_groups(corpus):
    name = DIRECT[9]
    keys = direct_keys(corpus, name)
    opened = Opened(corpus / name, keys)
    first, second = (group.columns[0].meta_data for group in opened.metadata.row_groups[:2])
    data = bytearray(opened.data)
    a, b = first.dictionary_page_offset, second.dictionary_page_offset
    size = module_size(data, a)
    assert module_size(data, b) == size
    data[a : a + size], data[b : b + size] = data[b : b + size], data[a : a + size]
    with pytest.raises(CorruptFileError) as caught:
        Opened(corpus / name, keys, bytes(data))
    assert "is another module, put here" in str(caught.value)
    assert str(Module(ModuleType.DICTIONARY_PAGE_HEADER, 1, 0)) in str(caught.value)
