"""Rules about what the bounds of a column say of its values: that there is only one, or that all begin alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.finding import Finding
from pqexplore.engine.format.logical import meaning
from pqexplore.engine.format.statistics import Bounds
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.engine.rule import FOOTER, Cost, Rule, Severity, Source
from pqexplore.engine.text import clip
from pqexplore.insight.axis import text_of
from pqexplore.insight.doctor.rules import trials
from pqexplore.insight.wording import name, plural, size

if TYPE_CHECKING:
    from pqexplore.engine.format.field import Leaf
    from pqexplore.insight.doctor.subject import Range, Subject

STATISTICS = Source(
    "Parquet, Statistics in parquet.thrift",
    "https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift",
)

LEAST_ROWS = 1_000
PREFIX = 8
"""Bytes of a prefix that all bounds share from which truncated bounds count as too short."""


def all_bounds(subject: Subject, leaf: Leaf, fits: Callable[[Bounds], bool] | None = None) -> list[Bounds] | None:
    """The trusted bounds of each chunk of a leaf that has values.

    None if no chunk has values, or if the bounds of one are not known, or do not fit.
    """
    found, chunks = [], 0
    for group, metadata in subject.metadata(leaf):
        chunks += 1
        try:
            bounds = subject.bounds(leaf, group)
        except ParquetError:
            return None
        if bounds is not None and bounds.null_count == metadata.num_values:
            continue
        if bounds is None or not bounds.trusted or bounds.min_raw is None or bounds.max_raw is None:
            return None
        if fits is not None and not fits(bounds):
            return None
        found.append(bounds)
    return found if found and chunks == subject.groups else None


def texts(subject: Subject) -> Iterator[Leaf]:
    """The leaves with the logical type STRING."""
    for leaf in subject.leaves:
        if meaning(leaf).name == "STRING":
            yield leaf


def _exact(leaf: Leaf, one: Bounds) -> bool:
    """Whether both bounds are values of the chunk.

    Only bounds of byte arrays are truncated, and many writers that do so do not say it.
    """
    if leaf.physical_type in (Type.BYTE_ARRAY, Type.FIXED_LEN_BYTE_ARRAY):
        return one.min_exact is True and one.max_exact is True
    return one.min_exact is not False and one.max_exact is not False


def constant(subject: Subject) -> Iterator[Finding]:
    """Columns with one value."""
    if sum(subject.rows) < LEAST_ROWS:
        return
    for leaf in subject.leaves:
        if subject.nulls(leaf) != 0:
            continue
        found = all_bounds(subject, leaf, lambda bounds: bounds.min_raw == bounds.max_raw)
        if found is None:
            continue
        if len({raw for b in found for raw in (b.min_raw, b.max_raw)}) != 1:
            continue
        if not all(_exact(leaf, b) for b in found) or any(b.nan_count or b.why for b in found):
            continue  # `why`: NaNs may be there
        value = clip(text_of(leaf, found[0].min_raw), 40)
        stored = subject.total("total_compressed_size", leaf)
        severity = trials.severity(subject, stored) or Severity.NOTE
        heavy = severity is Severity.WASTEFUL
        small = "RLE" if leaf.physical_type == Type.BOOLEAN else "a dictionary"  # no writer makes one of booleans
        yield Finding(
            "constant-column",
            Address.of("schema", leaf.index),
            f"By its statistics, {name(leaf.path)} has one value in all rows: {value}"
            f"{f'; {small} stores it in nearly nothing instead of {size(stored)}' if heavy else ''}.",
            {"value": value, "row_groups": len(found)} | trials.smaller({trials.named(leaf): stored}, 0, stored),
            column=".".join(leaf.path),
            severity=severity,
            cost=Cost(bytes=stored),
            fix=f"Write it with {small}; if it stands for the file, a partition or a key-value does the same.",
        )


def _shared(low: bytes, high: bytes) -> bytes:
    """The bytes with which both begin, and so does every value between them."""
    length = next((i for i, (a, b) in enumerate(zip(low, high, strict=False)) if a != b), None)
    return low[: min(len(low), len(high)) if length is None else length]


def short_bounds(subject: Subject) -> Iterator[Finding]:
    """Truncated bounds that say nothing, because all values begin alike."""
    if subject.groups < 2:
        return
    for leaf in texts(subject):
        found = all_bounds(subject, leaf, lambda bounds: bounds.min_exact is False and bounds.max_exact is False)
        if found is None or len(found) < 2:
            continue
        lows = [b.min_raw or b"" for b in found]
        if len(set(lows)) > 1 or len({b.max_raw for b in found}) > 1:
            continue
        prefix = _shared(lows[0], found[0].max_raw or b"")
        if len(prefix) < PREFIX:
            continue
        shown = clip(prefix.decode(errors="replace"), 40)
        yield Finding(
            "bounds-too-short",
            Address.of("schema", leaf.index),
            f"The bounds of {name(leaf.path)} are cut to {len(lows[0]):,} bytes, and are the same in "
            f"{plural(len(found), 'row group')}: all values begin with {shown!r}.",
            {"prefix": shown, "bytes": len(lows[0]), "row_groups": len(found)},
            column=".".join(leaf.path),
            cost=Cost("a condition on values that begin like this skips no row group", row_groups=len(found)),
            fix="Raise the length at which the writer cuts bounds, or store the part that differs in a column of its own.",
            code={
                "Spark": "df.write.option('parquet.statistics.truncate.length', 256).parquet(path)",
                "pqexplore": "pqexplore.WriteOptions(statistics_bytes=None)",
            },
        )


SENTINEL_GROUPS = 5
"""Row groups with a range of their own from which one end of them shows an order."""


def sentinels(subject: Subject) -> Iterator[Finding]:
    """Columns whose row groups follow each other by one end of their ranges, and nearly all have the same other end.

    One value in a few rows does that: 9999-12-31 for "never", -1 for "unknown".
    """
    if subject.groups < SENTINEL_GROUPS or subject.partial:
        return
    for leaf in subject.leaves:
        ranges = subject.ranges(leaf)
        found = None if ranges is None else _sentinel(ranges)
        if ranges is None or found is None:
            continue
        end, groups = found
        one = subject.bounds(leaf, groups[0])
        value = clip(text_of(leaf, (one and (one.max_raw if end == "max" else one.min_raw)) or b""), 40)
        word, other = ("largest", "smallest") if end == "max" else ("smallest", "largest")
        yield Finding(
            "sentinel-bounds",
            Address.of("schema", leaf.index),
            f"{value} is the {word} value of {name(leaf.path)} in {len(groups):,} of {plural(len(ranges), 'row group')}, whose "
            f"{other} values follow each other: it stretches their ranges, so that they overlap.",
            {"value": value, "end": end, "row_groups": len(groups)},
            column=".".join(leaf.path),
            row_groups=groups[:1_000],
            cost=Cost("a search for another value reads row groups that it could skip", row_groups=len(groups)),
            fix=f"Store null instead of {value}, if it stands for a value that is not known.",
        )


def _sentinel(ranges: Sequence[Range]) -> tuple[str, tuple[int, ...]] | None:
    """The end of the ranges that nearly all have, and the row groups that have it; None if there is none."""
    for end, ends, others in (
        ("max", [one.high for one in ranges], [one.low for one in ranges]),
        ("min", [one.low for one in ranges], [one.high for one in ranges]),
    ):
        extreme = max(ends) if end == "max" else min(ends)
        groups = tuple(index for index, value in enumerate(ends) if value == extreme)
        follow = [value for value in others if value != extreme]
        pairs = list(pairwise(follow))
        ordered = all(a < b for a, b in pairs) or all(a > b for a, b in pairs)
        if len(groups) > len(ranges) / 2 and len(groups) >= SENTINEL_GROUPS <= len(follow) and ordered:
            return end, groups
    return None


RULES = (
    Rule(
        "constant-column", Severity.NOTE, FOOTER,
        "Columns with one value", "They say the same in each row.", constant, STATISTICS,
        f"A file of at least {LEAST_ROWS:,} rows without nulls, whose bounds are known to be values. {trials.THRESHOLD}",
    ),
    Rule(
        "bounds-too-short", Severity.SLOW, FOOTER,
        "Bounds that are cut too short",
        "If all values share a prefix longer than the bounds, every row group has the same range.",
        short_bounds, STATISTICS, f"A shared prefix of at least {PREFIX} bytes in two row groups or more.",
    ),
    Rule(
        "sentinel-bounds", Severity.SLOW, FOOTER,
        "A value for \"never\" or \"unknown\" that stretches bounds",
        "A few rows with 9999-12-31 or -1 are enough that the bounds of a row group rule out nothing.",
        sentinels, STATISTICS,
        f"More than half of the row groups, and {SENTINEL_GROUPS}, have the same largest (or smallest) value, and the other ends of all row groups "
        "follow each other strictly.",
        explains=("rows-unsorted",),
    ),
)  # fmt: skip
