"""Compares a store with its dataset as it is now, and says which files a query must read. It costs one listing."""

from __future__ import annotations

import dataclasses
import functools
import os
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

import pyarrow as pa

from pqexplore.engine.errors import UsageError
from pqexplore.engine.text import printable
from pqexplore.insight.wording import plural
from pqexplore.lake.metadatastore import collect, names, remote, upgrade
from pqexplore.lake.metadatastore import dataset as datasets
from pqexplore.lake.metadatastore.dataset import Dataset

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

    from pqexplore.lake.metadatastore.evaluate import Evaluation
    from pqexplore.lake.metadatastore.store import Store

KEPT, NEW, CHANGED = ("kept by the indexes", "not in the store", "changed since the store was written")
OTHER_PARTITIONS = "the partition columns are others than the store's"


@dataclasses.dataclass(frozen=True)
class Staleness:
    """How a dataset differs from its store: paths of files, sorted.

    - `new`: files that the store does not have; `changed`: files that it has in another version. Both must be read.
    - `vanished`: files of the store that no longer exist.
    - `unchanged`: the number of files that are as the store has them.
    """

    new: tuple[str, ...]
    changed: tuple[str, ...]
    vanished: tuple[str, ...]
    unchanged: int

    @property
    def stale(self) -> bool:
        """Whether anything differs."""
        return bool(self.new or self.changed or self.vanished)

    @property
    def sentence(self) -> str:
        """What differs, in a sentence."""
        if not self.stale:
            return f"The store is up to date: it has {plural(self.unchanged, 'file')} of the dataset, and there are no others."
        counts = f"{len(self.new):,} new, {len(self.changed):,} changed, {len(self.vanished):,} vanished"
        return f"The dataset has changed since the store was written: {counts}, {self.unchanged:,} unchanged."


def listed(store: Store, dataset: str | os.PathLike[str] | None = None, follow_outside: bool = False) -> Dataset:
    """Lists the dataset of a store as it is now: at `dataset`, by default at the table's identifier.

    For a store at a URL, the identifier is a path in the same place. Raises UsageError if it is not there, if the store may not name it (see `lake.allowed_paths`), or if it is another dataset.
    """
    identifier = where = upgrade.required_identifier(store)
    if remote.is_remote(store.path):
        where = remote.dataset_of(store.path, identifier)
    elif dataset is None and not os.path.exists(identifier):
        raise UsageError(f"{identifier} does not exist; pass dataset, the directory of the table's files")
    if dataset is None:
        store.reach.require(where)
    found = datasets.list_dataset(where if dataset is None else dataset, store.storage_options, follow_outside)
    if not names.same_identifier(found.identifier, identifier):
        raise UsageError(
            f"the store is for {identifier}, but the dataset is {found.identifier}: its objects have other names"
        )
    return found


def compare(store: Store, now: Dataset) -> Staleness:
    """Compares a store with a listing of its dataset."""
    there = {one.object_name for one in now.files}
    known = {names.split_object_name(name)[0] for name in store.rows}
    others = [one for one in now.files if one.object_name not in store.rows]
    paths = {names.split_object_name(one.object_name)[0] for one in now.files}
    vanished = {names.split_object_name(name)[0] for name in store.rows if name not in there}
    changed = {one.path for one in others if names.split_object_name(one.object_name)[0] in known}
    return Staleness(
        tuple(sorted({one.path for one in others} - changed)),
        tuple(sorted(changed)),
        tuple(sorted(vanished - paths)),
        len(now.files) - len(others),
    )


@dataclasses.dataclass(frozen=True)
class FilesToRead:
    """The files that a query with a condition must read.

    `paths` are those of `dataset` that the indexes keep, and all that the store does not have as they are now.
    `staleness` says which these are, `evaluation` what the indexes found. If the dataset has other partition columns, or
    of other types, than the store (`repartitioned`), every file is read.
    """

    dataset: Dataset
    evaluation: Evaluation
    staleness: Staleness
    repartitioned: bool

    @functools.cached_property
    def paths(self) -> tuple[str, ...]:
        """The paths of the files to read, in the order of the listing."""
        kept = frozenset(self.evaluation.kept)
        beyond = frozenset((*self.staleness.new, *self.staleness.changed))
        return tuple(
            one.path
            for one in self.dataset.files
            if self.repartitioned or one.object_name in kept or one.path in beyond
        )

    @functools.cached_property
    def table(self) -> pa.Table:
        """A row for each file to read: file, bytes, why."""
        kept = OTHER_PARTITIONS if self.repartitioned else KEPT
        reasons = dict.fromkeys(self.staleness.new, NEW)
        reasons |= dict.fromkeys(self.staleness.changed, CHANGED)
        sizes = {one.path: one.size for one in self.dataset.files}
        return pa.table(
            {
                "file": pa.array(self.paths, pa.string()),
                "bytes": pa.array([sizes[path] for path in self.paths], pa.int64()),
                "why": pa.array([reasons.get(path, kept) for path in self.paths], pa.string()),
            }
        )

    @property
    def sentence(self) -> str:
        """How many files are read, and how far the store is up to date."""
        total = len(self.dataset.files)
        other = f" Nothing is skipped: {OTHER_PARTITIONS}." if self.repartitioned else ""
        return printable(
            f"{self.evaluation.predicate}: reads {len(self.paths):,} of {plural(total, 'file')}. "
            f"{self.staleness.sentence}{other}"
        )

    def __len__(self) -> int:
        return len(self.paths)

    def __repr__(self) -> str:
        return f"<FilesToRead: {self.sentence}>"


def files_to_read(
    store: Store,
    predicate: str,
    *,
    dataset: str | os.PathLike[str] | None = None,
    timezone: str | None = None,
    types: Mapping[str, str] | None = None,
    footers: bool = False,
) -> FilesToRead:
    """The files that a query must read; see `Store.files_to_read`."""
    now = listed(store, dataset)
    evaluation = store.evaluate(predicate, timezone=timezone, types=types)
    if footers:
        kept = frozenset(evaluation.kept)
        known = {
            one.object_name: collect.not_null(one.path, list(store.column_types), store.storage_options)
            for one in now.files
            if one.object_name in kept and one.path not in now.refused
        }
        evaluation = store.evaluate(predicate, timezone=timezone, types=types, not_null=known)
    return _to_read(store, now, evaluation)


def _to_read(store: Store, now: Dataset, evaluation: Evaluation) -> FilesToRead:
    others = bool(store.partitions) and store.partitions != now.partitions
    return FilesToRead(now, evaluation, compare(store, now), others)


_WHOLE = re.compile(r"\s*(select|with)\b", re.IGNORECASE)
_SPECIAL = re.compile(r"([\\*?\[\]{}])")
"""Characters that Spark takes for a pattern in a path."""

_OTHER_TEXT = ("__COLLATIONS", "__CHAR_VARCHAR_TYPE_STRING")
"""Keys of columns' metadata in Spark's schema, for text that does not compare by its bytes."""


def read(
    store: Store, spark: SparkSession, predicate: str, *, dataset: str | os.PathLike[str] | None = None
) -> DataFrame:
    """The rows of a dataset for which a condition is TRUE; see `Store.read`."""
    if _WHOLE.match(predicate):
        raise UsageError("a condition is expected, not a SELECT")
    now = listed(store, dataset)
    scheme = "file://" if dataset is not None and os.fspath(dataset).startswith("file:") else ""
    whole = spark.read.parquet(_pattern(scheme + now.path))
    evaluation = _evaluated(store, predicate, spark) if _same_types(store, whole.schema) else None
    if evaluation is None:
        return whole.where(predicate)
    found = _to_read(store, now, evaluation)
    if not found.paths:
        return whole.where(predicate).limit(0)
    base = now.path if os.path.isdir(now.path) else os.path.dirname(now.path)
    reader = spark.read.schema(whole.schema).option("basePath", scheme + base)
    return reader.parquet(*(_pattern(scheme + path) for path in found.paths)).where(predicate)


def _evaluated(store: Store, predicate: str, spark: SparkSession) -> Evaluation | None:
    """The evaluation in the session's zone; None for a condition that only Spark knows."""
    for zone in (spark.conf.get("spark.sql.session.timeZone"), None):  # None for zones like GMT+8
        try:
            return store.evaluate(predicate, timezone=zone)
        except UsageError:
            continue
    return None


def _same_types(store: Store, schema: StructType) -> bool:
    """Whether the columns have the types for which the store was written, and text that compares by its bytes."""
    text = schema.json()
    if any(key in text for key in _OTHER_TEXT):
        return False
    known = store.column_types | {one.name.lower(): one.type for one in store.partitions}
    return all(_type(schema, name.split(".")) == kind for name, kind in known.items())


def _type(schema: StructType, path: list[str]) -> object:
    """The type of a column by its lower-cased path, as Spark's JSON has it; None if there is none."""
    fields = [one for one in schema.fields if one.name.lower() == path[0]]
    if len(fields) != 1:
        return None
    kind = fields[0].dataType
    if len(path) > 1:
        return _type(kind, path[1:]) if hasattr(kind, "fields") else None
    return kind.jsonValue()


def _pattern(path: str) -> str:
    """A path for Spark, which takes some characters for a pattern."""
    return _SPECIAL.sub(r"\\\1", path)
