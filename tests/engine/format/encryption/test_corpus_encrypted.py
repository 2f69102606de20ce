"""Files that parquet-java, Arrow and Spark encrypted, opened to the last page by the reader of files."""

import base64
import json
from pathlib import Path

import pytest
from engine.file.encrypted import below

import pqexplore
from pqexplore.engine.errors import CorruptFileError, EncryptedFileError
from pqexplore.engine.format.encryption.keys import Decryption, LocalKms

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
    "spark-samples/enc_bloom_pageindex", "spark-samples/enc_external_keymaterial", "spark-samples/enc_footer_encrypted",
    "spark-samples/enc_plaintext_footer", "spark-samples/enc_uniform", "xskipper-v4-build/md_encA",
    "xskipper-v4-build/md_encPT",
]  # fmt: skip


def opened(path: Path, decryption: Decryption | None):
    return pqexplore.open(path, decryption=decryption)


def assert_all_is_opened(file) -> None:
    """All values, indexes and filters are decrypted, every module has its parts, and no nonce comes twice."""
    assert file.read().num_rows == file.num_rows
    assert {one.rule for one in file.check() if one.severity.level == "error" or one.rule == "locked"} == set()
    assert {node.state for node in below(file.root)} == {"ok"}
    for chunk in file.chunks():
        assert not chunk.locked
        assert chunk.bloom_filter is None or chunk.bloom_filter.occupancy().bits
    assert not file.footer.cipher.aad_omitted
    assert file.footer.signature_ok is (True if file.footer.crypto_metadata is None else None)


def direct_keys(corpus: Path, name: str) -> Decryption:
    keys = json.loads((corpus / "keys.json").read_text())[name]
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
    with opened(corpus / name, direct_keys(corpus, name)) as file:
        assert_all_is_opened(file)


@pytest.mark.parametrize("name", WRAPPED)
def test_key_material_opens_every_module(corpus, name):
    with opened(sample(corpus, name), master_keys(corpus, name)) as file:
        assert_all_is_opened(file)


def test_the_keys_of_the_list_are_all_tried(corpus):
    assert sorted(json.loads((corpus / "keys.json").read_text())) == sorted(DIRECT)


class ToyKms:
    """Wraps a key as base64 of some bytes and the key."""

    def __init__(self, before: int = 0):
        self.before = before

    def unwrap_key(self, wrapped, master_key_id):
        return base64.b64decode(wrapped)[self.before :]


@pytest.mark.parametrize(
    ("name", "kms"),
    [
        (DIRECT[5], LocalKms({"kf": b"0123456789012345", "kc1": b"1234567890123450", "kc2": b"1234567890123451"})),
        (DIRECT[10], ToyKms(16)),
        (DIRECT[11], ToyKms()),
        (DIRECT[12], ToyKms()),
    ],
    ids=["external, double", "single", "internal, double, PARE", "internal, double, PAR1"],
)
def test_other_key_services(corpus, name, kms):
    with opened(corpus / name, Decryption(kms=kms)) as file, opened(corpus / name, direct_keys(corpus, name)) as other:
        assert file.read().equals(other.read())


def test_without_keys_a_plaintext_footer_names_the_key_of_each_column(corpus):
    with opened(sample(corpus, "spark-samples/enc_plaintext_footer"), None) as file:
        [locked] = [chunk.column_cipher.reason for chunk in file.chunks() if chunk.locked]
        assert locked == (
            'column "ssn" is encrypted (AES_GCM_V1) with a column key that was not given; the file asks for a data key '
            'wrapped twice with master key "keyA" '
            '(no kms is given that unwraps keys of master key "keyA"); '
            'pass Decryption(column_keys={"ssn": …})'
        )
        assert 'asks for a data key wrapped twice with master key "keyB"' in file.footer.cipher.footer_reason


def test_without_keys_an_encrypted_footer_names_its_key(corpus):
    with opened(corpus / DIRECT[0], None) as file:
        assert file.footer.cipher.footer_reason == (
            'the footer key was not given; the file is encrypted with AES_GCM_V1 and asks for the key "kf"; '
            "pass Decryption(footer_key=…)"
        )


def test_only_the_footer_key(corpus):
    with opened(corpus / DIRECT[0], Decryption(footer_key=direct_keys(corpus, DIRECT[0]).footer_key)) as file:
        assert [chunk.leaf.name for chunk in file.chunks() if chunk.locked] == ["float_field", "double_field"]
        assert file.num_rows == 50


def test_a_missing_aad_prefix(corpus):
    footer_key = direct_keys(corpus, DIRECT[3]).footer_key
    with pytest.raises(EncryptedFileError, match="does not store its AAD prefix"):
        opened(corpus / DIRECT[3], Decryption(footer_key=footer_key))
    with pytest.raises(EncryptedFileError, match="AAD prefix that was given is not the one"):
        opened(corpus / DIRECT[3], Decryption(footer_key=footer_key, aad_prefix="someone else"))


def test_a_forged_plaintext_footer(corpus):
    data = (corpus / DIRECT[4]).read_bytes()
    at = data.rindex(b"float_field")
    with pytest.raises(CorruptFileError, match="was changed after it was signed"):
        opened(data[:at] + b"fl0at_field" + data[at + 11 :], direct_keys(corpus, DIRECT[4]))


def test_pages_swapped_between_row_groups(corpus):
    keys, data = direct_keys(corpus, DIRECT[9]), bytearray((corpus / DIRECT[9]).read_bytes())
    with opened(bytes(data), keys) as file:
        first, second = (group.columns[0].frames.frames[0] for group in file.row_groups[:2])
    assert first.end - first.start == second.end - second.start
    one, other = data[first.start : first.end], data[second.start : second.end]
    data[first.start : first.end], data[second.start : second.end] = other, one
    with pytest.raises(CorruptFileError, match="is another module, put here") as caught:
        opened(bytes(data), keys).read()
    assert "dictionary page header, row group 1, column 0" in str(caught.value)
