"""The logical type FILE: the fields of its group, and the form of a checksum.

Source: specification, "FILE", https://github.com/apache/parquet-format/blob/master/LogicalTypes.md#file.
"""

from __future__ import annotations

import re

FIELDS = {
    "uri": "STRING",
    "offset": "INT64",
    "size": "INT64",
    "content_type": "STRING",
    "checksum": "STRING",
    "inline": "BYTE_ARRAY",
}
"""The fields of a FILE group and their types."""

_CHECKSUM = re.compile(r"ETAG:.+|MD5:[0-9a-f]{32}|CRC32C?:[0-9a-f]{8}|SHA-256:[0-9a-f]{64}", re.DOTALL)


def is_checksum(text: str) -> bool:
    """Whether `text` is `ALGORITHM:digest` with a known algorithm and a digest of its length."""
    return _CHECKSUM.fullmatch(text) is not None
