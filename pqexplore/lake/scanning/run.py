"""One run over a lake: list the files, read them, store the rows, make the run current.

Spark or processes of this machine read the files that need reading. Only a complete run becomes current: if it stops
earlier, the run before stays current, and what was read is kept for the next scan (see `unfinished`).
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pqexplore.engine.errors import CorruptFileError
from pqexplore.engine.file.retry import stop
from pqexplore.lake.credentials import renewed
from pqexplore.lake.listed_files import AT_ONCE, BY_LOG, ENGINE, SAMPLE, Entry, Options
from pqexplore.lake.listing import Listing, catalog, listing
from pqexplore.lake.listing.names import NO_DATA
from pqexplore.lake.logs import log_vs_footer
from pqexplore.lake.scanning import processes, refresh
from pqexplore.lake.scanning.progress import Cancelled, Watch
from pqexplore.lake.scanning.settings import Settings
from pqexplore.lake.store import part_files, unfinished
from pqexplore.lake.store.manifest import Manifest
from pqexplore.lake.store.store import WHOLE, Store
from pqexplore.lake.tables import TABLES

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pqexplore.lake.listed_files import LakeSource, StoredSource
    from pqexplore.lake.spark.binary_files import WholeFiles


FEW_ON_SPARK = 1_000
"""Max changed files for which a refresh does not use Spark, if this machine sees the files."""
LONGEST_CHAIN = 16
"""Refreshes after which all tables are rewritten without superseded rows."""


class Run:
    """One run, from the listing to the pointer. `spark` is None after it if the session was not used for few files; `session`
    knows the names of tables. `admit` gets the listed paths, and raises UsageError to refuse them.
    """

    def __init__(
        self,
        store: Store,
        spark: SparkSession | None,
        source: LakeSource,
        settings: Settings,
        before: Manifest | None,
        watch: Watch,
        admit: Callable[[Sequence[str]], None],
    ) -> None:
        self._store, self._source, self.spark = store, source, spark
        self.session = spark
        self._settings, self._before, self._watch = settings, before, watch
        self._admit = admit
        self._whole: WholeFiles | None = None

    @property
    def fresh(self) -> bool:
        """Whether this run uses no rows of earlier runs."""
        return self._before is None

    def do(self) -> str:
        """Execute the run. Returns its name. If it fails, the run before stays current."""
        expected = self._store.pointer()
        self._require_known()
        manifest = self._begin()
        run_id = manifest.run_id
        record = unfinished.Record(self._store, manifest, self._settings.keep)
        cancellable = stop.set(self._watch.check)
        try:
            self._run(record)
            self._watch.check()
            self._store.commit(manifest, expected)
            return run_id
        except BaseException as error:
            kept = ""
            if not self._store.kept(run_id):
                kept = record.kept()
                self._store.abandon(run_id)
            if kept and isinstance(error, Cancelled):
                raise Cancelled(f"{error}; {kept}") from None
            full = disk_full(error, self._store.root)
            if kept:
                (full or error).add_note(kept)
            if full is not None:
                raise full from None
            raise
        finally:
            stop.reset(cancellable)

    def _begin(self) -> Manifest:
        """The manifest of a new run, or of the unfinished one that this one goes on with."""
        before = self._before
        new = Manifest(
            run={
                "run_id": "",
                "source": _described(self._source),
                "level": self._settings.level,
                "engine": ENGINE,
                "started": unfinished.now(),
                **dict.fromkeys(("num_files", "other_files", "vanished", "bytes_read", "errors"), 0),
                "seconds": 0.0,
                "parent": None if before is None else before.run_id,
            },
            options=self._settings.stored() | {"source": _stored_source(self._source)},
            chain=[*(() if before is None else before.chain), ""],
            parts={},
        )
        if self._settings.resume:
            found = unfinished.take_over(self._store, new)
            if found is not None:
                return found
        new.run["run_id"] = new.chain[-1] = self._store.begin()
        return new

    def _require_known(self) -> None:
        """Raise UnsupportedFeatureError if a newer version of this package wrote the store.

        A damaged store may be scanned again: the new run does not use its content.
        """
        try:
            run_id = self._store.current()
            if run_id is not None:
                self._store.manifest(run_id)
        except CorruptFileError:
            if self._before is not None:
                raise

    def _run(self, record: unfinished.Record) -> None:
        """Read the files and write the tables. Completes the record's manifest."""
        settings, manifest = self._settings, record.manifest
        run_id = manifest.run_id
        found = self._listing()
        self._admit([entry.path for entry in found.entries])
        before, plan = self._plan(found)
        manifest.run["num_files"] = len(plan.read)
        left = record.go_on(plan.read)
        self._watch.begin(len(left), len(plan.read) - len(left))
        options = Options(
            run_id,
            settings.level,
            settings.check,
            limits=settings.limits,
            storage_options=tuple(settings.storage_options.items()),
            seconds_per_file=settings.seconds(),
            sample=_sample(plan.read),
        )
        self._watch.record = record.add
        for share, valid in renewed(left, options, settings.storage_options):
            self._read(share, valid)
        record.note()
        parts = manifest.parts
        carried = self._carried(run_id, found, before, plan)
        files = self._files(run_id, parts, carried)
        self._schemas(run_id, parts)
        statuses = {} if carried is None else _counted(carried["status"])
        others = sum(one.state in NO_DATA for one in found.others)
        manifest.run["errors"] += sum(one.error is not None for one in found.others)
        manifest.run["vanished"] = statuses.get("vanished", 0)
        manifest.run["num_files"] = files - manifest.run["vanished"] - others
        manifest.run["other_files"] = others + found.not_listed
        if plan.superseded:
            paths, runs = zip(*plan.superseded, strict=True)
            manifest.superseded = self._store.supersede(run_id, paths, runs)
        log_vs_footer.write(self._store, manifest, found)
        self._tables(run_id, found, parts)
        if len(manifest.chain) > LONGEST_CHAIN:
            self._compact(manifest)

    def _listing(self) -> Listing:
        settings = self._settings
        if settings.through is not None and self.spark is not None:
            from pqexplore.lake.spark import binary_files

            self._whole = binary_files.whole_files(self.spark, self._source, settings.patterns)
            return binary_files.listing(self._whole)
        return listing(
            self._source,
            spark=self.session,
            patterns=settings.patterns,
            storage_options=settings.storage_options,
            follow_outside=settings.follow_outside,
            version=settings.as_of,
        )

    def _plan(self, found: Listing) -> tuple[pa.Table | None, refresh.Plan]:
        if self._before is None:
            return None, refresh.Plan(read=found.entries)
        before = self._store.read(self._before, "files")
        level = self._settings.level
        same = {
            manifest.run_id
            for manifest in self._store.runs()
            if manifest.run["engine"] == ENGINE and manifest.run["level"] == level
        }
        return before, refresh.plan(found.entries, {one.path for one in found.others}, before, same)

    def _read(self, entries: list[Entry], options: Options) -> None:
        """Read files; `watch` gets what is done."""
        if not entries:
            return
        if self._whole is not None and self.spark is not None:
            from pqexplore.lake.spark import binary_files

            binary_files.run(self.spark, self._whole, options, self._store.root, self._watch)
            return
        few = self._before is not None and len(entries) <= FEW_ON_SPARK
        small = len(entries) < self._settings.spark_from
        here = all(os.path.lexists(entry.path) for entry in entries[:9])
        if small and here:
            self.spark = None
        if self.spark is None or (few and here):
            processes.run(entries, options, self._store.root, self._watch, self._settings.processes)
            return
        from pqexplore.lake.spark import job

        self._store.require_spark(self.spark)
        job.run(self.spark, entries, options, self._store.root, self._watch, self._settings.tasks)

    def _carried(self, run_id: str, found: Listing, before: pa.Table | None, plan: refresh.Plan) -> pa.Table | None:
        """Rows of `files` that this run did not read; None if there are none."""
        tables = []
        if before is not None:
            kept = before.take(pa.array(plan.keep, pa.int64()))
            tables.append(_by_log(kept, {one.path: one for one in found.entries}))
            gone = before.take(pa.array(plan.vanished, pa.int64()))
            status = pa.repeat("vanished", len(gone))
            tables.append(gone.set_column(gone.schema.get_field_index("status"), "status", status))
        if found.others:
            tables.append(_not_read(run_id, found.others))
        return pa.concat_tables(tables).combine_chunks() if tables else None

    def _files(self, run_id: str, parts: dict[str, list[str]], carried: pa.Table | None) -> int:
        """Complete the table `files`. Returns its rows."""
        own = parts.get("files", [])
        if self._before is None:
            if carried is not None:
                own = [*own, self._store.write(run_id, "files", carried)]
            parts["files"] = own
            return sum(pq.read_metadata(os.path.join(self._store.root, part)).num_rows for part in own)
        rows = pa.concat_tables([carried, part_files.read(self._store.root, own, "files")])
        parts["files"] = [self._store.write(run_id, "files", rows)]
        return len(rows)

    def _schemas(self, run_id: str, parts: dict[str, list[str]]) -> None:
        """Merge the schemas of the tasks with those of the run before."""
        known: set[str] = set()
        tables = []
        before = [] if self._before is None else self._before.parts.get("schemas", [])
        # The new parts first: those of an earlier version may lack columns.
        for part in (*parts.get("schemas", ()), *before):
            rows = part_files.read(self._store.root, [part], "schemas")
            new = set(pc.unique(rows["schema_id"]).to_pylist()) - known
            tables.append(rows.filter(pc.is_in(rows["schema_id"], pa.array(sorted(new), pa.string()))))
            known |= new
        if tables:
            parts["schemas"] = [self._store.write(run_id, "schemas", pa.concat_tables(tables))]

    def _tables(self, run_id: str, found: Listing, parts: dict[str, list[str]]) -> None:
        """Write the table `tables`."""
        entries, others = _by_table(found.entries), _by_table(found.others)
        rows = [table.row(run_id, entries.get(table.path, ()), others.get(table.path, ())) for table in found.tables]
        if rows:
            made = pa.Table.from_pylist(rows, schema=TABLES["tables"].schema)
            parts["tables"] = [self._store.write(run_id, "tables", made)]

    def _compact(self, manifest: Manifest) -> None:
        """Write all valid rows into this run, so that it needs no earlier run."""
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


def _sample(entries: Sequence[Entry]) -> int:
    """Of how many files one is diagnosed; 0 for none: few are read again in a moment, and a store counts requests."""
    if len(entries) <= AT_ONCE or any("://" in entry.path for entry in entries):
        return 0
    return -(-len(entries) // SAMPLE)


def _not_read(run_id: str, others: Sequence[Entry]) -> pa.Table:
    """Rows of `files` for listed files that are not read."""
    columns: dict[str, list[Any]] = {
        name: [getattr(entry, name) for entry in others]
        for name in ("path", "size", "modified", "etag", "hidden", "error", "kept_until", *BY_LOG)
    }
    outside = [entry.error is not None for entry in others]
    columns |= {
        "run_id": [run_id] * len(others),
        "status": ["error" if one else "not-read" for one in outside],
        "error_code": ["outside" if one else None for one in outside],
        "phase": ["listing" if one else None for one in outside],
    }
    return pa.Table.from_batches([TABLES["files"].batch(columns)])


def _by_log(rows: pa.Table, entries: Mapping[str, Entry]) -> pa.Table:
    """Update the log's columns in rows of `files`: a file's state can change while its bytes do not."""
    found = [entries.get(path) for path in rows["path"].to_pylist()]
    for name in BY_LOG:
        place = rows.schema.get_field_index(name)
        before = rows[name].to_pylist()
        values = [old if entry is None else getattr(entry, name) for entry, old in zip(found, before, strict=True)]
        field = rows.schema.field(place)
        rows = rows.set_column(place, field, pa.array(values, field.type))
    return rows


def _by_table(entries: Iterable[Entry]) -> dict[str, list[Entry]]:
    found: dict[str, list[Entry]] = {}
    for entry in entries:
        if entry.table_path is not None:
            found.setdefault(entry.table_path, []).append(entry)
    return found


def _counted(column: pa.ChunkedArray) -> dict[str, int]:
    return {one["values"]: one["counts"] for one in pc.value_counts(column).to_pylist()}


def _described(source: LakeSource) -> str:
    stored = _stored_source(source)
    if stored is None:
        return f"a {type(source).__name__}"
    if isinstance(stored, list):
        more = f" and {len(stored) - 1:,} more" if len(stored) > 1 else ""
        return f"{stored[0] if stored else 'nothing'}{more}"
    return str(stored)


def _stored_source(source: LakeSource) -> StoredSource | None:
    """The source as it can be stored; None for a DataFrame or a library's table."""
    if isinstance(source, (str, os.PathLike)):
        text = os.fspath(source)
        return os.path.abspath(text) if os.path.lexists(text) else text
    if hasattr(source, "inputFiles") or catalog.is_table(source):
        return None
    stored = [_stored_source(one) for one in source]
    known = [one for one in stored if one is not None]
    return known if len(known) == len(stored) else None


# Recognises that the disk of a store is full, at each place where a run writes.

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""No space, no quota, or a file larger than the file system or the process may write."""

_WORDS = "No space left on device"
"""What the error of a Spark job quotes."""


def disk_full(error: BaseException, root: str) -> OSError | None:
    """The error to raise for a run into the folder `root` that stopped because a disk is full; None for other errors."""
    if isinstance(error, OSError) and error.errno in FULL:
        number = error.errno
    elif isinstance(error, Exception) and _WORDS in str(error):
        number = errno.ENOSPC
    else:
        return None
    return OSError(
        number,
        f"the disk is full: the tables of this run do not fit into {root}, or its temporary files onto the disk where "
        "they were written; free some space, or scan with out= another folder; the run before, if there is one, stays "
        "current",
    )
