"""Checks the magics, the version, the footer's signature, and bytes that no part of the file owns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from pqexplore.engine.address import Address
from pqexplore.engine.file.footer import ENCRYPTED_MAGIC, MAGIC
from pqexplore.engine.finding import Finding
from pqexplore.engine.rule import Severity
from pqexplore.engine.tree import layout
from pqexplore.engine.tree.gap_reason import gap_reason, kind_of

if TYPE_CHECKING:
    from pqexplore.engine.check.sound_chunks import SoundGroup
    from pqexplore.engine.file.file import ParquetFile

GAPS_EXPLAINED = 1_000
"""Gaps whose bytes are examined; the others are counted."""


def findings(file: ParquetFile) -> Iterator[Finding]:
    """Findings about the opening magic, the signature and the version."""
    yield from _opening_magic(file)
    yield from _signature(file)
    yield from _version(file)


def _opening_magic(file: ParquetFile) -> Iterator[Finding]:
    file.source.keep_head()
    begins = bytes(file.source.read(0, 4))
    if begins != file.footer.magic:
        yield Finding(
            "opening-magic",
            "magic",
            f"the file begins with {begins!r} and ends with {file.footer.magic!r}; both should be the same",
            {"begins": begins, "ends": file.footer.magic},
            'The file begins and ends with the 4-byte magic number "PAR1"',
            severity=Severity.PORTABILITY if begins in (MAGIC, ENCRYPTED_MAGIC) else Severity.DAMAGE,
        )


def _signature(file: ParquetFile) -> Iterator[Finding]:
    if file.footer.signature_start is not None and file.footer.signature_ok is None:
        yield Finding(
            "signature-not-verified",
            "footer_signature",
            "the plaintext footer is signed; without the footer key the signature cannot be verified",
        )


def _version(file: ParquetFile) -> Iterator[Finding]:
    metadata = file.metadata
    if metadata is not None and metadata.version not in (None, 1, 2):
        yield Finding(
            "format-version",
            "footer/version",
            f"the format version is {metadata.version}; expected 1 or 2, which readers treat alike",
            {"version": metadata.version},
        )


def layout_findings(file: ParquetFile, sound: Mapping[int, SoundGroup] | None = None) -> Iterator[Finding]:
    """Bytes with two owners, and gaps: bytes without an owner, one finding for each kind of reason.

    `sound` are chunks, by row group, whose pages fill them.
    """
    reasons: dict[str, list[tuple[int, int]]] = {}
    whole: dict[str, str] = {}
    chunks = {index: (one.columns, one.starts, one.ends) for index, one in (sound or {}).items()}
    gaps = layout.gaps_between(file, chunks) if chunks else layout.gaps(file)
    yield from (finding for finding in file.findings if finding.rule == "overlap")
    for start, end in gaps[:GAPS_EXPLAINED]:
        reason = gap_reason(file, start, end)
        kind = kind_of(reason)
        whole.setdefault(kind, reason)
        reasons.setdefault(kind, []).append((start, end))
    if len(gaps) > GAPS_EXPLAINED:
        reasons["not examined"] = gaps[GAPS_EXPLAINED:]
    for kind, ranges in reasons.items():
        reason = whole.get(kind, kind) if len(ranges) == 1 else kind
        start, size = ranges[0][0], sum(end - start for start, end in ranges)
        many = f" in {len(ranges):,} places" if len(ranges) > 1 else ""
        yield Finding(
            "gap",
            Address.of("gaps", start),
            f"{size:,} bytes{many}, from byte {start:,} on, belong to no part of the file: {reason}",
            {"start": start, "bytes": size, "places": len(ranges), "reason": reason},
        )
