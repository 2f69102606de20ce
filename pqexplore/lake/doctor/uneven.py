"""What sets some files of a table apart from the others: no statistics, no index, order that is lost, uneven partitions."""

from __future__ import annotations

import itertools
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pqexplore.engine.rule import FOOTER, Cost, Rule, Severity, Source, register
from pqexplore.engine.text import plural, printable
from pqexplore.insight.doctor.readers.features import of_field
from pqexplore.insight.doctor.readers.known import KNOWN
from pqexplore.insight.doctor.readers.reader import Verdict
from pqexplore.insight.doctor.readers.table import VERSIONS, Cell
from pqexplore.insight.wording import listing, name, size
from pqexplore.lake.doctor.report import LakeFinding
from pqexplore.lake.doctor.together import PATHS, FileFacts

BARE_FILES = Rule(
    "files-without-statistics",
    Severity.SLOW,
    FOOTER,
    "Files without minimum and maximum beside files that have them",
    "No reader can skip these files, or a row group of them, by a value.",
)
UNINDEXED_FILES = Rule(
    "files-without-page-index",
    Severity.NOTE,
    FOOTER,
    "Files without a page index beside files that have one",
    "Spark and DataFusion read whole column chunks of these files, and single pages of the others.",
)
PARTITIONS = 1_000
PARTITION_BYTES = 1 << 30
MANY_PARTITIONS = Rule(
    "many-partitions",
    Severity.SLOW,
    FOOTER,
    "Very many partitions of little data",
    "A query lists and opens many folders and files for little data.",
    threshold=f"At least {PARTITIONS:,} partitions, the default of hive.exec.max.dynamic.partitions, with less than 1 GiB each on "
    "average, which Delta Lake's documentation asks for.",
    source=Source(
        "Delta Lake, best practices: choose the right partition column",
        "https://docs.delta.io/latest/best-practices.html#choose-the-right-partition-column",
    ),
)
SKEW_FACTOR, SKEW_BYTES = 5, 256 << 20
SKEWED = Rule(
    "skewed-partitions",
    Severity.SLOW,
    FOOTER,
    "Partitions that are much larger than the others",
    "The tasks of a large partition end long after the others.",
    threshold=f"More than {SKEW_FACTOR} times the median partition of the table, and more than {SKEW_BYTES >> 20} MiB: Spark's "
    "defaults for a skewed join.",
    source=Source(
        "Spark SQL, performance tuning: optimizing skew join",
        "https://spark.apache.org/docs/latest/sql-performance-tuning.html#optimizing-skew-join",
    ),
)
FILES = 8
"""Files from which on an order of files can be seen to be lost: our choice."""
CLUSTERING = Rule(
    "clustering-decayed",
    Severity.SLOW,
    FOOTER,
    "Newer files that overlap older ones, which do not overlap each other",
    "A query for one value read one of the older files; now it reads the newer ones, too.",
    threshold=f"At least {FILES} files of a table, by their days: those of the older half have disjoint ranges of a column, and half "
    "of the newer ones overlap at least half of these ranges.",
)
REFUSED = Rule(
    "engines-refuse",
    Severity.PORTABILITY,
    FOOTER,
    "Files that an engine cannot read, or reads wrongly",
    "A query of that engine over the folder fails, or gives other values.",
)
RULES = register(BARE_FILES, UNINDEXED_FILES, MANY_PARTITIONS, SKEWED, CLUSTERING, REFUSED)

ENGINES = ("Spark", "DuckDB", "pyarrow", "polars")
CODECS = {"LZO": "lzo", "BROTLI": "brotli"}
"""Codecs that an engine refuses, and their names in `KNOWN`."""


def uneven(files: Sequence[FileFacts]) -> Iterator[LakeFinding]:
    """The findings that need no more than facts about each file."""
    tables: dict[str, list[FileFacts]] = {}
    for one in files:
        tables.setdefault(one.table, []).append(one)
    yield from _lacking(tables, "bare", BARE_FILES, "Write the files again with statistics.")
    yield from _lacking(tables, "unindexed", UNINDEXED_FILES, "Write the files again with a page index.")  # fmt: skip
    yield from _partitions(tables)


def _lacking(tables: Mapping[str, Sequence[FileFacts]], field: str, rule: Rule, fix: str) -> Iterator[LakeFinding]:
    bad = []
    for some in tables.values():
        own = [one for one in some if getattr(one, field)]
        bad += own if len(own) < len([one for one in some if one.codecs]) else []
    if bad:
        cost = Cost(f"{size(sum(one.size for one in bad))} that cannot be skipped")
        yield _finding(rule, [one.path for one in bad], sum(map(len, tables.values())), cost, fix)


def _partitions(tables: Mapping[str, Sequence[FileFacts]]) -> Iterator[LakeFinding]:
    for _, some in sorted(tables.items()):
        sizes: Counter[str] = Counter()
        for one in some:
            if one.partition_values:
                sizes[one.partition_values] += one.size
        if len(sizes) >= PARTITIONS and sizes.total() / len(sizes) < PARTITION_BYTES:
            mean = size(sizes.total() // len(sizes))
            yield _finding(
                MANY_PARTITIONS,
                [one.path for one in some],
                len(some),
                Cost(f"{len(sizes):,} partitions with {mean} each on average"),
                "Partition by a column with fewer values, and sort or cluster by this one.",
            )
        if len(sizes) < 2:
            continue
        limit = max(SKEW_FACTOR * statistics.median(sizes.values()), SKEW_BYTES)
        large = {folders for folders, total in sizes.items() if total > limit}
        if large:
            first = min(large, key=lambda folders: (-sizes[folders], folders))
            yield _finding(
                SKEWED,
                [one.path for one in some if one.partition_values in large],
                len(some),
                Cost(
                    f"{printable(first)} has {size(sizes[first])}, the median partition "
                    f"{size(int(statistics.median(sizes.values())))}"
                ),
                "Partition by one more column, or split the tasks of the large partitions.",
            )  # fmt: skip


def decayed(ranges: Iterable[Mapping[str, Any]], files: Sequence[FileFacts]) -> Iterator[LakeFinding]:  # fmt: skip
    """Columns whose order among the files is lost. `ranges` have path, column_name, logical_type, low and high."""
    by_path = {one.path: one for one in files}
    columns: dict[tuple[str, str, str], list[tuple[str, str, bytes, bytes]]] = {}
    for row in ranges:
        one = by_path.get(row["path"])
        if one is not None:
            key = one.table, row["column_name"], row["logical_type"]
            columns.setdefault(key, []).append((one.date, one.path, row["low"], row["high"]))
    wide: dict[str, list[str]] = {}
    for (_, column, _), some in columns.items():
        if len(some) < FILES:
            continue
        some.sort(key=lambda one: one[:2])
        middle = some[len(some) // 2][0]
        old, new = ([one for one in some if one[0] < middle], [one for one in some if one[0] >= middle])
        if 3 * len(old) < len(some):  # most files are of one day
            continue
        old.sort(key=lambda one: one[2])
        if any(one[3] >= two[2] for one, two in itertools.pairwise(old)):
            continue
        over = [path for _, path, low, high in new if 2 * sum(a[2] <= high and low <= a[3] for a in old) >= len(old)]
        if 2 * len(over) >= len(new):
            wide.setdefault(column, []).extend(over)
    if wide:
        paths = sorted({path for some in wide.values() for path in some})
        names = listing([name(column) for column in sorted(wide)], most=3)
        yield _finding(
            CLUSTERING,
            paths,
            len(files),
            Cost(f"a query for one value of {names} reads {plural(len(paths), 'file')} in vain", requests=len(paths)),
            f"Sort or cluster the newer files by {names}.",
            words=f"by {names}, ",
            columns=tuple((column, len(set(some))) for column, some in sorted(wide.items())),
        )


def schema_features(fields: Iterable[Any]) -> set[str]:
    """The features of a schema's fields in `KNOWN`."""
    return {feature for field in fields for feature in of_field(field)}


def refused(files: Sequence[FileFacts], features: Mapping[str, set[str]]) -> Iterator[LakeFinding]:
    """Files that an engine refuses or reads wrongly, by their codecs and the `features` of their schema."""
    bad: dict[str, list[str]] = {}
    for one in files:
        found = set(features.get(one.schema_id, ()))
        found |= {feature for codec, feature in CODECS.items() if codec in one.codecs.split(", ")}
        for feature in found:
            if any(_refuses(feature, engine) for engine in ENGINES):
                bad.setdefault(feature, []).append(one.path)
    if not bad:
        return
    engines: dict[str, str] = {}
    for engine in ENGINES:
        said = [
            f"{KNOWN[feature].title}: {cell.what}"
            for feature in sorted(bad, key=lambda feature: (-len(bad[feature]), feature))
            if (cell := _refuses(feature, engine)) is not None
        ]
        if said:
            engines[engine] = f"{'; '.join(said[:3])} (version {VERSIONS[engine]})"
    titles = listing([KNOWN[feature].title for feature in sorted(bad)], most=4)
    paths = sorted({path for some in bad.values() for path in some})
    yield _finding(
        REFUSED,
        paths,
        len(files),
        Cost(f"{listing(list(engines))} cannot read {titles}"),
        "Read them with another engine, or write them again without it.",
        words=f"{titles}, ",
        engines=engines,
    )


def _refuses(feature: str, engine: str) -> Cell | None:
    known = KNOWN.get(feature)
    cell = known.cells.get(engine) if known else None
    return cell if cell is not None and cell.verdict in (Verdict.REFUSES, Verdict.WRONG) else None


def _finding(
    rule: Rule,
    paths: Sequence[str],
    of: int,
    cost: Cost,
    fix: str,
    *,
    words: str = "",
    engines: Mapping[str, str] | None = None,
    columns: tuple[tuple[str, int], ...] = (),
) -> LakeFinding:
    ordered = sorted(paths)
    return LakeFinding(
        rule.name,
        message=f"{rule.title}: {words}{len(ordered):,} of {plural(of, 'file')}.",
        cost=cost,
        fix=fix,
        files=len(ordered),
        of=of,
        paths=tuple(ordered[:PATHS]),
        engines=engines or {},
        columns=columns,
        together=tuple(ordered),
    )
