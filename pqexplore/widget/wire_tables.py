"""Tables on the wire: a short header, and the columns as binary buffers.

The header is a list of `[name, dtype]`; js/src/columns.ts reads it. A numeric dtype (`f8`, `i4`, `u4`, `u2`, `u1`, …)
takes one buffer, little-endian. `text` takes two: offsets (`u4`, one more than rows) and UTF-8; `text?` takes a
third: a byte a row, 1 where the value is null.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pqexplore.engine.file.file import ParquetFile
from pqexplore.insight.ask.question import ANY
from pqexplore.insight.diff.second_file import second


@dataclasses.dataclass(slots=True)
class Line:
    """The line of Python that shows a view again."""

    code: str


def code(file: ParquetFile, address: str = "", view: str = "", where: str = "", engine: str = ANY) -> Line:
    """The line for one view. The file is called `f` if it has no path, and the one it is compared with `g`."""
    given = [_named(file)]
    against = second()
    if against is not None:
        other = _named(against)
        given.append(f"against={'g' if other == 'f' else other}")
    if address:
        given.append(f"at={address!r}")
    if view:
        given.append(f"view={view!r}")
    if where:
        given.append(f"where={where!r}")
    if engine != ANY:
        given.append(f"engine={engine!r}")
    return Line(f"pqexplore.explore({', '.join(given)})")


def _named(file: ParquetFile) -> str:
    """How code names an open file: by its path, or as `f` where it came as bytes, or through a password."""
    named = "/" in file.name or "\\" in file.name or os.path.exists(file.name)
    if "://" in file.name and "***" in file.name:
        return "f"
    return repr(file.name) if named else "f"


Header = list[tuple[str, str]]
Buffers = list[bytes | memoryview]

DTYPES = {"f8", "f4", "u4", "i4", "u2", "u1"}


def pack(columns: Mapping[str, Any]) -> tuple[Header, Buffers]:
    """The header and the buffers of a table; a column is a numpy array or a list of texts and Nones."""
    header: Header = []
    buffers: Buffers = []
    for name, column in columns.items():
        if isinstance(column, np.ndarray):
            array = _number(column)
            header.append((name, array.dtype.str[1:]))
            buffers.append(array.data.cast("B") if len(array) else b"")
        else:
            dtype, parts = _text(column)
            header.append((name, dtype))
            buffers += parts
    return header, buffers


def _number(column: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    if column.dtype.str[1:] in DTYPES:
        return np.ascontiguousarray(column, dtype=column.dtype.newbyteorder("<"))
    if column.dtype == np.bool_:
        return column.astype("<u1")
    return column.astype("<f8")


def _text(column: Sequence[str | None]) -> tuple[str, Buffers]:
    encoded = [b"" if v is None else v.encode("utf-8", "replace") for v in column]
    offsets = np.zeros(len(encoded) + 1, "<u4")
    np.cumsum([len(v) for v in encoded], out=offsets[1:])
    parts: Buffers = [offsets.data.cast("B"), b"".join(encoded)]
    if not any(v is None for v in column):
        return "text", parts
    return "text?", [*parts, bytes(v is None for v in column)]
