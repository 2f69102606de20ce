"""Samples of encryption, with published keys and nonces that count up: never use them for secrets."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from pqexplore.engine.format.encryption.encryptor import counting_nonces
from pqexplore.engine.writer.options import Encryption
from pqexplore.engine.writer.samples.sample_file import Sample, extension_of, from_table

FOOTER_KEY = b"0123456789012345"
COLUMN_KEY = b"1234567890123450"
KEY_192 = b"012345678901234567890123"
AAD_PREFIX = b"pqexplore samples"


def _table() -> pa.Table:
    rows = range(300)
    return pa.table(
        {"open": [f"row {i}" for i in rows], "secret": [i * i % 97 for i in rows], "shared": [f"{i % 9}" for i in rows]}
    )


def _sample(name: str, sentence: str, keys: dict[str, Any], encryption: dict[str, Any], **options: Any) -> Sample:
    made = Encryption(**encryption, file_unique=name.encode()[:8].ljust(8, b"."), nonces=counting_nonces)
    sample = from_table(name, sentence, _table, encryption=made, row_group_rows=150, **options)
    return Sample(sample.name, sample.sentence, sample.write, keys)


_BOTH: dict[str, Any] = {
    "footer_key": FOOTER_KEY,
    "column_keys": {"secret": COLUMN_KEY, "shared": None},
    "key_metadata": {"": b"the footer's key", "secret": b"the key of column secret"},
}
_KEYS = {"footer_key": FOOTER_KEY, "column_keys": {"secret": COLUMN_KEY}}

UNIFORM = _sample(
    "encrypted",
    "Everything under one key, the footer too; the file begins and ends with PARE.",
    {"footer_key": FOOTER_KEY},
    {"footer_key": FOOTER_KEY},
)

AES_192 = _sample(
    "encrypted-aes-192", "Everything under one key of 192 bits.", {"footer_key": KEY_192}, {"footer_key": KEY_192}
)

COLUMN_KEYS = _sample(
    "encrypted-columns",
    "One column with a key of its own, one with the footer's, one in the open; the footer is encrypted.",
    _KEYS,
    _BOTH,
)

EXTENDED = _sample(
    "encrypted-extensions",
    "Field 32767 in every struct, those of the encryption included; readers without keys see those that are open.",
    _KEYS,
    _BOTH,
    extensions=extension_of(),
)

PLAINTEXT_FOOTER = _sample(
    "plaintext-footer-bloom",
    "The footer is signed and can be read; columns are encrypted, and their Bloom filters with them.",
    _KEYS,
    {**_BOTH, "plaintext_footer": True},
    bloom_filter=True,
)

CTR = _sample(
    "ctr-plaintext-footer",
    "Pages under CTR, the rest under GCM: V2 pages, two row groups, Bloom filters, a stored AAD prefix, an open footer.",
    _KEYS,
    {**_BOTH, "plaintext_footer": True, "algorithm": "AES_GCM_CTR_V1", "aad_prefix": AAD_PREFIX},
    bloom_filter=True,
    page_version=2,
    page_rows=50,
    extensions=extension_of("AesGcmCtrV1"),
)

SUPPLIED_AAD = _sample(
    "supplied-aad-prefix",
    "The AAD prefix is not in the file: a reader who does not know which file this should be cannot open it.",
    {"footer_key": FOOTER_KEY, "aad_prefix": AAD_PREFIX},
    {"footer_key": FOOTER_KEY, "aad_prefix": AAD_PREFIX, "store_aad_prefix": False},
)

SAMPLES: tuple[Sample, ...] = (*(UNIFORM, AES_192, COLUMN_KEYS, EXTENDED, PLAINTEXT_FOOTER, CTR, SUPPLIED_AAD),)
