"""What each byte of a window is: its runs as columns, for the colours and the cards of the hex view.

Texts and types of columns are sent once each, and named by number. `runs` finds the runs.
"""

from __future__ import annotations

import contextlib
import dataclasses

import numpy as np

from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.format.field import Leaf
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.span import FILE
from pqexplore.insight import short_text
from pqexplore.insight.binary_columns import Columns, smallest
from pqexplore.widget import run_words
from pqexplore.widget.runs import Run, Walk

WINDOW = 4 << 10
"""Bytes of a window; windows begin at multiples of it."""


@dataclasses.dataclass(slots=True)
class ColumnType:
    """How the values of a column are stored and meant.

    `unit` is that of a time, `length` that of fixed-length bytes; `unsigned` is for integers.
    """

    physical: str
    logical: str
    scale: int
    unit: str
    length: int
    unsigned: bool


@dataclasses.dataclass(slots=True)
class Structure:
    """The runs of a window, in the order of their bytes; the first and the last may go beyond it.

    A row of `runs` has `start`, `end`, `address`, `label`, `state` (0 ok, 1 locked, 2 corrupt), and indexes: `kind` and
    `part` into `kinds` (the innermost node's, and that of the part whose colour it has), `path` into `paths` (the labels
    of the nodes around it), `about` into `abouts` (a sentence), `type` into `types`, from 1 on: of one value,
    or of a bound, as PLAIN stores it; 0 for other bytes.
    """

    runs: Columns
    kinds: list[str]
    paths: list[str]
    abouts: list[str]
    types: list[ColumnType]


def structure(file: ParquetFile, start: int, space: str = FILE) -> Structure:
    """The runs of the window of `WINDOW` bytes of `space` that begins at `start`; none for bytes of another file.

    UsageError if no window begins there, ParquetError if the layout cannot be read.
    """
    if start < 0 or start % WINDOW:
        raise UsageError(f"byte {start:,} is not where a window of {WINDOW:,} bytes begins")
    end = min(start + WINDOW, file.space_size(space))
    walk = Walk(file, start, end, space)
    if start < end:
        if space == FILE:
            walk.tiles()
        else:
            walk.decoded()
    return _packed(file, walk.runs)


def _packed(file: ParquetFile, runs: list[Run]) -> Structure:
    kinds, paths, abouts = _Index(), _Index(), _Index()
    types = _Types(file)
    columns: dict[str, list[int]] = {
        name: [] for name in ("start", "end", "state", "kind", "part", "path", "about", "type")
    }
    for run in runs:
        row = (
            *(run.start, run.end, run.place.state),
            *(kinds.of(run.kind), kinds.of(run.place.part)),
            paths.of(" › ".join(run.place.path)),
            abouts.of(short_text.shorten(run.about, 300)),
            types.of(run.address) if run.plain else 0,
        )
        for column, number in zip(columns.values(), row, strict=True):
            column.append(number)
    packed = {name: smallest(np.array(column, np.int64)) for name, column in columns.items()}
    return Structure(
        Columns(
            {
                **packed,
                "address": [run.address for run in runs],
                "label": [short_text.shorten(run.label, 120) for run in runs],
            }
        ),
        kinds.names,
        paths.names,
        abouts.names,
        types.types,
    )


class _Index:
    """Texts, each once, by number."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self._at: dict[str, int] = {}

    def of(self, name: str) -> int:
        """The number of a text."""
        if name not in self._at:
            self._at[name] = len(self.names)
            self.names.append(str(name))
        return self._at[name]


class _Types:
    """The types of the columns that runs belong to, each once."""

    def __init__(self, file: ParquetFile) -> None:
        self.types: list[ColumnType] = []
        self._file = file
        self._at: dict[int, int] = {}

    def of(self, address: str) -> int:
        """The number of the type of the column that an address, or its footer's struct, is of; 0 for none."""
        column = run_words.column_of(address)
        if column is None:
            return 0
        if column not in self._at:
            self._at[column] = 0
            with contextlib.suppress(ParquetError, LookupError):
                self.types.append(column_type(self._file.schema.leaves[column]))
                self._at[column] = len(self.types)
        return self._at[column]


def column_type(leaf: Leaf) -> ColumnType:
    """The type of a column, as the hex view reads bytes by it."""
    name, detail = structs.union_field(leaf.logical_type) or ("", None)
    unit, _ = structs.union_field(getattr(detail, "unit", None)) or ("", None)
    return ColumnType(
        structs.enum_name(structs.Type, leaf.physical_type),
        name,
        int(getattr(detail, "scale", 0) or 0),
        unit,
        leaf.type_length or 0,
        getattr(detail, "isSigned", True) is False,
    )
