"""Diagnoses all files of a lake, on Spark or with processes of this machine."""

from __future__ import annotations

import dataclasses
import weakref
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from pqexplore.engine.errors import UsageError
from pqexplore.engine.text import plural, printable
from pqexplore.insight.doctor.rules import FOOTER, LEVELS
from pqexplore.insight.wording import listing, size
from pqexplore.lake import again, guard
from pqexplore.lake import parts as part_files
from pqexplore.lake.doctor import together
from pqexplore.lake.doctor.counting import Counts, by_arrow, by_spark
from pqexplore.lake.doctor.diagnosing import PHASES, READ, failed, scanned
from pqexplore.lake.doctor.jobs import REWRITTEN, jobs
from pqexplore.lake.doctor.report import LakeFinding, LakeReport, findings, total
from pqexplore.lake.doctor.together import FileFacts, table_of
from pqexplore.lake.entries import Entry, partition_values
from pqexplore.lake.progress import Progress, Watch
from pqexplore.lake.unstored import DIAGNOSES

if TYPE_CHECKING:
    from pqexplore.lake.lake import Lake


def diagnose_lake(
    lake: Lake,
    level: str = FOOTER,
    only: Collection[str] | None = None,
    processes: int | None = None,
    tasks: int | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> LakeReport:
    """See `Lake.diagnose`."""
    if level not in LEVELS:
        raise UsageError(f"level is {', '.join(LEVELS[:-1])} or {LEVELS[-1]}, not {level!r}")
    files = [row for row in again.files(lake) if only is None or row["path"] in only]
    entries = [again.entry(row) for row in files if row["error_code"] not in again.QUOTED]
    lake.reach.require_all(entry.path for entry in entries)
    run_id = lake._store.begin()
    try:
        settings = again.options(lake, run_id, guard.SECONDS[PHASES[level]], doctor=level)
        parts = again.read(lake, entries, settings, processes, tasks, Watch(progress))
        quoted = [row for row in files if row["error_code"] in again.QUOTED]
        parts += _given_up(lake, run_id, parts, quoted, {entry.path: entry for entry in entries})
        own = [part for part in parts if f"/{DIAGNOSES.name}/" in part]
        if lake.spark is None:
            rows = part_files.read(lake.path, own, DIAGNOSES.name)
            counts = by_arrow(rows)
            found: Any = _sorted(rows)
        else:
            from pqexplore.lake.query import spark_path

            made = lake.spark.read.schema(DIAGNOSES.ddl).parquet(
                *(spark_path(f"{lake.path}/{part}") for part in own)
            )
            counts = by_spark(made)
            found = made.where(f"rule != '{READ}'").orderBy("path", "severity", "rule")
        report = _report(lake, level, files, counts, found)
    except BaseException:
        lake._store.abandon(run_id)
        raise
    if lake.spark is None:
        lake._store.abandon(run_id)
    else:  # the DataFrame reads the rows later
        weakref.finalize(report, lake._store.abandon, run_id)
    return report


def scanned_lake(lake: Lake, only: Collection[str] | None = None) -> LakeReport:
    """What the tables of the scan show without reading a file: files that cannot be read, and what all files show together.

    `only` are the paths of the files that are looked at, None for all.
    """
    files = [row for row in again.files(lake) if only is None or row["path"] in only]
    run_id = lake.manifest.run_id
    made = [scanned(run_id, again.entry(row), row) for row in files]
    columns = {one.name: [row.get(one.name) for row in made] for one in DIAGNOSES.columns}
    rows = pa.Table.from_batches([DIAGNOSES.batch(columns)])
    return _report(lake, FOOTER, files, by_arrow(rows), _sorted(rows))


def _report(
    lake: Lake, level: str, files: Sequence[dict[str, Any]], counts: Counts, found: Any
) -> LakeReport:
    facts = _facts(lake, files)
    every = [*findings(counts), *shown_together(lake, facts)]
    return LakeReport(
        lake.manifest.run["source"],
        level,
        tuple(sorted(_with_jobs(lake, facts, every), key=_order)),
        total(counts),
        _what(files, lake._store.read(lake.manifest, "tables").to_pylist()),
        found,
    )


def _order(one: LakeFinding) -> tuple[int, int, int, str]:
    return one.severity.rank, -one.files, -(one.cost.bytes or 0), one.rule


# Reading.


def _given_up(
    lake: Lake,
    run_id: str,
    parts: Sequence[str],
    quoted: Sequence[dict[str, Any]],
    entries: dict[str, Entry],
) -> list[str]:
    """A part with the files that ended their reader, now (rows of `files`) or in the scan."""
    died = again.died(lake, parts)
    rows = [
        failed(
            run_id,
            entries.get(row["path"]) or again.entry(row),
            row["error_code"],
            row["error"] or "unknown error",
        )
        for row in [*died, *quoted]
    ]
    if not rows and entries:
        return []
    writer = part_files.PartWriter(lake.path, run_id)
    columns = {one.name: [row.get(one.name) for row in rows] for one in DIAGNOSES.columns}
    writer.write(DIAGNOSES.name, DIAGNOSES.batch(columns))
    return [part.file for part in writer.close()]


def _sorted(rows: pa.Table) -> pa.Table:
    found = rows.filter(pc.not_equal(rows["rule"], READ))
    return found.sort_by([(name, "ascending") for name in ("path", "severity", "rule")])


# What the files show together.


def _facts(lake: Lake, files: Sequence[dict[str, Any]]) -> list[FileFacts]:
    codecs = _codecs(lake)
    return [fact(row, codecs.get(row["path"], "")) for row in files if row["status"] == "ok"]


def fact(row: Mapping[str, Any], codecs: str = "") -> FileFacts:
    """What the rules of many files ask of a row of `files`."""
    return FileFacts(
        row["path"],
        row["size"] or 0,
        table_of(row["path"], row["table_path"]),
        row["schema_id"] or "",
        row["writer"] or "",
        codecs,
    )


def _codecs(lake: Lake) -> dict[str, str]:
    """The codecs of each file, as a sorted list of their names."""
    if lake.spark is not None:
        pairs = lake.tables["column_chunks"].select("path", "codec").distinct().collect()
        found = {(row["path"], row["codec"]) for row in pairs}
    else:
        found = set()
        for batch in lake.dataset("column_chunks").to_batches(columns=["path", "codec"]):
            some = pa.Table.from_batches([batch]).group_by(["path", "codec"]).aggregate([])
            found.update(zip(some["path"].to_pylist(), some["codec"].to_pylist(), strict=True))
    by_path: dict[str, list[str]] = {}
    for path, codec in found:
        if codec is not None:
            by_path.setdefault(path, []).append(codec)
    return {path: ", ".join(sorted(some)) for path, some in by_path.items()}


def shown_together(lake: Lake, facts: Sequence[FileFacts]) -> Iterator[LakeFinding]:
    """What no file shows alone: small files, drift, mixtures."""
    schemas = lake._store.read(lake.manifest, "schemas")
    columns = ["schema_id", "column_name", "physical_type", "logical_type"]
    leaves = together.leaves_of(schemas.select(columns).to_pylist())
    renamed = lake._store.read(lake.manifest, "table_columns").to_pylist()
    yield from together.small_files(facts)
    yield from together.drift(*together.by_table_names(facts, leaves, renamed))
    yield from together.mixtures(facts)


def _with_jobs(
    lake: Lake, facts: Sequence[FileFacts], found: Sequence[LakeFinding]
) -> Iterator[LakeFinding]:
    """The findings; those that go away when all files are written again have the job that does it."""
    code = job(lake, facts, {one.rule for one in found})
    for one in found:
        if one.rule in REWRITTEN and code:
            yield dataclasses.replace(one, code={**code, **one.code})
        else:
            yield one


def job(lake: Lake, facts: Sequence[FileFacts], rules: Collection[str]) -> Mapping[str, str]:
    """The code that writes all files again, by what runs it; empty if the files are of several tables."""
    tables = {one.table for one in facts}
    if len(tables) != 1:
        return {}
    (table,) = tables
    keys = {
        tuple(part.partition("=")[0] for part in partition_values(one.path).split("/") if part)
        for one in facts
    }
    if len(keys) != 1:
        return {}
    total_size = sum(one.size for one in facts)
    return jobs(table, formats(lake).get(table, ""), total_size, keys.pop(), rules)


def formats(lake: Lake) -> dict[str, str]:
    """The format of each table with a log, delta or iceberg, by its folder."""
    rows = lake._store.read(lake.manifest, "tables").to_pylist()
    return {row["path"]: row["format"] for row in rows}


def _what(files: Sequence[dict[str, Any]], tables: Sequence[dict[str, Any]]) -> str:
    good = [row for row in files if row["status"] == "ok"]
    rows = sum(row["num_rows"] or 0 for row in good)
    total_size = size(sum(row["size"] or 0 for row in files))
    writers = sorted({row["writer"] for row in good if row["writer"]})
    by = f", by {listing(writers, most=3)}" if writers else ""
    counted = f"{plural(len(files), 'file')} with {plural(rows, 'row')} in {total_size}{by}"
    return printable(", ".join([counted, *logs(tables)]))


def logs(tables: Sequence[dict[str, Any]]) -> Iterator[str]:
    """What the logs of the tables say: format and version of the only one, or how many of each format there are."""
    for kind, title in (("delta", "a Delta"), ("iceberg", "an Iceberg")):
        of = [row for row in tables if row["format"] == kind]
        if len(of) > 1:
            yield plural(len(of), f"{title.split()[1]} table")
        if len(of) != 1:
            continue
        (row,) = of
        known = row["version"] if kind == "delta" else row["snapshot_id"]
        state = f"at {'version' if kind == 'delta' else 'snapshot'} {known}"
        if row["status"] != "ok":
            state = "whose log cannot be read"
        elif known is None:
            state = "without a snapshot"
        gone = plural(row["removed_files"] or 0, "older file")
        yield (
            f"{'' if row['whole'] else 'a part of '}{title} table {state}"
            + f", without {gone}" * bool(row["removed_files"])
        )
