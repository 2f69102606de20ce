"""Which index would have helped some queries: computed from trial stores, in a temporary directory.

A trial of MinMax takes the bounds of the files' footers, so that no data is read. ValueList and Bloom filters, and MinMax
where footers have no reliable bounds, need the values; with `sample` they are read of so many files, evenly chosen. What
was not read is "not known". Sizes are those of the columns of the trial stores.
"""

from __future__ import annotations

import dataclasses
import functools
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from pqexplore.engine.ending import temporary_folder
from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.file import file as engine
from pqexplore.engine.format.field import Leaf
from pqexplore.engine.text import printable
from pqexplore.insight.ask import predicate, sql
from pqexplore.insight.ask.predicate import Clause
from pqexplore.insight.wording import plural
from pqexplore.lake.doctor.together import table_of
from pqexplore.lake.metadatastore import collect, indexes, names, store_schema
from pqexplore.lake.metadatastore.building import agreed_types, runner, write_store
from pqexplore.lake.metadatastore.dataset import DataFile, Dataset, list_dataset, partition_values
from pqexplore.lake.metadatastore.indexes import BloomFilter, MinMax, ValueList, Wanted
from pqexplore.lake.metadatastore.open_store import open as open_store
from pqexplore.lake.metadatastore.store import Store
from pqexplore.lake.scanning import rescan

if TYPE_CHECKING:
    from pqexplore.lake.lake import Lake

FILES = 1_000
"""The most files whose footers are looked at, evenly chosen."""
ALL = "(all)"
"""The column of the row about all indexes of one kind together."""


@dataclasses.dataclass(frozen=True)
class Proposal:
    """What an index on a column would skip of the files that were looked at.

    - `column`, `index`: the column (or `ALL`) and the kind of index.
    - `skipped`: how many reads of a file it saves, over all queries; None if that is not known, and `why`.
    - `files`: the files looked at; `unknown`: those without reliable bounds in the footer, so that they are kept.
    - `bytes`: the size of the index in the store, for these files; None if it was not built.
    - `reads`: the compressed bytes of the column in all files, which a build of the index reads; for MinMax from footers
      only those of files without reliable bounds. None if a footer could not be read.
    """

    column: str
    index: str
    skipped: int | None
    files: int
    unknown: int
    bytes: int | None
    reads: int | None
    why: str = ""


@dataclasses.dataclass(frozen=True)
class Advice:
    """Proposals for the indexes of a dataset, those first that skip the largest share of the files looked at.

    `queries` are the conditions, `total` the number of its files.
    """

    queries: tuple[str, ...]
    proposals: tuple[Proposal, ...]
    total: int

    @functools.cached_property
    def table(self) -> pa.Table:
        """A row for each proposal, with its fields."""
        kinds = {"column": pa.string(), "index": pa.string(), "why": pa.string()}
        return pa.table(
            {
                field.name: pa.array(
                    [getattr(one, field.name) for one in self.proposals], kinds.get(field.name, pa.int64())
                )
                for field in dataclasses.fields(Proposal)
            }
        )

    @property
    def sentence(self) -> str:
        """The index that skips most, or that none does."""
        known = [one for one in self.proposals if one.skipped is not None and one.column != ALL]
        unknown = sum(one.skipped is None for one in self.proposals)
        rest = f" {plural(unknown, 'index', 'indexes')} not known: their values were not read." if unknown else ""
        if not known or not known[0].skipped:
            return f"No index that was tried skips a file for {plural(len(self.queries), 'query', 'queries')}.{rest}"
        best = known[0]
        reads = best.files * len(self.queries)
        return printable(
            f"{best.index} on {best.column} skips most: {best.skipped:,} of {reads:,} reads of a file, for "
            f"{plural(len(self.queries), 'query', 'queries')} and {best.files:,} of {plural(self.total, 'file')}.{rest}"
        )

    def __repr__(self) -> str:
        return f"<Advice: {self.sentence}>"


def _without_values(index: str, columns: Iterable[str], sizes: Mapping[str, int]) -> list[Proposal]:
    """An index on some columns that needs the values, where no values were read."""
    why = "not known: no values were read; pass sample="
    return [Proposal(column, index, None, 0, 0, None, sizes.get(column), why) for column in columns]


def advise(
    dataset: str | os.PathLike[str] | Lake, predicates: Sequence[str], *, sample: int = 0, timezone: str | None = None
) -> Advice:
    """Which indexes would have helped queries with these conditions.

    `dataset` is a directory of Parquet files, or a scanned lake of one table: its live files count. `sample` is how many files the values may be read of, for ValueList and
    Bloom filters. `timezone` is as in `Store.evaluate`. Reads the footers of up to `FILES` files. Raises UsageError for
    conditions without a column that can be indexed, and for a lake of several tables.
    """
    if isinstance(predicates, str) or not predicates:
        raise UsageError("a list of conditions is expected")
    found = list_dataset(dataset) if isinstance(dataset, str | os.PathLike) else _of_lake(dataset)
    allowed = tuple(one for one in found.files if one.path not in found.refused)
    found = dataclasses.replace(found, files=allowed)
    looked = dataclasses.replace(found, files=_even(found.files, FILES))
    partitions = {one.name.lower() for one in found.partitions}
    named = {column for one in predicates for column in _columns(sql.parse(one, timezone))} - partitions
    types = _types(looked, sorted(named))
    if not types:
        raise UsageError("no column of these conditions can be indexed")
    sizes = _sizes(looked.files, types)
    trial = functools.partial(_trial, queries=predicates, timezone=timezone, sizes=sizes)
    with temporary_folder() as folder:
        wanted: list[Wanted] = [MinMax(column) for column in types]
        made = [*trial(looked, wanted, os.path.join(folder, "bounds"), collect.ONLY_FOOTERS)]
        some = dataclasses.replace(found, files=_even(found.files, min(sample, FILES)))
        lists: list[Wanted] = [ValueList(column) for column in types]
        filters = [column for column in types if indexes.supported(BloomFilter(column), types[column])]
        if some.files:
            place = os.path.join(folder, "lists")
            made += trial(some, lists, place, collect.VALUES)
            if filters:
                counts = _distinct(place)
                blooms: list[Wanted] = [BloomFilter(one, ndv=counts[one]) for one in filters]
                made += trial(some, blooms, os.path.join(folder, "filters"), collect.VALUES)
        else:
            made += _without_values(store_schema.VALUE_LIST, types, sizes)
            made += _without_values(store_schema.BLOOM_FILTER, filters, sizes)
    made.sort(key=lambda one: (one.skipped is None, -(one.skipped or 0) / max(1, one.files), one.bytes or 0))
    return Advice(tuple(predicates), tuple(made), len(found.files))


def _of_lake(lake: Lake) -> Dataset:
    """The live files of a lake that can be read, as a dataset."""
    rows = [row for row in rescan.files(lake) if row["status"] == "ok" and row["size"]]
    tables = sorted({table_of(row["path"], row["table_path"]) for row in rows})
    if len(tables) != 1:
        raise UsageError(f"a lake of one table is expected; this one has {len(tables):,}")
    paths = [row["path"] for row in rows]
    lake.reach.require_all(paths)
    values = partition_values(tables[0], paths)
    files = (
        DataFile(
            row["path"], 0 if row["modified"] is None else int(row["modified"].timestamp() * 1000), row["size"], own
        )
        for row, own in zip(rows, values.rows, strict=True)
    )
    return Dataset(tables[0], names.table_identifier(tables[0]), tuple(files), values.columns)


def _even(files: tuple[DataFile, ...], count: int) -> tuple[DataFile, ...]:
    """Up to `count` files, evenly chosen."""
    if len(files) <= count:
        return files
    return tuple(files[at * len(files) // count] for at in range(count))


def _columns(clause: Clause) -> Iterator[str]:
    for leaf in predicate.leaves(clause):
        if isinstance(leaf, predicate.Opaque):
            yield from (".".join(path).lower() for path in leaf.columns)
        elif isinstance(leaf, predicate.About) and leaf.column:
            yield leaf.column


def _types(found: Dataset, columns: list[str]) -> dict[str, str]:
    """The types of the columns that can be indexed."""
    types: dict[str, str] = {}
    for column in columns:
        try:
            types |= agreed_types(found.files, [MinMax(column)], {}, runner(None))[0]
        except UsageError:
            continue
    return types


def _sizes(files: Sequence[DataFile], columns: Iterable[str]) -> dict[str, int]:
    """The compressed bytes of each column in all files; empty if a file cannot be read."""
    sizes = dict.fromkeys(columns, 0)
    try:
        for one in files:
            with engine.open(one.path) as opened:
                for column in sizes:
                    leaf = collect.find_leaf(opened, column)
                    sizes[column] += 0 if leaf is None else _compressed(opened, leaf)
    except (ParquetError, UsageError, OSError):
        return {}
    return sizes


def _compressed(opened: engine.ParquetFile, leaf: Leaf) -> int:
    chunks = (group.columns[leaf.leaf_index] for group in opened.row_groups)
    return sum(chunk.metadata.total_compressed_size for chunk in chunks)


def _trial(
    found: Dataset,
    wanted: list[Wanted],
    folder: str,
    source: str,
    *,
    queries: Sequence[str],
    timezone: str | None,
    sizes: Mapping[str, int],
) -> Iterator[Proposal]:
    """Builds a store of some files, and asks each of its indexes alone, then all."""
    store = write_store(found, wanted, folder, source)
    all_bytes, all_unknown = 0, set[int]()
    for index in store.indexes:
        unknown = {row for row, value in enumerate(store.values(index.column)) if value is None}
        size = _stored(store, index.column)
        reads = sizes.get(index.columns[0])
        if source == collect.ONLY_FOOTERS and not unknown:
            reads = 0
        yield Proposal(
            index.columns[0],
            index.name,
            _skipped(store, (index,), queries, timezone),
            len(store.rows),
            len(unknown),
            size,
            reads,
            "their footers have no reliable bounds" if unknown else "",
        )
        all_bytes, all_unknown = all_bytes + size, all_unknown | unknown
    if len(store.indexes) > 1:
        skipped = _skipped(store, store.indexes, queries, timezone)
        name = store.indexes[0].name
        yield Proposal(ALL, name, skipped, len(store.rows), len(all_unknown), all_bytes, None)


def _skipped(store: Store, some: tuple[store_schema.Index, ...], queries: Sequence[str], timezone: str | None) -> int:
    """How many reads of a file some indexes save, beyond what partitions do."""
    only = dataclasses.replace(store.schema, indexes=some)
    asked = Store(store.path, only, store.parts, reach=store.reach)
    return sum(len(asked.evaluate(one, timezone=timezone).skipped) for one in queries)


def _stored(store: Store, column: str) -> int:
    """The compressed bytes of a column of a store."""
    size = 0
    for part in store.parts:
        with engine.open(part.path) as opened:
            leaves = (leaf for leaf in opened.schema.leaves if leaf.path[0] == column)
            size += sum(_compressed(opened, leaf) for leaf in leaves)
    return size


def _distinct(folder: str) -> dict[str, int]:
    """The most distinct values of each column in one file, from a store of value lists."""
    store = open_store(folder, follow_outside=True)
    return {
        index.columns[0]: max([1, *(len(one or ()) for one in store.values(index.column))]) for index in store.indexes
    }
