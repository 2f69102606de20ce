"""Diagnoses all files of a lake, on Spark or with processes of this machine."""

from __future__ import annotations

import dataclasses
import functools
import weakref
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from pqexplore.engine.errors import UsageError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.file import open as open_file
from pqexplore.engine.text import plural, printable
from pqexplore.insight.diff.engine_values import Range
from pqexplore.insight.diff.engines import Outcome
from pqexplore.insight.doctor.rules import DATA, FOOTER, LEVELS
from pqexplore.insight.doctor.verdict import ranked
from pqexplore.insight.wording import listing, size
from pqexplore.lake import query
from pqexplore.lake.doctor import together, uneven
from pqexplore.lake.doctor.column_bounds import RANGES, ColumnRange, by_bounds, column_ranges, rows_compared
from pqexplore.lake.doctor.counting import Counts, by_arrow, by_spark
from pqexplore.lake.doctor.dates import dated
from pqexplore.lake.doctor.diagnosing import PHASES, READ, failed, scanned
from pqexplore.lake.doctor.drift import Drift, DriftFile, drift, drift_file, stored_schema
from pqexplore.lake.doctor.drift_findings import drift_findings
from pqexplore.lake.doctor.jobs import REWRITTEN, jobs
from pqexplore.lake.doctor.lake_report import LakeFinding, LakeReport, findings
from pqexplore.lake.doctor.states import states
from pqexplore.lake.doctor.together import FileFacts, table_of
from pqexplore.lake.listed_files import AT_ONCE, SAMPLE, Entry, partition_keys
from pqexplore.lake.scanning import rescan, subprocess_isolation
from pqexplore.lake.scanning.progress import Progress, Watch
from pqexplore.lake.store import part_files
from pqexplore.lake.store.temporary_tables import DIAGNOSES

if TYPE_CHECKING:
    from pqexplore.lake.lake import Lake


def diagnose_lake(
    lake: Lake,
    level: str | None = None,
    only: Collection[str] | None = None,
    processes: int | None = None,
    tasks: int | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> LakeReport:
    """See `Lake.diagnose`."""
    sampled, level = level is None, DATA if level == "all" else level or FOOTER
    if level not in LEVELS:
        raise UsageError(f"level is {', '.join(LEVELS[:-1])} or {LEVELS[-1]}, not {level!r}")
    files, chunks = _files(lake, only), _chunks(lake)
    known = _known(lake, files) if sampled and len(files) > AT_ONCE else None
    looked, quoted = _choose_files(files, chunks if sampled else None, known)
    entries = [rescan.entry(row) for row in looked]
    lake.reach.require_all(entry.path for entry in entries)
    run_id = lake._store.begin()
    try:
        settings = rescan.options(lake, run_id, subprocess_isolation.SECONDS[PHASES[level]], doctor=level)
        parts = rescan.read(lake, entries, settings, processes, tasks, Watch(progress))
        parts += _given_up(lake, run_id, parts, quoted, {entry.path: entry for entry in entries})
        counts, found = _read_diagnoses(lake, [part for part in parts if f"/{DIAGNOSES.name}/" in part], known)
        seen = len(looked) + len(quoted) + (0 if known is None else pc.count_distinct(known["path"]).as_py())
        report = _report(lake, level, files, chunks, counts, found, only is None, seen)
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
    files = _files(lake, only)
    run_id = lake.manifest.run_id
    made = [scanned(run_id, rescan.entry(row), row) for row in files]
    columns = {one.name: [row.get(one.name) for row in made] for one in DIAGNOSES.columns}
    rows = pa.Table.from_batches([DIAGNOSES.batch(columns)])
    return _report(lake, FOOTER, files, _chunks(lake), by_arrow(rows), _sorted(rows), only is None, 0)


def _files(lake: Lake, only: Collection[str] | None) -> list[dict[str, Any]]:
    return [row for row in rescan.files(lake) if only is None or row["path"] in only]


_Rows = list[dict[str, Any]]


def _known(lake: Lake, files: _Rows) -> pa.Table | None:
    """What the scan kept of the diagnoses of some of these files; None without any."""
    import pyarrow.dataset as ds  # which imports pandas

    paths = pa.array([row["path"] for row in files if row["status"] == "ok"], pa.string())
    found = lake.dataset(DIAGNOSES.name).to_table(filter=ds.field("path").isin(paths))
    return found if len(found) else None


def _choose_files(
    files: _Rows, chunks: Mapping[str, ChunkFacts] | None, stored: pa.Table | None
) -> tuple[_Rows, _Rows]:
    """The files that are looked at, some of many if `chunks` are given, and those whose error the scan knows.

    Where the scan diagnosed some, `stored`, those of other kinds alone are looked at.
    """
    looked = [row for row in files if row["error_code"] not in rescan.QUOTED]
    quoted = [row for row in files if row["error_code"] in rescan.QUOTED]
    if chunks is not None and len(looked) > AT_ONCE:
        looked = _even(looked, chunks) if stored is None else _of_other_kinds(looked, chunks, stored)
        known = {row["path"] for row in (*looked, *quoted)}
        quoted += [row for row in files if row["status"] == "error" and row["path"] not in known]
    return looked, quoted


def _kinds(files: _Rows, chunks: Mapping[str, ChunkFacts]) -> list[_Rows]:
    """The files of each kind, by what the scan knows, the rarest first; at most as many as have a place in a sample."""
    kinds: dict[object, _Rows] = {}
    for row in files:
        kind = row["schema_id"], row["writer"], row["writer_version"], row["status"], min(row["num_row_groups"] or 0, 2)
        kinds.setdefault((*kind, chunks.get(row["path"], NONE)), []).append(row)
    return sorted(kinds.values(), key=len)[: SAMPLE // 2]


def _of_other_kinds(files: _Rows, chunks: Mapping[str, ChunkFacts], stored: pa.Table) -> _Rows:
    """A file of each kind of readable files, if the scan diagnosed no file of that kind."""
    known = set(stored["path"].to_pylist())
    return [
        some[0]
        for some in _kinds(files, chunks)
        if some[0]["status"] == "ok" and not any(row["path"] in known for row in some)
    ]


def _even(files: _Rows, chunks: Mapping[str, ChunkFacts]) -> _Rows:
    """So many files that each kind is among them: first one of each kind, then evenly."""
    firsts = [some[0] for some in _kinds(files, chunks)]
    left, taken = SAMPLE - len(firsts), {row["path"] for row in firsts}
    rest = [row for row in files if row["path"] not in taken]
    return [*firsts, *(rest[at * len(rest) // left] for at in range(left))]


_LISTED = [
    *("path", "size", "status", "num_rows", "listed_rows", "table_path", "state", "state_reason"),
    *("deleted_rows", "kept_until", "footer_hash", "partition_values"),
]


def _report(
    lake: Lake,
    level: str,
    files: Sequence[dict[str, Any]],
    chunks: Mapping[str, ChunkFacts],
    counts: Counts,
    found: Any,
    whole: bool,
    looked: int,
) -> LakeReport:
    facts = _facts(files, chunks)
    tables = lake._store.read(lake.manifest, "tables").to_pylist()
    every = [*findings(counts), *shown_together(lake, files, facts)]
    if whole:
        listed = lake._store.read(lake.manifest, "files").select(_LISTED).to_pylist()
        conflicts = lake._store.read(lake.manifest, "log_conflicts").to_pylist()
        every += states(listed, tables, conflicts)
    return LakeReport(
        lake.manifest.run["source"],
        level,
        tuple(sorted(ranked(_with_jobs(lake, facts, every)), key=_order)),
        len(files),
        _what(files, tables),
        found,
        looked,
    )


def _order(one: LakeFinding) -> tuple[int, bool, int]:
    """The worst first; of equal ones a table that engines cannot read, then those of most files, then as `ranked` has them."""
    readable = not any(words.startswith(Outcome.FAILS.value) for words in one.engines.values())
    return one.severity.rank, readable, -one.files


# Reading.


def _read_diagnoses(lake: Lake, parts: Sequence[str], stored: pa.Table | None) -> tuple[Counts, Any]:
    """What the table of the diagnoses has, counted, and its sorted rows: a DataFrame if there is a session.

    `stored` are rows that the scan kept.
    """
    if lake.spark is not None and lake._store.spark_sees_folder and stored is None:
        frame = lake.spark.read.schema(DIAGNOSES.ddl).parquet(
            *(query.spark_path(f"{lake.path}/{part}") for part in parts)
        )
        return by_spark(frame), frame.where(f"rule != '{READ}'").orderBy("path", "severity", "rule")
    rows = part_files.read(lake.path, parts, DIAGNOSES.name)
    if stored is not None:
        rows = pa.concat_tables([rows, stored.select(rows.column_names).cast(rows.schema)])
    found: Any = _sorted(rows)
    return by_arrow(rows), found if lake.spark is None else query.frame(lake.spark, found)


def _given_up(
    lake: Lake, run_id: str, parts: Sequence[str], quoted: Sequence[dict[str, Any]], entries: dict[str, Entry]
) -> list[str]:
    """A part with the files that ended their reader, now (rows of `files`) or in the scan."""
    died = rescan.died(lake, parts)
    rows = [
        failed(
            run_id, entries.get(row["path"]) or rescan.entry(row), row["error_code"], row["error"] or "unknown error"
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


def _facts(files: Sequence[dict[str, Any]], chunks: Mapping[str, ChunkFacts]) -> list[FileFacts]:
    return [
        fact(row, chunks.get(row["path"], NONE), dated(rescan.entry(row))[0]) for row in files if row["status"] == "ok"
    ]


@dataclasses.dataclass(frozen=True, slots=True)
class ChunkFacts:
    """The codecs of a file, sorted and joined by commas; whether a column chunk has bounds or only nulls, and an offset index."""

    codecs: str = ""
    statistics: bool = True
    indexes: bool = True


NONE = ChunkFacts()
"""Of a file without column chunks."""
BOUNDS = ("min_max", "legacy")
"""Values of `column_chunks.statistics` where there are bounds."""


def fact(row: Mapping[str, Any], chunks: ChunkFacts = NONE, date: str = "") -> FileFacts:
    """What the rules of many files ask of a row of `files`; `date` is the file's day."""
    return FileFacts(
        row["path"],
        row["size"] or 0,
        table_of(row["path"], row["table_path"]),
        row["schema_id"] or "",
        row["writer"] or "",
        chunks.codecs,
        not chunks.statistics,
        not chunks.indexes,
        date,
        None if row["table_path"] is None else row["partition_values"],
        row.get("num_rows"),
        row.get("footer_hash"),
        row.get("writer_version") or "",
    )


def _chunks(lake: Lake) -> dict[str, ChunkFacts]:
    """What the column chunks of each file have."""
    if lake.spark is not None:
        from pyspark.sql import functions as F

        made = lake.tables["column_chunks"].groupBy("path", "codec")
        bounds = F.col("statistics").isin(*BOUNDS) | (F.col("null_count") == F.col("num_values"))
        has = F.max(bounds), F.max(F.col("offset_index_offset").isNotNull())
        rows = [tuple(row) for row in made.agg(*has).collect()]
    else:
        rows = []
        columns = ["path", "codec", "statistics", "null_count", "num_values", "offset_index_offset"]
        for batch in lake.dataset("column_chunks").to_batches(columns=columns):
            some = pa.table(
                {
                    "path": batch["path"],
                    "codec": batch["codec"],
                    "statistics": pc.or_kleene(
                        pc.is_in(batch["statistics"], pa.array(BOUNDS)),
                        pc.equal(batch["null_count"], batch["num_values"]),
                    ),
                    "index": pc.is_valid(batch["offset_index_offset"]),
                }
            ).group_by(["path", "codec"])
            made = some.aggregate([("statistics", "max"), ("index", "max")])
            names = ("path", "codec", "statistics_max", "index_max")
            rows += zip(*(made[one].to_pylist() for one in names), strict=True)
    by_path: dict[str, list[tuple[str | None, bool, bool]]] = {}
    for path, *has_ in rows:
        by_path.setdefault(path, []).append((has_[0], bool(has_[1]), bool(has_[2])))
    return {
        path: ChunkFacts(
            ", ".join(sorted({codec for codec, _, _ in some if codec is not None})),
            any(one for _, one, _ in some),
            any(one for _, _, one in some),
        )
        for path, some in by_path.items()
    }


def shown_together(lake: Lake, files: Sequence[dict[str, Any]], facts: Sequence[FileFacts]) -> Iterator[LakeFinding]:
    """What no file shows alone: small files, drift, mixtures, files that lack what others have."""
    yield from together.small_files(facts)
    footers = footers_of(lake._store.read(lake.manifest, "schemas"))
    own = drift_files(files, facts)
    found = _drift(lake, own, footers)
    yield from drift_findings(found, own)
    yield from together.mixtures(facts)
    yield from uneven.uneven(facts)
    yield from uneven.refused(facts, _features(footers, {one.schema_id for one in facts}))
    yield from together.old_writers(facts)
    ranges = _ranges(lake, facts)
    values: Counter[str] = Counter()
    for one in ranges:
        values[one.path] += one.values or 0
    yield from by_bounds(ranges, facts, rows_compared(functools.partial(_open, lake), facts, values))


def _open(lake: Lake, path: str) -> ParquetFile:
    """A file of the lake, opened as the scan did."""
    lake.reach.require_all([path])
    return open_file(path, storage_options=lake.storage_options)


def footers_of(schemas: pa.Table) -> dict[str, bytes | None]:
    """The footer with the schema alone, by schema."""
    first = schemas.filter(pc.equal(schemas["leaf"], 0))
    pairs = zip(first["schema_id"].to_pylist(), first["footer"].to_pylist(), strict=True)
    return dict(pairs)


def drift_files(files: Sequence[dict[str, Any]], facts: Sequence[FileFacts]) -> list[DriftFile]:
    """The readable files, for `drift`."""
    tables = {one.path: one.table for one in facts}
    return [drift_file(row, rescan.entry(row), tables[row["path"]]) for row in files if row["path"] in tables]


def drift_of(lake: Lake, only: Collection[str] | None = None) -> Drift:
    """See `Lake.drift`. `only` are the paths of the files that are compared, None for all."""
    files = [row for row in rescan.files(lake) if only is None or row["path"] in only]
    facts = [fact(row) for row in files if row["status"] == "ok"]
    return _drift(lake, drift_files(files, facts), footers_of(lake._store.read(lake.manifest, "schemas")))


def _drift(lake: Lake, files: Sequence[DriftFile], footers: Mapping[str, bytes | None]) -> Drift:
    names: dict[tuple[str, str], dict[int, str | None]] = {}
    for row in lake._store.read(lake.manifest, "table_columns").to_pylist():
        names.setdefault((row["table_path"], row["schema_id"]), {})[row["leaf"]] = row["table_column"]
    return drift(files, footers, formats(lake), functools.partial(_bounds, lake), names)


def _bounds(lake: Lake, paths: set[str], columns: set[str]) -> dict[tuple[str, str], list[Range]]:
    """See `drift.Ranges`."""
    import pyarrow.dataset as ds  # which imports pandas

    names = ["path", "column_name", "min_text", "max_text", "min_exact", "max_exact", "null_count", "num_values"]
    wanted = ds.field("path").isin(pa.array(sorted(paths))) & ds.field("column_name").isin(pa.array(sorted(columns)))
    found: dict[tuple[str, str], list[Range]] = {}
    for batch in lake.dataset("column_chunks").to_batches(columns=names, filter=wanted):
        for path, column, low, high, low_exact, high_exact, nulls, values in zip(
            *(batch[name].to_pylist() for name in names), strict=True
        ):
            some = found.setdefault((path, column), [])
            if values is None or nulls != values:
                some.append(Range(low, high, low_exact, high_exact))
    return found


def _features(footers: Mapping[str, bytes | None], used: Collection[str]) -> dict[str, set[str]]:
    """The features of each schema in use that decide who reads it."""
    found = {}
    for schema_id in used:
        schema = stored_schema(footers.get(schema_id))
        if schema is not None:
            found[schema_id] = uneven.schema_features(schema.fields[1:])
    return found


RANGED = 2_000_000
"""Ranges of columns in files that are looked at: of more, those of no column are."""


def _ranges(lake: Lake, facts: Sequence[FileFacts]) -> list[ColumnRange]:
    """The range of each column in each file; empty without DuckDB and Spark, and for very many."""
    columns = max((row["num_columns"] or 0 for row in rescan.files(lake)), default=0)
    if len(facts) < 2 or len(facts) * columns > RANGED:
        return []
    try:
        return column_ranges(query.rows(lake, RANGES))
    except UsageError:  # DuckDB is not installed
        return []


def _with_jobs(lake: Lake, facts: Sequence[FileFacts], found: Sequence[LakeFinding]) -> Iterator[LakeFinding]:
    """The findings; those that go away when all files are written again have the job that does it."""
    code = job(lake, facts, {one.rule for one in found})
    for one in found:
        own = {**code, **one.code} if one.rule in REWRITTEN else one.code
        yield dataclasses.replace(one, code=own, root=lake.manifest.run["source"])


def job(lake: Lake, facts: Sequence[FileFacts], rules: Collection[str]) -> Mapping[str, str]:
    """The code that writes all files again, by what runs it; empty if the files are of several tables."""
    tables = {one.table for one in facts}
    if len(tables) != 1:
        return {}
    (table,) = tables
    format = formats(lake).get(table, "")
    keys = {partition_keys(one.partition_values) for one in facts}
    if len(keys) != 1 and not format:
        return {}
    total_size = sum(one.size for one in facts)
    return jobs(table, format, total_size, keys.pop(), rules)


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
    if len(good) < len(files):  # of the others, the rows are not known
        counted = f"{plural(len(files), 'file')} in {total_size}"
        if good:
            counted += f"; {len(good):,} can be read and have {plural(rows, 'row')}{by}"
    return printable(", ".join([counted, *logs(tables)] if files else logs(tables)))


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
