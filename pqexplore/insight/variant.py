"""One Variant of a column, opened: its metadata and value to the bit, and how shredded columns put it together.

A Variant is two byte strings, names and a value; a shredded one has its value spread over columns of their own. Here a
row is chosen, and what is stored of it is told beside what a reader makes of it. A group that has the shape of a Variant
without saying so is opened the same way, and said to be only a possible one.
"""

from __future__ import annotations

import contextlib
import dataclasses
from typing import Any

import numpy as np
import pyarrow as pa

from pqexplore.engine.errors import ParquetError, UsageError, located
from pqexplore.engine.outline.variant_nodes import value_at
from pqexplore.engine.reading import Budget, assembled
from pqexplore.engine.schema import REPEATED, Field, Leaf
from pqexplore.engine.tree import join
from pqexplore.engine.variant.check import RULES, Problem, check
from pqexplore.engine.variant.columns import inside
from pqexplore.engine.variant.json_text import to_json
from pqexplore.engine.variant.reconstruct import reconstruct
from pqexplore.engine.variant.shredding import Columns, Group, describe, open_columns
from pqexplore.insight.answer import Answer, Column, Table
from pqexplore.insight.variant_parts import parts_of
from pqexplore.insight.variant_steps import leaf_of, places_of, steps
from pqexplore.insight.wording import plural

JSON = 4_000
"""Characters of a Variant's JSON that are shown."""

PROBLEMS = 50
"""Broken rules that are told."""

CHECKED = 5_000
"""Variants of a row group that are held against the rules; `f.check()` looks at all of them."""


@dataclasses.dataclass(slots=True)
class Variants:
    """The Variants of one group in one row group, as they are stored; `groups` is the shape of the shredding."""

    file: Any
    field: Field
    row_group: int
    array: pa.StructArray
    groups: list[Group]
    problems: list[Problem]
    entries: np.ndarray[Any, Any] | None

    def entry(self, row: int) -> int:
        """The entry of the metadata column that has Variant `row`."""
        return row if self.entries is None else int(self.entries[row])

    def row(self, entry: int) -> int:
        """The Variant that an entry of the metadata column has."""
        return entry if self.entries is None else int(np.searchsorted(self.entries, entry))

    @property
    def path(self) -> str:
        """The name of the column."""
        return ".".join(self.field.path)

    @property
    def offered(self) -> bool:
        """Whether the schema does not say that it is a Variant."""
        return self.field.kind != "variant"

    @property
    def shredded(self) -> bool:
        """Whether values have columns of their own."""
        return self.groups[0].kind != "none"


def first_group(file: Any) -> int:
    """The first row group that has rows."""
    return next((group.index for group in file.row_groups if group.num_rows), 0)


def cost(file: Any, field: Field, row_group: int) -> int:
    """Bytes of the pages that have to be decoded to see one row."""
    if row_group >= len(file.row_groups):
        return 0
    columns = file.row_groups[row_group].columns
    total = 0
    for leaf in field.leaves():
        with contextlib.suppress(ParquetError):
            total += int(columns[leaf.leaf_index].metadata.total_uncompressed_size or 0)
    return total


def load(file: Any, field: Field, row_group: int) -> Variants:
    """The Variants of a row group; kept for a while. Raises ParquetError where a column cannot be read."""
    if not 0 <= row_group < len(file.row_groups):
        raise UsageError(f"row group {row_group} is asked for, the file has {len(file.row_groups)}")

    def make() -> Variants:
        chunk = file.row_groups[row_group].columns[field.leaves()[0].leaf_index]
        array = _stored(file, field, row_group)
        with located(chunk.address, chunk.start):
            groups = describe(array.type, field, limits=file.limits)
            problems = check(array.slice(0, CHECKED), field, most=PROBLEMS + 1, limits=file.limits)
        entries = _entries(file, field, row_group)
        return Variants(file, field, row_group, array, groups, problems, entries)

    found: Variants = file.cache.get(
        ("variants", field.index, row_group), make, lambda made: 1_000 + made.array.nbytes
    )
    return found


def _stored(file: Any, field: Field, row_group: int) -> pa.StructArray:
    """The array of the group: an entry a row, or an element where it lies in lists."""
    top = field
    while top.parent is not None and top.parent.parent is not None:
        top = top.parent
    spend = Budget(file, "the Variant lens").spend
    for array, _ in assembled(file, top, field.leaves(), [row_group], spend):
        found = inside(array, top, field)
        if found is not None and pa.types.is_struct(found.type):
            return found
    raise UsageError(f"{'.'.join(field.path)} is not read as a Variant")


def _entries(file: Any, field: Field, row_group: int) -> np.ndarray[Any, Any] | None:
    """Which entries of the metadata column are elements, of a Variant in lists: those of empty lists are none."""
    if not field.max_repetition_level:
        return None
    repeated: Field = field
    while repeated.repetition != REPEATED and repeated.parent is not None:
        repeated = repeated.parent
    leaf = next((c for c in field.named("metadata") if isinstance(c, Leaf)), None)
    if leaf is None:
        return None
    pages = [p for p in file.row_groups[row_group].columns[leaf.leaf_index].pages if p.is_data]
    found = [page.definition_levels >= repeated.max_definition_level for page in pages]
    return np.flatnonzero(np.concatenate(found)) if found else np.zeros(0, np.int64)


def answer(file: Any, field: Field, row_group: int, entry: int | None = None) -> Answer:
    """The Variants of a row group, opened at an entry of its metadata; None is the first one that is not null.

    Outside of lists an entry is a row.
    """
    path = ".".join(field.path)
    code = f"f.variant_get({path!r}, '$')"
    if not len(file.row_groups) or not file.row_groups[row_group].num_rows:
        empty = f"There are no rows, so column {path!r} has no Variants."
        return Answer(empty, empty=empty, code=code)
    found = load(file, field, row_group)
    if not len(found.array):
        empty = (
            f"Every list around {path!r} is empty in row group {row_group}, so there is no Variant."
        )
        return Answer(empty, empty=empty, code=code)
    if entry is not None:
        row = min(found.row(entry), len(found.array) - 1)
    else:
        there = np.flatnonzero(found.array.is_valid().to_numpy(zero_copy_only=False))
        row = int(there[0]) if len(there) else 0
    picture = {
        "address": join("schema", field.index),
        "column": path,
        "offered": found.offered,
        "shredded": found.shredded,
        "nested": field.max_repetition_level > 0,
        "row_group": row_group,
        "row_groups": len(file.row_groups),
        "chunks": [
            join(file.row_groups[group].address, "columns", field.leaves()[0].leaf_index)
            if 0 <= group < len(file.row_groups)
            else None
            for group in (row_group - 1, row_group + 1)
        ],
        "rows": len(found.array),
        "row": row_payload(found, row),
        "problems": [
            {
                "rule": problem.rule,
                "row": problem.row,
                "path": problem.path,
                "message": problem.message,
                "specification": RULES[problem.rule],
            }
            for problem in found.problems[:PROBLEMS]
        ],
        "more_problems": len(found.problems) > PROBLEMS,
    }
    return Answer(
        _sentence(found),
        picture=picture,
        table=_table(found) if found.shredded else None,
        code=code,
    )


def row_payload(found: Variants, row: int) -> dict[str, Any]:
    """One Variant as JSON, its stored bytes in parts, and the steps of its reconstruction."""
    if not 0 <= row < len(found.array):
        raise UsageError(
            f"there is no row {row:,}; row group {found.row_group} has {len(found.array):,}"
        )
    made: dict[str, Any] = {"row": row, "null": not found.array[row].is_valid, "problem": ""}
    made |= {"json": None, "said": "", "parts": [], "steps": []}
    if made["null"]:
        made["said"] = (
            "The row is null: there is no Variant, which is not the same as the Variant null."
        )
        return made
    one = found.array.slice(row, 1)
    try:
        whole = reconstruct(one, found.field, limits=found.file.limits)
        metadata, value = (whole.field(name)[0].as_py() for name in ("metadata", "value"))
        made["json"] = _clipped(to_json(metadata, value, limits=found.file.limits))
        made["said"] = _row_words(found, one, metadata, value)
    except ParquetError as error:
        made["problem"] = error.message
    made["parts"] = _stored_parts(found, one, row)
    if found.shredded:
        made["steps"] = steps(
            found.groups, one, found.field, found.row_group, row, found.entry(row), found.file
        )
    return made


def _stored_parts(found: Variants, one: pa.StructArray, row: int) -> list[dict[str, Any]]:
    """The two stored byte strings, metadata and value, each in its parts."""
    names = [f.name for f in one.type]
    metadata = one.field("metadata")[0].as_py()
    made: list[dict[str, Any]] = []
    for name in ("metadata", "value"):
        raw = one.field(name)[0].as_py() if name in names else None
        address: str | None = None
        leaf = next((c for c in found.field.named(name) if isinstance(c, Leaf)), None)
        if leaf is not None:
            chunk = found.file.row_groups[found.row_group].columns[leaf.leaf_index]
            with contextlib.suppress(ParquetError):
                place = value_at(chunk, found.entry(row), found.field)
                address = None if place is None else place[1]
        if raw is None:
            why = (
                "is null: the value is in the shredded columns"
                if name in names
                else "is no column here"
            )
            made.append({"name": name, "bytes": 0, "address": address, "why": why, "parts": []})
            continue
        parts = parts_of(found.file, name, metadata, raw, address)
        made.append({"name": name, "bytes": len(raw), "address": address, "why": "", **parts})
    return made


def _sentence(found: Variants) -> str:
    """What the column is, and how well shredding fits."""
    rows = len(found.array)
    where = f"{found.path!r} has {rows:,} Variant{'' if rows == 1 else 's'} in row group {found.row_group}"
    if found.offered:
        where = (
            f"{found.path!r} has the fields of a Variant and is not annotated as one, so it is read as a struct. "
            f"Read as Variants, there are {rows:,} in row group {found.row_group}"
        )
    if not found.shredded:
        said = f"{where}, not shredded: each value is one piece of bytes, read whole even for one field."
    else:
        columns = _open(found)
        depth = [group for group in found.groups if group.kind == "primitive"]
        said = (
            f"{where}, shredded into {len(depth):,} typed column{'' if len(depth) == 1 else 's'}."
        )
        misfits = 0
        for group, own in zip(found.groups, columns, strict=True):
            if group.kind != "object":
                misfits += int(np.count_nonzero(own.present("value") & ~own.present("typed")))
        said += (
            " Every value fits its column."
            if not misfits
            else f" {misfits:,} value{' does' if misfits == 1 else 's do'} not fit and stay{'s' if misfits == 1 else ''} "
            "binary; a query that needs them reads both."
        )
    if found.problems:
        count = len(found.problems)
        many = f"more than {PROBLEMS}" if count > PROBLEMS else f"{count:,}"
        said += f" {many} rule{'' if count == 1 else 's'} of the specification {'is' if count == 1 else 'are'} broken."
    if rows > CHECKED:
        said += f" The first {CHECKED:,} were held against the rules; f.check() does it for all."
    return said


def _row_words(found: Variants, one: pa.StructArray, metadata: bytes, value: bytes) -> str:
    names = [f.name for f in one.type]
    stored = one.field("value")[0].as_py() if "value" in names else None
    said = f"Its metadata takes {plural(len(metadata), 'byte')}"
    if not found.shredded:
        return f"{said}, its value {len(value):,}."
    rest = f"{plural(len(stored), 'byte')} of it" if stored is not None else "nothing of it"
    return f"{said}; put together the value takes {len(value):,}, {rest} stored as binary in the topmost value."


def _open(found: Variants) -> list[Columns]:
    if any(group.defect is not None for group in found.groups):
        return [Columns(0, None, None, None) for _ in found.groups]
    return open_columns(found.array, found.groups)


def _table(found: Variants) -> Table:
    """A row for each group of the shredding: how often its value is typed, binary, both or not there."""
    table = Table(
        [
            Column("path", "place", "code", "the place in the Variant"),
            Column("kind", "shredded as"),
            Column("entries", "entries", "number", "rows, or elements of the array around it"),
            Column("typed", "typed", "number", "entries whose typed_value is there"),
            Column(
                "binary", "binary", "number", "entries whose value is there, and no typed_value"
            ),
            Column("both", "both", "number", "partially shredded objects"),
            Column("missing", "not there", "number"),
            Column("fits", "typed share", "share", "of what is there"),
        ],
        "Where the values are",
    )
    places = places_of(found.field)
    for group, own in zip(found.groups, _open(found), strict=True):
        value, typed = own.present("value"), own.present("typed")
        there = int(np.count_nonzero(value | typed))
        node = places.get(group.path)
        leaf = None if node is None else leaf_of(node, binary=False)
        chunk = None
        if leaf is not None:
            chunk = found.file.row_groups[found.row_group].columns[leaf.leaf_index]
        span = None
        with contextlib.suppress(ParquetError):
            span = None if chunk is None else chunk.span
        kind = {"none": "not shredded"}.get(group.kind, group.kind)
        table.add(
            group.path,
            kind if group.defect is None else f"{kind}: {group.defect.message}",
            own.length,
            int(np.count_nonzero(typed)),
            int(np.count_nonzero(value & ~typed)),
            int(np.count_nonzero(value & typed)),
            own.length - there,
            int(np.count_nonzero(typed)) / there if there else None,
            address=None if chunk is None else chunk.address,
            span=span,
        )
    return table


def _clipped(text: str) -> str:
    return text if len(text) <= JSON else f"{text[:JSON]}… ({len(text):,} characters)"
