"""What sets some files of a table apart from the others: no statistics, no index, far more bytes, uneven partitions."""

from __future__ import annotations

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
from pqexplore.insight.wording import listing, size
from pqexplore.lake.doctor.lake_report import LakeFinding
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
HUGE_FACTOR, HUGE_BYTES, HUGE_SHARE, LEAST = 100, 1 << 20, 0.25, 8
HUGE = Rule(
    "huge-file",
    Severity.SLOW,
    FOOTER,
    "One file that is far larger than the others of its table",
    "The tasks that read it end long after the others, and a query that needs a row of it reads a large part of the table.",
    threshold=f"More than {HUGE_FACTOR} times the median file, {HUGE_BYTES >> 20} MiB and a quarter of the table's bytes, of at least "
    f"{LEAST} files: our choice.",
)
REFUSED = Rule(
    "engines-refuse",
    Severity.PORTABILITY,
    FOOTER,
    "Files that an engine cannot read, or reads wrongly",
    "A query of that engine over the folder fails, or gives other values.",
)
RULES = register(BARE_FILES, UNINDEXED_FILES, MANY_PARTITIONS, SKEWED, HUGE, REFUSED)

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
    yield from _huge(tables)


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


def _huge(tables: Mapping[str, Sequence[FileFacts]]) -> Iterator[LakeFinding]:
    for _, some in sorted(tables.items()):
        sizes = [one.size for one in some]
        median = int(statistics.median(sizes))
        limit = max(HUGE_FACTOR * median, HUGE_BYTES, int(HUGE_SHARE * sum(sizes)))
        large = sorted((one for one in some if one.size > limit), key=lambda one: -one.size)
        if len(some) >= LEAST and large:
            first = large[0]
            yield _finding(
                HUGE,
                [one.path for one in large],
                len(some),
                Cost(
                    f"each query that reads it reads {size(first.size)} of the table's {size(sum(sizes))}, "
                    f"{round(first.size / max(1, median)):,} times the median file of {size(median)}",
                    bytes=sum(one.size for one in large) - median * len(large),
                ),
                "Write it again as several files of the size of the others, or of the target size of the table's format.",
                words=f"{size(first.size)}, {round(first.size / max(1, median)):,} times the median of {size(median)}: ",
                code=_divided(first, sum(sizes) - first.size, len(some) - 1),
            )


def _divided(one: FileFacts, rest: int, others: int) -> dict[str, str]:
    """Code that writes a plain file again as files of the mean size of the others, but not more than of 1 MiB."""
    if one.partition is not None or "://" in one.path or printable(one.path) != one.path:
        return {}
    parts = max(2, -(-one.size // max(1 << 20, rest // max(1, others))))
    target = f"{one.path.removesuffix('.parquet')}.parts"
    return {
        "pyarrow job": f"import pyarrow.dataset as ds\nfile = ds.dataset({one.path!r})\nrows = max(1, -(-file.count_rows() // {parts}))\n"
        f"ds.write_dataset(file, {target!r}, format='parquet', max_rows_per_file=rows, max_rows_per_group=rows)\n"
        f"# compare the two, then put the files of {target!r} in the place of the file"
    }


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
    code: Mapping[str, str] | None = None,
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
        code=code or {},
        together=tuple(ordered),
    )
