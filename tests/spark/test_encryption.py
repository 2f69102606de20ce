"""Files that Spark encrypts through parquet-java's key tools, read by us and by Spark."""

import base64
import os
from pathlib import Path

import pytest

import pqexplore
from pqexplore.engine.errors import EncryptedFileError
from pqexplore.engine.format.encryption.keys import LocalKms

if not os.environ.get("PQEXPLORE_REQUIRE_SPARK"):
    pytest.importorskip("pyspark", reason="pyspark is not installed")

MASTER_KEYS = {
    name: base64.b64decode(key)
    for name, key in {"keyA": "AAECAwQFBgcICQoLDA0ODw==", "keyB": "AAECAAECAAECAAECAAECAA=="}.items()
}
PER_COLUMN = {"parquet.encryption.column.keys": "keyA:ssn;keyB:place.x", "parquet.encryption.footer.key": "keyB"}
HOW = {
    "uniform": {"parquet.encryption.uniform.key": "keyA"},
    "per column": PER_COLUMN,
    "plaintext footer": PER_COLUMN | {"parquet.encryption.plaintext.footer": "true"},
    "CTR": PER_COLUMN | {"parquet.encryption.algorithm": "AES_GCM_CTR_V1"},
    "wrapped once": PER_COLUMN | {"parquet.encryption.double.wrapping": "false"},
    "256 bits": PER_COLUMN | {"parquet.encryption.data.key.length.bits": "256"},
    "external key material": PER_COLUMN
    | {"parquet.encryption.key.material.store.internally": "false"},
    "V2 pages": PER_COLUMN | {"parquet.writer.version": "PARQUET_2_0"},
    "Bloom filter": PER_COLUMN
    | {"parquet.bloom.filter.enabled#ssn": "true", "parquet.enable.dictionary": "false"},
    "many row groups": PER_COLUMN
    | {"parquet.block.size": "4096", "parquet.block.size.row.check.min": "10",
       "parquet.page.size": "512", "parquet.page.size.row.check.min": "10"},
}  # fmt: skip


@pytest.fixture(scope="module")
def frame(spark):
    return spark.range(0, 1000, 1, 1).selectExpr(
        "id",
        "concat('ssn-', id % 97) as ssn",
        "named_struct('x', id * 2, 'tags', array('a', cast(id as string))) as place",
    )


def written(frame, folder: Path, options: dict[str, str]) -> Path:
    frame.write.options(**options).parquet(str(folder / "out"))
    (path,) = (folder / "out").glob("part-*.parquet")
    return path


@pytest.mark.parametrize("how", HOW)
def test_what_spark_encrypts(spark, frame, tmp_path, how):
    path = written(frame, tmp_path, HOW[how])
    decryption = pqexplore.Decryption(kms=LocalKms(MASTER_KEYS))
    with pqexplore.open(path, decryption=decryption) as file:
        ours = file.read().to_pylist()
        layout = file.layout().to_pylist()
        wrong = [finding for finding in file.check() if finding.severity == "error"]
    theirs = [row.asDict(recursive=True) for row in spark.read.parquet(str(path)).collect()]
    assert ours == theirs
    assert len(ours) == 1000
    assert [row["start"] for row in layout] == [0, *(row["end"] for row in layout[:-1])]
    assert wrong == []


def test_without_keys_the_plaintext_columns_are_read(frame, tmp_path):
    path = written(frame, tmp_path, HOW["plaintext footer"])
    with pqexplore.open(path) as file:
        assert file.read(["id"]).column("id").to_pylist() == list(range(1000))
        with pytest.raises(EncryptedFileError, match='wrapped twice with master key "keyA"'):
            file.read(["ssn"])


def test_spark_reads_what_we_encrypt(spark, frame, tmp_path):
    """With key material in our files, Spark's own key service opens them."""
    import pyarrow as pa

    from pqexplore.engine.format.encryption import key_material
    from pqexplore.engine.writer.file import write
    from pqexplore.engine.writer.options import Encryption, WriteOptions

    kms, data_key, column_key = LocalKms(MASTER_KEYS), b"d" * 16, b"c" * 32
    metadata = {
        "": key_material.create(data_key, "keyB", kms, is_footer_key=True),
        "ssn": key_material.create(column_key, "keyA", kms),
    }
    table = pa.table({"id": range(100), "ssn": [f"ssn-{n}" for n in range(100)]})
    for plaintext_footer in (False, True):
        path = tmp_path / f"ours-{plaintext_footer}.parquet"
        encryption = Encryption(data_key, {"ssn": column_key}, key_metadata=metadata, plaintext_footer=plaintext_footer)
        write(table, str(path), WriteOptions(encryption=encryption, row_group_rows=30))
        rows = spark.read.parquet(str(path)).orderBy("id").collect()
        assert [row.asDict() for row in rows] == table.to_pylist()
