"""One run over a lake, from the listing to the pointer.

The files are listed; those that have to be read are read by Spark, or by processes of this machine; and when everything
is there, the run is put in force. Whatever stops it on the way leaves what was in force before.
"""

from __future__ import annotations

import dataclasses
import datetime
import os
import time
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pqexplore.engine.limits import DEFAULT, Limits
from pqexplore.lake import local, refresh
from pqexplore.lake import parts as part_files
from pqexplore.lake.entries import ENGINE, Entry, Options, partition_values
from pqexplore.lake.listing import PATTERNS, Listing, listing
from pqexplore.lake.parts import Done
from pqexplore.lake.progress import Watch
from pqexplore.lake.store import WHOLE, Manifest, Store, by_table
from pqexplore.lake.tables import TABLES

FEW_ON_SPARK = 1_000
"""Changed files up to which a refresh does not bother Spark, where this machine sees the files."""
LONGEST_CHAIN = 16
"""Refreshes after which the tables are written anew, without what was superseded."""


@dataclasses.dataclass(frozen=True)
class Settings:
    """What the caller chose, but for the source."""

    level: str = "chunks"
    check: bool = False
    patterns: tuple[str, ...] = PATTERNS
    storage_options: dict[str, Any] = dataclasses.field(default_factory=dict)
    limits: tuple[tuple[str, int], ...] = ()
    processes: int | None = None
    tasks: int | None = None

    def stored(self) -> dict[str, Any]:
        """What a refresh will need, without what may be secret."""
        return {
            "level": self.level,
            "check": self.check,
            "patterns": list(self.patterns),
            "limits": [list(pair) for pair in self.limits],
        }

    @classmethod
    def restored(cls, options: dict[str, Any]) -> Settings:
        """The settings of a run that was stored."""
        return cls(
            level=options["level"],
            check=options["check"],
            patterns=tuple(options["patterns"]),
            limits=tuple((name, value) for name, value in options["limits"]),
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


class Run:
    """One run, from the listing to the pointer."""

    def __init__(
        self,
        store: Store,
        spark: Any,
        source: Any,
        settings: Settings,
        before: Manifest | None,
        watch: Watch,
    ) -> None:
        self._store, self._spark, self._source = store, spark, source
        self._settings, self._before, self._watch = settings, before, watch

    def do(self) -> None:
        """Do it; whatever stops it leaves what was in force."""
        expected = self._store.current()
        run_id = self._store.begin()
        try:
            manifest = self._run(run_id)
            self._watch.check()
            self._store.commit(manifest, expected)
        except BaseException:
            if self._store.current() != run_id:
                self._store.abandon(run_id)
            raise

    def _run(self, run_id: str) -> Manifest:
        settings, started, clock = self._settings, _now(), time.perf_counter()
        found = listing(
            self._source,
            spark=self._spark,
            patterns=settings.patterns,
            storage_options=settings.storage_options,
        )
        before, plan = self._plan(found)
        self._watch.begin(len(plan.read))
        options = Options(
            run_id,
            settings.level,
            settings.check,
            limits=settings.limits,
            storage_options=tuple(settings.storage_options.items()),
        )
        done = self._read(plan.read, options)
        parts = by_table(part for one in done for part in one.parts)
        carried = self._carried(run_id, found, before, plan)
        files = self._files(run_id, parts, carried)
        self._schemas(run_id, parts)
        errors = sum(one.errors for one in done)
        statuses = {} if carried is None else _counted(carried["status"])
        manifest = Manifest(
            run={
                "run_id": run_id,
                "source": _described(self._source),
                "level": settings.level,
                "engine": ENGINE,
                "started": started,
                "finished": _now(),
                "num_files": files - statuses.get("vanished", 0),
                "files_read": len(plan.read),
                "errors": errors,
                "vanished": statuses.get("vanished", 0),
                "bytes_read": sum(one.bytes_read for one in done),
                "seconds": time.perf_counter() - clock,
                "parent": None if self._before is None else self._before.run_id,
            },
            options=settings.stored() | {"source": _stored_source(self._source)},
            chain=[*(self._before.chain if self._before is not None else ()), run_id],
            parts=parts,
        )
        if plan.superseded:
            paths, runs = zip(*plan.superseded, strict=True)
            manifest.superseded = self._store.supersede(run_id, paths, runs)
        if len(manifest.chain) > LONGEST_CHAIN:
            self._compact(manifest)
        return manifest

    def _plan(self, found: Listing) -> tuple[Any, refresh.Plan]:
        if self._before is None:
            return None, refresh.Plan(read=found.entries)
        before = self._store.read(self._before, "files")
        level = self._settings.level
        same = {
            manifest.run_id
            for manifest in self._store.runs()
            if manifest.run["engine"] == ENGINE and manifest.run["level"] == level
        }
        return before, refresh.plan(found.entries, before, same)

    def _read(self, entries: list[Entry], options: Options) -> list[Done]:
        if not entries:
            return []
        few = self._before is not None and len(entries) <= FEW_ON_SPARK
        if self._spark is None or (
            few and all(os.path.lexists(entry.path) for entry in entries[:9])
        ):
            processes = self._settings.processes
            return local.run(entries, options, self._store.root, self._watch, processes)
        from pqexplore.lake import spark

        return spark.run(
            self._spark, entries, options, self._store.root, self._watch, self._settings.tasks
        )

    def _carried(self, run_id: str, found: Listing, before: Any, plan: refresh.Plan) -> Any:
        """Rows of `files` that were not read in this run; None where there are none."""
        tables = []
        if before is not None:
            tables.append(before.take(pa.array(plan.keep, pa.int64())))
            gone = before.take(pa.array(plan.vanished, pa.int64()))
            status = pa.repeat("vanished", len(gone))
            tables.append(gone.set_column(gone.schema.get_field_index("status"), "status", status))
        if found.orphans:
            tables.append(_orphans(run_id, found.orphans))
        return pa.concat_tables(tables).combine_chunks() if tables else None

    def _files(self, run_id: str, parts: dict[str, list[str]], carried: Any) -> int:
        """Complete the table `files`; gives its rows."""
        own = parts.get("files", [])
        if self._before is None:
            if carried is not None:
                own = [*own, self._store.write(run_id, "files", carried)]
            parts["files"] = own
            return sum(
                pq.read_metadata(os.path.join(self._store.root, part)).num_rows for part in own
            )
        rows = pa.concat_tables([carried, part_files.read(self._store.root, own, "files")])
        parts["files"] = [self._store.write(run_id, "files", rows)]
        return len(rows)

    def _schemas(self, run_id: str, parts: dict[str, list[str]]) -> None:
        """Make one table of the schemas that tasks met, and of those that were known."""
        known: set[str] = set()
        tables = []
        before = [] if self._before is None else self._before.parts.get("schemas", [])
        for part in (*before, *parts.get("schemas", ())):
            rows = part_files.read(self._store.root, [part], "schemas")
            new = set(pc.unique(rows["schema_id"]).to_pylist()) - known
            tables.append(
                rows.filter(pc.is_in(rows["schema_id"], pa.array(sorted(new), pa.string())))
            )
            known |= new
        if tables:
            parts["schemas"] = [self._store.write(run_id, "schemas", pa.concat_tables(tables))]

    def _compact(self, manifest: Manifest) -> None:
        """Write all rows that hold into this run, so that it stands alone."""
        for table in TABLES:
            if table in WHOLE or table == "runs":
                continue
            rows = self._store.dataset(manifest, table)
            part = f"runs/{manifest.run_id}/{table}/part-compact.parquet"
            place = os.path.join(self._store.root, part)
            os.makedirs(os.path.dirname(place), exist_ok=True)
            with pq.ParquetWriter(place, TABLES[table].schema, compression="zstd") as writer:
                for batch in rows.to_batches():
                    writer.write_batch(batch)
            manifest.parts[table] = [part]
        manifest.chain, manifest.superseded = [manifest.run_id], None


def _orphans(run_id: str, orphans: Sequence[Entry]) -> Any:
    count = len(orphans)
    return pa.Table.from_batches(
        [
            TABLES["files"].batch(
                {
                    "run_id": [run_id] * count,
                    "path": [entry.path for entry in orphans],
                    "partition_values": [partition_values(entry.path) for entry in orphans],
                    "size": [entry.size for entry in orphans],
                    "modified": [entry.modified for entry in orphans],
                    "hidden": [entry.hidden for entry in orphans],
                    "status": ["orphan"] * count,
                }
            )
        ]
    )


def _counted(column: Any) -> dict[str, int]:
    return {one["values"]: one["counts"] for one in pc.value_counts(column).to_pylist()}


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat()


def _described(source: Any) -> str:
    stored = _stored_source(source)
    if stored is None:
        return f"a {type(source).__name__}"
    if isinstance(stored, list):
        more = f" and {len(stored) - 1:,} more" if len(stored) > 1 else ""
        return f"{stored[0] if stored else 'nothing'}{more}"
    return str(stored)


def _stored_source(source: Any) -> Any:
    """The source as it can be written down; None for a DataFrame."""
    if isinstance(source, (str, os.PathLike)):
        text = os.fspath(source)
        return os.path.abspath(text) if os.path.lexists(text) else text
    if hasattr(source, "inputFiles"):
        return None
    stored = [_stored_source(one) for one in source]
    return None if None in stored else stored
