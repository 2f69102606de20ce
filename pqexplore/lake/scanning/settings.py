"""The options of a scan: those of the caller, and those that a stored run keeps for its refresh."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from pqexplore.engine.errors import UsageError
from pqexplore.engine.limits import DEFAULT, Limits
from pqexplore.lake.listing.names import PATTERNS
from pqexplore.lake.logs.table_log import version_of
from pqexplore.lake.scanning import subprocess_isolation
from pqexplore.lake.store.manifest import LEVELS

if TYPE_CHECKING:
    import datetime

    from pqexplore.engine.file.caller_types import StorageOptions
    from pqexplore.lake.logs.table_log import Version


class ScanOptions(TypedDict, total=False):
    """What `lake.scan` takes by name, beside the source and the store; see there."""

    check: bool
    patterns: Sequence[str]
    storage_options: StorageOptions | None
    follow_outside: bool
    version: int | str | None
    snapshot: int | str | None
    timestamp: datetime.datetime | datetime.date | str | None
    limits: Limits | None
    processes: int | None
    tasks: int | None
    seconds_per_file: float | None
    through: str | None
    spark_from: int


@dataclasses.dataclass(frozen=True)
class Settings:
    """The caller's options, without the source.

    `resume` goes on with an unfinished run, `keep` keeps what this one has read if it does not become complete.
    """

    level: str = "chunks"
    check: bool = False
    patterns: tuple[str, ...] = PATTERNS
    storage_options: StorageOptions = dataclasses.field(default_factory=dict, repr=False)
    follow_outside: bool = False
    limits: tuple[tuple[str, int], ...] = ()
    processes: int | None = None
    tasks: int | None = None
    seconds_per_file: float | None = None
    through: str | None = None
    version: int | str | None = None
    snapshot: int | str | None = None
    timestamp: str | None = None
    spark_from: int = 0
    resume: bool = False
    keep: bool = True

    @classmethod
    def of(cls, level: str, resume: bool, keep: bool, on_spark: bool, **options: Unpack[ScanOptions]) -> Settings:
        """The settings of a caller; `on_spark` says that there is a session. UsageError for values that make no sense."""
        if level not in LEVELS:
            raise UsageError(f"level is {' or '.join(LEVELS)}, not {level!r}")
        seconds, through = options.get("seconds_per_file"), options.get("through")
        if seconds is not None and not 0 <= seconds < math.inf:
            raise UsageError(f"seconds_per_file is a number from 0 on, not {seconds!r}")
        if through not in (None, "binaryFile") or (through is not None and not on_spark):
            raise UsageError(f"through is 'binaryFile', with a Spark session, or None; not {through!r}")
        storage, timestamp = options.get("storage_options"), options.get("timestamp")
        own = {
            "patterns": tuple(options.get("patterns", PATTERNS)),
            "storage_options": dict(storage) if isinstance(storage, dict) else storage or {},
            "limits": changed(options.get("limits")),
            "timestamp": None if timestamp is None else str(timestamp),
        }
        made = cls(level=level, resume=resume, keep=keep, **{**options, **own})  # type: ignore[arg-type]
        version_of(made.version, made.snapshot, made.timestamp)
        return made

    @property
    def as_of(self) -> Version | None:
        """The version of the tables that is read; None for the newest."""
        return version_of(self.version, self.snapshot, self.timestamp)

    def seconds(self) -> float:
        """Seconds that one file may take; 0 for no limit."""
        if self.seconds_per_file is None:
            return subprocess_isolation.seconds_per_file(self.level, self.check)
        return self.seconds_per_file

    def stored(self) -> dict[str, Any]:
        """The options that a refresh needs, without possible secrets."""
        return {
            "level": self.level,
            "check": self.check,
            "patterns": list(self.patterns),
            "follow_outside": self.follow_outside,
            "limits": [list(pair) for pair in self.limits],
            "seconds_per_file": self.seconds_per_file,
            "through": self.through,
            "version": self.version,
            "snapshot": self.snapshot,
            "timestamp": self.timestamp,
        }

    @classmethod
    def restored(cls, options: dict[str, Any]) -> Settings:
        """The settings of a stored run."""
        return cls(
            level=options["level"],
            check=options["check"],
            patterns=tuple(options["patterns"]),
            follow_outside=options.get("follow_outside", False),
            limits=tuple((name, value) for name, value in options["limits"]),
            seconds_per_file=options.get("seconds_per_file"),
            version=options.get("version"),
            snapshot=options.get("snapshot"),
            timestamp=options.get("timestamp"),
        )


def changed(limits: Limits | None) -> tuple[tuple[str, int], ...]:
    """The limits that differ from their defaults."""
    if limits is None:
        return ()
    return tuple(
        (field.name, getattr(limits, field.name))
        for field in dataclasses.fields(Limits)
        if getattr(limits, field.name) != getattr(DEFAULT, field.name)
    )
