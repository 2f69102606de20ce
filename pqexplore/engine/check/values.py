"""Checks values against their logical type: text, JSON, BSON, ranges of integers, times within a day, decimals."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NoReturn

import numpy as np
import pyarrow as pa

from pqexplore.engine import compute as pc
from pqexplore.engine.arrays import Mask, arrow_numbers, numpy_numbers
from pqexplore.engine.file import value_findings
from pqexplore.engine.finding import Finding
from pqexplore.engine.format import decimal, types
from pqexplore.engine.format.fixed_width import offsets_and_bytes
from pqexplore.engine.format.logical import TEXT, annotation, describe
from pqexplore.engine.format.thrift.structs import ConvertedType, Type
from pqexplore.engine.rule import Severity

if TYPE_CHECKING:
    from pqexplore.engine.file.page import Page

_DAY = {"ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}
STEP = 1_000
"""Texts that are looked at, one by one, between two looks at the work budget."""

INTEGERS = "Implementations must not write values that are larger than the annotation allows"
UTF8 = {
    "STRING": "STRING may only be used to annotate the BYTE_ARRAY primitive type and indicates that the byte array should "
    "be interpreted as a UTF-8 encoded character string",
    "ENUM": "Applications using a data model lacking a native enum type should interpret ENUM annotated field as a UTF-8 "
    "encoded string",
    "JSON": "The BYTE_ARRAY data is interpreted as a UTF-8 encoded character string of valid JSON as defined by the JSON "
    "specification",
}


def findings(page: Page, some: pa.Array, first_row: int) -> Iterator[Finding]:
    """Findings about the stored values of a data page, one of each rule, about the first value that breaks it.

    `some` are its values, or each distinct value once: if these are right, all are. `first_row` rows of the row group
    begin before the page. Raises ParquetError if the values cannot be converted to Arrow, or the work budget runs out.
    """
    if len(some) != page.num_present:
        if next(_findings(page, some, None), None) is None:
            return
        some = page.physical
    yield from _findings(page, some, first_row)


def _findings(page: Page, physical: pa.Array, first_row: int | None) -> Iterator[Finding]:
    leaf = page.chunk.leaf
    logical = annotation(leaf)
    if not len(physical) or logical.problem is not None:
        return
    found: list[Finding | None] = []
    if logical.name in TEXT:
        found = _text(page, physical, logical.name, first_row)
    elif logical.name == "BSON":
        words = "is not BSON: a document begins with its length in 4 bytes, and ends with a zero byte"
        found = [
            value_findings.value_finding(
                page,
                physical,
                _is_no_bson(physical),
                "bson-invalid",
                words,
                "The BYTE_ARRAY data is interpreted as an encoded BSON document as defined by the BSON specification",
                first_row=first_row,
            )
        ]
    elif logical.name == "INTEGER" and logical.bit_width < 32:
        bits = logical.bit_width - logical.signed
        low = -(1 << bits) if logical.signed else 0
        found = [_range(page, physical, low, (1 << bits) - 1, first_row, INTEGERS)]
    elif logical.name == "TIME":
        found = [_range(page, physical, 0, _DAY[logical.unit] - 1, first_row)]
    elif logical.name == "DECIMAL":
        yield from value_findings.decimals(page, physical, first_row)
        if leaf.physical_type == Type.BYTE_ARRAY:
            found = [
                value_findings.value_finding(
                    page,
                    physical,
                    decimal.is_padded(physical),
                    "decimal-not-minimal",
                    "is stored in more bytes than it needs; Bloom filters and dictionaries take it for another value",
                    "The minimum number of bytes to store the unscaled value should be used",
                    first_row=first_row,
                )
            ]
    elif logical.name == "UNKNOWN" and leaf.element.converted_type != ConvertedType.INTERVAL:
        yield Finding(
            "unknown-with-values",
            page.address,
            f"the column's type is UNKNOWN, so all values should be null, but {len(physical):,} {'is' if len(physical) == 1 else 'are'} stored",
            {"values": len(physical)},
        )
    elif leaf.physical_type == Type.INT96:
        found = [value_findings.int96_days(page, physical, first_row)]
    else:
        types.to_arrow(physical, leaf)
    yield from filter(None, found)


def _text(page: Page, physical: pa.Array, name: str, first_row: int | None) -> list[Finding | None]:
    """At most one finding: about text that is not UTF-8, or else about JSON that is not JSON."""
    large = pa.types.is_large_binary(physical.type)
    try:
        pc.cast(physical, pa.large_string() if large else pa.string())
    except pa.ArrowInvalid:
        wrong = ~_mask(page, physical, is_utf8)
        return [
            value_findings.value_finding(
                page,
                physical,
                wrong,
                "not-utf8",
                f"is not valid UTF-8, as values of {name} must be",
                UTF8[name],
                first_row=first_row,
                severity=Severity.PORTABILITY if name == "ENUM" else None,
            )
        ]
    if name != "JSON":
        return []
    return [
        value_findings.value_finding(
            page,
            physical,
            ~_mask(page, physical, is_json),
            "json-invalid",
            "is not valid JSON",
            UTF8["JSON"],
            first_row=first_row,
        )
    ]


def _mask(page: Page, physical: pa.Array, is_right: Callable[[pa.Buffer], bool]) -> Mask:
    """Which values are right. Each distinct value is looked at once, within the work budget."""
    distinct = pc.unique(physical)
    right = np.ones(len(distinct), np.bool_)
    for index, value in enumerate(distinct):
        if index % STEP == 0:
            page.chunk.file.budget.charge(address=page.address)
        right[index] = is_right(value.as_buffer())
    if right.all():
        return np.ones(len(physical), np.bool_)
    known = distinct.filter(arrow_numbers(right))
    mask: Mask = numpy_numbers(pc.is_in(physical, known))
    return mask


def is_utf8(value: bytes | pa.Buffer) -> bool:
    """Whether bytes are valid UTF-8."""
    try:
        str(value, "utf-8")
    except UnicodeDecodeError:
        return False
    return True


def is_json(value: bytes | pa.Buffer) -> bool:
    """Whether UTF-8 is valid JSON; True for JSON that is nested too deeply to be parsed."""
    try:
        json.loads(str(value, "utf-8"), parse_constant=_refuse, parse_int=str, parse_float=str)
    except RecursionError:
        return True
    except ValueError:
        return False
    return True


def _refuse(constant: str) -> NoReturn:
    """Refuses NaN and Infinity, which Python reads."""
    raise ValueError(constant)


def _is_no_bson(physical: pa.Array) -> Mask:
    """Which values do not begin with their own length, as a little-endian int32, and end with a zero byte."""
    offsets, stored = offsets_and_bytes(physical)
    starts, lengths = offsets[:-1], np.diff(offsets)
    wrong: Mask = lengths < 5
    right = np.flatnonzero(~wrong)
    stated = stored[starts[right, None] + np.arange(4)].view("<i4")[:, 0]
    wrong[right] = (stated != lengths[right]) | (stored[offsets[1:][right] - 1] != 0)
    return wrong


def _range(
    page: Page, physical: pa.Array, low: int, high: int, first_row: int | None, specification: str = ""
) -> Finding | None:
    """A finding about integers outside of a range: an error where the specification forbids them."""
    numbers = numpy_numbers(physical)
    outside = (numbers < low) | (numbers > high)
    return value_findings.value_finding(
        page,
        physical,
        outside,
        "value-out-of-range",
        f"does not fit {describe(page.chunk.leaf)}, whose values go from {low:,} to {high:,}",
        specification,
        first_row=first_row,
        text=f"{int(numbers[int(np.argmax(outside))]):,}",
        severity=None if specification else Severity.PORTABILITY,
    )
