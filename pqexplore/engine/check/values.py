"""Checks values against their logical type: UTF-8 text, ranges of integers, times within a day."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pqexplore.engine.address import Address
from pqexplore.engine.finding import Finding
from pqexplore.engine.format import types
from pqexplore.engine.format.logical import TEXT, annotation
from pqexplore.engine.format.thrift.structs import ConvertedType

if TYPE_CHECKING:
    from pqexplore.engine.file.page import Page

_DAY = {"ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}


def findings(page: Page, some: pa.Array) -> Iterator[Finding]:
    """Findings about the stored values of a data page. Raises ParquetError if they cannot be converted to Arrow.

    `some` are its values, or each distinct value once: if these are right, all are.
    """
    if len(some) == page.num_present:
        yield from _findings(page, some)
    elif next(_findings(page, some), None) is not None:
        yield from _findings(page, page.physical)


def _findings(page: Page, physical: pa.Array) -> Iterator[Finding]:
    leaf = page.chunk.leaf
    logical = annotation(leaf)
    if not len(physical) or logical.problem is not None:
        return
    if logical.name in TEXT:
        yield from _text(page, physical, logical.name)
    elif logical.name == "INTEGER" and logical.bit_width < 32:
        low, high = (
            (-(1 << logical.bit_width - 1), (1 << logical.bit_width - 1) - 1)
            if logical.signed
            else (0, (1 << logical.bit_width) - 1)
        )
        yield from _range(page, physical, low, high, f"{logical.bit_width} bits")
    elif logical.name == "TIME":
        yield from _range(page, physical, 0, _DAY[logical.unit] - 1, "a day")
    elif logical.name == "UNKNOWN" and leaf.element.converted_type != ConvertedType.INTERVAL:
        yield Finding(
            "unknown-with-values",
            "warning",
            page.address,
            f"the column's type is UNKNOWN, so all values should be null, but {len(physical):,} are stored",
            {"values": len(physical)},
            "UNKNOWN: Sometimes, when discovering the schema of existing data, values are always null and there's no "
            "type information",
        )
    else:
        types.to_arrow(physical, leaf)


def _text(page: Page, physical: pa.Array, name: str) -> Iterator[Finding]:
    large = pa.types.is_large_binary(physical.type)
    try:
        pc.cast(physical, pa.large_string() if large else pa.string())
        return
    except pa.ArrowInvalid:
        pass
    first = next(i for i, value in enumerate(physical) if not is_utf8(value.as_buffer()))
    yield Finding(
        "not-utf8",
        "warning",
        Address.of(page.address, "values", first),
        f"value {first:,} of a column of {name} is not valid UTF-8",
        {"value": physical[first].as_py()[:100]},
        "STRING may only be used to annotate the BYTE_ARRAY primitive type and indicates that the byte array should be "
        "interpreted as a UTF-8 encoded character string",
    )


def is_utf8(value: bytes | pa.Buffer) -> bool:
    """Whether bytes are valid UTF-8."""
    try:
        str(value, "utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _range(page: Page, physical: pa.Array, low: int, high: int, what: str) -> Iterator[Finding]:
    numbers = physical.to_numpy(zero_copy_only=False)
    outside = (numbers < low) | (numbers > high)
    if outside.any():
        first = int(np.argmax(outside))
        yield Finding(
            "value-out-of-range",
            "warning",
            Address.of(page.address, "values", first),
            f"{int(outside.sum()):,} values of the page do not fit {what}; the first is {int(numbers[first]):,}",
            {"values": int(outside.sum()), "first": int(numbers[first])},
        )
