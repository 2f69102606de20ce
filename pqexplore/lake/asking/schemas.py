"""Binds a condition to the schemas of a lake: once for all schemas that have the same columns of the condition."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.format.field import Field, Leaf
from pqexplore.engine.format.schema import Schema, build
from pqexplore.engine.format.thrift import encode, fast, structs
from pqexplore.insight.ask import predicate
from pqexplore.insight.ask.accepted_values import Accepts, Interval
from pqexplore.insight.ask.binding import bind
from pqexplore.insight.ask.bound import Always, Both, Bound, Either, Test, Undecided
from pqexplore.lake.asking.clauses import is_plain, path_of, paths_of, tops_of, true_for_null
from pqexplore.lake.asking.partitions import Partitions

MOST_ENDS = 32
"""Max ends of intervals with which bounds are compared. More are joined to wider intervals, which skip less."""

MOST_FAMILIES = 2_000
"""Max schemas that are bound; files of others are kept."""


@dataclasses.dataclass(frozen=True, eq=False)
class Family:
    """Schemas that have the same columns of the condition.

    `head` is a footer with these columns alone, `schema` its schema. `bound` is the condition about it; a clause about a
    partition column is `Undecided` there, and a test in `partitions`, by the id of the clause. `errors` says why clauses
    cannot be asked of these columns.
    """

    head: structs.FileMetaData
    schema: Schema
    bound: Bound
    partitions: Mapping[int, Test] = dataclasses.field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    errors: tuple[UsageError, ...] = ()


@dataclasses.dataclass(slots=True)
class Placed:
    """A schema of the lake: its family, and the position in the schema of each leaf of the family."""

    family: int
    leaves: tuple[int, ...]


class Families:
    """The families of a lake's schemas.

    `footers` has the stored footer of each schema, `read` gives it from a file. `tabled` are the schemas of files in
    Delta and Iceberg tables: such a table may rename columns, so one that a file does not have need not be NULL.
    `renamed` are the lower-cased top-level names that differ between files for one field.
    """

    def __init__(
        self,
        clause: predicate.Clause,
        footers: Iterable[tuple[str, bytes | None]],
        partitions: Partitions,
        tabled: Collection[str],
        renamed: Collection[str],
        read: Callable[[str], bytes | None],
    ) -> None:
        self.clause = clause
        self.partitions = partitions
        self.renamed = frozenset(renamed)
        self.all: list[Family] = []
        self.placed: dict[str, Placed] = {}
        self._tops = tops_of(clause)
        self._known: dict[tuple[bytes, str], int] = {}
        self._missing: dict[tuple[str, ...], bool] = dict.fromkeys(paths_of(clause), True)
        self._errors: list[UsageError] = []
        for schema_id, footer in footers:
            self._add(schema_id, footer or read(schema_id), schema_id in tabled)
        self._require()
        empty = build([structs.SchemaElement(name="schema", num_children=0)])
        self.unreadable = self._of(structs.FileMetaData(schema=[], row_groups=[]), empty, True)

    def bind_file(self, schema: Schema, tabled: bool) -> Family:
        """The condition about the whole schema of one file; `tabled` as in `__init__`."""
        return self._of(structs.FileMetaData(schema=[], row_groups=[]), schema, tabled)

    def _of(self, head: structs.FileMetaData, schema: Schema, tabled: bool) -> Family:
        binder = _Binder(schema, self.partitions, tabled, self.renamed)
        bound = binder.clause(self.clause)
        remarks = tuple(dict.fromkeys(binder.remarks))
        return Family(head, schema, bound, binder.partition_tests, remarks, tuple(binder.errors))

    def _add(self, schema_id: str, footer: bytes | None, tabled: bool) -> None:
        if footer is None:
            self.placed[schema_id] = self._lost("the lake does not store the whole schema")
            return
        try:
            whole = fast.decode(structs.FileMetaData, footer)[0]
            head, leaves = pruned(whole, self._tops)
            key = encode.encode(head), str(tabled)
            if key not in self._known:
                if len(self.all) >= MOST_FAMILIES:
                    why = f"the lake has more than {MOST_FAMILIES:,} different schemas"
                    self.placed[schema_id] = self._lost(why)
                    return
                self._known[key] = len(self.all)
                self.all.append(self._bound(head, tabled))
            self.placed[schema_id] = Placed(self._known[key], leaves)
        except ParquetError as error:
            self.placed[schema_id] = self._lost(error.message)

    def _lost(self, why: str) -> Placed:
        key = b"", why
        if key not in self._known:
            self._known[key] = len(self.all)
            nothing = structs.FileMetaData(schema=[], row_groups=[])
            schema = build([structs.SchemaElement(name="schema", num_children=0)])
            bound = Undecided(why, self.clause.sql, clause=self.clause)
            self.all.append(Family(nothing, schema, bound))
            for path in self._missing:
                self._missing[path] = False
        return Placed(self._known[key], ())

    def _bound(self, head: structs.FileMetaData, tabled: bool) -> Family:
        schema = build(head.schema, column_orders=head.column_orders)
        family = self._of(head, schema, tabled)
        for path in self._missing:
            if _has(schema, path):
                self._missing[path] = False
        self._errors += family.errors[:1]
        return family

    def _require(self) -> None:
        """Raises UsageError if no schema has a column, or if no schema can be asked."""
        for path, missing in self._missing.items():
            if missing and self.all and not self.partitions.has(path):
                raise UsageError(f"there is no column {'.'.join(path)!r} in the files of the lake")
        if self._errors and len(self._errors) >= len(self.all):
            raise self._errors[0]


class _Binder:
    """Binds the clauses of a condition to one schema."""

    def __init__(self, schema: Schema, partitions: Partitions, tabled: bool, renamed: Collection[str]) -> None:
        self.schema = schema
        self.partitions = partitions
        self.tabled = tabled
        self.renamed = renamed
        self.partition_tests: dict[int, Test] = {}
        self.remarks: list[str] = []
        self.errors: list[UsageError] = []

    def clause(self, clause: predicate.Clause) -> Bound:
        """The condition about this schema."""
        if isinstance(clause, predicate.All | predicate.Some):
            parts = tuple(self.clause(part) for part in clause.parts)
            return (Both if isinstance(clause, predicate.All) else Either)(parts, clause.sql)
        if isinstance(clause, predicate.Constant | predicate.Opaque):
            return self._columnless(clause)
        path = path_of(clause)
        known = _has(self.schema, path)
        if self.tabled and path[0] in self.renamed:
            why = f"the table has renamed columns, and the lake does not store which one {'.'.join(path)} is now"
            return Undecided(why, clause.sql, clause=clause)
        own = self._own(clause, path) if known else None
        if self.partitions.has(path) and is_plain(clause):
            self.partition_tests[id(clause)] = self.partitions.test(clause)
            by_folder = Undecided("a partition column", clause.sql, clause=clause)
            return by_folder if own is None else Either((by_folder, own), clause.sql)
        return self._absent(clause, path) if own is None else own

    def _columnless(self, clause: predicate.Constant | predicate.Opaque) -> Bound:
        try:
            return bind(clause, self.schema)
        except UsageError as error:
            if isinstance(clause, predicate.Constant) or clause.error:
                self.errors.append(error)
                return Undecided(str(error), clause.sql, clause=clause)
            return Undecided(clause.why, clause.sql, clause=clause)

    def _own(self, clause: predicate.Leaf, path: tuple[str, ...]) -> Bound:
        try:
            return _simpler(bind(clause, self.schema), self.remarks)
        except UsageError as error:
            self.errors.append(error)
            return Undecided(str(error), clause.sql, clause=clause)

    def _absent(self, clause: predicate.Leaf, path: tuple[str, ...]) -> Bound:
        found, name = true_for_null(clause), ".".join(path)
        why = f"the file does not have the column {name}"
        if self.tabled:
            why += ", and the lake does not store whether the table has renamed it"
        if found is None or self.tabled:
            return Undecided(why, clause.sql, clause=clause)
        return Always(found, clause.sql, f"{why}, so it is NULL")


def _has(schema: Schema, path: tuple[str, ...]) -> bool:
    """Whether a schema has a column of that lower-cased path. What is below a list or map counts as there."""
    field: Field = schema.root
    at = 0
    while at < len(path):
        if field is not schema.root and (isinstance(field, Leaf) or field.kind != "group"):
            return True
        names = {".".join(path[at:end]): end for end in range(len(path), at, -1)}
        found = next((one for one in field.children if one.name.lower() in names), None)
        if found is None:
            return False
        field, at = found, names[found.name.lower()]
    return True


def pruned(whole: structs.FileMetaData, tops: set[str]) -> tuple[structs.FileMetaData, tuple[int, ...]]:
    """A footer with some top-level columns of a schema alone, and the positions of their leaves in the schema.

    `tops` are lower-cased names. Raises the errors of `schema.build` if the schema is damaged.
    """
    elements: Sequence[structs.SchemaElement] = whole.schema or []
    schema = build(elements, column_orders=whole.column_orders)
    chosen = [child for child in schema.root.children if child.name.lower() in tops]
    kept: list[structs.SchemaElement] = []
    leaves: list[int] = []
    for child in chosen:
        for field in _below(child):
            kept.append(field.element)
            if isinstance(field, Leaf):
                leaves.append(field.leaf_index)
    orders = whole.column_orders
    root = structs.SchemaElement(name="schema", num_children=len(chosen))
    head = structs.FileMetaData(
        version=2,
        schema=[root, *kept],
        num_rows=0,
        row_groups=[],
        column_orders=None
        if orders is None
        else [orders[i] if i < len(orders) else structs.ColumnOrder() for i in leaves],
    )
    return head, tuple(leaves)


def _below(field: Field) -> Iterable[Field]:
    yield field
    if not isinstance(field, Leaf):
        for child in field.children:
            yield from _below(child)


def _simpler(bound: Bound, remarks: list[str]) -> Bound:
    """The same with at most `MOST_ENDS` ends of intervals in each test."""
    if isinstance(bound, Both | Either):
        return dataclasses.replace(bound, parts=tuple(_simpler(p, remarks) for p in bound.parts))
    if not isinstance(bound, Test) or len(ends(bound.accepts)) <= MOST_ENDS:
        return bound
    remarks.append(
        f"{bound.column}: {len(bound.accepts.intervals):,} values are compared with bounds as a few ranges of values, "
        "which skips less"
    )
    return dataclasses.replace(bound, accepts=_joined(bound.accepts))


def ends(accepts: Accepts) -> list[bytes]:
    """The keys at which the intervals of a clause begin and end, ascending."""
    return sorted({key for one in accepts.intervals for key in (one.low, one.high) if key is not None})


def _joined(accepts: Accepts) -> Accepts:
    """The same with few intervals, which accept more."""
    ordered = sorted(accepts.intervals, key=lambda one: (one.low is not None, one.low or b""))
    step = -(-len(ordered) // (MOST_ENDS // 2))
    made = []
    for start in range(0, len(ordered), step):
        some = ordered[start : start + step]
        highs = [one.high for one in some]
        high = None if None in highs else max(key for key in highs if key is not None)
        made.append(Interval(some[0].low, high))
    return dataclasses.replace(accepts, intervals=tuple(made), exact=False)


def footers_of(rows: Iterable[Mapping[str, Any]]) -> dict[str, bytes | None]:
    """The stored footer of each schema, from rows (schema_id, leaf, footer) of the table `schemas`."""
    found: dict[str, bytes | None] = {}
    for row in rows:
        if row["footer"] is not None or row["schema_id"] not in found:
            found[row["schema_id"]] = row["footer"] and bytes(row["footer"])
    return found
