"""The bytes of a file that nothing owns, with what they look like and the text in them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from pqexplore.engine.address import Address
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.span import Span
from pqexplore.engine.tree.gap_reason import SAMPLE, gap_reason, text_of
from pqexplore.insight import account


@dataclasses.dataclass(frozen=True, slots=True)
class Gap:
    """One gap: its address and bytes, what they look like, and the text at its beginning, "" if there is none."""

    address: str
    span: Span
    reason: str
    text: str


def gaps(file: ParquetFile) -> Iterator[Gap]:
    """The gaps of a local file, in the order of their bytes; those of another file are not read."""
    for start, end in account.gaps(file) if file.source.local else ():
        text = text_of(file.bytes(Span(start, min(end, start + SAMPLE))))
        reason = gap_reason(file, start, end)
        yield Gap(Address.of("gaps", start), Span(start, end), reason, text)
