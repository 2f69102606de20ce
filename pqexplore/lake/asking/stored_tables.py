"""Reads what a condition needs of a lake's stored tables, with Arrow."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.format.thrift import encode, structs
from pqexplore.lake.asking.arrow_cases import Chunks, Situation, numbers
from pqexplore.lake.asking.clauses import paths_of, tops_of
from pqexplore.lake.asking.equivalence_classes import COLUMNS
from pqexplore.lake.asking.partitions import Partitions
from pqexplore.lake.asking.schemas import Families, footers_of

if TYPE_CHECKING:
    from pqexplore.insight.ask import predicate
    from pqexplore.lake.asking.verdicts import Indexes
    from pqexplore.lake.lake import Lake

FILE_COLUMNS = (
    "path",
    "partition_values",
    "size",
    "modified",
    "status",
    "error",
    "created_by",
    "num_row_groups",
    "num_rows",
    "schema_id",
    "table_path",
    "compressed_bytes",
)


@dataclasses.dataclass(slots=True)
class Asked:
    """A lake's tables as far as a condition needs them.

    - `files`: the rows of `files` that a query would read; `family` is the family of each, -1 if it cannot be read.
    - `groups`: path and number of each row group, in the order of the files; `bytes` those of the columns that are read.
    - `incomplete`: files whose row groups are not all in the tables.
    """

    files: pa.Table
    family: Indexes
    families: Families
    lake: Situation
    row_group: Indexes
    bytes: Indexes
    incomplete: npt.NDArray[np.bool_]
    remarks: list[str]


def read(
    lake: Lake, clause: predicate.Clause, columns: Sequence[str] | None, only: Collection[str] | None = None
) -> Asked:
    """Reads the tables, of the files with the paths `only` (None: of all). UsageError for a column that no file has."""
    files = _table(lake, "files", FILE_COLUMNS)
    files = files.filter(pc.is_in(files["status"], pa.array(["ok", "error"])))
    if only is not None:
        files = files.filter(pc.is_in(files["path"], pa.array(list(only), pa.string())))
    files = files.sort_by("path")  # processes that scan write them in any order
    folders = files["partition_values"].fill_null("").combine_chunks().dictionary_encode()
    schemas = _table(lake, "schemas", ("schema_id", "leaf", "column_name", "top_level", "field_id", "footer"))
    partitions = Partitions(folders.dictionary.to_pylist())
    families, placed = _families(lake, clause, files, schemas, partitions)
    names = schemas["column_name"]
    tops = pa.array(sorted(tops_of(clause)), pa.string())
    wanted = names.filter(pc.is_in(pc.utf8_lower(schemas["top_level"]), tops))
    groups = _row_groups(lake, files)
    chunks = _table(
        lake, "column_chunks", ("path", "row_group", "leaf", *COLUMNS), pc.field("column_name").isin(pc.unique(wanted))
    )
    writers = files["created_by"].combine_chunks().dictionary_encode("encode")
    file_of = groups["file"]
    situation = Situation(
        file_of,
        groups["num_rows"],
        numbers(writers.indices),
        writers.dictionary.to_pylist(),
        numbers(folders.indices),
        folders.dictionary.to_pylist(),
        _chunks(chunks, files, groups, families, placed),
    )
    counts = np.bincount(file_of, minlength=len(files))
    expected = numbers(files["num_row_groups"].fill_null(0))
    return Asked(
        files,
        placed["family"],
        families,
        situation,
        groups["row_group"],
        _bytes(lake, clause, columns, schemas, files, groups),
        counts != expected,
        _believed(lake, files, partitions, clause),
    )


BY_LOG_SINCE = 3
"""The schema version since which `files.partition_values` are those of the log."""

BELIEVED = (
    "The lake stores the names of folders, not the partition values of the Delta or Iceberg log: the two are taken to be "
    "the same."
)


def _believed(lake: Lake, files: pa.Table, partitions: Partitions, clause: predicate.Clause) -> list[str]:
    """The remark that folders' names stand for partition values, where a table's log has its own."""
    asked = lake.manifest.schema_version < BY_LOG_SINCE and any(map(partitions.has, paths_of(clause)))
    tabled = pc.and_(pc.is_valid(files["table_path"]), pc.not_equal(files["partition_values"].fill_null(""), ""))
    if not asked or not pc.any(tabled).as_py():
        return []
    return [BELIEVED]


def _table(lake: Lake, name: str, columns: Sequence[str], filter: Any = None) -> pa.Table:
    with lake._store.blaming(lake.manifest, [name]):
        return lake.dataset(name).to_table(columns=list(columns), filter=filter)


def _families(
    lake: Lake, clause: predicate.Clause, files: pa.Table, schemas: pa.Table, partitions: Partitions
) -> tuple[Families, dict[str, Any]]:
    """The families, and the code of each file's schema and family."""
    coded = files["schema_id"].combine_chunks().dictionary_encode("encode")
    ids = coded.dictionary.to_pylist()
    code = numbers(coded.indices)
    readable = np.asarray(pc.equal(files["status"], "ok").combine_chunks().cast(pa.int8())) == 1
    in_table = np.asarray(pc.is_valid(files["table_path"]).combine_chunks().cast(pa.int8())) == 1
    tabled = {ids[i] for i in np.unique(code[readable & in_table])}
    stored = footers_of(schemas.select(["schema_id", "leaf", "footer"]).to_pylist())
    first = dict(zip(code[readable][::-1].tolist(), np.flatnonzero(readable)[::-1], strict=True))
    example = {ids[i]: files["path"][int(at)].as_py() for i, at in first.items()}
    used = {schema_id: stored.get(schema_id) for schema_id in example if schema_id is not None}
    families = Families(
        clause,
        used.items(),
        partitions,
        tabled - {None},
        renamed_tops(schemas, tabled),
        lambda schema_id: stored_footer(lake, example[schema_id]),
    )
    numbers_of = [-1 if one is None or one not in families.placed else i for i, one in enumerate(ids)]
    of_schema = np.array([-1 if i < 0 else families.placed[ids[i]].family for i in numbers_of] or [-1], np.int64)
    family = np.where(readable, of_schema[code], -1) if len(files) else code
    return families, {"family": family, "code": code, "ids": ids}


def renamed_tops(schemas: pa.Table, tabled: Collection[str | None]) -> set[str]:
    """The lower-cased top-level names of leaves whose name or field_id differs between schemas of tables."""
    by_name: dict[str, set[int]] = {}
    by_id: dict[int, set[str]] = {}
    for row in schemas.filter(
        pc.and_(
            pc.is_in(schemas["schema_id"], pa.array([s for s in tabled if s], pa.string())),
            pc.is_valid(schemas["field_id"]),
        )
    ).to_pylist():
        by_name.setdefault(row["column_name"].lower(), set()).add(row["field_id"])
        by_id.setdefault(row["field_id"], set()).add(row["column_name"].lower())
    found = {name for name, some in by_name.items() if len(some) > 1}
    found.update(name for some in by_id.values() if len(some) > 1 for name in some)
    return {name.split(".")[0] for name in found}


def stored_footer(lake: Lake, path: str) -> bytes | None:
    """The schema of a file, for a lake whose tables do not have it; None if it cannot be read."""
    from pqexplore.engine.file.file import open as open_file

    try:
        lake.reach.require(path)
        with open_file(path, storage_options=lake.storage_options) as file:
            return encode.encode(
                structs.FileMetaData(
                    version=2,
                    schema=[field.element for field in file.schema.fields],
                    num_rows=0,
                    row_groups=[],
                    column_orders=getattr(file.metadata, "column_orders", None),
                )
            )
    except (ParquetError, OSError):
        return None


def _row_groups(lake: Lake, files: pa.Table) -> dict[str, Indexes]:
    """The row groups of the files, in their order: file, row_group, num_rows (-1 if unknown), compressed bytes."""
    found = _table(lake, "row_groups", ("path", "row_group", "num_rows", "compressed_bytes"))
    file = _positions(found["path"], files["path"])
    group = numbers(found["row_group"].fill_null(0))
    order = np.lexsort((group, file))
    order = order[file[order] >= 0]
    made = {
        "file": file[order],
        "row_group": group[order],
        "num_rows": numbers(found["num_rows"].fill_null(-1))[order],
        "bytes": numbers(found["compressed_bytes"].fill_null(0))[order],
    }
    made["code"] = made["file"] << 32 | made["row_group"]
    return made


def _positions(values: Any, among: Any) -> Indexes:
    """The position of each value in a list; -1 if absent."""
    found = pc.index_in(values, value_set=among.combine_chunks())
    return numbers(pc.fill_null(found, -1))


def _group_of(rows: pa.Table, files: pa.Table, groups: dict[str, Indexes]) -> tuple[Indexes, Indexes]:
    """The file and the row group of each row; -1 if absent."""
    file = _positions(rows["path"], files["path"])
    code = file << 32 | numbers(rows["row_group"].fill_null(0))
    codes = groups["code"]
    if not len(codes):
        return file, np.full(len(file), -1, np.int64)
    at = np.minimum(np.searchsorted(codes, code), len(codes) - 1)
    return file, np.where((codes[at] == code) & (file >= 0), at, -1)


def _chunks(
    rows: pa.Table, files: pa.Table, groups: dict[str, Indexes], families: Families, placed: dict[str, Any]
) -> Chunks:
    file, group = _group_of(rows, files, groups)
    leaf = numbers(rows["leaf"].fill_null(-1))
    stored: list[tuple[int, int, int]] = []
    for code, schema_id in enumerate(placed["ids"]):
        one = families.placed.get(schema_id)
        for number, original in enumerate(one.leaves if one is not None else ()):
            stored.append((code, original, number))
    known = np.array(sorted(stored) or [(-1, 0, 0)], np.int64)
    schema = np.where(file >= 0, placed["code"][file], -1) if len(files) else file
    wanted, codes = schema << 32 | leaf, known[:, 0] << 32 | known[:, 1]
    at = np.minimum(np.searchsorted(codes, wanted), len(codes) - 1)
    own = np.where((codes[at] == wanted) & (schema >= 0), known[at, 2], -1)
    family = np.where(file >= 0, placed["family"][file], -1) if len(files) else file
    return Chunks(rows, group, family, own)


def _bytes(
    lake: Lake,
    clause: predicate.Clause,
    columns: Sequence[str] | None,
    schemas: pa.Table,
    files: pa.Table,
    groups: dict[str, Indexes],
) -> Indexes:
    """The bytes of the columns that are read, for each row group."""
    if columns is None:
        return groups["bytes"]
    names = projected(pc.unique(schemas["column_name"]).to_pylist(), columns, clause)
    rows = _table(
        lake,
        "column_chunks",
        ("path", "row_group", "compressed_bytes"),
        pc.field("column_name").isin(pa.array(sorted(names), pa.string())),
    )
    _, group = _group_of(rows, files, groups)
    here = group >= 0
    sizes = numbers(rows["compressed_bytes"].fill_null(0))
    made: Indexes = np.bincount(group[here], weights=sizes[here], minlength=len(groups["file"])).astype(np.int64)
    return made


def projected(known: Sequence[str], columns: Sequence[str], clause: predicate.Clause) -> set[str]:
    """The dotted paths of the leaves that a query reads. UsageError for a column that no file has."""
    found: set[str] = set()
    for column in columns:
        name = column if isinstance(column, str) else ".".join(column)
        some = {one for one in known if one == name or one.startswith(f"{name}.")}
        if not some:
            raise UsageError(f"there is no column {name!r} in the files of the lake")
        found |= some
    asked = [".".join(path) for path in paths_of(clause)]
    found.update(one for one in known if any(f"{one.lower()}.".startswith(f"{path}.") for path in asked))
    return found
