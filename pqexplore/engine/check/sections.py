"""Checks the sections of a page: that the levels and values need all of their bytes, and how these are encoded."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from pqexplore.engine.address import Address
from pqexplore.engine.errors import CorruptFileError, UnsupportedFeatureError
from pqexplore.engine.file.page import DICTIONARY_ENCODINGS
from pqexplore.engine.finding import Finding
from pqexplore.engine.format.encodings import rle
from pqexplore.engine.format.encodings.bits import packed_size
from pqexplore.engine.format.encodings.encoding import Structure, WithLeftovers
from pqexplore.engine.format.encodings.plain import WIDTHS
from pqexplore.engine.format.encodings.run_scan import MAX_BIT_WIDTH, PREFIX_BYTES, fills
from pqexplore.engine.format.thrift.structs import Encoding, PageType, Type
from pqexplore.engine.rule import Severity
from pqexplore.engine.text import plural

if TYPE_CHECKING:
    from pqexplore.engine.file.page import Page
    from pqexplore.engine.file.page_sections import Section
    from pqexplore.engine.span import Span

EVIDENCE = 16
"""Bytes of a leftover that a finding has."""

PADDING = 8
"""Zero bytes that fastparquet writes after the values of each data page V1, and that readers skip."""

NO_PADDING = (
    "For data pages, the 3 pieces of information are encoded back to back, after the page header. No padding is allowed "
    "in the data page"
)
NUM_VALUES = "DictionaryPageHeader.num_values: Number of values in the dictionary"
NEEDLESS = (
    "If the column is not nested (i.e. the path to the column has length 1), we do not encode the repetition levels … For "
    "data that is required, the definition levels are skipped (if encoded, it will always have the value of the max "
    "definition level)"
)


def findings(page: Page) -> Iterator[Finding]:
    """Findings about the sections of a page; none of a section that cannot be scanned to its end.

    Raises ParquetError if the body of the page cannot be opened.
    """
    for section in page.body.sections:
        try:
            if _fills(page, section):
                continue
            structure = page.structure(section.name)
        except (CorruptFileError, UnsupportedFeatureError):
            continue
        if structure.error is None:
            yield from _findings(page, section, structure)


def _fills(page: Page, section: Section) -> bool:
    """Whether a section is seen, without its structure, to have exactly the bytes that the page needs.

    Levels and ids of few runs, and PLAIN values of fixed width: so nearly all sections of small pages. Raises
    ParquetError if the number of stored values is lost.
    """
    data, encoding = section.data, page.section_encoding(section.name)
    if section.name != "values":
        width = page.level_bits(section.name)
        if not page.is_data or not width or encoding != Encoding.RLE:
            return not data
        prefix = 0 if page.header.type == PageType.DATA_PAGE_V2 else PREFIX_BYTES
        return fills(data, width, page.num_values, prefix)
    if page.is_data and encoding in DICTIONARY_ENCODINGS:
        return bool(data) and data[0] <= MAX_BIT_WIDTH and fills(data, data[0], page.num_present, 1)
    if not page.is_data and page.encoding not in (Encoding.PLAIN, Encoding.PLAIN_DICTIONARY):
        return False
    leaf = page.chunk.leaf
    bits = 1 if leaf.physical_type == Type.BOOLEAN else 8 * WIDTHS.get(leaf.physical_type, 0)
    if encoding != Encoding.PLAIN or not bits:
        return False
    count = page.num_present if page.is_data else page.num_values
    return count >= 0 and len(data) == packed_size(bits, count)


def _findings(page: Page, section: Section, structure: Structure) -> Iterator[Finding]:
    own, begin = Address.of(page.address, section.name), section.span.start
    leftovers: dict[int | None, tuple[Address, Span]] = {}
    if isinstance(structure, WithLeftovers):
        found = page.leftovers(section.name).items()
        leftovers = {span.start - begin: (address, span) for address, span in found}
    for fault in structure.faults():
        place = leftovers.pop(fault.leftover, None)
        yield Finding(
            fault.rule,
            own if place is None else place[0],
            f"{_words(section)}: {fault.message}",
            fault.evidence,
            fault.specification,
        )
    for address, span in leftovers.values():
        yield _leftover(page, section, address, span)


def _words(section: Section) -> str:
    return section.name.replace("_", " ")


def _leftover(page: Page, section: Section, address: Address, span: Span) -> Finding:
    """A finding about bytes that no level and no value needs."""
    start = span.start - section.span.start
    data = section.data[start : start + len(span)]
    sample = bytes(data[:EVIDENCE])
    evidence = {"section": section.name, "start": start, "bytes": len(data), "first": sample.hex()}
    many, own = plural(len(data), "byte"), Address.of(page.address, section.name)
    if section.name != "values" and not page.level_bits(section.name) and _zeros(page, data):
        return Finding(
            "needless-levels",
            own,
            f"{_words(section)}: {many} for {page.num_values:,} times 0, which the column does not need",
            evidence,
        )
    if (
        section.name == "values"
        and page.header.type == PageType.DATA_PAGE
        and page.chunk.leaf.physical_type != Type.FIXED_LEN_BYTE_ARRAY
        and len(data) == PADDING
        and not any(data)
    ):
        return Finding("zero-padding", address, f"{len(data)} zero bytes follow the values", evidence)
    shown = f"{sample.hex(' ')}{' …' * (len(data) > len(sample))}"
    return Finding(
        "leftover-bytes",
        address,
        f"{_words(section)}: {many} left over, which no {'value' if section.name == 'values' else 'level'} needs: {shown}",
        evidence,
        NO_PADDING if page.is_data else NUM_VALUES,
        severity=Severity.DAMAGE if page.is_data else Severity.PORTABILITY,
    )


def _zeros(page: Page, data: memoryview) -> bool:
    """Whether bytes are runs of as many values without bits as the page has."""
    with suppress(CorruptFileError):
        found = rle.scan(data, 0, page.num_values)
        return found.error is None and found.end == len(data) > 0
    return False
