"""The statistics of a column chunk or page, and whether they can be trusted.

`Statistics` has two generations of bounds. `min` and `max` were compared as signed bytes for all types, so they are right
only for signed numbers; `min_value` and `max_value` follow the column's order, and have no meaning without one. Some
writers have known bugs. `bounds` decides what a careful reader may use, and says why.

Bounds that are not trusted are no error: they are decoded too, and the reason is kept with them.

Specification: `Statistics` in https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift
"""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING, Any

from pqexplore.engine.errors import CorruptFileError
from pqexplore.engine.format.created_by import parse
from pqexplore.engine.format.ordering import Order, declared_order, is_float, is_nan, order_key, type_order
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.engine.format.value_text import physical_value, plain_length, python_value

if TYPE_CHECKING:
    from pqexplore.engine.format.field import Leaf

__all__ = ["Bounds", "bounds", "legacy_distrust", "order_key"]

NEW = "min_value"
"""`Bounds.source` of `min_value` and `max_value`."""
LEGACY = "legacy min"
"""`Bounds.source` of `min` and `max`."""

_CDH = re.compile(r"-cdh5\.(\d+)\.")
"""Cloudera's 1.5.0 has the fix from CDH 5.5 on."""


@dataclasses.dataclass(frozen=True, slots=True)
class Bounds:
    """The decoded statistics of one chunk or page.

    `min` and `max` are Python objects of the logical type of `leaf` (None if absent, or if Python has no object for the
    value), `min_raw` and `max_raw` PLAIN bytes, `min_key` and `max_key` order keys that bound every value (None: no bound;
    bounds of zero cover both signs). `min_exact` is None if the writer does not declare it. `trusted` tells whether
    values outside of the bounds are impossible; `why` has the reasons if not, else remarks.
    """

    leaf: Leaf = dataclasses.field(repr=False, compare=False)
    min_raw: bytes | None = None
    max_raw: bytes | None = None
    min_key: bytes | None = None
    max_key: bytes | None = None
    min_exact: bool | None = None
    max_exact: bool | None = None
    null_count: int | None = None
    distinct_count: int | None = None
    nan_count: int | None = None
    source: str = ""
    order: Order = Order.NONE
    trusted: bool = False
    why: str = ""

    @property
    def min(self) -> Any:
        """The minimum as a Python object."""
        return _python(self.leaf, self.min_raw)

    @property
    def max(self) -> Any:
        """The maximum as a Python object."""
        return _python(self.leaf, self.max_raw)


def bounds(leaf: Leaf, statistics: structs.Statistics | None, created_by: str | None = None) -> Bounds | None:
    """Decode statistics of a leaf; None if there are none.

    `created_by` is the footer's; it identifies writers with known bugs. Raises CorruptFileError for a bound of the wrong
    length and for negative counts.
    """
    if statistics is None:
        return None
    counts = statistics.null_count, statistics.distinct_count, statistics.nan_count
    for name, count in zip(("null_count", "distinct_count", "nan_count"), counts, strict=True):
        if count is not None and count < 0:
            raise CorruptFileError(f"statistics: {name} is {count:,}; counts start at 0")
    low, high = statistics.min_value, statistics.max_value
    if low is not None or high is not None:
        order, source = declared_order(leaf), NEW
        exact = statistics.is_min_value_exact, statistics.is_max_value_exact
    elif statistics.min is not None or statistics.max is not None:
        low, high = statistics.min, statistics.max
        order, source, exact = type_order(leaf), LEGACY, (None, None)
    else:
        return Bounds(leaf, None, None, None, None, None, None, *counts, why="no minimum and maximum")
    for name, bound in (("min", low), ("max", high)):
        if bound is not None and not _right_length(leaf, bound, order):
            raise CorruptFileError(
                f"statistics: {name} has {len(bound):,} bytes, values of the column have {plain_length(leaf):,}"
            )
    _, reason = doubt(leaf, source, created_by, low is not None and low == high, counts[2])
    reasons = [reason] if reason else []
    used = order if order is not None else type_order(leaf)
    keys = (None if low is None else order_key(leaf, low, used), None if high is None else order_key(leaf, high, used))
    remarks = _judge(leaf, (low, high), keys, used, counts[2], reasons)
    return Bounds(leaf, low, high, *keys, *exact, *counts, source, used, not reasons, "; ".join(reasons or remarks))


def doubt(leaf: Leaf, source: str, created_by: str | None, equal: bool, nan_count: int | None) -> tuple[str, str]:
    """Why bounds of a leaf are not trusted, whatever their values are: a stable name, and the words; both "" if they are.

    `source` is `NEW` or `LEGACY`, `equal` whether min equals max. A lake asks this once for each column of a schema.
    """
    order = declared_order(leaf) if source == NEW else type_order(leaf)
    if order is Order.NONE:
        return "unordered-type", _why_unordered(leaf)
    if source == LEGACY:
        why = legacy_distrust(leaf, created_by, equal)
        return ("legacy", why) if why else ("", "")
    if order is None:
        return "no-column-order", "the footer names no known column order"
    if order is Order.TOTAL and nan_count is None:
        return "nan-count-absent", "IEEE_754_TOTAL_ORDER requires nan_count, which is absent"
    return "", ""


def _right_length(leaf: Leaf, raw: bytes, order: Order | None) -> bool:
    """Bounds of bytewise ordered columns may be truncated; all others have the length of a value."""
    length = plain_length(leaf)
    if length is None or len(raw) == length:
        return True
    bytewise = order in (Order.BYTES, Order.NONE, None)
    return bytewise and leaf.physical_type == Type.FIXED_LEN_BYTE_ARRAY and len(raw) < length


def _judge(
    leaf: Leaf,
    raw: tuple[bytes | None, bytes | None],
    keys: tuple[bytes | None, bytes | None],
    order: Order,
    nan_count: int | None,
    reasons: list[str],
) -> list[str]:
    """Adds to the reasons to distrust bounds those that their values give. Returns remarks."""
    remarks: list[str] = []
    low, high = keys
    floats = is_float(leaf)
    nan: list[str] = []
    if floats and (order is not Order.FLOAT or None in keys):
        pairs = zip(("min", "max"), raw, strict=True)
        nan = [name for name, bound in pairs if bound is not None and is_nan(leaf, bound)]
    if nan and order is Order.FLOAT:
        verb = "is" if len(nan) == 1 else "are"
        reasons.append(f"{' and '.join(nan)} {verb} NaN; under TYPE_ORDER such bounds are ignored")
    if low is not None and high is not None and low > high:
        reasons.append("min is greater than max")
    if None in raw:
        remarks.append(f"no {'minimum' if raw[0] is None else 'maximum'}")
    if floats and nan_count is None and not nan:
        remarks.append("NaNs may be present, which bounds do not cover")
    return remarks


def _python(leaf: Leaf, bound: bytes | None) -> Any:
    if bound is None:
        return None
    if plain_length(leaf) not in (None, len(bound)):
        return bytes(bound)
    return python_value(leaf, physical_value(leaf, bound))


def _why_unordered(leaf: Leaf) -> str:
    if leaf.physical_type == Type.INT96:
        return "INT96 has no order under TYPE_ORDER; readers must ignore its bounds"
    return "the column's type has no order; readers must ignore its bounds"


def _signed(leaf: Leaf) -> bool:
    """Whether signed comparison, of numbers or of bytes, gave the right legacy bounds for this type."""
    order = type_order(leaf)
    numbers = leaf.physical_type != Type.BYTE_ARRAY and leaf.physical_type != 7
    return order in (Order.BOOLEAN, Order.SIGNED, Order.FLOAT) or (order is Order.DECIMAL and numbers)


def legacy_distrust(leaf: Leaf, created_by: str | None, equal: bool = False) -> str:
    """Why the deprecated `min` and `max` of a leaf are not trusted; empty if they are.

    They were computed by signed comparison, so they are right for types with this order, and for any type if both are
    `equal`. Binary bounds of parquet-mr before 1.8.0 can be wrong (PARQUET-251: buffers that held bounds were reused),
    and so can those of files whose writer is not named or cannot be recognised (PARQUET-297). Source: parquet-java,
    `CorruptStatistics`; parquet-cpp, `ApplicationVersion`.
    """
    if type_order(leaf) is Order.NONE:
        return ""
    if leaf.physical_type in (Type.BYTE_ARRAY, Type.FIXED_LEN_BYTE_ARRAY):
        reason = _binary_bug(created_by)
        if reason:
            return reason
    if not _signed(leaf) and not equal:
        return "min and max were compared as signed bytes, which is not the order of the column"
    return ""


def _binary_bug(created_by: str | None) -> str:
    if not created_by:
        return "the file does not name its writer, which may have the bug PARQUET-251"
    if not created_by.lower().startswith("parquet-mr"):
        return ""
    known = parse(created_by)
    if known.version is None or " version " not in created_by.lower():
        return "the writer's version cannot be read, it may have the bug PARQUET-251"
    major, minor = known.version[:2]
    patched = _CDH.match(known.suffix)
    cdh = (major, minor) == (1, 5) and patched is not None and int(patched[1]) >= 5
    if (major, minor) >= (1, 8) or cdh:
        return ""
    return f"parquet-mr {major}.{minor} is older than 1.8.0 and has the bug PARQUET-251"
