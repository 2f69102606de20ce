"""What can be seen of damage and of wrong statistics without decoding a value; the first screen begins with it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from pqexplore.engine.check.statistics import declared
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.column_chunk import ColumnChunk
from pqexplore.engine.file.file import ParquetFile

BYTES = 8 << 20
CHUNKS = 500
"""A larger file, or one with more column chunks, is not looked at: a first look takes a tenth of a second at most."""


def first_look(file: ParquetFile) -> Iterator[float]:
    """Notes the pages whose checksum is wrong, and statistics that contradict themselves. Yields how much is done.

    Computes the checksums of the stored bytes, and decompresses nothing. Does nothing for a file that is remote or large.
    """
    if not file.source.local or file.size > BYTES:
        return
    with contextlib.suppress(ParquetError):
        groups = file.row_groups
        if len(groups) * len(file.schema.leaves) > CHUNKS:
            return
        for done, group in enumerate(groups):
            for chunk in group.columns:
                with contextlib.suppress(ParquetError):
                    _note(chunk)
                yield done / len(groups)


def _note(chunk: ColumnChunk) -> None:
    if chunk.elsewhere or chunk.locked:
        return
    for finding in declared(chunk):
        chunk.file.note(finding)
    for page in chunk.pages:
        if page.crc_ok is False:
            from pqexplore.engine.file.chunk_reader import crc_finding  # decodes values, too

            chunk.file.note(crc_finding(page))
