"""What the logs of tables show: logs that cannot be read or are wrong, files that are not live, rows that are deleted.

All of it is asked of the stored tables `files` and `tables`, whose states come from the logs; nothing is guessed from
names or times.
"""

from __future__ import annotations

import dataclasses
import datetime
import re
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pqexplore.engine.rule import FOOTER, Cost, Rule, Severity, Source, register
from pqexplore.engine.text import clip, plural, printable
from pqexplore.insight.wording import listing, percent, size
from pqexplore.lake.doctor.lake_report import LakeFinding
from pqexplore.lake.doctor.together import PATHS, table_of
from pqexplore.lake.logs.log_types import REFUSED, TYPE
from pqexplore.lake.logs.table_log import ORPHAN, REMOVED, UNREFERENCED

DELTA_VACUUM = Source(
    "Delta Lake, table utility commands: vacuum",
    "https://docs.delta.io/latest/delta-utility.html#remove-files-no-longer-referenced-by-a-delta-table",
)
ICEBERG_MAINTENANCE = Source(
    "Iceberg, maintenance: expire snapshots, delete orphan files", "https://iceberg.apache.org/docs/latest/maintenance/"
)
DELETED = {"delta": 0.05, "iceberg": 0.3}
"""The share of deleted rows from which a compaction rewrites a file: optimize.maxDeletedRowsRatio of Delta Lake, and
delete-ratio-threshold of Iceberg's rewrite_data_files."""
REWRITES = Source(
    "Iceberg, rewrite_data_files: default of delete-ratio-threshold; Delta Lake has 0.05 (optimize.maxDeletedRowsRatio)",
    "https://iceberg.apache.org/docs/latest/spark-procedures/#rewrite_data_files",
)
BROKEN = ("corrupt", "ambiguous")
"""Errors that are the log's own fault, by `tables.error_code`."""

LOG_UNREADABLE = Rule(
    "log-unreadable",
    Severity.DAMAGE,
    FOOTER,
    "Tables whose log cannot be read",
    "Which files are live is unknown: a reader of the folder also reads what was deleted.",
)
LOG_DISAGREES = Rule(
    "log-disagrees",
    Severity.WRONG,
    FOOTER,
    "Files that are not as the table's log says",
    "An engine that counts rows or skips files by the log gives another answer than one that reads the files.",
)
REMOVED_FILES = Rule(
    "removed-files",
    Severity.WASTEFUL,
    FOOTER,
    "Files of earlier versions that the table's settings no longer keep",
    "They take space until the table is vacuumed, or its snapshots expire.",
    source=DELTA_VACUUM,
)
UNREFERENCED_FILES = Rule(
    "unreferenced-files",
    Severity.WASTEFUL,
    FOOTER,
    "Old files that the log of their table does not name",
    "A job that failed may have left them, or a log that was shortened no longer names them.",
    source=ICEBERG_MAINTENANCE,
)
DELETED_ROWS = Rule(
    "deleted-rows",
    Severity.SLOW,
    FOOTER,
    "Files with many deleted rows",
    "A query reads the deleted rows and the deletes, and drops the rows.",
    threshold=f"At least {percent(DELETED['delta'])} of a file's rows in a Delta table, {percent(DELETED['iceberg'])} in an Iceberg "
    "table: from there on a compaction rewrites the file.",
    source=REWRITES,
)
RARE = 8
"""Files of a table, from which on two equal ones in different partitions are more likely a copy than how the data is."""
COPIES = Rule(
    "duplicate-files",
    Severity.WRONG,
    FOOTER,
    "Files that are as large as another of their table, and have the same footer",
    "If they are copies, a query counts their rows twice. Files with equal footers have equal numbers of rows, offsets, and "
    "bounds, if there are any.",
    threshold="A note where each of them is in another partition, unless they are two of at least "
    f"{RARE} files, or few of very many: whole partitions can be equal.",
)
RULES = register(LOG_UNREADABLE, LOG_DISAGREES, REMOVED_FILES, UNREFERENCED_FILES, DELETED_ROWS, COPIES)

Row = Mapping[str, Any]


def states(
    files: Sequence[Row], tables: Sequence[Row], conflicts: Sequence[Row] = (), now: datetime.datetime | None = None
) -> Iterator[LakeFinding]:
    """The findings of rows of `files`, those that are not live included, of `tables`, and of `log_conflicts`."""
    now = now or datetime.datetime.now(datetime.UTC)
    formats = {row["path"]: row["format"] for row in tables}
    yield from _unreadable(tables)
    live = [row for row in files if row["status"] == "ok"]
    yield from _disagreeing(live, conflicts)
    yield from _copied(live)
    old = [row for row in files if row["kept_until"] is not None and row["kept_until"] <= now]
    yield from _gone(old, REMOVED_FILES, (REMOVED,), len(files), _REMOVED_FIX)
    yield from _gone(old, UNREFERENCED_FILES, (UNREFERENCED, ORPHAN), len(files), _UNREFERENCED_FIX)
    yield from _deleted(live, formats)


_REMOVED_FIX = "Vacuum the table, or expire its snapshots, if no reader needs the earlier versions: `lake.removable()` lists the files."
_UNREFERENCED_FIX = (
    "Look at the files; if no job is writing them now, VACUUM (Delta) or remove_orphan_files (Iceberg) deletes them."
)


def _unreadable(tables: Sequence[Row]) -> Iterator[LakeFinding]:
    bad = sorted((row for row in tables if row["status"] == "error"), key=lambda row: row["path"])
    for severity, of_log in ((Severity.DAMAGE, True), (Severity.PORTABILITY, False)):
        some = [row for row in bad if (row["error_code"] in BROKEN) == of_log]
        if some:
            yield _finding(
                LOG_UNREADABLE,
                [row["path"] for row in some],
                len(tables),
                f"{plural(len(some), 'table')} of {len(tables):,}: {clip(some[0]['error'] or '', 300).rstrip('.')}.",
                Cost("which files are live is unknown, and all are read"),
                "Restore the log from a copy, or write the table again from the files that are known to be live."
                if of_log
                else "Let the reader reach and understand the log; then scan again.",
                severity=severity,
            )


def _disagreeing(live: Sequence[Row], conflicts: Sequence[Row]) -> Iterator[LakeFinding]:
    bad = [row for row in live if row["listed_rows"] not in (None, row["num_rows"])]
    counted = {row["path"] for row in bad}
    types = [row for row in conflicts if row["statistic"] == TYPE]
    if types:
        yield _refused(types, len(live))
    statistics = [row for row in conflicts if row["statistic"] != TYPE]
    skipped = sorted({row["path"] for row in statistics} - counted)
    if skipped:
        said = next(row["message"] for row in statistics if row["path"] == skipped[0])
        yield _finding(
            LOG_DISAGREES,
            skipped,
            len(live),
            f"the log has other statistics of {plural(len(skipped), 'file')} of {len(live):,}; of the first: {said.rstrip('.')}.",
            Cost("a reader that skips files by the log may lose rows"),
            "Have the statistics of the log computed again, or write the files again.",
        )
    if bad:
        first = min(bad, key=lambda row: row["path"])
        rows = sum(abs(row["listed_rows"] - (row["num_rows"] or 0)) for row in bad)
        yield _finding(
            LOG_DISAGREES,
            [row["path"] for row in bad],
            len(live),
            f"{plural(len(bad), 'file')} of {len(live):,}; the log says {first['listed_rows']:,} rows of the first, its "
            f"footer {first['num_rows']:,}.",
            Cost(f"a count by the log is {plural(rows, 'row')} off", rows=rows),
            "Restore the files that the log means, or write the table again.",
        )


def _refused(types: Sequence[Row], of: int) -> LakeFinding:
    """That engines cannot read the table, because files have columns in types that the log does not allow."""
    paths = sorted({row["path"] for row in types})
    said = [row["message"].partition(": ")[0] for row in types if row["path"] == paths[0]]
    names = [row["message"].rpartition(": ")[2] for row in types]
    engines = {one: f"fails: {words}" for words in names for one in _ENGINE.findall(words)}
    cannot = f"{listing(sorted(engines))} cannot read the table"
    made = _finding(
        LOG_DISAGREES,
        paths,
        of,
        f"the log has other types of columns in {plural(len(paths), 'file')} of {of:,}; of the first: {'; '.join(said[:3])}.",
        Cost(cannot),
        "Write the files again with the types of the table.",
    )
    columns = Counter(row["column_name"] for row in types)
    return dataclasses.replace(made, engines=engines, columns=tuple(columns.most_common()), address="schema")


_ENGINE = re.compile("|".join(one for some in REFUSED.values() for one in some))


def _copied(live: Sequence[Row]) -> Iterator[LakeFinding]:
    """Files that look like copies. Where whole partitions are equal, that may be how the data is: it is a note then."""
    seen: dict[tuple[str, int, str], list[Row]] = {}
    tables: Counter[str] = Counter()
    for row in live:
        table = table_of(row["path"], row["table_path"])
        tables[table] += 1
        if row["footer_hash"] is not None and row["num_rows"]:
            seen.setdefault((table, row["size"], row["footer_hash"]), []).append(row)
    found: dict[Severity, list[tuple[Row, Row]]] = {Severity.WRONG: [], Severity.NOTE: []}
    for (table, _, _), some in seen.items():
        first, *others = sorted(some, key=lambda row: row["path"])
        apart = len({row.get("partition_values") for row in some}) == len(some)
        rare = tables[table] >= RARE and RARE * len(some) <= 2 * tables[table]
        found[Severity.NOTE if apart and not rare else Severity.WRONG] += [(row, first) for row in others]
    for severity, pairs in found.items():
        if pairs:
            yield _copies(sorted(pairs, key=lambda pair: str(pair[0]["path"])), len(live), severity)


def _copies(pairs: Sequence[tuple[Row, Row]], of: int, severity: Severity) -> LakeFinding:
    rows = sum(row["num_rows"] for row, _ in pairs)
    total = sum(row["size"] for row, _ in pairs)
    lines = [
        f"cmp {shlex.quote(first['path'])} {shlex.quote(row['path'])} && rm {shlex.quote(row['path'])}"
        for row, first in pairs[:PATHS]
        if "://" not in row["path"] and printable(row["path"]) == row["path"]
    ]
    return _finding(
        COPIES,
        [row["path"] for row, _ in pairs],
        of,
        f"{plural(len(pairs), 'file')} of {of:,}, with {plural(rows, 'row')}.",
        Cost(f"{plural(rows, 'row')} may be counted twice; {size(total)} of storage", bytes=total, rows=rows),
        "Compare the bytes of each with the first file of its size and footer (the view duplicates names it), and remove "
        "copies.",
        severity=severity,
        code={"shell": "\n".join(lines)},
    )


def _gone(files: Sequence[Row], rule: Rule, wanted: tuple[str, ...], of: int, fix: str) -> Iterator[LakeFinding]:
    some = [row for row in files if row["status"] == "not-read" and row["state"] in wanted]
    if some:
        total = sum(row["size"] or 0 for row in some)
        tables = len({row["table_path"] for row in some})
        yield _finding(
            rule,
            [row["path"] for row in sorted(some, key=lambda row: -(row["size"] or 0))],
            of,
            f"{plural(len(some), 'file')} of {size(total)} in {plural(tables, 'table')}.",
            Cost(f"{size(total)} of storage", bytes=total),
            fix,
            example=clip(some[0]["state_reason"] or "", 300),
        )


def _deleted(live: Sequence[Row], formats: Mapping[str, str]) -> Iterator[LakeFinding]:
    some = [row for row in live if _share(row) >= DELETED.get(formats.get(row["table_path"], ""), 2)]
    if some:
        some.sort(key=lambda row: (-_share(row), row["path"]))
        rows = sum(row["deleted_rows"] for row in some)
        of = sum(row["num_rows"] for row in some)
        wasted = sum(int((row["size"] or 0) * _share(row)) for row in some)
        yield _finding(
            DELETED_ROWS,
            [row["path"] for row in some],
            len(live),
            f"{plural(len(some), 'file')} of {len(live):,}, with {rows:,} deleted rows of {of:,}.",
            Cost(f"about {size(wasted)} are read for rows that are dropped", bytes=wasted),
            "Compact the table, so that the files are written again without the deleted rows.",
        )


def _share(row: Row) -> float:
    """Deleted rows of all rows in a file."""
    return float((row["deleted_rows"] or 0) / max(1, row["num_rows"] or 0))


def _finding(
    rule: Rule,
    paths: Sequence[str],
    of: int,
    words: str,
    cost: Cost,
    fix: str,
    *,
    severity: Severity | None = None,
    example: str = "",
    code: Mapping[str, str] | None = None,
) -> LakeFinding:
    return LakeFinding(
        rule.name,
        message=f"{rule.title}: {words}",
        severity=severity or rule.severity,
        cost=cost,
        fix=fix,
        files=len(paths),
        of=of,
        paths=tuple(paths[:PATHS]),
        example=example,
        code={name: text for name, text in (code or {}).items() if text},
        together=tuple(paths),
    )
