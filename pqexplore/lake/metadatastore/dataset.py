"""Lists the files of a dataset as Spark's file index does, with the partition values in the directories' names.

A directory called `year=2021` gives the partition column `year` the value 2021 in all files below it. The column's type
is inferred from all of its values by Spark's rules (PartitioningUtils), because queries see that type.
"""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from typing import Any
from urllib.parse import unquote

from pqexplore.engine.errors import UsageError
from pqexplore.engine.file.caller_types import StorageOptions
from pqexplore.engine.file.source import local_path
from pqexplore.insight.ask import predicate
from pqexplore.lake.metadatastore import names, remote
from pqexplore.lake.metadatastore.store_schema import Partition
from pqexplore.lake.places.allowed_paths import Boundary
from pqexplore.lake.places.choice import place_of
from pqexplore.lake.places.disk import Disk

HIVE_NULL = "__HIVE_DEFAULT_PARTITION__"
"""The value in a directory's name if the partition column is NULL."""


@dataclasses.dataclass(frozen=True)
class DataFile:
    """A file of the dataset: its path, modification time (milliseconds since 1970), size and partition values."""

    path: str
    modified: int
    size: int
    partition: dict[str, Any] = dataclasses.field(default_factory=dict)

    @property
    def object_name(self) -> str:
        """The file's name in a store."""
        return names.object_name(names.path_of(self.path), self.modified)


@dataclasses.dataclass(frozen=True)
class Dataset:
    """A dataset: its path, the table's identifier, its files and its partition columns.

    `refused` says why links that lead outside are not opened, by path; links to files are also among `files`.
    """

    path: str
    identifier: str
    files: tuple[DataFile, ...]
    partitions: tuple[Partition, ...]
    refused: Mapping[str, str] = dataclasses.field(default_factory=dict)


def list_dataset(
    dataset: str | os.PathLike[str], options: StorageOptions | None = None, follow_outside: bool = False
) -> Dataset:
    """Lists the dataset in a directory, or the dataset of one file; `options` are fsspec's, for a URL.

    Links that lead outside of the directory are not opened without `follow_outside` (see `lake.allowed_paths`).

    Names that begin with `_` or `.`, and empty files, are left out, as in Spark. Raises UsageError if there are no
    files, if their directories have different partition columns, or if the place does not say when they were modified.
    """
    where = os.fspath(dataset)
    refused: dict[str, str] = {}
    if remote.is_remote(where):
        root = remote.normal(where, options or {})
        found, base = _remote(where, options or {}), root
    elif os.path.isfile(root := _local(where)):
        found = [_file(root)]
        base = os.path.dirname(root)
    elif os.path.isdir(root):
        disk = Disk()
        items, refused = Boundary(disk, root, follow_outside).walk(
            root, lambda path: not _hidden(os.path.basename(path))
        )
        found = [_file(one.path) for one in items if not _hidden(os.path.basename(one.path))]
        base = root
    else:
        raise UsageError(f"{root} is not a file or directory of this machine")
    found = sorted((one for one in found if one.size > 0), key=lambda one: one.path)
    if not found:
        raise UsageError(f"{root} has no files, or only empty ones")
    values = partition_values(base, [one.path for one in found])
    files = tuple(dataclasses.replace(one, partition=row) for one, row in zip(found, values.rows, strict=True))
    return Dataset(root, names.table_identifier(root), files, values.columns, refused)


def _remote(url: str, options: StorageOptions) -> list[DataFile]:
    """The files below a URL, or the file at it."""
    with remote.reached(url):
        place, root = place_of(url, options)
        items = list(place.walk(root, lambda folder: not _hidden(folder.rpartition("/")[2])))
        only = [] if items else [place.item(root)]
    found = []
    for item in items or only:
        if item.size is None or (items and _hidden(item.path.rpartition("/")[2])):
            continue
        if item.modified is None:
            raise UsageError(f"{url} does not say when its files were modified, so changes would not be noticed")
        found.append(DataFile(place.address(item.path), item.modified // 1_000, item.size))
    return found


def _local(dataset: str) -> str:
    path = local_path(dataset)
    if path is None:
        raise UsageError(f"{dataset} is not a path of this machine; mount it, or use its /Volumes path")
    return os.path.abspath(os.path.expanduser(path))


def _hidden(name: str) -> bool:
    """Whether Spark hides a name (HadoopFSUtils.shouldFilterOutPathName)."""
    return (name.startswith("_") and "=" not in name) or name.startswith(".") or name.endswith("._COPYING_")


def _file(path: str) -> DataFile:
    status = os.stat(path)
    return DataFile(path, status.st_mtime_ns // 1_000_000, status.st_size)


@dataclasses.dataclass(frozen=True)
class PartitionValues:
    """The partition columns of some files, and each file's values by column name."""

    columns: tuple[Partition, ...]
    rows: tuple[dict[str, Any], ...]


def partition_values(root: str, paths: Iterable[str]) -> PartitionValues:
    """The partition columns and values in the names of the directories between a root and the files.

    Raises UsageError if the files have different partition columns.
    """
    raw = [_segments(root, path) for path in paths]
    shapes = {tuple(one) for one in raw}
    if len(shapes) > 1:
        some = sorted("/".join(shape) or "none" for shape in shapes)[:3]
        raise UsageError(f"the files below {root} have different partition columns: {'; '.join(some)}")
    columns, readers = [], {}
    for name in shapes.pop() if shapes else ():
        kind = inferred([one[name] for one in raw])
        columns.append(Partition(name, names.partition_column(name), kind))
        readers[name] = _READ[kind]
    rows = tuple({name: None if text is None else readers[name](text) for name, text in one.items()} for one in raw)
    return PartitionValues(tuple(columns), rows)


def _segments(root: str, path: str) -> dict[str, str | None]:
    inside = os.path.dirname(path)
    if root:
        inside = os.path.relpath(names.path_of(inside), names.path_of(root))
    found: dict[str, str | None] = {}
    for segment in inside.split("/"):
        name, equals, value = segment.partition("=")
        if equals and name and value:
            text = unquote(value)
            found[unquote(name)] = None if text == HIVE_NULL else text
    return found


def inferred(values: Iterable[str | None]) -> str:
    """Infers the Spark type of a partition column from the text of its values."""
    kinds = {_kind(value) for value in values if value is not None}
    if not kinds:
        return "string"
    if len(kinds) == 1:
        return kinds.pop()
    if kinds <= {"integer", "long"}:
        return "long"
    return "double" if kinds == {"integer", "double"} else "string"


def _kind(text: str) -> str:
    if re.fullmatch(r"[+-]?[0-9]+", text):
        number = int(text)
        for kind, bits in (("integer", 31), ("long", 63)):
            if -(1 << bits) <= number < 1 << bits:
                return kind
        return "decimal(38,0)" if len(text.lstrip("+-0")) <= 38 else "double"
    if re.fullmatch(r"\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?[dDfF]?\s*", text):
        return "double"
    if text.strip() in ("NaN", "Infinity", "-Infinity", "+Infinity"):
        return "double"
    return "date" if predicate.days(text) is not None else "string"


def _double(text: str) -> float:
    return float(text.strip().rstrip("dDfF") if "nan" not in text.lower() and "inf" not in text.lower() else text)


_READ: dict[str, Callable[[str], Any]] = {
    "integer": int,
    "long": int,
    "double": _double,
    "decimal(38,0)": Decimal,
    "date": predicate.days,
    "string": str,
}
