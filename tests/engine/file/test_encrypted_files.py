"""Encrypted files: what is read with keys, and what is seen without."""

import base64
import itertools
import json

import pyarrow.parquet as pq
import pytest
from engine.file.encrypted import ALL_KEYS, COLUMN_KEYS, assert_tiles, below, opened, table, written
from needs import needs_pyarrow

from pqexplore.engine.errors import EncryptedFileError

pe = pytest.importorskip("pyarrow.parquet.encryption")

# ---- what is read


# ---- files by pyarrow


class Kms(pe.KmsClient):
    """pyarrow's side of a key service: keys in base64, XORed with the master key."""

    MASTERS = {"kf": b"0123456789012345", "kc": b"1234567890123450"}

    def __init__(self, _configuration=None):
        super().__init__()

    def wrap_key(self, key, master_key_id):
        return base64.b64encode(self._mixed(key, master_key_id)).decode()

    def unwrap_key(self, wrapped, master_key_id):
        return self._mixed(base64.b64decode(wrapped), master_key_id)

    def _mixed(self, key, master_key_id):
        stream = itertools.cycle(self.MASTERS[master_key_id])
        return bytes(a ^ b for a, b in zip(key, stream, strict=False))


BY_PYARROW = {
    "uniform": {"uniform_encryption": True},
    "per column": {"column_keys": {"kc": ["name"], "kf": ["id"]}},
    "plaintext footer": {"column_keys": {"kc": ["name"]}, "plaintext_footer": True},
    "CTR": {"column_keys": {"kc": ["name", "id"]}, "encryption_algorithm": "AES_GCM_CTR_V1"},
    "wrapped once": {"column_keys": {"kc": ["name"]}, "double_wrapping": False},
    "256 bits": {"column_keys": {"kc": ["name"]}, "data_key_length_bits": 256},
    "external key material": {"column_keys": {"kc": ["name"]}, "internal_key_material": False},
}


def by_pyarrow(folder, **options):
    path = folder / "file.parquet"
    factory = pe.CryptoFactory(Kms)
    external = {"parquet_file_path": str(path)} if "internal_key_material" in options else {}
    properties = factory.file_encryption_properties(
        pe.KmsConnectionConfig(), pe.EncryptionConfiguration(footer_key="kf", **options), **external
    )
    pq.write_table(table(), path, encryption_properties=properties, row_group_size=40, data_page_size=64,
        write_batch_size=8, write_page_index=True)  # fmt: skip
    return path


NEWER = {
    "uniform": needs_pyarrow(21, "it does not encrypt uniformly"),
    "external key material": needs_pyarrow(23, "it writes no external key material"),
}
HOW = [pytest.param(how, marks=NEWER[how]) if how in NEWER else how for how in BY_PYARROW]


@pytest.mark.parametrize("how", HOW)
def test_encrypted_files_by_pyarrow_read_with_keys(how, tmp_path):
    path = by_pyarrow(tmp_path, **BY_PYARROW[how])
    with opened(path, kms=Kms()) as file:
        assert file.read().equals(table())
        assert_tiles(file)
        assert [f for f in file.check() if f.severity.level == "error"] == []
        assert all(node.state == "ok" for node in below(file.root))


@pytest.mark.parametrize("how", HOW)
def test_encrypted_files_by_pyarrow_without_keys_raise(how, tmp_path):
    path = by_pyarrow(tmp_path, **BY_PYARROW[how])
    with opened(path) as file:
        assert_tiles(file)
        with pytest.raises(EncryptedFileError) as raised:
            file.read()
        assert raised.value.address or raised.value.offset is not None
        if how == "plaintext footer":
            assert file.read(["id", "open"]).equals(table().select(["id", "open"]))
            assert 'asks for a data key wrapped twice with master key "kc"' in str(raised.value)
        else:
            assert file.metadata is None


# ---- without keys


def test_a_locked_column_says_what_it_is_and_which_key_it_asks_for():
    metadata = {"name": json.dumps({"key": "k1"}).encode(), "id": b"\xff\x01", "": b"footer 7"}
    data = written(encryption={"column_keys": COLUMN_KEYS, "plaintext_footer": True, "key_metadata": metadata})
    file = opened(data)
    assert file.read(["open"]).equals(table().select(["open"]))
    for index, asked in ((0, "the key with the metadata 0xff01"), (1, '{\\"key\\": \\"k1\\"}')):
        node = file.node(f"row_groups/0/columns/{index}")
        assert node.state == "locked"
        assert "AES_GCM_V1" in node.reason
        assert asked in node.reason
        facts = {fact.name: fact.value for fact in node.facts}
        assert facts["encryption algorithm"] == "AES_GCM_V1"
        assert facts["encryption key"] == "its own"
        with pytest.raises(EncryptedFileError, match=f"row_groups/0/columns/{index}"):
            _ = file.row_groups[0].columns[index].pages
    rules = [finding.rule for finding in file.check()]
    assert "signature-not-verified" in rules
    assert rules.count("locked") == 4


def test_the_modules_of_a_locked_column_can_be_counted():
    data = written(encryption={"column_keys": COLUMN_KEYS, "plaintext_footer": True})
    with opened(data) as file, opened(data, **ALL_KEYS) as open_file:
        locked = file.node("row_groups/0/columns/1/modules")
        chunk = open_file.row_groups[0].columns[1]
        starts = [place for f in chunk.frames.frames for place in (f.start, f.header_end)]
        assert [node.span.start for node in locked.children] == starts
        assert [node.label for node in locked.children[:2]] == ["page header", "page"]
        assert all(node.state == "locked" for node in locked.children)


def test_a_locked_footer_says_which_key_it_asks_for():
    data = written(encryption={"key_metadata": {"": b"footer 7"}})
    file = opened(data)
    assert (file.metadata, file.root.state) == (None, "locked")
    assert 'asks for the key "footer 7"' in file.node("footer").reason
    names = [child.name for child in file.node("footer/module").children]
    assert names == ["length", "nonce", "ciphertext", "tag"]
    parts = next(row for row in assert_tiles(file) if row["kind"] == "unknown_parts")
    facts = {fact.name: fact.value for fact in file.node(parts["address"]).facts}
    assert "encrypted modules" in facts["looks like"]
