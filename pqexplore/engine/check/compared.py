"""Compares a Statistics struct with the values that it describes: of a chunk, a page, or an entry of a column index."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from pqexplore.engine.address import Address
from pqexplore.engine.check.places import Place, remark
from pqexplore.engine.check.values import is_utf8
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.finding import Finding
from pqexplore.engine.format.logical import TEXT, meaning
from pqexplore.engine.format.ordering import Order, is_nan
from pqexplore.engine.format.statistics import LEGACY, NEW, Bounds, legacy_distrust
from pqexplore.engine.format.statistics import bounds as read_bounds
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.engine.format.value_text import format_value, physical_value, plain_length
from pqexplore.engine.rule import Cost, Severity
from pqexplore.engine.text import plural

if TYPE_CHECKING:
    from pqexplore.engine.check.contents import Contents
    from pqexplore.engine.format.field import Leaf

BOUND = (
    "Statistics.min_value, max_value: Lower and upper bound values for the column, determined by its ColumnOrder. "
    "Values are encoded using PLAIN encoding, except that variable-length byte arrays do not include a length prefix"
)
WRONG_COUNT = "a count of the column's nulls or values by the statistics is wrong"
"""What a null_count costs that is neither 0 nor all: no condition skips by it."""
NO_NAN = "If the min is a NaN, it should be ignored. If the max is a NaN, it should be ignored"
FieldAddress = Callable[[str], str]
"""Gives the address of a field of Statistics by its name."""
MAX_SHOWN = 60
"""Characters of a value in a message."""


def shown(leaf: Leaf, raw: bytes) -> str:
    """The PLAIN bytes of a value as text, of at most `MAX_SHOWN` characters; as hex if their length is wrong."""
    if plain_length(leaf) not in (None, len(raw)):
        text = "0x" + raw.hex()
    else:
        text = format_value(leaf, physical_value(leaf, raw))
    return text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 1] + "…"


def fields_below(address: str) -> FieldAddress:
    """The fields of a Statistics struct at `address`."""
    return lambda name: Address.of(address, name)


def field_of(side: str, bounds: Bounds) -> str:
    """The name of the field that a bound comes from."""
    return f"{side}_value" if bounds.source == NEW else side


def without_order(leaf: Leaf, *, same: bool) -> Severity:
    """The severity of bounds of a type without order, which the specification tells readers to ignore.

    A note if all bounds are the `same` value, which is right in every order, and for geometries, which none compares.
    """
    return Severity.NOTE if same or meaning(leaf).name in ("GEOMETRY", "GEOGRAPHY") else Severity.PORTABILITY


NO_ORDER = ("INTERVAL", "GEOMETRY", "GEOGRAPHY")
"""Types whose sort order is undefined: a writer saves neither min and max nor min_value and max_value."""


def undefined(leaf: Leaf, bounds: Bounds, address: str, rule: str) -> Iterator[Finding]:
    """A finding about bounds that the column's order gives no meaning. `rule` as for `against`.

    The deprecated min and max count only where the specification says that no statistics should be saved: where they
    are of another type, readers know that they cannot trust them.
    """
    name = meaning(leaf).name
    if bounds.order is not Order.NONE or not (bounds.source == NEW or name in NO_ORDER):
        return
    if bounds.source not in (NEW, LEGACY):
        return
    yield Finding(
        f"{rule}-without-order",
        address,
        f"the bounds have no meaning: {bounds.why}",
        specification=f"The sort order used for {name} is undefined. When writing data, no min/max statistics "
        "should be saved for this type and if such non-compliant statistics are found during reading, they must be "
        "ignored"
        if name in NO_ORDER
        else "",
        severity=without_order(leaf, same=bounds.min_raw == bounds.max_raw),
    )


def by_themselves(
    leaf: Leaf, bounds: Bounds, field_address: FieldAddress, rule: str, created_by: str | None
) -> Iterator[Finding]:
    """Findings about bounds that need no values: NaN, and a minimum above the maximum. `rule` as for `against`."""
    for side, raw in (("min", bounds.min_raw), ("max", bounds.max_raw)):
        if raw is not None and bounds.order is Order.FLOAT and is_nan(leaf, raw):
            yield Finding(
                "nan-bound",
                field_address(field_of(side, bounds)),
                f"the {side} is NaN, which readers ignore under TYPE_ORDER",
                {side: raw},
            )
    if inverted(bounds) and (bounds.source == NEW or not legacy_distrust(leaf, created_by)):
        assert bounds.min_raw is not None and bounds.max_raw is not None
        yield Finding(
            f"{rule}-inverted",
            field_address(field_of("min", bounds)),
            f"the min {shown(leaf, bounds.min_raw)} is greater than the max {shown(leaf, bounds.max_raw)} in the "
            f"column's order ({bounds.order.value})",
            {"min": bounds.min_raw, "max": bounds.max_raw},
            BOUND,
        )


def inverted(bounds: Bounds) -> bool:
    """Whether the minimum is greater than the maximum."""
    low, high = bounds.min_key, bounds.max_key
    return low is not None and high is not None and low > high


def against(
    leaf: Leaf,
    statistics: structs.Statistics,
    contents: Contents,
    field_address: FieldAddress,
    rule: str,
    created_by: str | None,
    some: bool = False,
) -> Iterator[Finding]:
    """Compares statistics with the values. `rule` is the prefix of the rules' names; `some`: there are other values, too.

    Bounds that are wrong by themselves (see `by_themselves`) are not compared.
    """
    try:
        bounds = read_bounds(leaf, statistics, created_by)
    except ParquetError as error:
        if rule == "page-statistics":
            yield Finding("statistics-damaged", field_address(""), error.message, specification=BOUND)
        return
    assert bounds is not None
    if rule == "page-statistics":
        yield from undefined(leaf, bounds, field_address(""), rule)
        yield from by_themselves(leaf, bounds, field_address, rule, created_by)
    yield from _null_count(leaf, statistics, contents, field_address("null_count"), rule)
    if (
        statistics.nan_count is not None
        and contents.nan_count is not None
        and statistics.nan_count != contents.nan_count
    ):
        yield Finding(
            f"{rule}-nan-count",
            field_address("nan_count"),
            f"nan_count is {statistics.nan_count:,}, {contents.nan_count:,} values are NaN",
            {"nan_count": statistics.nan_count, "values": contents.nan_count},
            "Statistics.nan_count: count of NaN values in the column",
        )
    if inverted(bounds) or (bounds.source == LEGACY and not bounds.trusted):
        return
    yield from _bounds(leaf, bounds, contents, field_address, rule, some)


def _null_count(
    leaf: Leaf, statistics: structs.Statistics, contents: Contents, address: str, rule: str
) -> Iterator[Finding]:
    null_count = statistics.null_count
    if null_count is None or null_count == contents.nulls:
        return
    nested = leaf.max_repetition_level > 0
    if nested and null_count in (contents.leaf_nulls, contents.element_nulls):
        return  # some writers do not count empty and missing lists
    evidence: dict[str, int | str | None] = {
        "null_count": null_count,
        "values": contents.nulls,
        "entries": contents.num_values,
    }
    first = contents.null_place() if contents.nulls > null_count else None
    at = "" if first is None else f", the first at {first}"
    yield Finding(
        f"{rule}-null-count",
        address,
        f"null_count is {null_count:,}, {contents.nulls:,} of {contents.num_values:,} entries have no value{at}",
        evidence | ({} if first is None else first.evidence),
        "Statistics.null_count: Count of null values in the column",
        **_harm(rule, null_count, contents, nested),
    )


def _harm(rule: str, null_count: int, contents: Contents, nested: bool) -> dict[str, Any]:
    """How bad a wrong null_count is: in lists, writers count different things; no condition skips by one that is neither 0 nor all."""
    if nested and null_count <= contents.num_values:
        return {"severity": Severity.PORTABILITY, "cost": Cost()}
    return {"cost": Cost(WRONG_COUNT)} if rule == "statistics" and 0 != null_count < contents.num_values else {}


def _bounds(
    leaf: Leaf, bounds: Bounds, contents: Contents, field_address: FieldAddress, rule: str, some: bool
) -> Iterator[Finding]:
    if bounds.min_raw is None and bounds.max_raw is None:
        return
    real = contents.extremes.get(bounds.order)
    if bounds.order is Order.NONE:
        return
    if real is None:
        if not contents.num_present and bounds.order is not Order.TOTAL:
            yield Finding(
                f"{rule}-of-nothing",
                field_address(field_of("min" if bounds.min_raw is not None else "max", bounds)),
                f"the bounds exist, but all {contents.num_values:,} entries are null",
                {"min": bounds.min_raw, "max": bounds.max_raw},
            )
        return
    for side, raw, key, exact, actual, actual_key in (
        ("min", bounds.min_raw, bounds.min_key, bounds.min_exact, real.low, real.low_key),
        ("max", bounds.max_raw, bounds.max_key, bounds.max_exact, real.high, real.high_key),
    ):
        if raw is None or key is None or key == actual_key:
            continue
        one = _Side(side, raw, key, exact, actual, actual_key)
        address = field_address(field_of(side, bounds))
        if meaning(leaf).name in TEXT and not is_utf8(one.raw) and is_utf8(one.actual):
            yield Finding(
                f"{rule}-not-utf8",
                address,
                f"the {one.name} is not valid UTF-8, but the values are: it was cut inside a character",
                {one.name: one.raw},
                "Such more compact values must still be valid values within the column's logical type",
            )
        place = contents.place(bounds.order, one.name) if one.beyond or one.exact else None
        if one.beyond:
            hidden = contents.outside(bounds.order, one.name, one.raw)
            yield _leaves_out(leaf, one, place, hidden, rule, address, some=some)
        else:
            yield from _not_exact(leaf, one, place, rule, address)


@dataclasses.dataclass(frozen=True, slots=True)
class _Side:
    """A bound, `min` or `max`, and the extreme value on its side: bytes and order keys."""

    name: str
    raw: bytes
    key: bytes
    exact: bool | None
    actual: bytes
    actual_key: bytes

    @property
    def beyond(self) -> bool:
        """Whether the bound leaves out the extreme value."""
        return self.key > self.actual_key if self.name == "min" else self.key < self.actual_key

    def extreme(self, leaf: Leaf, place: Place | None) -> str:
        """The extreme value in words."""
        word = "smallest" if self.name == "min" else "largest"
        return f"the {word} value is {shown(leaf, self.actual)}{remark(place)}"

    def evidence(self, place: Place | None) -> dict[str, Any]:
        """The bound and the value as evidence of a finding."""
        return {self.name: self.raw, "actual": self.actual} | ({} if place is None else place.evidence)


def _leaves_out(
    leaf: Leaf, one: _Side, place: Place | None, hidden: int | None, rule: str, address: str, *, some: bool
) -> Finding:
    """A bound that leaves out values: a query that trusts it misses `hidden` of them."""
    evidence = one.evidence(place)
    if some:
        evidence["some"] = True
    if hidden is not None:
        evidence["outside" if leaf.max_repetition_level else "rows"] = hidden
    cut = one.name == "max" and len(one.raw) < len(one.actual) and one.actual.startswith(one.raw)
    return Finding(
        f"{rule}-bound",
        address,
        f"the {one.name} is {shown(leaf, one.raw)}, {one.extreme(leaf, place)}: a query that trusts it misses "
        f"{_missed(leaf, hidden, some)}{_reason(place, cut)}",
        evidence,
        BOUND,
    )


def _not_exact(leaf: Leaf, one: _Side, place: Place | None, rule: str, address: str) -> Iterator[Finding]:
    """A bound wider than the values: wrong if it is marked as exact, and otherwise loose where numbers need not be cut."""
    if one.exact:
        yield Finding(
            f"{rule}-exactness",
            address,
            f"the {one.name} {shown(leaf, one.raw)} is marked as exact, {one.extreme(leaf, place)}",
            one.evidence(place),
            f"Statistics.is_{one.name}_value_exact: If true, {one.name}_value is the actual "
            f"{'minimum' if one.name == 'min' else 'maximum'} value for a column",
        )
    elif leaf.physical_type not in (Type.BYTE_ARRAY, Type.FIXED_LEN_BYTE_ARRAY):
        yield Finding(
            f"{rule}-loose",
            address,
            f"the {one.name} is {shown(leaf, one.raw)}, {one.extreme(leaf, place)}: queries skip less than they could",
            one.evidence(place),
        )


def _missed(leaf: Leaf, hidden: int | None, some: bool) -> str:
    """What a bound hides: how many rows, or values of lists; `some`: there may be more of them."""
    unit = "value" if leaf.max_repetition_level else "row"
    return f"{unit}s" if hidden is None else f"{'at least ' if some else ''}{plural(hidden, unit)}"


def _reason(place: Place | None, cut: bool) -> str:
    """Why a bound leaves out the value at a place: it was cut, or nothing shows whether the value is the one that was written."""
    if cut:
        return "; it was cut short and not rounded up"
    if place is not None and not place.shows_change:
        return "; or the value was changed later: its page has no checksum"
    return ""
