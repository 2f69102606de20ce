"""Rules about what values look like by their bounds: constants, dates, numbers and UUIDs that are text, shared prefixes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.format.logical import meaning
from pqexplore.engine.format.statistics import Bounds
from pqexplore.engine.text import clip
from pqexplore.insight.axis import text_of
from pqexplore.insight.doctor.diagnosis import Cost, Diagnosis, Severity, Source
from pqexplore.insight.doctor.rules.rule import FOOTER, Rule
from pqexplore.insight.wording import name

if TYPE_CHECKING:
    from pqexplore.engine.format.field import Leaf
    from pqexplore.insight.doctor.subject import Subject

LOGICAL_TYPES = Source(
    "Parquet, logical types",
    "https://github.com/apache/parquet-format/blob/master/LogicalTypes.md",
)
STATISTICS = Source(
    "Parquet, Statistics in parquet.thrift",
    "https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift",
)

FORMS = {
    "a date": (re.compile(r"\d{4}-\d\d-\d\d\Z|\d\d[/.]\d\d[/.]\d{4}\Z", re.ASCII), "DATE"),
    "a timestamp": (
        re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?\Z", re.ASCII),
        "TIMESTAMP",
    ),
    "a UUID": (
        re.compile(
            r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\Z", re.I | re.ASCII
        ),
        "UUID",
    ),
    "a number": (re.compile(r"-?\d{1,18}(\.\d{1,9})?\Z", re.ASCII), "INT64, DOUBLE or DECIMAL"),
}
"""What text can look like: its form, and the type that stores it better."""

LEAST_ROWS = 1_000
PREFIX = 8
"""Bytes of a prefix that all bounds share from which truncated bounds count as too short."""


def _all_bounds(
    subject: Subject, leaf: Leaf, fits: Callable[[Bounds], bool]
) -> list[Bounds] | None:
    """The trusted bounds of every chunk of a leaf with values; None if one has none, or does not fit."""
    found = []
    for group, metadata in subject.metadata(leaf):
        try:
            bounds = subject.bounds(leaf, group)
        except ParquetError:
            return None
        if bounds is not None and bounds.null_count == metadata.num_values:
            continue
        if bounds is None or not bounds.trusted or bounds.min_raw is None or bounds.max_raw is None:
            return None
        if not fits(bounds):
            return None
        found.append(bounds)
    return found or None


def _texts(subject: Subject) -> Iterator[Leaf]:
    for leaf in subject.leaves:
        if meaning(leaf).name == "STRING":
            yield leaf


def _of(bounds: Bounds) -> list[str]:
    """The bounds as text."""
    return [raw.decode(errors="replace") for raw in (bounds.min_raw, bounds.max_raw) if raw]


def typed_text(subject: Subject) -> Iterator[Diagnosis]:
    """Text whose bounds are all dates, timestamps, UUIDs or numbers."""
    if sum(subject.rows) < LEAST_ROWS:
        return
    for leaf in _texts(subject):
        found = _all_bounds(
            subject,
            leaf,
            lambda bounds: all(
                any(test.match(text) for test, _ in FORMS.values()) for text in _of(bounds)
            ),
        )
        if found is None:
            continue
        texts = [text for bounds in found for text in _of(bounds)]
        if len(set(texts)) < 2:
            continue
        form = next(
            (word for word, (test, _) in FORMS.items() if all(map(test.match, texts))), None
        )
        if form is None:
            continue
        low, high = clip(min(texts), 40), clip(max(texts), 40)
        yield Diagnosis(
            "text-of-another-type",
            Severity.NOTE,
            f"The bounds of {name(leaf.path)} look like {form} in every row group ({low} … {high}), and the column stores text.",
            Address.of("schema", leaf.index),
            ".".join(leaf.path),
            evidence={"form": form, "min": low, "max": high, "row_groups": len(found)},
            cost=Cost(
                "text takes more bytes, and compares from the left: '10' is smaller than '9'"
            ),
            fix=f"If all values are like that, store {FORMS[form][1]}.",
            source=LOGICAL_TYPES,
        )


def constant(subject: Subject) -> Iterator[Diagnosis]:
    """Columns with one value."""
    if sum(subject.rows) < LEAST_ROWS or subject.partial:
        return
    for leaf in subject.leaves:
        found = _all_bounds(subject, leaf, lambda bounds: bounds.min_raw == bounds.max_raw)
        if found is None or any(b.null_count != 0 for b in found) or leaf.max_repetition_level:
            continue
        exact = all(b.min_exact is not False and b.max_exact is not False for b in found)
        raws = {raw for b in found for raw in (b.min_raw, b.max_raw)}
        if not exact or len(raws) != 1 or any(b.nan_count for b in found):
            continue
        if any(b.why for b in found):  # NaNs may be there
            continue
        value = clip(text_of(leaf, found[0].min_raw), 40)
        yield Diagnosis(
            "constant-column",
            Severity.NOTE,
            f"By its statistics, {name(leaf.path)} has one value in all rows: {value}.",
            Address.of("schema", leaf.index),
            ".".join(leaf.path),
            evidence={"value": value, "row_groups": len(found)},
            fix="It costs little; if it stands for the file, a partition or a key-value does the same.",
            source=STATISTICS,
        )


def _shared(low: bytes, high: bytes) -> bytes:
    """The bytes with which both begin, and so does every value between them."""
    length = next((i for i, (a, b) in enumerate(zip(low, high, strict=False)) if a != b), None)
    return low[: min(len(low), len(high)) if length is None else length]


def short_bounds(subject: Subject) -> Iterator[Diagnosis]:
    """Truncated bounds that say nothing, because all values begin alike."""
    if subject.groups < 2:
        return
    for leaf in _texts(subject):
        found = _all_bounds(
            subject,
            leaf,
            lambda bounds: bounds.min_exact is False and bounds.max_exact is False,
        )
        if found is None or len(found) < 2:
            continue
        lows = [b.min_raw or b"" for b in found]
        if len(set(lows)) > 1 or len({b.max_raw for b in found}) > 1:
            continue
        prefix = _shared(lows[0], found[0].max_raw or b"")
        if len(prefix) < PREFIX:
            continue
        shown = clip(prefix.decode(errors="replace"), 40)
        yield Diagnosis(
            "bounds-too-short",
            Severity.SLOW,
            f"The bounds of {name(leaf.path)} are cut to {len(lows[0]):,} bytes, and are the same in all "
            f"{len(found):,} row groups: all values begin with {shown!r}.",
            Address.of("schema", leaf.index),
            ".".join(leaf.path),
            evidence={"prefix": shown, "bytes": len(lows[0]), "row_groups": len(found)},
            cost=Cost("no row group can be skipped by this column", row_groups=len(found)),
            fix="Raise the length at which the writer cuts bounds, or store the part that differs in a column of its own.",
            code={
                "Spark": "df.write.option('parquet.statistics.truncate.length', 256).parquet(path)",
                "pqexplore": "pqexplore.WriteOptions(statistics_bytes=None)",
            },
            source=STATISTICS,
        )


RULES = (
    Rule(
        "text-of-another-type", Severity.NOTE, FOOTER,
        "Text that looks like dates, numbers or UUIDs",
        "A column of the right type is smaller, compares as its values do, and lets queries skip.",
        typed_text, LOGICAL_TYPES,
        f"All bounds have the form, in a file of at least {LEAST_ROWS:,} rows.",
    ),
    Rule(
        "constant-column", Severity.NOTE, FOOTER,
        "Columns with one value", "They say the same in each row.", constant, STATISTICS,
        f"A file of at least {LEAST_ROWS:,} rows.",
    ),
    Rule(
        "bounds-too-short", Severity.SLOW, FOOTER,
        "Bounds that are cut too short",
        "If all values share a prefix longer than the bounds, every row group has the same range.",
        short_bounds, STATISTICS, f"A shared prefix of at least {PREFIX} bytes in two row groups or more.",
    ),
)  # fmt: skip
