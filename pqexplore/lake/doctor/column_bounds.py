"""What the bounds of columns show of the files of a table: an order that is lost, folders that they contradict, equal rows.

The scan's tables have the bounds; a file is only read to prove that two files with equal bounds have equal rows.
"""

from __future__ import annotations

import bisect
import dataclasses
import functools
import re
import shlex
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any
from urllib.parse import quote, unquote

from pqexplore.engine.rule import FOOTER, Cost, Rule, Severity, register
from pqexplore.engine.text import plural, printable
from pqexplore.insight.wording import listing, measured, name, size
from pqexplore.lake.doctor.dates import FOLDER, dated
from pqexplore.lake.doctor.lake_report import LakeFinding
from pqexplore.lake.doctor.together import PATHS, FileFacts
from pqexplore.lake.listed_files import Entry
from pqexplore.lake.logs.table_log import HIVE_NULL

FILES = 8
"""Files from which on an order of files can be seen to be lost: our choice."""
CLUSTERING = Rule(
    "clustering-decayed",
    Severity.SLOW,
    FOOTER,
    "Files that overlap the others of their table, which do not overlap each other",
    "A query for one value read one file; now it reads these, too.",
    threshold=f"At least {FILES} files of a table, half of them with disjoint ranges of a column, and two or more that overlap a "
    "quarter of these ranges each.",
)
CONTRADICTED = Rule(
    "partition-contradicted",
    Severity.WRONG,
    FOOTER,
    "Files whose values are not those of their folder",
    "A query by the partition column skips the file where its rows are wanted, and reads them where they are not.",
    threshold="The bounds of the column of that name; or those of a date or timestamp whose days are the folder's in three "
    "quarters of the files, and in at least four.",
)
SAME_ROWS = Rule(
    "same-rows",
    Severity.WRONG,
    FOOTER,
    "Files that have the same rows as another of their table, in other bytes",
    "A query counts the rows twice.",
    threshold="Equal schemas, numbers of rows, bounds and null counts of all columns; then equal hashes of all rows.",
)
RULES = register(CLUSTERING, CONTRADICTED, SAME_ROWS)

AGREE, LEAST = 0.75, 4
"""Share and number of files in which a column's days must be those of the folders."""
PAIRS, VALUES = 20, 2_000_000
"""Files whose rows are compared with those of another, and values that are read for it."""


@dataclasses.dataclass(frozen=True, slots=True)
class ColumnRange:
    """The range of a column in a file: order keys and texts of its bounds, None if they are unknown; values and nulls."""

    path: str
    column: str
    type: str
    low: bytes | None
    high: bytes | None
    low_text: str | None
    high_text: str | None
    values: int | None
    nulls: int | None


RANGES = """
SELECT path, column_name, logical_type,
       CASE WHEN unknown = 0 THEN low END AS low, CASE WHEN unknown = 0 THEN high END AS high,
       low_text, high_text, num_values, nulls
FROM (
  SELECT path, column_name, logical_type, min(min_key) AS low, max(max_key) AS high,
         min_by(min_text, min_key) AS low_text, max_by(max_text, max_key) AS high_text,
         CAST(sum(num_values) AS BIGINT) AS num_values,
         CASE WHEN count(null_count) = count(*) THEN CAST(sum(null_count) AS BIGINT) END AS nulls,
         count(*) FILTER (WHERE (min_key IS NULL OR max_key IS NULL) AND NOT coalesce(null_count = num_values, FALSE))
           AS unknown
  FROM column_chunks
  GROUP BY path, column_name, logical_type
) by_file
"""


def column_ranges(rows: Iterable[Mapping[str, Any]]) -> list[ColumnRange]:
    """The ranges, from the rows of `RANGES`."""
    return [ColumnRange(*row.values()) for row in rows]


def by_bounds(
    ranges: Sequence[ColumnRange], files: Sequence[FileFacts], same: Callable[[str, str], bool | None]
) -> Iterator[LakeFinding]:
    """All findings of these rules. `same` says whether two files have the same rows; None if that was not looked at."""
    yield from decayed(ranges, files)
    yield from contradicted(ranges, files)
    yield from same_rows(ranges, files, same)


# An order that is lost.


@dataclasses.dataclass(frozen=True, slots=True)
class Order:
    """A column whose ranges are disjoint in most files: the files that overlap them, and what a query for one value reads.

    `now`: files on average; `joined`: if the files that overlap are sorted together.
    """

    column: str
    wide: tuple[str, ...]
    files: int
    now: float
    joined: float


Span = tuple[bytes, bytes, str]
"""The lowest and the highest key of a column in a file, and the file's path."""


def order_of(column: str, some: Sequence[Span]) -> Order | None:
    """The order of files by a column; None if it is not lost, or never was one."""
    kept = _disjoint(some)
    if len(some) < FILES or 2 * len(kept) < len(some):
        return None
    lows, highs, chosen = [one[0] for one in kept], [one[1] for one in kept], {one[2] for one in kept}
    rest = [one for one in some if one[2] not in chosen]
    overlap = {path: bisect.bisect_right(lows, high) - bisect.bisect_left(highs, low) for low, high, path in rest}
    wide = tuple(sorted(path for path, count in overlap.items() if count > max(1, len(kept) // 4)))
    if len(wide) < 2:
        return None
    reads = {path: bisect.bisect_right(lows, high) - bisect.bisect_left(lows, low) for low, high, path in rest}
    others = sum(count for path, count in reads.items() if path not in wide)
    now, joined = (1 + count / len(kept) for count in (sum(reads.values()), others + len(kept)))
    return Order(column, wide, len(some), now, joined) if now > joined else None


def _disjoint(some: Sequence[Span]) -> list[Span]:
    """As many spans as there are that do not overlap each other, in order."""
    kept: list[Span] = []
    for one in sorted(some, key=lambda one: (one[1], one[0], one[2])):
        last = kept[-1] if kept else one
        # Neighbours may share a bound, but not files of one value only.
        shared = last[1] == one[0] and last[0] < last[1] and one[0] < one[1]
        if not kept or last[1] < one[0] or shared:
            kept.append(one)
    return kept


def decayed(ranges: Iterable[ColumnRange], files: Sequence[FileFacts]) -> Iterator[LakeFinding]:
    """Columns whose order among the files is lost; those that lost it in the same files are one finding."""
    by_path = {one.path: one for one in files}
    columns: dict[tuple[str, str, str], list[Span]] = {}
    for one in ranges:
        fact = by_path.get(one.path)
        if fact is not None and one.low is not None and one.high is not None:
            columns.setdefault((fact.table, one.column, one.type), []).append((one.low, one.high, one.path))
    alike: dict[tuple[str, tuple[str, ...]], list[Order]] = {}
    for (table, column, _), some in sorted(columns.items()):
        found = order_of(column, some)
        if found is not None:
            alike.setdefault((table, found.wide), []).append(found)
    for (table, wide), orders in alike.items():
        orders.sort(key=lambda one: (-one.now, one.column))
        names = listing([name(one.column) for one in orders], most=3)
        worst, of = orders[0], sum(fact.table == table for fact in files)
        since = min((by_path[path].date for path in wide if by_path[path].date), default="")
        more = round(worst.now - 1)
        mean = sum(by_path[path].size for path in wide) // len(wide)
        yield LakeFinding(
            CLUSTERING.name,
            message=f"Lost order by {names}: {len(wide):,} of {plural(of, 'file')}{f', since {since},' if since else ''} overlap the "
            f"others, which do not overlap each other. A query for one value of {name(worst.column)} reads {measured(worst.now)} of "
            f"{worst.files:,} files; {measured(worst.joined)} when these are sorted together, 1 when all are.",
            cost=Cost(
                f"for each query for one value, {plural(more, 'more file')}: up to {size(more * mean)}, and as many requests",
                bytes=more * mean,
                requests=more,
            ),
            fix=f"Sort or cluster these files together by {names}: each alone would keep its wide range.",
            code=sorting_job(table, wide, [one.column for one in orders]),
            files=len(wide),
            of=of,
            paths=wide[:PATHS],
            columns=tuple((one.column, len(wide)) for one in orders),
            together=wide,
        )


JOB_FILES = 1_000
"""Files that a job names; of more, it has a pattern in their place."""


def sorting_job(table: str, paths: Sequence[str], columns: Sequence[str]) -> dict[str, str]:
    """Code that writes files of a table as one sorted set, with pyarrow and Spark; empty if they cannot be named."""
    if not paths or len(paths) > JOB_FILES or any("://" in path or printable(path) != path for path in paths):
        return {}
    listed, target = repr(list(paths)), repr(f"{table.rstrip('/')}.sorted")
    order = ", ".join(repr((column, "ascending")) for column in columns[:1])
    return {
        "pyarrow job": f"import pyarrow.dataset as ds\npaths = {listed}\nrows = ds.dataset(paths).to_table().sort_by([{order}])\n"
        f"ds.write_dataset(rows, {target}, format='parquet', max_rows_per_file=max(1, -(-rows.num_rows // len(paths))), "
        f"max_rows_per_group=max(1, -(-rows.num_rows // len(paths))))\n# compare the two, then put {target} in the place of the files",
        "Spark job": f"paths = {listed}\nspark.read.parquet(*paths).repartitionByRange(len(paths), {columns[0]!r})"
        f".sortWithinPartitions({columns[0]!r}).write.parquet({target})\n# compare the two, then put {target} in the place of the files",
    }


# Folders that the file's own values contradict.

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_NUMBERS = ("INT", "DECIMAL")


def contradicted(ranges: Iterable[ColumnRange], files: Sequence[FileFacts]) -> Iterator[LakeFinding]:
    """Files whose partition values are not those of their columns."""
    by_file = _by_file(ranges)
    wrong = {one.path: said for one in files if (said := _own_column(one, by_file.get(one.path, ())))}
    for path, said in _days(files, by_file):
        wrong.setdefault(path, said)
    if not wrong:
        return
    tables = {one.table: one for one in files if one.path in wrong}
    counts = [max((each.values or 0 for each in by_file[path]), default=0) for path in sorted(wrong)]
    first, rows = min(wrong), sum(counts)
    of = sum(one.table in tables for one in files)
    moves = _moves(wrong, {one.path for one in files if one.partition is None})
    yield LakeFinding(
        CONTRADICTED.name,
        message=f"Values that are not those of the folder: {wrong[first][0]}; {plural(len(wrong), 'file')} of {of:,}, with "
        f"{plural(rows, 'row')}.",
        cost=Cost(f"a query by the folder's column loses {plural(rows, 'row')}, or gets them where they do not belong", rows=rows),
        fix="Put each file where its values belong; a file of several values is written again, one for each folder.",
        code={"shell": "\n".join(moves[:PATHS])} if moves else {},
        files=len(wrong),
        of=of,
        paths=tuple(sorted(wrong)[:PATHS]),
        columns=tuple(Counter(column for _, column, _ in wrong.values()).most_common()),
        together=tuple(sorted(wrong)),
    )  # fmt: skip


_Wrong = tuple[str, str, str]
"""What contradicts a folder, in words; the column; the folder where the file belongs, "" if it has several values."""


def _moves(wrong: Mapping[str, _Wrong], plain: Collection[str]) -> list[str]:
    """Commands that put files where they belong; only `plain` ones, which no table's log names, can be moved."""
    return [
        f"mkdir -p {shlex.quote(folder)} && mv {shlex.quote(path)} {shlex.quote(folder)}/"
        for path, (_, _, folder) in sorted(wrong.items())
        if folder and path in plain and printable(path) == path and "://" not in path
    ]


def _by_file(ranges: Iterable[ColumnRange]) -> dict[str, list[ColumnRange]]:
    by_file: dict[str, list[ColumnRange]] = {}
    for one in ranges:
        by_file.setdefault(one.path, []).append(one)
    return by_file


def _own_column(fact: FileFacts, own: Sequence[ColumnRange]) -> _Wrong | None:
    """That a column of the file, with the name of a folder, has other values."""
    for part in fact.partition_values.split("/"):
        key, _, raw = part.partition("=")
        for one in own:
            if one.column.lower() != unquote(key).lower() or one.low_text is None or one.high_text is None:
                continue
            read = _reader(one.type)
            if read is None:
                continue
            try:
                low, high = read(one.low_text), read(one.high_text)
                value = None if raw == HIVE_NULL else read(unquote(raw))
            except (ValueError, InvalidOperation):
                continue
            if (low, high) == (value, value):
                continue
            if one.type == "STRING" and (value is None or low <= value <= high):
                continue  # a long text may be cut
            bounds = printable(one.low_text if low == high else f"{one.low_text} to {one.high_text}")
            folder = _moved(fact, part, f"{key}={quote(one.low_text, safe=' ')}") if low == high else ""
            return f"{name(one.column)} is {bounds} in the folder {printable(part)}", one.column, folder
    return None


def _reader(type: str) -> Callable[[str], Any] | None:
    """How the texts of bounds and folders become values that compare; None for types whose texts differ from reader to reader."""
    if type.startswith(_NUMBERS):
        return Decimal
    own: dict[str, Callable[[str], Any]] = {"STRING": str, "DATE": _day}
    return own.get(type)


def _day(text: str) -> str:
    found = _DAY.match(text)
    if found is None:
        raise ValueError(text)
    return found[0]


def _moved(fact: FileFacts, part: str, other: str) -> str:
    """The folder of a file with another partition value."""
    folder = fact.path.rpartition("/")[0]
    return folder.replace(f"/{part}", f"/{other}", 1) if f"/{part}" in folder else ""


def _days(files: Sequence[FileFacts], by_file: Mapping[str, Sequence[ColumnRange]]) -> Iterator[tuple[str, _Wrong]]:
    """Files whose dates or times are of another day than the folder, in a column that agrees in the others."""
    for (_, column), some in _days_by_column(files, by_file).items():
        agree = sum(low == day == high for _, day, low, high in some)
        if agree < max(LEAST, AGREE * len(some)):
            continue
        for fact, day, low, high in some:
            if not _DAY.fullmatch(low) or not _DAY.fullmatch(high) or low <= day <= high:
                continue
            part = next((part for part in fact.partition_values.split("/") if day in part), "")
            bounds = low if low == high else f"{low} to {high}"
            folder = _moved(fact, part, part.replace(day, low)) if part and low == high else ""
            yield fact.path, (f"{name(column)} is of {bounds} in the folder {printable(part or day)}", column, folder)


def _days_by_column(
    files: Sequence[FileFacts], by_file: Mapping[str, Sequence[ColumnRange]]
) -> dict[tuple[str, str], list[tuple[FileFacts, str, str, str]]]:
    """The files with a day in their folder, that day, and the first and last one of a column: by table and column."""
    columns: dict[tuple[str, str], list[tuple[FileFacts, str, str, str]]] = {}
    for fact in files:
        day, by = dated(Entry(fact.path, partition=fact.partition_values))
        for one in by_file.get(fact.path, ()) if by == FOLDER else ():
            if one.type.startswith(("DATE", "TIMESTAMP")) and one.low_text and one.high_text:
                days = one.low_text[:10], one.high_text[:10]
                columns.setdefault((fact.table, one.column), []).append((fact, day, *days))
    return columns


# Equal rows in other bytes.


def same_rows(
    ranges: Iterable[ColumnRange], files: Sequence[FileFacts], same: Callable[[str, str], bool | None]
) -> Iterator[LakeFinding]:
    """Files whose rows are those of another file of the table and partition, in another order or encoding."""
    equal: dict[str, FileFacts] = {}
    rows = compared = 0
    for some in _alike(_by_file(ranges), files):
        first, *others = sorted(some, key=lambda one: one.path)
        for other in others:
            if (other.size, other.footer_hash) == (first.size, first.footer_hash):
                continue  # a copy, byte for byte as far as the footer says
            compared += 1
            if compared <= PAIRS and same(first.path, other.path):
                equal[other.path] = first
                rows += other.rows or 0
    if equal:
        paths = tuple(sorted(equal))
        sizes = {one.path: one.size for one in files}
        stored = sum(sizes[path] for path in paths)
        names = {path: equal[path].path.rpartition("/")[2] for path in paths}
        yield LakeFinding(
            SAME_ROWS.name,
            message=f"The same rows as in another file, in another order or encoding: all {rows:,} rows of {plural(len(paths), 'file')} "
            f"are those of {listing([printable(one) for one in dict.fromkeys(names.values())], most=2)}, by hashes of 64 bits.",
            cost=Cost(f"{plural(rows, 'row')} are counted twice; {size(stored)} are stored and read for it", bytes=stored, rows=rows),
            fix="Remove one of each two, if both are meant to hold the same rows only once.",
            files=len(paths),
            of=len(files),
            paths=paths[:PATHS],
            together=paths,
        )  # fmt: skip


def _alike(by_file: Mapping[str, Sequence[ColumnRange]], files: Sequence[FileFacts]) -> Iterable[list[FileFacts]]:
    """Files of a table and partition with equal schemas, numbers of rows, bounds and counts."""
    alike: dict[object, list[FileFacts]] = {}
    counts = Counter((one.table, one.partition_values, one.schema_id, one.rows) for one in files)
    for fact in files:
        if counts[fact.table, fact.partition_values, fact.schema_id, fact.rows] < 2:
            continue
        own = sorted(by_file.get(fact.path, ()), key=lambda one: (one.column, one.type))
        known = [one for one in own if one.low is not None and one.low != one.high]
        if fact.rows and fact.rows > 1 and known:
            facts = tuple((one.column, one.type, one.low, one.high, one.values, one.nulls) for one in own)
            alike.setdefault((fact.table, fact.partition_values, fact.schema_id, fact.rows, facts), []).append(fact)
    return alike.values()


def rows_compared(
    open_file: Callable[[str], Any], facts: Sequence[FileFacts], values: Mapping[str, int]
) -> Callable[[str, str], bool | None]:
    """What says whether two files have the same rows, by hashes of all rows; None for remote files, and for too many values."""
    from pqexplore.lake.comparing.files import compare_rows
    from pqexplore.lake.comparing.state import Member

    left = [VALUES]
    rows = {one.path: one.rows for one in facts}

    def same(first: str, second: str) -> bool | None:
        """Whether two files have the same rows; None if they are not read."""
        wanted = values.get(first, 0) + values.get(second, 0)
        if "://" in first or "://" in second or wanted > left[0]:
            return None
        left[0] -= wanted
        members = [
            Member(rows[path], 0, None, "", opened=functools.partial(open_file, path)) for path in (first, second)
        ]
        return compare_rows(members[:1], members[1:]).equal

    return same
