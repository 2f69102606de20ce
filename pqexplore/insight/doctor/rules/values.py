"""Rules about what the bounds of a column say of its values: that there is only one, or that all begin alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator
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
from pqexplore.insight.wording import name, plural

if TYPE_CHECKING:
    from pqexplore.engine.format.field import Leaf
    from pqexplore.insight.doctor.subject import Subject

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
        yield Finding(
            "constant-column",
            Address.of("schema", leaf.index),
            f"By its statistics, {name(leaf.path)} has one value in all rows: {value}.",
            {"value": value, "row_groups": len(found)},
            column=".".join(leaf.path),
            fix="It costs little; if it stands for the file, a partition or a key-value does the same.",
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


RULES = (
    Rule(
        "constant-column", Severity.NOTE, FOOTER,
        "Columns with one value", "They say the same in each row.", constant, STATISTICS,
        f"A file of at least {LEAST_ROWS:,} rows without nulls, whose bounds are known to be values.",
    ),
    Rule(
        "bounds-too-short", Severity.SLOW, FOOTER,
        "Bounds that are cut too short",
        "If all values share a prefix longer than the bounds, every row group has the same range.",
        short_bounds, STATISTICS, f"A shared prefix of at least {PREFIX} bytes in two row groups or more.",
    ),
)  # fmt: skip
