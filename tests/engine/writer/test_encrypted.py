"""Every mode of encryption: what was written is read with the keys, by this reader and by pyarrow, and not without."""

import datetime
import io
import itertools

import pyarrow as pa
import pyarrow.parquet as pq
import pyarrow.parquet.encryption as pe
import pytest
from engine.file.encrypted import assert_tiles
from made import ours
from needs import needs_pyarrow

import pqexplore
from pqexplore.engine.format.encryption.encryptor import counting_nonces
from pqexplore.engine.format.encryption.key_material import create
from pqexplore.engine.format.encryption.keys import LocalKms
from pqexplore.engine.writer.options import Encryption, WriteOptions

TABLE = pa.table(
    {
        "own": [i % 7 for i in range(40)],
        "shared": [f"text {i % 5}" for i in range(40)],
        "open": [[i] if i % 3 else None for i in range(40)],
    }
)
FOOTER, OWN = b"f" * 16, b"o" * 16
KEYS = {"own": OWN, "shared": None}
LAYOUT = {"page_rows": 7, "row_group_rows": 25, "bloom_filter": True}


def written(encryption, **options):
    return ours(TABLE, WriteOptions(encryption=encryption, **(LAYOUT | options)))


MODES = list(
    itertools.product(
        ["AES_GCM_V1", "AES_GCM_CTR_V1"],
        [False, True],
        [None, KEYS],
        [(b"", True), (b"prefix", True), (b"prefix", False)],
        [1, 2],
    )
)


@pytest.mark.parametrize("mode", MODES)
def test_encrypted_file_is_read_with_its_keys(mode):
    algorithm, plaintext_footer, column_keys, (prefix, stored), version = mode
    data = written(
        Encryption(
            FOOTER,
            column_keys,
            algorithm=algorithm,
            plaintext_footer=plaintext_footer,
            aad_prefix=prefix,
            store_aad_prefix=stored,
        ),
        page_version=version,
        codec="ZSTD",
    )
    assert (data[:4], data[-4:]) == ((b"PAR1",) * 2 if plaintext_footer else (b"PARE",) * 2)
    keys = {"own": OWN} if column_keys else None
    decryption = pqexplore.Decryption(FOOTER, keys, aad_prefix=None if stored else prefix)
    file = pqexplore.open(data, decryption=decryption)
    assert file.read().equals(TABLE)
    assert [finding for finding in file.check() if finding.severity.level == "error"] == []
    assert file.footer.signature_ok is (True if plaintext_footer else None)
    kinds = {row["kind"] for row in assert_tiles(file)}
    assert {"page_header", "column_index", "offset_index", "bloom_filter_bitset"} <= kinds and "gap" not in kinds
    for group in file.row_groups:
        for chunk in group.columns:
            assert chunk.statistics is not None
            assert chunk.offset_index is not None and chunk.column_index is not None
            first = next(page for page in chunk.pages if page.is_data)
            assert chunk.bloom_filter.probe(first.values[0].as_py()).hit


def test_only_the_column_without_its_key_is_locked():
    data = written(Encryption(FOOTER, KEYS, plaintext_footer=True))
    file = pqexplore.open(data)
    assert file.read(columns=["open"])["open"].equals(TABLE["open"])
    chunk = file.row_groups[0].columns["own"]
    assert chunk.locked
    assert chunk.struct.meta_data.statistics is None  # nothing of the values is in the open
    with pytest.raises(pqexplore.EncryptedFileError):
        file.read()


@pytest.mark.parametrize("size", [16, 24, 32])
def test_same_nonces_give_the_same_bytes_for_each_key_length(size):
    key = bytes(range(size))
    encryption = Encryption(key, file_unique=b"constant", nonces=counting_nonces)
    data = written(encryption)
    assert data == written(encryption)
    assert pqexplore.open(data, decryption=pqexplore.Decryption(key)).read().equals(TABLE)
    assert data != written(Encryption(key, file_unique=b"constant"))


class MasterKeys(pe.KmsClient):
    """pyarrow's side of a key service that this project has, too."""

    def __init__(self, _):
        super().__init__()
        self.local = LocalKms({"master": b"m" * 16})

    def wrap_key(self, key_bytes, master_key_identifier):
        return self.local.wrap_key(key_bytes, master_key_identifier)

    def unwrap_key(self, wrapped_key, master_key_identifier):
        return self.local.unwrap_key(wrapped_key, master_key_identifier)


@pytest.mark.parametrize("algorithm", ["AES_GCM_V1", "AES_GCM_CTR_V1"])
@pytest.mark.parametrize(
    "plaintext_footer",
    [False, pytest.param(True, marks=needs_pyarrow(15, "it verifies the signature over a footer that it writes anew"))],
)
@pytest.mark.parametrize("version", [1, 2])
def test_pyarrow_reads_an_encrypted_file(algorithm, plaintext_footer, version):
    kms = LocalKms({"master": b"m" * 16})
    # Of a column under the footer's key pyarrow asks for no metadata; a list's leaf has a path of its own.
    keys = {"own": OWN, "shared": b"s" * 16, "open.list.element": b"l" * 16}
    metadata = {path: create(key, "master", kms) for path, key in keys.items()}
    metadata[""] = create(FOOTER, "master", kms, is_footer_key=True)
    encryption = Encryption(FOOTER, keys, algorithm=algorithm, plaintext_footer=plaintext_footer, key_metadata=metadata)
    data = written(encryption, page_version=version)
    factory = pe.CryptoFactory(MasterKeys)
    properties = factory.file_decryption_properties(
        pe.KmsConnectionConfig(), pe.DecryptionConfiguration(cache_lifetime=datetime.timedelta(minutes=5))
    )
    read = pq.ParquetFile(io.BytesIO(data), decryption_properties=properties).read()
    assert read.equals(TABLE)
    assert pqexplore.open(data, decryption=pqexplore.Decryption(kms=kms)).read().equals(TABLE)
