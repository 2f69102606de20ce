"""What the file is, at a glance: size, rows, writer, and which parts of the format it uses."""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from pqexplore.engine.errors import ParquetError, located
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.footer import ENCRYPTED_MAGIC
from pqexplore.engine.file.page_headers import read_header
from pqexplore.engine.file.window import Window
from pqexplore.engine.finding import Finding
from pqexplore.engine.format.thrift import structs
from pqexplore.insight import short_text
from pqexplore.insight.diff.second_file import second
from pqexplore.insight.findings_at import flagged
from pqexplore.insight.places import is_encrypted

SAMPLE = 2_000
"""Column chunks looked at for the badges."""

NAMES = 2_000
"""Column names that are sent."""

Badge = dict[str, str]

T = TypeVar("T")


def identity(file: ParquetFile) -> dict[str, Any]:
    """Name, size, counts, writer, badges, column names. What a locked or damaged footer does not give is None.

    `decrypts`: keys opened a part. `local`: reading costs no round trips, so that the explorer looks at all bytes by itself.
    """
    metadata = file.metadata
    groups = metadata.row_groups if metadata is not None else None
    leaves = _or_none(lambda: file.schema.leaves)
    return {
        "name": short_text.shorten(os.path.basename(file.name.rstrip("/")) or file.name, 200),
        "source": short_text.shorten(file.name, 500),
        "size": file.size,
        "rows": _or_none(lambda: file.num_rows),
        "row_groups": None if groups is None else len(groups),
        "columns": None if leaves is None else len(leaves),
        "created_by": _or_none(lambda: short_text.shorten(file.created_by or "", 200)),
        "badges": badges(file),
        "column_names": [short_text.shorten_name(".".join(leaf.path), 120) for leaf in (leaves or ())[:NAMES]],
        "decrypts": decrypted(file, second()),
        "local": file.source.local,
        "findings": [finding(one) for one in flagged(file, file.root)[:200]],
    }


def finding(found: Finding) -> dict[str, str]:
    """A finding for the view."""
    return {
        "rule": found.rule,
        "severity": found.severity.value,
        "address": found.address,
        "sentence": short_text.shorten(found.sentence, 1_000),
    }


def decrypted(*files: ParquetFile | None) -> bool:
    """Whether one of the files is encrypted and was opened with keys."""
    ciphers = [one.footer.cipher for one in files if one is not None and is_encrypted(one)]
    rings = [cipher.keys.decryption for cipher in ciphers if cipher is not None]
    return any(ring.given() or ring.kms is not None for ring in rings)


def badges(file: ParquetFile) -> list[Badge]:
    """What the file has and has not: `has` is all, some, none or unknown; `note` says more.

    Encryption comes first. Of a file with many column chunks the first ones are looked at, and the note says so.
    """
    chunks = list(itertools.islice(_chunks(file), SAMPLE + 1))
    sampled = len(chunks) > SAMPLE
    chunks = chunks[:SAMPLE]

    def share(name: str, has: Callable[[structs.ColumnChunk], bool]) -> Badge:
        if not chunks:
            return {"name": name, "has": "unknown", "note": "the footer tells of no column chunks"}
        count = sum(bool(has(chunk)) for chunk in chunks)
        state = "all" if count == len(chunks) else "some" if count else "none"
        of = f"{count:,} of {'the first ' if sampled else ''}{len(chunks):,} column chunks"
        return {"name": name, "has": state, "note": of}

    def meta(chunk: structs.ColumnChunk, *names: str) -> bool:
        struct = chunk.meta_data
        return struct is not None and any(getattr(struct, name) is not None for name in names)

    return [
        _encryption(file, chunks),
        share("statistics", lambda c: meta(c, "statistics")),
        share("page index", lambda c: c.offset_index_offset is not None),
        share("Bloom filters", lambda c: meta(c, "bloom_filter_offset")),
        _checksums(file),
        share("size statistics", lambda c: meta(c, "size_statistics")),
    ]


def _chunks(file: ParquetFile) -> Iterator[structs.ColumnChunk]:
    """The ColumnChunk structs that can be read."""
    metadata = file.metadata
    for group in (metadata.row_groups or ()) if metadata is not None else ():
        columns = getattr(group, "columns", None) or ()
        for i in range(len(columns)):
            with contextlib.suppress(ParquetError):
                yield columns[i]


def _checksums(file: ParquetFile) -> Badge:
    """Whether the first data page has a checksum: one header says it, and no chunk is walked through."""
    name = "page checksums"

    def first_header() -> structs.PageHeader | None:
        chunk = file.row_groups[0].columns[0]
        if chunk.cipher is not None:
            return None
        start, end = chunk.metadata.data_page_offset, file.data_end
        if start is None or not 0 <= start < end:
            return None
        with located(chunk.address, start):
            return read_header(Window(chunk.home, start, end, end), start, end)[0]

    header = _or_none(first_header)
    if header is None:
        return {"name": name, "has": "unknown", "note": "there is no page header to look at"}
    if header.crc is None:
        return {"name": name, "has": "none", "note": "the first data page has none"}
    return {"name": name, "has": "all", "note": "the first data page has one"}


def _encryption(file: ParquetFile, chunks: list[structs.ColumnChunk]) -> Badge:
    footer = file.footer
    locked = sum(getattr(c, "crypto_metadata", None) is not None for c in chunks)
    if footer.magic == ENCRYPTED_MAGIC:
        return {"name": "encryption", "has": "all", "note": "encrypted footer" + (", no key" if footer.locked else "")}
    if locked:
        return {"name": "encryption", "has": "some", "note": f"{locked:,} of {len(chunks):,} column chunks"}
    signed = file.metadata is not None and file.metadata.encryption_algorithm is not None
    return {"name": "encryption", "has": "some" if signed else "none", "note": "signed footer" if signed else "none"}


def _or_none(make: Callable[[], T]) -> T | None:
    """What `make` gives, or None where the file does not allow it; the place itself says why when it is visited."""
    try:
        return make()
    except (ParquetError, IndexError):
        return None
