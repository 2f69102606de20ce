"""What only the files together show: too many small files, columns of several types, several codecs or writers.

These rules ask the tables of the scan, which have all that they need. Files of one *table* are compared: those whose
folders differ only in `key=value`, or those of one Delta or Iceberg table.
"""

from __future__ import annotations

import dataclasses
import operator
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from pqexplore.engine.rule import FOOTER, Cost, Rule, Severity, Source, register
from pqexplore.engine.text import clip, plural, printable
from pqexplore.insight.wording import listing, name, size
from pqexplore.lake.doctor.report import LakeFinding
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
RULES = register(
    *(SMALL_FILES, TYPES_DIFFER, COLUMNS_DIFFER, NAMES_DIFFER, ORDER_DIFFERS, NULLS_DIFFER),
    *(CODECS_DIFFER, WRITERS_DIFFER),
)


@dataclasses.dataclass(frozen=True, slots=True)
class FileFacts:
    """A readable file of the scan. `codecs` are the sorted names of those in it, joined by commas.

    `bare`: no column chunk has bounds; `unindexed`: none has an offset index. `date` is its day, "" if unknown.
    `partition` are the partition values of a file of a table with a log; None for other files.
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


def drift(
    files: Sequence[FileFacts], leaves: Mapping[str, Mapping[str, str]], harmful: Sequence[str] = ()
) -> Iterator[LakeFinding]:
    """Columns with several types in one table, and columns that some of its files lack.

    `leaves` are the types of the columns by schema and name. `harmful` are columns whose types do most harm, the worst first.
    """
    tables = [_TableColumns(some, leaves) for some in _tables(files, lambda one: one.schema_id)]
    of = sum(len(one.files) for one in tables)
    several: Counter[str] = Counter()
    lacking: Counter[str] = Counter()
    for one in tables:
        several.update({column: sum(kinds.values()) - max(kinds.values()) for column, kinds in one.conflicts.items()})
        lacking.update(one.lacking)
    if several:
        ranks = {column: rank for rank, column in enumerate(harmful)}
        columns = sorted(several.items(), key=lambda pair: (ranks.get(pair[0], len(ranks)), -pair[1], pair[0]))
        first, others = columns[0][0], [name(column) for column, _ in columns[1:]]
        kinds = next(one.conflicts[first] for one in tables if first in one.conflicts)
        said = f"{_named(columns)} of several types in files of one table: {name(first)} is {_kinds(kinds)}."
        said += (
            f" The {'other is' if len(others) == 1 else 'others are'} {listing(others, most=NAMED)}." if others else ""
        )
        fix = "Write the files of the rarer types again, with the type of the others."
        yield _of_schemas(TYPES_DIFFER, said, [path for one in tables for path in one.rarer], of, columns, fix)
    if lacking:
        columns = sorted(lacking.items(), key=lambda pair: (-pair[1], pair[0]))
        partial = [path for one in tables for path in one.partial]
        alone = {column: path for one in tables for column, path in one.alone.items()}
        lack = "lacks" if len(partial) == 1 else "lack"
        said = (
            f"{plural(len(partial), 'file')} {lack} a column that others of the same table have: "
            f"{_listed(columns)}.{_only_in(columns, alone)}"
        )
        fix = "Read with the union of the schemas: mergeSchema in Spark, union_by_name in DuckDB."
        yield _of_schemas(COLUMNS_DIFFER, said, partial, of, columns, fix)


class _TableColumns:
    """The columns of one table's files, by type.

    `conflicts`: how many files have each type, of columns with several; `lacking`: how many files lack a column.
    """

    def __init__(self, files: Sequence[FileFacts], leaves: Mapping[str, Mapping[str, str]]) -> None:
        self.files = files
        self._leaves = leaves
        self._schemas = Counter(one.schema_id for one in files if one.schema_id in leaves)
        self._kinds: dict[str, Counter[str]] = {}
        for schema_id, count in self._schemas.items():
            for column, kind in leaves[schema_id].items():
                self._kinds.setdefault(column, Counter())[kind] += count
        self.conflicts = {column: kinds for column, kinds in self._kinds.items() if len(kinds) > 1}
        known, spelt = self._schemas.total(), Counter(column.lower() for column in self._kinds)
        self.lacking = {
            column: known - kinds.total()
            for column, kinds in self._kinds.items()
            if kinds.total() < known and spelt[column.lower()] == 1
        }

    @property
    def rarer(self) -> list[str]:
        """The files that have a column in a type that is not its most frequent one."""
        odd = {column: set(kinds) - {_ordered(kinds)[0][0]} for column, kinds in self.conflicts.items()}
        return self._paths(lambda own: any(own.get(column) in kinds for column, kinds in odd.items()))

    @property
    def partial(self) -> list[str]:
        """The files that lack a column."""
        return self._paths(lambda own: any(column not in own for column in self.lacking))

    @property
    def alone(self) -> dict[str, str]:
        """The columns that one file has alone, with the file's path below the table."""
        return {
            column: next(
                one.path.removeprefix(f"{one.table}/")
                for one in self.files
                if column in self._leaves.get(one.schema_id, ())
            )
            for column in self.lacking
            if self._kinds[column].total() == 1
        }

    def _paths(self, is_odd: Callable[[Mapping[str, str]], bool]) -> list[str]:
        odd = {schema_id for schema_id in self._schemas if is_odd(self._leaves[schema_id])}
        return [one.path for one in self.files if one.schema_id in odd]


def _of_schemas(
    rule: Rule, said: str, paths: Sequence[str], of: int, columns: Sequence[tuple[str, int]], fix: str
) -> LakeFinding:
    """A finding about the schemas of these files."""
    ordered = sorted(paths)
    return LakeFinding(
        rule.name,
        "schema",
        said,
        cost=Cost(_lower(rule.why)),
        fix=fix,
        files=len(ordered),
        of=of,
        paths=tuple(ordered[:PATHS]),
        together=tuple(ordered),
        columns=tuple(columns),
    )


def _only_in(columns: Sequence[tuple[str, int]], alone: Mapping[str, str]) -> str:
    """The first columns that one file of their table has, with the file: a sentence for each."""
    own = [(column, alone[column]) for column, _ in columns if column in alone]
    said = [f" Only {printable(path)} has {name(column)}." for column, path in own[:NAMED]]
    more = len(own) - NAMED
    return "".join(said) + (f" And {plural(more, 'more column')} are in one file only." if more > 0 else "")


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


def _lower(text: str) -> str:
    """A sentence as part of another."""
    return text[:1].lower() + text[1:].rstrip(".")


def _ordered(counts: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


def _kinds(kinds: Counter[str]) -> str:
    said = [f"{kind} in {plural(count, 'file')}" for kind, count in _ordered(kinds)[:NAMED]]
    return listing([*said, *[f"{len(kinds) - NAMED:,} more types"] * (len(kinds) > NAMED)])


def _named(columns: Sequence[tuple[str, int]]) -> str:
    return "A column is" if len(columns) == 1 else f"{plural(len(columns), 'column')} are"


def _listed(columns: Sequence[tuple[str, int]]) -> str:
    more = [f"{len(columns) - NAMED:,} more"] * (len(columns) > NAMED)
    return listing([f"{name(column)} (in {count:,})" for column, count in columns[:NAMED]] + more)


def leaves_of(schemas: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, str]]:
    """The types of columns by schema and name, from rows of the table `schemas`."""
    found: dict[str, dict[str, str]] = {}
    for row in schemas:
        kind = row["physical_type"]
        if row["logical_type"] != kind:
            kind = f"{row['logical_type']} in {kind}"
        found.setdefault(row["schema_id"], {})[row["column_name"]] = kind
    return found


def by_table_names(
    files: Sequence[FileFacts], leaves: Mapping[str, Mapping[str, str]], renamed: Sequence[Mapping[str, Any]]
) -> tuple[list[FileFacts], dict[str, Mapping[str, str]]]:
    """Facts and leaves by the names of the tables, from rows of `table_columns`; without columns that a table dropped.

    A schema of a table with other names has a key of its own.
    """
    names: dict[tuple[str, str], dict[str, str | None]] = {}
    for row in renamed:
        of = names.setdefault((row["table_path"], row["schema_id"]), {})
        of[row["column_name"]] = row["table_column"]
    found = dict(leaves)
    for (table, schema_id), own in names.items():
        found[f"{schema_id} {table}"] = {
            now: kind
            for column, kind in leaves.get(schema_id, {}).items()
            if (now := own.get(column, column)) is not None
        }
    return [
        dataclasses.replace(one, schema_id=f"{one.schema_id} {one.table}")
        if (one.table, one.schema_id) in names
        else one
        for one in files
    ], found
