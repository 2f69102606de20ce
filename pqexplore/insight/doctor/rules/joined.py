"""A rule about files that were written one after the other into one: readers see the last, and look for its pages in the first."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.footer import MAGIC
from pqexplore.engine.file.source import Source as Bytes
from pqexplore.engine.finding import Finding
from pqexplore.engine.rule import FOOTER, Cost, Rule, Severity, Source
from pqexplore.insight.doctor.subject import Subject
from pqexplore.insight.wording import listing, plural, size

FORMAT = Source("Parquet, file format", "https://parquet.apache.org/docs/file-format/")

LEAST = 12
"""Bytes of the smallest part: a magic, the length of its footer, and a magic."""

PARTS = 1_000
"""Parts that are looked for; the first ones of a longer chain count as one."""

LISTED, EVIDENCE = 4, 100
"""Parts that a sentence names, and that the evidence has."""

SEARCHED = 8 << 20
"""Bytes before the footer that are searched for the end of a part, where the parts do not follow each other by their lengths."""


@dataclasses.dataclass(frozen=True, slots=True)
class Part:
    """One of the files: where it begins and ends, its rows, and its columns."""

    start: int
    end: int
    rows: int
    columns: tuple[str, ...]


def parts(file: ParquetFile, subject: Subject | None = None) -> list[Part]:
    """The files that a file is made of, in the order of its bytes; one or none if it is one file."""
    found: list[Part] = []
    end = file.size
    with contextlib.suppress(ParquetError):
        while end and len(found) < PARTS:
            one = ParquetFile(_before(file, end), limits=file.limits) if found else file
            start = _begin(subject if subject is not None and not found else Subject(one))
            found.append(Part(start, end, one.num_rows, tuple(".".join(leaf.path) for leaf in one.schema.leaves)))
            end = start
    return found[::-1]


def _before(file: ParquetFile, end: int) -> Bytes:
    """The bytes of a file before `end`, as a file."""
    return Bytes(file.name, end, file.source.read, local=file.source.local)


def _begin(subject: Subject) -> int:
    """Where the file whose footer is read begins: after the end of another file; 0 if no such end is seen.

    The bytes before it are among those that the footer does not name, since its offsets count from there.
    """
    room, file = subject.unnamed, subject.file
    if room is None or room < LEAST or room > file.footer.start - 4:
        return 0
    if bytes(file.source.read(room - 4, 8)) == MAGIC + MAGIC:
        return room
    if not file.source.local:
        return 0
    low = max(0, file.footer.start - SEARCHED)
    at = bytes(file.source.read(low, max(0, room + 4 - low))).rfind(MAGIC + MAGIC)
    return 0 if at < 0 else low + at + 4


def joined(subject: Subject) -> Iterator[Finding]:
    """Several Parquet files, one after the other."""
    found = parts(subject.file, subject)
    if len(found) < 2:
        return
    *before, last = found
    alike = len({one.columns for one in found if one.columns}) == 1
    rows, lost = sum(one.rows for one in before), last.start
    listed = listing([f"{plural(one.rows, 'row')} from byte {one.start:,}" for one in before], most=LISTED)
    yield Finding(
        "joined-files",
        "",
        f"The file is {len(found):,} Parquet files one after the other, {'with the same columns' if alike else 'with different columns'}: "
        f"{listed}; then {plural(last.rows, 'row')} from byte {last.start:,}. Readers see the last footer only, and count its offsets "
        "from the beginning of the file: they look for its pages among those of the first.",
        {"parts": [dataclasses.asdict(one) for one in found[:EVIDENCE]]},
        rows=rows,
        cost=Cost(
            f"{plural(rows, 'row')} are lost, and the others are read from the wrong bytes", bytes=lost, rows=rows
        ),
        fix=f"Cut the file at byte {listing([f'{one.start:,}' for one in found[1:]], most=LISTED)}: each part of it is a file, the "
        f"first of {size(found[0].end)}.",
    )


RULES = (
    Rule(
        "joined-files", Severity.DAMAGE, FOOTER, "Several Parquet files in one",
        "Bytes of Parquet files cannot be joined: offsets count from the beginning of the file.",
        joined, FORMAT,
        f"At least {LEAST} bytes that no part of the footer names, which end with the end of a file and the beginning of another.",
        explains=("unreadable", "crc-mismatch", "unused-bytes", "chunk-outside", "overlap", "gap", "opening-magic"),
    ),
)  # fmt: skip
