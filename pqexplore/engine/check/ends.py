"""The two ends of the file, and what lies between its parts: magics, version, signature, bytes that nobody owns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pqexplore.engine import layout
from pqexplore.engine.footer import ENCRYPTED_MAGIC, MAGIC
from pqexplore.engine.tree import Finding, join

if TYPE_CHECKING:
    from pqexplore.engine.file import ParquetFile

GAPS_EXPLAINED = 1_000
"""Gaps whose bytes are looked at; the others are counted."""


def findings(file: ParquetFile) -> Iterator[Finding]:
    """The file's ends."""
    yield from _opening_magic(file)
    yield from _signature(file)
    yield from _version(file)


def _opening_magic(file: ParquetFile) -> Iterator[Finding]:
    begins = bytes(file.source.read(0, 4))
    if begins != file.footer.magic:
        yield Finding(
            "opening-magic",
            "warning" if begins in (MAGIC, ENCRYPTED_MAGIC) else "error",
            "magic",
            f"the file begins with {begins!r}, and ends in {file.footer.magic!r}",
            {"begins": begins, "ends": file.footer.magic},
            'The file begins and ends with the 4-byte magic number "PAR1"',
        )


def _signature(file: ParquetFile) -> Iterator[Finding]:
    if file.footer.signature_start is not None and file.footer.signature_ok is None:
        yield Finding(
            "signature-not-verified",
            "note",
            "footer_signature",
            "the plaintext footer is signed; without the footer key the signature cannot be verified",
        )


def _version(file: ParquetFile) -> Iterator[Finding]:
    metadata = file.metadata
    if metadata is not None and metadata.version not in (1, 2):
        said = "is missing" if metadata.version is None else f"is {metadata.version}"
        yield Finding(
            "format-version",
            "warning",
            "footer/version",
            f"the format version {said}; 1 and 2 exist, and mean the same",
            {"version": metadata.version},
            "FileMetaData.version: Version of this file",
        )


def layout_findings(file: ParquetFile) -> Iterator[Finding]:
    """Bytes with two owners, and bytes that nobody owns: of these one finding for each reason."""
    reasons: dict[str, list[tuple[int, int]]] = {}
    gaps = layout.gaps(file)
    yield from (finding for finding in file.findings if finding.rule == "overlap")
    for start, end in gaps[:GAPS_EXPLAINED]:
        reason = layout.gap_reason(file, start, end)
        if reason.startswith("a second copy of"):
            reason = reason.rpartition(" of ")[0]  # of which column does not matter here
        reasons.setdefault(reason, []).append((start, end))
    if len(gaps) > GAPS_EXPLAINED:
        reasons["not looked into"] = gaps[GAPS_EXPLAINED:]
    for reason, places in reasons.items():
        start, size = places[0][0], sum(end - start for start, end in places)
        many = f" in {len(places):,} places" if len(places) > 1 else ""
        yield Finding(
            "gap",
            "note",
            join("gaps", start),
            f"{size:,} bytes{many}, from byte {start:,} on, belong to nothing: {reason}",
            {"start": start, "bytes": size, "places": len(places), "reason": reason},
        )
