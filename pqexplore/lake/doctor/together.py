"""What only the files together show: too many small files, columns of several types, several codecs or writers.

These rules ask the tables of the scan, which have all that they need. Files of one *table* are compared: those whose
folders differ only in `key=value`, or those of one Delta or Iceberg table.
"""

from __future__ import annotations

import dataclasses
import operator
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from pqexplore.engine.rule import FOOTER, Cost, Rule, Severity, Source, register
from pqexplore.engine.text import clip, plural
from pqexplore.insight.wording import listing, size
from pqexplore.lake.doctor.lake_report import LakeFinding
from pqexplore.lake.listed_files import partition_values, without_partitions
from pqexplore.lake.target_sizes import TARGET

COMPACTION = Source(
    "Microsoft Fabric, Delta table compaction: thresholds of auto compaction",
    "https://learn.microsoft.com/en-us/fabric/data-engineering/table-compaction",
)
SCHEMA_MERGING = Source(
    "Spark, Parquet files: schema merging",
    "https://spark.apache.org/docs/latest/sql-data-sources-parquet.html#schema-merging",
)
SMALL = TARGET // 2
FEW = 50
"""Delta's auto compaction rewrites a partition with at least 50 files smaller than half of 128 MiB."""

NAMED = 3
PATHS = 5


SMALL_FILES = Rule(
    "small-files",
    Severity.SLOW,
    FOOTER,
    "Many small files",
    "A query opens each file and reads its footer before it reads a value.",
    threshold=f"A folder or partition has at least {FEW} files smaller than {SMALL >> 20} MiB, from which on Delta's auto compaction rewrites a "
    "partition.",
    source=COMPACTION,
)
TYPES_DIFFER = Rule(
    "types-differ",
    Severity.PORTABILITY,
    FOOTER,
    "Columns of several types in one table",
    "A reader that takes the schema of one file for all has to convert the others, or refuses them. If an engine refuses them "
    "with each of its options, the finding is as bad as a wrong answer.",
    source=SCHEMA_MERGING,
)
COLUMNS_DIFFER = Rule(
    "columns-differ",
    Severity.NOTE,
    FOOTER,
    "Columns that some files of a table lack",
    "A reader that takes the schema of such a file for all does not see the column.",
    source=SCHEMA_MERGING,
)
CODECS_DIFFER = Rule(
    "codecs-differ",
    Severity.NOTE,
    FOOTER,
    "Several codecs in one table",
    "Files of different writers or times are compressed in different ways.",
)
WRITERS_DIFFER = Rule(
    "writers-differ",
    Severity.NOTE,
    FOOTER,
    "Several writers in one table",
    "A fault of one writer is in its files only; the findings name the writers.",
)
NAMES_DIFFER = Rule(
    "column-case-differs",
    Severity.PORTABILITY,
    FOOTER,
    "Column names that differ in case in files of one table",
    "A reader that compares names by case takes them for two columns.",
    source=SCHEMA_MERGING,
)
ORDER_DIFFERS = Rule(
    "column-order-differs",
    Severity.NOTE,
    FOOTER,
    "Columns in another order in files of one table",
    "Readers find columns by name; a query that names no columns gets them in the order of the first file.",
)
NULLS_DIFFER = Rule(
    "nullability-differs",
    Severity.NOTE,
    FOOTER,
    "Columns that are required in some files of a table",
    "A reader that takes the schema of the first file may promise a column without nulls.",
)
OLD_WRITERS = Rule(
    "old-writers",
    Severity.NOTE,
    FOOTER,
    "Files by an older version of a writer than the others of their table",
    "Defects that the newer version fixed can be in the files of the older one, and what it added is missing there.",
)
RULES = register(
    *(SMALL_FILES, TYPES_DIFFER, COLUMNS_DIFFER, NAMES_DIFFER, ORDER_DIFFERS, NULLS_DIFFER),
    *(CODECS_DIFFER, WRITERS_DIFFER, OLD_WRITERS),
)


@dataclasses.dataclass(frozen=True, slots=True)
class FileFacts:
    """A readable file of the scan. `codecs` are the sorted names of those in it, joined by commas.

    `bare`: no column chunk has bounds; `unindexed`: none has an offset index. `date` is its day, "" if unknown.
    `partition` are the partition values of a file of a table with a log; None for other files. `version`: of the writer.
    """

    path: str
    size: int
    table: str
    schema_id: str
    writer: str
    codecs: str
    bare: bool = False
    unindexed: bool = False
    date: str = ""
    partition: str | None = None
    rows: int | None = None
    footer_hash: str | None = None
    version: str = ""

    @property
    def partition_values(self) -> str:
        """The partition values by the table's log, else the `key=value` folders of the path."""
        return partition_values(self.path) if self.partition is None else self.partition

    @property
    def folder(self) -> str:
        """The folder of the file. In a table with a log, the table's folder and the partition values: a path need not have them."""
        if self.partition is None:
            return self.path.rpartition("/")[0]
        return f"{self.table}/{self.partition}".rstrip("/")


def places(files: Sequence[FileFacts]) -> tuple[str, str]:
    """What `FileFacts.folder` is for these files, and the plural."""
    logged = {one.partition is not None for one in files}
    words = [word for word, has in (("folder", False), ("partition", True)) if has in logged] or ["folder"]
    return " or ".join(words), " or ".join(f"{word}s" for word in words)


def table_of(path: str, table_path: str | None) -> str:
    """The table of a file: its log's, or the folder without its `key=value` folders."""
    if table_path is not None:
        return table_path
    return without_partitions(path)


def small_files(files: Sequence[FileFacts]) -> Iterator[LakeFinding]:
    """Folders with many files that are much smaller than the target of a compaction."""
    by_folder: dict[str, list[FileFacts]] = {}
    for one in files:
        if one.size < SMALL:
            by_folder.setdefault(one.folder, []).append(one)
    crowded = {folder: some for folder, some in by_folder.items() if len(some) >= FEW}
    if not crowded:
        return
    small = sum(map(len, crowded.values()))
    total = sum(one.size for some in crowded.values() for one in some)
    fewer = sum(max(1, -(-sum(one.size for one in some) // TARGET)) for some in crowded.values())
    worst = min(crowded, key=lambda folder: (-len(crowded[folder]), folder))
    place, several = places([one for some in crowded.values() for one in some])
    where = f"one {place}" if len(crowded) == 1 else f"{len(crowded):,} {several}"
    yield LakeFinding(
        SMALL_FILES.name,
        message=f"Many small files: {small:,} of {plural(len(files), 'file')} are smaller than {SMALL >> 20} MiB, in {where} with "
        f"at least {FEW} of them each; their {size(total)} would fit into {plural(fewer, 'file')} of {TARGET >> 20} MiB.",
        cost=Cost(
            f"a query opens {small:,} files and reads their footers, in place of {fewer:,}", requests=small - fewer
        ),
        fix=f"Compact the files of each {place}, and write larger files.",
        files=small,
        of=len(files),
        paths=tuple(sorted(one.path for one in crowded[worst])[:PATHS]),
        together=tuple(sorted(one.path for some in crowded.values() for one in some)),
    )


def mixtures(files: Sequence[FileFacts]) -> Iterator[LakeFinding]:
    """Tables whose files are compressed by several codecs, or were written by several writers."""
    for rule, words, of in _MIXTURES:
        kinds: Counter[str] = Counter()
        odd: list[str] = []
        for some in _tables(files, of):
            counts = Counter(of(one) for one in some)
            usual = min(counts, key=lambda kind: (-counts[kind], kind))
            kinds += counts
            odd += [one.path for one in some if of(one) != usual]
        if odd:
            named = [f"{clip(kind, 60)} ({count:,})" for kind, count in _ordered(kinds)[:6]]
            more = [f"{len(kinds) - 6:,} more"] * (len(kinds) > 6)
            yield LakeFinding(
                rule.name,
                message=f"Files of one table {words}: {listing([*named, *more], most=7)}.",
                files=len(odd),
                of=sum(kinds.values()),
                paths=tuple(sorted(odd)[:PATHS]),
                together=tuple(sorted(odd)),
            )


def old_writers(files: Sequence[FileFacts]) -> Iterator[LakeFinding]:
    """Files of a table whose writer is an older version of the writer of others."""
    newest: dict[tuple[str, str], tuple[list[int], str]] = {}
    for one in files:
        if one.writer and one.version:
            key = one.table, one.writer
            newest[key] = max(newest.get(key, ([], "")), (_numbers(one.version), one.version))
    old = {
        one.path: one
        for one in files
        if one.version and _numbers(one.version) < newest.get((one.table, one.writer), ([], ""))[0]
    }
    if old:
        by = Counter(f"{one.writer} {one.version}" for one in old.values())
        now = dict.fromkeys(f"{one.writer} {newest[one.table, one.writer][1]}" for one in old.values())
        named = [f"{clip(kind, 60)} ({count:,})" for kind, count in _ordered(by)]
        yield LakeFinding(
            OLD_WRITERS.name,
            message=f"Old writers: {plural(len(old), 'file')} of {len(files):,} by {listing(named, most=6)}; others by "
            f"{listing([clip(one, 60) for one in now], most=3)}.",
            cost=Cost("none by itself: docs/writers.md has what the newer versions fixed"),
            fix="Look for what the old version is known for: `pqexplore doctor FILE --level data`; write the files again where it shows.",
            files=len(old),
            of=len(files),
            paths=tuple(sorted(old)[:PATHS]),
            together=tuple(sorted(old)),
        )  # fmt: skip


def _numbers(version: str) -> list[int]:
    """The numbers of a version, as they compare."""
    return [int(part) for part in re.findall(r"\d{1,9}", version)[:4]]


_MIXTURES: tuple[tuple[Rule, str, Callable[[FileFacts], str]], ...] = (
    (CODECS_DIFFER, "are compressed in different ways", operator.attrgetter("codecs")),
    (WRITERS_DIFFER, "were written by different writers", operator.attrgetter("writer")),
)


def _tables(files: Sequence[FileFacts], of: Callable[[FileFacts], str]) -> list[list[FileFacts]]:
    """The files by table, of the tables in which `of` gives several texts; files without a text are left out."""
    found: dict[str, list[FileFacts]] = {}
    for one in files:
        if of(one):
            found.setdefault(one.table, []).append(one)
    return [some for _, some in sorted(found.items()) if len({of(one) for one in some}) > 1]


def _ordered(counts: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
