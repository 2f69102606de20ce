"""Encrypted files as our writer makes them, and their parts."""

import pyarrow as pa
from made import ours

import pqexplore
from pqexplore.engine.format.encryption.encryptor import counting_nonces
from pqexplore.engine.writer.options import Encryption, WriteOptions

FOOTER_KEY, ID_KEY, NAME_KEY, OTHER_KEY = (bytes([n]) * 16 for n in (0xF1, 0xA2, 0xB3, 0xC4))
SECRET = "the secret value"
COLUMN_KEYS = {"id": ID_KEY, "name": NAME_KEY}


def table(rows=60):
    return pa.table(
        {
            "id": pa.array(range(rows), pa.int64()),
            "name": pa.array([SECRET if n % 3 else None for n in range(rows)]),
            "open": pa.array([n / 2 for n in range(rows)], pa.float64()),
        }
    )


def written(data=None, *, encryption=None, **options):
    """A file as our writer encrypts it; `encryption` are the arguments of `Encryption`."""
    given = {"footer_key": FOOTER_KEY, "nonces": counting_nonces, "file_unique": b"8 bytes!"}
    chosen = {"bloom_filter": True, "row_group_rows": 40, "page_rows": 15} | options
    return ours(
        table() if data is None else data, WriteOptions(encryption=Encryption(**given | (encryption or {})), **chosen)
    )


def opened(data, **keys):
    return pqexplore.open(data, decryption=pqexplore.Decryption(**keys) if keys else None)


ALL_KEYS = {"footer_key": FOOTER_KEY, "column_keys": COLUMN_KEYS}
OWN_KEYS = {"column_keys": {**COLUMN_KEYS, "open": None}}


def below(node):
    """The node and all below it; values left out."""
    yield node
    for child in node.children:
        if child.kind not in ("value", "level"):
            yield from below(child)


def modules(file):
    """Every node with a module's parts: (node, its children)."""
    for node in below(file.root):
        parts = [child for child in node.children if child.kind.startswith("module_")]
        if parts:
            yield node, parts


def assert_tiles(file):
    rows = file.layout().to_pylist()
    assert [row["start"] for row in rows] == [0, *(row["end"] for row in rows[:-1])]
    assert rows[-1]["end"] == file.size
    return rows
