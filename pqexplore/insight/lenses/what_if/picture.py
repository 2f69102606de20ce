"""What the lens `what_if` draws: the choices of one column, or all columns with the layout that they lead to."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.row_group import RowGroup
from pqexplore.engine.span import Span
from pqexplore.insight.what_if.choices import DICTIONARY_BYTES, Choice, unread_by
from pqexplore.insight.what_if.code import Script
from pqexplore.insight.what_if.column import ColumnTrial
from pqexplore.insight.what_if.estimate import Estimate
from pqexplore.insight.what_if.saving import Saving
from pqexplore.insight.wording import size

DRAWN = 200
"""Columns that have bars; the table has all."""

TILES = 2_000
"""Tiles of a strip; if there are more, row groups are drawn as one."""


@dataclasses.dataclass(frozen=True, slots=True)
class Cell:
    """One choice: its bytes, `error` as a text ("" if exact), the engines that do not read it."""

    bytes: int
    error: str
    unread_by: list[str]


@dataclasses.dataclass(frozen=True, slots=True)
class Matrix:
    """The choices of a column: a row for each codec, a column for each encoding, `cells` row by row.

    A cell is None if the choice was not measured. `best` is the position of the best choice, -1 without one. `address` and `span` are those
    of the column: its leaf in the schema, and its chunk if there is one row group.
    """

    column: str
    address: str
    span: Span | None
    today: int
    codecs: list[str]
    encodings: list[str]
    cells: list[Cell | None]
    best: int


@dataclasses.dataclass(frozen=True, slots=True)
class Row:
    """A column of the file today, and in its best choice; `bytes` is -1 if it was not tried, and `choice` says why."""

    column: str
    address: str
    today: int
    bytes: int
    error: str
    choice: str


@dataclasses.dataclass(frozen=True, slots=True)
class Change:
    """A saving: another change than encoding and codec, the bytes with it and `without` it, and a sentence.

    `sort` and `types` are what `Chosen` has if it is chosen; without either it cannot be chosen here.
    """

    kind: str
    column: str
    choice: str
    without: int
    bytes: int
    error: str
    sentence: str
    sort: list[str]
    types: list[list[str]]


@dataclasses.dataclass(frozen=True, slots=True)
class Bytes:
    """The bytes of a file by row group and column, in the order of the schema; `rest` are the other bytes.

    If there would be too many tiles, the row groups are one, and the last columns are one.
    """

    size: int
    groups: list[list[int]]
    rest: int
    row_groups: int


@dataclasses.dataclass(frozen=True, slots=True)
class Code:
    """Code that writes the file anew: by whom, what it leaves out."""

    writer: str
    code: str
    bytes: int
    left_out: list[str]


@dataclasses.dataclass(frozen=True, slots=True)
class Chosen:
    """What is chosen beside the encodings: `page_rows` and `row_group_rows`, and the columns that the rows are sorted by.

    `types` are pairs of a column and its new type.
    """

    page_rows: int
    row_group_rows: int
    sort: list[str]
    types: list[list[str]]


@dataclasses.dataclass(frozen=True, slots=True)
class Predicted:
    """The file with the best choices, and what is chosen beside them; `layout` is None if that cannot be written.

    `trouble` then says why. `error` is a text, "" if the size is exact.
    """

    chosen: Chosen
    layout: Bytes | None
    error: str
    sentence: str
    trouble: str
    code: list[Code]


@dataclasses.dataclass(frozen=True, slots=True)
class Whole:
    """All columns of a file, the largest saving first; the layout today and predicted, and what can be chosen.

    `no_changes` says why other savings are not known. `pages` and `row_groups` are the rows that can be chosen, `orders` the sort orders. `target` is a name for the new
    file, `no_target` why none can be written here.
    """

    rows: list[Row]
    columns: int
    changes: list[Change]
    no_changes: str
    names: list[str]
    addresses: list[str]
    today: Bytes
    predicted: Predicted
    pages: list[int]
    row_groups: list[int]
    orders: list[list[str]]
    target: str
    no_target: str


@dataclasses.dataclass(frozen=True, slots=True)
class Picture:
    """A matrix for a column, the whole for a file."""

    matrix: Matrix | None = None
    whole: Whole | None = None


def margin(found: Estimate) -> str:
    """The error of a size as a text; "" if it is exact."""
    if not found.sampled:
        return ""
    return "error not known" if found.error is None else f"± {size(round(found.error))}"


def encoding_words(one: Choice) -> str:
    """An encoding by name, with the limit of its dictionary if that is not the default."""
    large = one.dictionary_bytes not in (None, DICTIONARY_BYTES[0])
    return f"{one.encoding_name}, {size(one.dictionary_bytes or 0)}" if large else one.encoding_name


def codec_words(one: Choice) -> str:
    """A codec with its level."""
    return one.codec_name if one.level is None else f"{one.codec_name} {one.level}"


def matrix(one: ColumnTrial, span: Span | None) -> Matrix:
    """The choices of a column, in the order in which they are tried: codecs from fast to slow."""
    codecs = list(dict.fromkeys(map(codec_words, one.sizes)))
    names = list(dict.fromkeys(map(encoding_words, one.sizes)))
    by_place = {(codec_words(each), encoding_words(each)): each for each in one.sizes}
    choices = [by_place.get((codec, encoding)) for codec in codecs for encoding in names]
    return Matrix(
        ".".join(one.leaf.path),
        f"schema/{one.leaf.index}",
        span,
        one.today,
        codecs,
        names,
        [None if each is None else _cell(one, each) for each in choices],
        choices.index(one.best) if one.best is not None else -1,
    )


def _cell(one: ColumnTrial, choice: Choice) -> Cell:
    found = one.sizes[choice].bytes
    return Cell(round(found.total), margin(found), unread_by(one.leaf, choice))


def row(one: ColumnTrial) -> Row:
    """A column of the file."""
    if one.best is None:
        return Row(one.path, f"schema/{one.leaf.index}", one.today, -1, "", one.untried)
    found = one.sizes[one.best].bytes
    words = f"{encoding_words(one.best)}, {codec_words(one.best)}"
    return Row(one.path, f"schema/{one.leaf.index}", one.today, round(found.total), margin(found), words)


def by_saving(columns: Sequence[ColumnTrial]) -> list[ColumnTrial]:
    """The columns, the largest saving first; those that were not tried last."""

    def saved(one: ColumnTrial) -> float:
        return float("-inf") if one.best is None else one.today - one.sizes[one.best].bytes.total

    return sorted(columns, key=saved, reverse=True)


def change(one: Saving) -> Change:
    """A saving for the list."""
    error = "" if not one.sampled else "error not known"
    if one.error is not None and one.sampled:
        error = f"± {size(one.error)}"
    return Change(
        one.kind.value,
        one.column or "",
        one.choice,
        one.without,
        one.bytes,
        error,
        one.sentence,
        list(one.sort),
        [list(pair) for pair in one.types],
    )


def bytes_today(file: ParquetFile) -> Bytes:
    """The chunks of a file; `rest` are its other bytes, chunks that cannot be read among them."""
    columns = range(len(file.schema.leaves))
    return tiled(file.size, [[_chunk_bytes(group, at) for at in columns] for group in file.row_groups])


def _chunk_bytes(group: RowGroup, column: int) -> int:
    try:
        return len(group.columns[column].span)
    except ParquetError:
        return 0


def bytes_predicted(whole: int, columns: Sequence[int], rows: int, row_group_rows: int) -> Bytes:
    """The bytes of each column, divided among row groups by their rows."""
    count = -(-rows // row_group_rows)
    if count * max(1, len(columns)) > TILES:
        return dataclasses.replace(tiled(whole, [list(columns)]), row_groups=count)
    counts = [min(row_group_rows, rows - at * row_group_rows) for at in range(count)]
    return tiled(whole, [[round(one * n / rows) for one in columns] for n in counts])


def tiled(whole: int, groups: list[list[int]]) -> Bytes:
    """At most `TILES` tiles: else all row groups are one, and the columns after the last tile, too."""
    count = len(groups)
    if sum(map(len, groups)) > TILES:
        groups = [[sum(each) for each in zip(*groups, strict=True)]]
        if len(groups[0]) > TILES:
            groups = [[*groups[0][: TILES - 1], sum(groups[0][TILES - 1 :])]]
    return Bytes(whole, groups, max(0, whole - sum(map(sum, groups))), count)


def codes(scripts: dict[str, Script]) -> Iterator[Code]:
    """The code of each writer."""
    for writer, one in scripts.items():
        yield Code(writer, one.code, one.bytes, list(one.left_out))
