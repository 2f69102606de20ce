"""Files that Spark encrypts through parquet-java's key tools, read by us and by Spark."""

import base64

import pyarrow as pa
import pytest

import pqexplore
from pqexplore.engine.errors import EncryptedFileError
from pqexplore.engine.format.encryption import key_material
from pqexplore.engine.format.encryption.keys import LocalKms
from pqexplore.engine.writer.file import write
from pqexplore.engine.writer.options import Encryption, WriteOptions

from .conftest import MASTER_KEYS, at_once

KMS = LocalKms({name: base64.b64decode(key) for name, key in MASTER_KEYS.items()})
PER_COLUMN = {"parquet.encryption.column.keys": "keyA:ssn;keyB:place.x", "parquet.encryption.footer.key": "keyB"}
HOW = {
    "uniform": {"parquet.encryption.uniform.key": "keyA"},
    "per column": PER_COLUMN,
    "plaintext footer": PER_COLUMN | {"parquet.encryption.plaintext.footer": "true"},
    "CTR": PER_COLUMN | {"parquet.encryption.algorithm": "AES_GCM_CTR_V1"},
    "wrapped once": PER_COLUMN | {"parquet.encryption.double.wrapping": "false"},
    "256 bits": PER_COLUMN | {"parquet.encryption.data.key.length.bits": "256"},
    "external key material": PER_COLUMN | {"parquet.encryption.key.material.store.internally": "false"},
    "V2 pages": PER_COLUMN | {"parquet.writer.version": "PARQUET_2_0"},
    "Bloom filter": PER_COLUMN | {"parquet.bloom.filter.enabled#ssn": "true", "parquet.enable.dictionary": "false"},
    "many row groups": PER_COLUMN | {"parquet.block.size": "4096", "parquet.block.size.row.check.min": "10",
        "parquet.page.size": "512", "parquet.page.size.row.check.min": "10"},
}  # fmt: skip


@pytest.fixture(scope="module")
def frame(spark):
    return spark.range(0, 1000, 1, 1).selectExpr(
        "id",
        "concat('ssn-', id % 97) as ssn",
        "named_struct('x', id * 2, 'tags', array('a', cast(id as string))) as place",
    )


@pytest.fixture(scope="module")
def rows(frame):
    return [row.asDict(recursive=True) for row in frame.collect()]


@pytest.fixture(scope="module")
def written(frame, tmp_path_factory):
    """The file that Spark writes, by how."""

    def write(how):
        folder = tmp_path_factory.mktemp("encrypted") / "out"
        frame.write.options(**HOW[how]).parquet(str(folder))
        [path] = folder.glob("part-*.parquet")
        return path

    return dict(zip(HOW, at_once(write, HOW), strict=True))


@pytest.mark.parametrize("how", HOW)
def test_what_spark_encrypts(written, rows, how):
    with pqexplore.open(written[how], decryption=pqexplore.Decryption(kms=KMS)) as file:
        assert file.read().to_pylist() == rows
        layout = file.layout().to_pylist()
        assert [row["start"] for row in layout] == [0, *(row["end"] for row in layout[:-1])]
        assert [finding for finding in file.check() if finding.severity.level == "error"] == []


def test_without_keys_the_plaintext_columns_are_read(written):
    with pqexplore.open(written["plaintext footer"]) as file:
        assert file.read(["id"]).column("id").to_pylist() == list(range(1000))
        with pytest.raises(EncryptedFileError, match='wrapped twice with master key "keyA"'):
            file.read(["ssn"])


def test_spark_reads_what_we_encrypt(spark, tmp_path):
    """With key material in our files, Spark's own key service opens them."""
    data_key, column_key = b"d" * 16, b"c" * 32
    metadata = {
        "": key_material.create(data_key, "keyB", KMS, is_footer_key=True),
        "ssn": key_material.create(column_key, "keyA", KMS),
    }
    table = pa.table({"id": range(100), "ssn": [f"ssn-{n}" for n in range(100)]})
    for plaintext_footer in (False, True):
        path = tmp_path / f"ours-{plaintext_footer}.parquet"
        encryption = Encryption(data_key, {"ssn": column_key}, key_metadata=metadata, plaintext_footer=plaintext_footer)
        write(table, str(path), WriteOptions(encryption=encryption, row_group_rows=30))
        assert [row.asDict() for row in spark.read.parquet(str(path)).collect()] == table.to_pylist()
