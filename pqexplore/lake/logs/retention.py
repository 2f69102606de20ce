"""How long the settings of a table keep files that are not live.

Delta's `VACUUM`, and Iceberg's `expire_snapshots` and `remove_orphan_files`, delete files after a time that the table's
settings give. A setting that cannot be read keeps its files without end: a file is never called removable on a guess.

The times are from the documentation: https://docs.delta.io/latest/delta-utility.html#remove-files-no-longer-referenced-by-a-delta-table
and https://docs.delta.io/latest/table-properties.html for Delta; https://iceberg.apache.org/docs/latest/configuration/
(table behavior properties) and https://iceberg.apache.org/docs/latest/maintenance/ for Iceberg.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyiceberg.table.metadata import TableMetadata
    from pyiceberg.table.refs import SnapshotRef
    from pyiceberg.table.snapshots import Snapshot

SECOND = 1_000_000
DAY = 86_400 * SECOND
"""Microseconds."""

VACUUM_RETENTION = "delta.deletedFileRetentionDuration"
VACUUM_DAYS = 7
"""Default of `delta.deletedFileRetentionDuration`, "interval 1 week", in days."""
SNAPSHOT_AGE = "history.expire.max-snapshot-age-ms"
SNAPSHOT_DAYS = 5
"""Default of `history.expire.max-snapshot-age-ms`, 432000000, in days."""
SNAPSHOTS_KEPT = "history.expire.min-snapshots-to-keep"
REF_AGE = "history.expire.max-ref-age-ms"
ORPHAN_DAYS = 3
"""Default of `older_than` in `remove_orphan_files`, in days."""

_UNITS = {
    "week": 7 * DAY,
    "day": DAY,
    "hour": 3600 * SECOND,
    "minute": 60 * SECOND,
    "second": SECOND,
    "millisecond": 1000,
    "microsecond": 1,
    "nanosecond": 0,
}
_PART = re.compile(r"\s*(\d{1,12})\s+([a-z]+?)s?(?=\s|$)")
_MAIN = "main"


@dataclasses.dataclass(frozen=True, slots=True)
class Retention:
    """How long files are kept, in microseconds; None is without end.

    `removed` counts from the removal of a file, None for Iceberg, where snapshots keep files. `unnamed` counts from the
    modification of a file that the log does not name. `words` says so, with the settings.
    """

    removed: int | None
    unnamed: int | None
    words: str


UNKNOWN_RETENTION = Retention(None, None, "how long files are kept is not known")


def of_delta(metadata: Mapping[str, object]) -> Retention:
    """The retention of a Delta table, by the configuration in its metaData action; a checkpoint gives it as pairs."""
    configuration = metadata.get("configuration") or {}
    if isinstance(configuration, list):
        configuration = dict(configuration)
    given = configuration.get(VACUUM_RETENTION) if isinstance(configuration, dict) else None
    if given is None:
        span: int | None = VACUUM_DAYS * DAY
        words = f"VACUUM keeps files for {VACUUM_DAYS} days, the default of {VACUUM_RETENTION}"
    else:
        span = interval(given) if isinstance(given, str) else None
        words = f"VACUUM keeps files for {VACUUM_RETENTION} = {str(given)[:100]!r}"
        if span is None:
            words += ", which is no interval that is known here: no file counts as removable"
    return Retention(span, span, words)


def interval(text: str) -> int | None:
    """Microseconds of an interval such as `interval 1 week 2 hours`; None for months, years and other texts."""
    rest = text.strip().lower().removeprefix("interval")
    total, at = 0, 0
    while at < len(rest):
        match = _PART.match(rest, at)
        if match is None or match[2] not in _UNITS:
            return None
        total += int(match[1]) * _UNITS[match[2]]
        at = match.end()
    return total if at else None


def of_iceberg(metadata: TableMetadata, copied: bool) -> Retention:
    """The retention of an Iceberg table. Of a copy nothing counts as removable: its metadata names the original's files."""
    if copied:
        return Retention(
            None, None, "the metadata names the files of the table that this is a copy of: no file counts as removable"
        )
    if not _collects(metadata):
        return Retention(None, None, "gc.enabled is false: expire_snapshots and remove_orphan_files refuse")
    age = metadata.properties.get(SNAPSHOT_AGE)
    aged = f"{SNAPSHOT_DAYS} days, the default of {SNAPSHOT_AGE}" if age is None else f"{SNAPSHOT_AGE} = {age[:100]!r}"
    words = (
        f"expire_snapshots keeps snapshots for {aged}, and the branches' and tags' own; remove_orphan_files keeps files "
        f"for {ORPHAN_DAYS} days, its default"
    )
    return Retention(None, ORPHAN_DAYS * DAY, words)


def _collects(metadata: TableMetadata) -> bool:
    return str(metadata.properties.get("gc.enabled", "true")).strip().lower() == "true"


def expiry(metadata: TableMetadata) -> dict[int, int | None]:
    """When `expire_snapshots` may expire each snapshot, in microseconds since 1970; None for never, as the table is now.

    A branch keeps its newest snapshots, by number and by age; a tag keeps one. A branch or tag other than `main` may have
    an age of its own, after which it goes. A snapshot that no branch or tag has is kept by age.
    Source: `RemoveSnapshots` of Apache Iceberg; https://iceberg.apache.org/spec/#snapshot-retention-policy
    """
    if not _collects(metadata):
        return {one.snapshot_id: None for one in metadata.snapshots}
    try:
        age = _setting(metadata, SNAPSHOT_AGE, SNAPSHOT_DAYS * DAY // 1000)
        kept = _setting(metadata, SNAPSHOTS_KEPT, 1)
        longest = _setting(metadata, REF_AGE, 0) if REF_AGE in metadata.properties else None
    except ValueError:
        return {one.snapshot_id: None for one in metadata.snapshots}
    known = {one.snapshot_id: one for one in metadata.snapshots}
    ends: dict[int, int | None] = {}
    for name, ref in metadata.refs.items():
        for snapshot, end in _kept_by(name, ref, known, age, kept, longest):
            before = ends.get(snapshot, 0)
            ends[snapshot] = None if end is None or before is None else max(end, before)
    for number, snapshot in known.items():
        ends.setdefault(number, snapshot.timestamp_ms + age)
    return {number: None if end is None else end * 1000 for number, end in ends.items()}


def _setting(metadata: TableMetadata, name: str, default: int) -> int:
    """A number among the table's properties. ValueError if it is none that Java reads."""
    text = metadata.properties.get(name, str(default))
    if re.fullmatch(r"[+-]?[0-9]{1,18}", text) is None:
        raise ValueError(f"{name} is {text[:100]!r}")
    return int(text)


def _kept_by(
    name: str, ref: SnapshotRef, known: Mapping[int, Snapshot], age: int, kept: int, longest: int | None
) -> list[tuple[int, int | None]]:
    """Each snapshot of a branch or tag, and until when (milliseconds since 1970) it keeps the snapshot."""
    head = known.get(ref.snapshot_id)
    if head is None:
        return []
    own = longest if ref.max_ref_age_ms is None else ref.max_ref_age_ms
    gone = None if name == _MAIN or own is None else head.timestamp_ms + own
    after = age
    if ref.snapshot_ref_type.value == "branch":
        age = age if ref.max_snapshot_age_ms is None else ref.max_snapshot_age_ms
        kept = kept if ref.min_snapshots_to_keep is None else ref.min_snapshots_to_keep
    found: list[tuple[int, int | None]] = []
    seen: set[int] = set()
    earliest: int | None = None
    at: Snapshot | None = head
    while at is not None and at.snapshot_id not in seen:
        end = None
        if len(seen) >= max(1, kept):
            own_end = at.timestamp_ms + age
            earliest = own_end if earliest is None else min(earliest, own_end)
            end = earliest
        if gone is not None and (end is None or gone < end):
            end = max(gone, at.timestamp_ms + after)
        found.append((at.snapshot_id, end))
        seen.add(at.snapshot_id)
        parent = at.parent_snapshot_id
        if ref.snapshot_ref_type.value == "tag" or parent is None:
            break
        at = known.get(parent)
    return found


def later(one: int | None, other: int | None) -> int | None:
    """The later of two times; None is never."""
    return None if one is None or other is None else max(one, other)
