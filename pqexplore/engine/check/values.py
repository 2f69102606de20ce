"""Values against their annotation: text that is text, small integers that are small, times within a day."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pqexplore.engine import types
from pqexplore.engine.logical import annotation
from pqexplore.engine.thrift.structs import ConvertedType
from pqexplore.engine.tree import Finding, join

if TYPE_CHECKING:
    from pqexplore.engine.page import Page

_TEXT = frozenset(("STRING", "ENUM", "JSON"))
_DAY = {"ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}


def findings(page: Page) -> Iterator[Finding]:
    """The stored values of a data page. Raises ParquetError where the logical type cannot be had."""
    physical, leaf = page.physical, page.chunk.leaf
    found = annotation(leaf)
    if not len(physical) or found.problem is not None:
        return
    if found.name in _TEXT:
        yield from _text(page, found.name)
    elif found.name == "INTEGER" and found.bit_width < 32:
        low, high = (
            (-(1 << found.bit_width - 1), (1 << found.bit_width - 1) - 1)
            if found.signed
            else (0, (1 << found.bit_width) - 1)
        )
        yield from _range(page, low, high, f"{found.bit_width} bits")
    elif found.name == "TIME":
        yield from _range(page, 0, _DAY[found.unit] - 1, "a day")
    elif found.name == "UNKNOWN" and leaf.element.converted_type != ConvertedType.INTERVAL:
        yield Finding(
            "unknown-with-values",
            "warning",
            page.address,
            f"the column's type is UNKNOWN, all values should be null; {len(physical):,} are stored",
            {"values": len(physical)},
            "UNKNOWN: Sometimes, when discovering the schema of existing data, values are always null and there's no "
            "type information",
        )
    else:
        types.to_arrow(physical, leaf)


def _text(page: Page, name: str) -> Iterator[Finding]:
    physical = page.physical
    large = pa.types.is_large_binary(physical.type)
    try:
        pc.cast(physical, pa.large_string() if large else pa.string())
        return
    except pa.ArrowInvalid:
        pass
    first = next(i for i, value in enumerate(physical) if not _is_utf8(value.as_buffer()))
    yield Finding(
        "not-utf8",
        "warning",
        join(page.address, "values", first),
        f"value {first:,} of a column of {name} is not valid UTF-8",
        {"value": physical[first].as_py()[:100]},
        "STRING may only be used to annotate the BYTE_ARRAY primitive type and indicates that the byte array should be "
        "interpreted as a UTF-8 encoded character string",
    )


def _is_utf8(value: Any) -> bool:
    try:
        str(value, "utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _range(page: Page, low: int, high: int, what: str) -> Iterator[Finding]:
    numbers = page.physical.to_numpy(zero_copy_only=False)
    outside = (numbers < low) | (numbers > high)
    if outside.any():
        first = int(np.argmax(outside))
        yield Finding(
            "value-out-of-range",
            "warning",
            join(page.address, "values", first),
            f"{int(outside.sum()):,} values of the page do not fit {what}; the first is {int(numbers[first]):,}",
            {"values": int(outside.sum()), "first": int(numbers[first])},
        )
