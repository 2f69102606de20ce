"""Finds values that their type does not allow, and the row of the first one.

Decimals with too many digits or no bytes, and INT96 of days that no timestamp reaches, are here, and not in `check`,
because they are read all the same (`format.decimal`, `format.int96`): whatever reads one notes a finding.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from pqexplore.engine import compute as pc
from pqexplore.engine.address import Address
from pqexplore.engine.arrays import Mask
from pqexplore.engine.finding import Finding
from pqexplore.engine.format import decimal, int96
from pqexplore.engine.format.logical import meaning
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.engine.format.value_text import format_value
from pqexplore.engine.rule import RULES, Severity
from pqexplore.engine.text import clip, name

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.file.page import Page
    from pqexplore.engine.format.field import Leaf

MAX_SHOWN = 80
"""Characters of a value in a message."""
MAX_BYTES = 2_000
"""Bytes of a value in the evidence, and from which a message is made."""


def row_of(page: Page, index: int, first_row: int) -> int:
    """The row, in its row group, of the stored value `index` of a data page; `first_row` rows begin before the page."""
    definition, repetition = page.definition_levels, page.repetition_levels
    entry = index
    if definition is not None:
        entry = int(np.flatnonzero(definition == page.chunk.leaf.max_definition_level)[index])
    if repetition is None:
        return first_row + entry
    return first_row + int(np.count_nonzero(repetition[: entry + 1] == 0)) - 1


def num_rows(page: Page) -> int:
    """The records that begin in a data page, by its repetition levels."""
    repetition = page.repetition_levels
    return page.num_values if repetition is None else int(np.count_nonzero(repetition == 0))


def value_finding(
    page: Page,
    physical: pa.Array,
    wrong: Mask,
    rule: str,
    words: str,
    specification: str = "",
    *,
    first_row: int | None = None,
    first: int = 0,
    text: str | None = None,
    severity: Severity | None = None,
) -> Finding | None:
    """A finding about the first value of a page that is `wrong`; None if none is.

    `physical` are stored values of the page from number `first` on. `words` say what the value does wrong. The row in the
    row group is named if `first_row` is given, the rows before the page. `text` is the value as text.
    """
    count = int(np.count_nonzero(wrong))
    if not count:
        return None
    index = int(np.argmax(wrong))
    stored = physical[index].as_py()
    if isinstance(stored, bytes):
        stored = stored[:MAX_BYTES]
    shown = format_value(page.chunk.leaf, stored) if text is None else text
    evidence: dict[str, Any] = {"values": count, "value": stored}
    row = ""
    if first_row is not None:
        evidence["row"] = row_of(page, first + index, first_row)
        row = f" in row {evidence['row']:,} of the row group"
    others = f"; the page has {count:,} such values" if count > 1 else ""
    return Finding(
        rule,
        Address.of(page.address, "values", first + index),
        f"{clip(shown, MAX_SHOWN) or 'an empty value'}{row} {words}{others}",
        evidence,
        specification,
        severity=severity or RULES[rule].severity,
    )


def as_binary(leaf: Leaf) -> Finding | None:
    """A finding about a column of decimals that no Arrow decimal holds; None for other columns."""
    precision = meaning(leaf).precision
    if precision <= decimal.MAX_DIGITS:
        return None
    return Finding(
        "decimal-as-binary",
        Address.of("schema", leaf.index),
        f"column {name(leaf.path)} has {precision:,} digits; read() returns binary, because Arrow's decimals have at "
        f"most {decimal.MAX_DIGITS}",
        {"precision": precision},
    )


def _is_empty(leaf: Leaf, physical: pa.Array) -> Mask:
    """Which values have no bytes."""
    if leaf.physical_type != Type.BYTE_ARRAY:
        return np.zeros(len(physical), np.bool_)
    empty: Mask = pc.equal(pc.binary_length(physical), 0).to_numpy(zero_copy_only=False)
    return empty


def decimals(page: Page, physical: pa.Array, first_row: int | None = None, first: int = 0) -> Iterator[Finding]:
    """Findings about decimals with too many digits, and of no bytes; the arguments are those of `value_finding`."""
    leaf = page.chunk.leaf
    logical = meaning(leaf)
    if logical.name != "DECIMAL":
        return
    for wrong, rule, words, specification in (
        (
            decimal.beyond(physical, logical.precision),
            "decimal-beyond-precision",
            f"has more digits than the precision, {logical.precision}, allows; the column is read in a wider type",
            "the precision stores the maximum number of digits supported in the unscaled value",
        ),
        (
            _is_empty(leaf, physical),
            "decimal-no-bytes",
            "is a decimal of no bytes; some readers take it for 0, as it is read here, and others fail",
            "the unscaled number must be encoded as two's complement using big-endian byte order",
        ),
    ):
        finding = value_finding(page, physical, wrong, rule, words, specification, first_row=first_row, first=first)
        if finding is not None:
            yield finding


def int96_days(page: Page, physical: pa.Array, first_row: int | None = None, first: int = 0) -> Finding | None:
    """The finding about INT96 of days that no timestamp reaches; the arguments are those of `value_finding`."""
    if page.chunk.leaf.physical_type != Type.INT96:
        return None
    return value_finding(
        page,
        physical,
        int96.beyond(physical),
        "int96-out-of-range",
        "is out of the range of a timestamp in microseconds; read() returns the column as its 12 bytes, and readers that "
        "make timestamps of them give wrong values",
        first_row=first_row,
        first=first,
    )


def _of_values(page: Page, physical: pa.Array, first_row: int | None = None, first: int = 0) -> Iterator[Finding]:
    yield from decimals(page, physical, first_row, first)
    beyond = int96_days(page, physical, first_row, first)
    if beyond is not None:
        yield beyond


def note_page(page: Page, physical: pa.Array, first: int) -> None:
    """Notes the findings about the decimals and INT96 of a data page from value number `first` on."""
    for finding in (as_binary(page.chunk.leaf), *_of_values(page, physical, first=first)):
        if finding is not None:
            page.chunk.file.note(finding)


def note_chunk(chunk: ColumnChunk, physical: pa.Array, *, widened: bool) -> None:
    """Notes the findings about decimals and INT96 of the first page that has some; `physical` are the values of all pages.

    `widened`: the values of the column need another type than the declared one.
    """
    leaf = chunk.leaf
    wide = as_binary(leaf)
    if wide is not None:
        chunk.file.note(wide)
    wrong = _wrong(leaf, physical, widened=widened or wide is not None)
    if wrong is None or not wrong.any():
        return
    at, row = int(np.argmax(wrong)), 0
    for page in chunk.pages:
        if not page.is_data:
            continue
        if at < page.num_present:
            for finding in _of_values(page, page.physical, row):
                chunk.file.note(finding)
            return
        at -= page.num_present
        row += num_rows(page)


def _wrong(leaf: Leaf, physical: pa.Array, *, widened: bool) -> Mask | None:
    """Which values of a chunk need a finding; None if none can, which is known without a look at them."""
    logical = meaning(leaf)
    if logical.name == "DECIMAL" and (widened or leaf.physical_type == Type.BYTE_ARRAY):
        return decimal.beyond(physical, logical.precision) | _is_empty(leaf, physical)
    return int96.beyond(physical) if widened and leaf.physical_type == Type.INT96 else None
