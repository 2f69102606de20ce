"""How the schemas of one table's files differ, and what each engine makes of it.

Engines that read a folder take the schema of its first file by path, so each other schema is compared with that one. A
Delta or Iceberg table has its schema in its log: there the oldest file is the first, and only Iceberg's rules are asked.
"""

from __future__ import annotations

import dataclasses
import functools
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, cast

import pyarrow as pa

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.format.schema import Schema, build
from pqexplore.engine.format.thrift import fast, structs
from pqexplore.engine.text import clip, plural, printable
from pqexplore.insight.diff.difference import Difference, Subject
from pqexplore.insight.diff.engine_values import Range, depends
from pqexplore.insight.diff.engine_values import judged as judged_by_values
from pqexplore.insight.diff.engines import LEFT_OUT, WITHOUT, Outcome, outcomes
from pqexplore.insight.diff.matching import matching
from pqexplore.insight.diff.schema_differences import differences
from pqexplore.insight.wording import listing, name
from pqexplore.lake.doctor.dates import dated
from pqexplore.lake.listed_files import Entry

if TYPE_CHECKING:
    from pqexplore.engine.format.field import Field, Leaf

Seen = TypeVar("Seen")

ICEBERG = "Iceberg"
SCHEMAS = 500
"""Schemas of a table that are compared with its first."""
LEAVES = 400_000
"""Leaves that are compared in all."""
_UNSAID = ("list-names", "field-ids", "field-id")
"""Differences that change nothing for a reader of a folder."""


@dataclasses.dataclass(frozen=True, slots=True)
class DriftFile:
    """A readable file: its path, its table, its schema, its writer and version, and its day with what it is from."""

    path: str
    table: str
    schema_id: str
    writer: str
    modified: int
    date: str
    dated_by: str


@dataclasses.dataclass(frozen=True, slots=True)
class Drifted:
    """A difference between some files of a table and its first file.

    - `table`; `first_file`: the file whose schema is compared.
    - `what`, `kind`: as in a `Difference`; `columns`; `first`, `second`: the definitions, "" for none.
    - `files`: all paths, sorted; `of`: the files of the table. `writers`: (writer and version, files), most files first.
    - `since`: the earliest day of the files, YYYY-MM-DD, "" if unknown; `dated_by`: where that is from.
    - `outcomes` and `engines`: what each engine makes of the table, as `Outcome` and in words; empty if it was not seen.
    """

    table: str
    first_file: str
    what: str
    kind: str
    columns: tuple[str, ...]
    first: str
    second: str
    files: tuple[str, ...]
    of: int
    writers: tuple[tuple[str, int], ...]
    since: str
    dated_by: str
    outcomes: Mapping[str, Outcome]
    engines: Mapping[str, str]

    @property
    def worst(self) -> Outcome | None:
        """The worst outcome of the engines that read the table; None if none was seen."""
        return min(reading(self.outcomes).values(), key=lambda one: one.rank, default=None)

    @property
    def unreadable(self) -> list[str]:
        """The engines that cannot read the files as one table, with none of their options."""
        return [
            engine
            for engine, outcome in reading(self.outcomes).items()
            if outcome is Outcome.FAILS and not self.engines[engine].startswith(WITHOUT)
        ]

    @property
    def sentence(self) -> str:
        """What differs, in how many files, since when, and who wrote them."""
        some = listing([name(column) for column in self.columns], most=4)
        have = "has" if len(self.files) == 1 else "have"
        what = {
            "type": f"{have} {some} as {self.second} in place of {self.first}",
            "column-added": f"{have} {some}, which the first file lacks",
            "column-removed": f"{'lacks' if have == 'has' else 'lack'} {some}",
            "name-case": f"{have} {some} in place of {name(self.first)}",
            "column-renamed": f"{have} {some} in place of {name(self.first)}, with the same field id",
            "column-order": f"{have} {some} elsewhere among the columns",
            "nullability": f"{have} {some} as {self.second} in place of {self.first}",
            "list-layout": f"{have} the lists of {some} as {self.second} in place of {self.first}",
        }.get(self.what, f"{'differs' if have == 'has' else 'differ'} in {some}: {self.what}")
        return printable(f"{plural(len(self.files), 'file')} {what}{since_and_by(self.since, self.writers)}.")


@dataclasses.dataclass(frozen=True)
class Drift:
    """The differences between the schemas of a lake's files, the worst first; `unread` schemas were not compared."""

    differences: tuple[Drifted, ...]
    tables: int
    files: int
    unread: int = 0

    @functools.cached_property
    def sentence(self) -> str:
        """The worst difference and what it does to engines; or that there is none."""
        were = "was" if self.unread == 1 else "were"
        more = f" {plural(self.unread, 'more schema')} {were} not compared." if self.unread else ""
        if not self.differences:
            where = "in each table" if self.tables > 1 else "as the first"
            return f"All {plural(self.files, 'file')} have the same columns {where}.{more}"
        first = self.differences[0]
        said = judged(first.outcomes, first.engines)
        others = len(self.differences) - 1
        also = f" And {plural(others, 'more difference')}." if others else ""
        return f"{first.sentence}{f' {said}' if said else ''}{also}{more}"

    @functools.cached_property
    def table(self) -> pa.Table:
        """A row for each difference.

        - `table`, `what`, `first`, `second`, `since`, `dated_by`, `first_file`: strings. `columns`, `files`, `writers`:
          lists of strings.
        - `spark`, `duckdb`, `pyarrow`, `polars`, `iceberg`: the outcome as a string, null where it was not seen;
          `engines`: what each does, a JSON object.
        """
        rows = [
            {
                **{name: getattr(one, name) for name in _TEXTS},
                "columns": list(one.columns),
                "files": list(one.files),
                "writers": [writer for writer, _ in one.writers],
                **{engine.lower(): outcome.value for engine, outcome in one.outcomes.items()},
                "engines": json.dumps(dict(one.engines)),
            }
            for one in self.differences
        ]
        return pa.Table.from_pylist(rows, schema=_TABLE)

    def __repr__(self) -> str:
        return f"<Drift {self.sentence}>"


def since_and_by(since: str, writers: Sequence[tuple[str, int]]) -> str:
    """Since when some files differ, and who wrote them; begins with a comma, "" if neither is known."""
    by = [writer or "unknown" for writer, _ in writers]
    return (f", since {since}" if since else "") + (f", written by {listing(by, most=3)}" if any(by) else "")


_TEXTS = ("table", "what", "first", "second", "since", "dated_by", "first_file")
_TABLE = pa.schema(
    [
        *((one, pa.string()) for one in _TEXTS),
        *((one, pa.list_(pa.string())) for one in ("columns", "files", "writers")),
        *((one, pa.string()) for one in ("spark", "duckdb", "pyarrow", "polars", "iceberg")),
        ("engines", pa.string()),
    ]
)


def reading(seen: Mapping[str, Seen]) -> dict[str, Seen]:
    """What engines make of a table as it is: of plain files, Iceberg's rules only say what a table of Iceberg could be."""
    return {one: seen[one] for one in seen if one != ICEBERG or len(seen) == 1}


def judged(seen: Mapping[str, Outcome], words: Mapping[str, str] | None = None) -> str:
    """The outcomes as a sentence: "DuckDB and polars fail, pyarrow loses values."; "" without any.

    By the `words` of the engines, one that leaves columns out loses no values, and one that has an option for it does
    not just fail.
    """
    by_verb: dict[tuple[str, str], list[str]] = {verb: [] for verb in _VERBS}
    for engine, outcome in seen.items():
        verb = _verb(outcome, (words or {}).get(engine, ""))
        if verb is not None and engine != ICEBERG:
            by_verb[verb].append(engine)
    said = [
        f"{listing(sorted(engines, key=str.lower))} {verb[len(engines) > 1]}"
        for verb, engines in by_verb.items()
        if engines
    ]
    if ICEBERG in seen and seen[ICEBERG] is Outcome.FAILS:
        said.append("Iceberg does not allow it")
    return f"{', '.join(said)}." if said else ""


_LOSE, _LEAVE = (
    ("loses values", "lose values"),
    ("leaves out what the first file lacks", "leave out what the first file lacks"),
)
_FAIL, _ASK, _WIDEN = ("fails", "fail"), ("needs an option", "need an option"), ("widens", "widen")
_VERBS = (_LOSE, _LEAVE, _FAIL, _ASK, _WIDEN)
"""What an engine does, and what several do, the worst first."""


def _verb(outcome: Outcome, words: str) -> tuple[str, str] | None:
    """The verb of an outcome, None for one without harm."""
    if outcome is Outcome.LOSES:
        return _LEAVE if words.startswith(LEFT_OUT) else _LOSE
    if outcome is Outcome.FAILS:
        return _ASK if words.startswith(WITHOUT) else _FAIL
    return _WIDEN if outcome is Outcome.WIDENS else None


def worst_by_engine(some: Iterable[Drifted]) -> dict[str, tuple[Outcome, str]]:
    """The worst that each engine makes of some differences, and its words."""
    worst: dict[str, tuple[Outcome, str]] = {}
    for one in some:
        for engine, outcome in one.outcomes.items():
            if engine not in worst or outcome.rank < worst[engine][0].rank:
                worst[engine] = outcome, one.engines[engine]
    return worst


def outcomes_and_words(worst: Mapping[str, tuple[Outcome, str]]) -> tuple[dict[str, Outcome], dict[str, str]]:
    """What `worst_by_engine` gives, as `judged` takes it."""
    return {one: seen for one, (seen, _) in worst.items()}, {one: words for one, (_, words) in worst.items()}


def by_column(found: Drift) -> dict[str, str]:
    """What engines make of all differences of a column, in words."""
    columns: dict[str, list[Drifted]] = {}
    for one in found.differences:
        for column in one.columns:
            columns.setdefault(column, []).append(one)
    return {column: judged(*outcomes_and_words(worst_by_engine(some))) for column, some in columns.items()}


def drift_file(row: Mapping[str, Any], entry: Entry, table: str) -> DriftFile:
    """The file of a row of `files`."""
    date, dated_by = dated(entry)
    writer = printable(" ".join(one for one in (row["writer"], row["writer_version"]) if one))
    return DriftFile(
        row["path"], table, row["schema_id"] or "", clip(writer, 60), entry.modified or 0, date, dated_by
    )  # fmt: skip


Ranges = Callable[[set[str], set[str]], Mapping[tuple[str, str], Sequence[Range]]]
"""Gives the bounds of columns in each chunk that has values, by path and column, for some paths and columns."""

Names = Mapping[tuple[str, str], Mapping[int, str | None]]
"""By table and schema, the leaves whose name in the table is not that in the files; None for one that the table dropped."""


def drift(
    files: Sequence[DriftFile],
    footers: Mapping[str, bytes | None],
    formats: Mapping[str, str],
    ranges: Ranges = lambda paths, columns: {},
    names: Names | None = None,
) -> Drift:
    """The differences in each table. `footers` has the stored footer of each schema, `formats` that of tables with a log.

    `ranges` is asked where what engines do depends on values. Columns go by the `names` that the table has for them.
    """
    by_table: dict[str, list[DriftFile]] = {}
    for one in files:
        if one.schema_id:
            by_table.setdefault(one.table, []).append(one)
    found: list[Drifted] = []
    read = _Schemas(footers, names or {})
    leaves: dict[int, Leaf] = {}  # of the first files, by the identity of what differs from them
    for table, some in sorted(by_table.items()):
        for drifted, leaf in _of_table(table, some, formats.get(table, ""), read):
            found.append(drifted)
            if leaf is not None and depends(drifted.kind) and drifted.outcomes and not formats.get(table):
                leaves[id(drifted)] = leaf
    asked = [one for one in found if id(one) in leaves]
    known = ranges({path for one in asked for path in one.files}, {one.columns[0] for one in asked}) if asked else {}
    found = [_by_values(one, leaves[id(one)], known) if id(one) in leaves else one for one in found]
    found.sort(key=_order)
    return Drift(tuple(found), len(by_table), len(files), read.unread)


def _order(one: Drifted) -> tuple[int, bool, int, int, int, tuple[str, ...]]:
    """What most engines cannot read first; of equal ones what no table may do, then the worst outcome and its engines."""
    worst = one.worst
    rank = len(Outcome) if worst is None else worst.rank
    engines = sum(outcome is worst for outcome in reading(one.outcomes).values())
    allowed = one.outcomes.get(ICEBERG) is not Outcome.FAILS
    return -len(one.unreadable), allowed, rank, -engines, -len(one.files), one.columns


def stored_schema(footer: bytes | None) -> Schema | None:
    """The schema of a stored footer; None if it is not stored, or damaged."""
    if footer is None:
        return None
    try:
        whole = fast.decode(structs.FileMetaData, footer)[0]
        return build(whole.schema, column_orders=whole.column_orders)
    except ParquetError:
        return None


class _Schemas:
    """Reads stored schemas, as long as `LEAVES` allow; counts those that are not read."""

    def __init__(self, footers: Mapping[str, bytes | None], names: Names) -> None:
        self._footers, self._names = footers, names
        self._left = LEAVES
        self.unread = 0

    def leaves(self, table: str, schema_id: str) -> Sequence[Leaf] | None:
        """The leaves of a schema by the table's names, without those that it dropped; None if it is not stored, or if there are too many."""
        schema = stored_schema(self._footers.get(schema_id)) if self._left > 0 else None
        if schema is None:
            self.unread += 1
            return None
        self._left -= len(schema.leaves)
        own = self._names.get((table, schema_id))
        if own is None:
            return schema.leaves
        for leaf in schema.leaves:
            parts, field = (own.get(leaf.leaf_index) or "").split("."), cast("Field", leaf)
            while parts[0] and len(parts) == len(leaf.path) and field.parent is not None:
                field.element.name, field = parts[field.depth - 1], field.parent
        renamed = build([one.element for one in schema.fields])
        return [leaf for leaf in renamed.leaves if own.get(leaf.leaf_index, "") is not None]


def _by_values(one: Drifted, first: Leaf, known: Mapping[tuple[str, str], Sequence[Range]]) -> Drifted:
    """A difference of types, with what engines make of the values that there are."""
    some = [known.get((path, one.columns[0])) for path in one.files]
    ranges = [chunk for chunks in some for chunk in (chunks if chunks is not None else (Range(None, None),))]
    seen, words = judged_by_values(one.kind, first, ranges)
    return dataclasses.replace(one, outcomes=seen, engines=words)


def _of_table(
    table: str, files: Sequence[DriftFile], format: str, read: _Schemas
) -> Iterator[tuple[Drifted, Leaf | None]]:
    """The differences of a table, each with the leaf of the first file that differs in type; None for others."""
    first = min(files, key=lambda one: (one.modified, one.path) if format else (one.path,))
    by_schema: dict[str, list[DriftFile]] = {}
    for one in files:
        by_schema.setdefault(one.schema_id, []).append(one)
    if len(by_schema) < 2:
        return
    own = read.leaves(table, first.schema_id)
    if own is None:
        return
    held: dict[Difference, list[DriftFile]] = {}
    for number, (schema_id, some) in enumerate(sorted(by_schema.items())):
        leaves = None
        if schema_id != first.schema_id:
            if number > SCHEMAS:
                read.unread += 1
            else:
                leaves = read.leaves(table, schema_id)
        for found in _of_schema(own, leaves) if leaves is not None else ():
            held.setdefault(found, []).extend(some)
    by_address: dict[str, Leaf] = {Address.of("schema", leaf.index): leaf for leaf in own}
    for found, some in held.items():
        leaf = by_address.get(found.addresses[0]) if found.what == "type" else None
        yield _drifted(table, first, files, format, found, some), leaf


def _of_schema(own: Sequence[Leaf], leaves: Sequence[Leaf]) -> Iterable[Difference]:
    """The differences of two schemas that readers of a folder see, with the addresses in the first."""
    found = differences(matching(own, leaves), "the first file", "this file")
    return dict.fromkeys(
        dataclasses.replace(one, addresses=(one.addresses[0], ""))
        for one in found
        if one.subject is Subject.SCHEMA and one.what not in _UNSAID
    )


def _drifted(
    table: str, first: DriftFile, files: Sequence[DriftFile], format: str, one: Difference, some: Sequence[DriftFile]
) -> Drifted:
    writers = Counter(file.writer for file in some).most_common()
    day = min((file for file in some if file.date), key=lambda file: file.date, default=None)
    seen, words = dict(outcomes(one.kind)), dict(one.engines)
    if format:
        asked = (ICEBERG,) if format == "iceberg" else ()
        seen = {engine: seen[engine] for engine in asked if engine in seen}
        words = {engine: words[engine] for engine in seen}
    return Drifted(
        table,
        first.path,
        one.what,
        one.kind,
        one.columns,
        one.first,
        one.second,
        tuple(sorted(file.path for file in some)),
        len(files),
        tuple(writers),
        day.date if day else "",
        day.dated_by if day else "",
        seen,
        words,
    )
