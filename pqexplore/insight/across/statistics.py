"""The statistics of all column chunks below a node, in one table."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.column_chunk import ColumnChunk
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.format.field import Leaf
from pqexplore.engine.format.logical import meaning
from pqexplore.engine.format.thrift.structs import CompressionCodec
from pqexplore.engine.format.value_text import physical_value
from pqexplore.engine.tree.node import Node
from pqexplore.insight.across.scope import PLACE, Scope, address_of, scope_of
from pqexplore.insight.answer import Answer, Column, Table
from pqexplore.insight.lenses.statistics import COLUMNS as OF_ONE
from pqexplore.insight.lenses.statistics import cells
from pqexplore.insight.skippable import GROUP, Skippable, failed_part, group_part, page_parts
from pqexplore.insight.totals import totals
from pqexplore.insight.wording import plural

STORED = (
    Column("min_bytes", "min as stored", "code", "the bytes in the file"),
    Column("max_bytes", "max as stored", "code", "the bytes in the file"),
    Column("bounds_from", "bounds from", meaning="the fields of Statistics; min and max are deprecated"),
    Column("stored_bytes", "stored", "bytes", "bytes of the pages in the file", "largest"),
    Column("bytes", "uncompressed", "bytes", "bytes of the pages before compression", "some"),
    Column("size", "size", meaning="whether compression made the pages larger"),
)  # fmt: skip

UNSCALED = (
    Column("min_unscaled", "min unscaled", "number", "the integer that is stored for a decimal"),
    Column("max_unscaled", "max unscaled", "number", "the integer that is stored for a decimal"),
)
"""More columns, if one of the leaves is a decimal."""

BOX = Column("box", "bounding box", meaning="of the geometries, in their reference system")
"""One more column, if one of the leaves holds geometries."""


@dataclasses.dataclass(frozen=True, slots=True)
class More:
    """The columns about what is stored, as the types of some leaves need them."""

    decimals: bool
    boxes: bool

    @classmethod
    def of(cls, leaves: Sequence[Leaf]) -> More:
        """Those for some leaves."""
        names = {meaning(leaf).name for leaf in leaves}
        return cls("DECIMAL" in names, bool(names & {"GEOMETRY", "GEOGRAPHY"}))

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns."""
        return (*STORED, *(UNSCALED if self.decimals else ()), *([BOX] if self.boxes else ()))

    def cells(self, leaf: Leaf, part: Skippable, chunk: ColumnChunk | None) -> tuple[Any, ...]:
        """The cells of a column chunk, or of a page of it."""
        bounded = part.low is not None or part.high is not None
        stored, opened, source = None, None, "column index" if bounded else None
        if part.kind == GROUP:
            stored, opened, source = _sizes(chunk)
        grows = stored is not None and opened is not None and stored > opened
        return (
            part.low,
            part.high,
            source,
            stored,
            opened,
            "larger by its compression" if grows and is_compressed(chunk) else None,
            *([_unscaled(leaf, part.low), _unscaled(leaf, part.high)] if self.decimals else []),
            *([_box(part)] if self.boxes else []),
        )


def over(scope: Scope) -> Answer:
    """A row for each column chunk: bounds in the logical type and as stored, counts, and what speaks against them."""
    more = More.of(scope.leaves)
    table = Table((*PLACE, *OF_ONE[1:], *more.columns), "Statistics", total=scope.size)
    parts: list[Skippable] = []
    for group, leaf, part, chunk in _chunks(scope):
        parts.append(part)
        table.add(
            group,
            ".".join(leaf.path),
            *cells(leaf, part),
            *more.cells(leaf, part, chunk),
            address=part.address,
            span=part.span,
        )
    return Answer(_sentence(scope, parts), table=table, totals=totals(table, "column chunk"))


def _chunks(scope: Scope) -> Iterator[tuple[int, Leaf, Skippable, ColumnChunk | None]]:
    """Row group, leaf, statistics and handle of each column chunk."""
    for group, leaf, chunk in scope.chunks():
        known = None if isinstance(chunk, ParquetError) else chunk
        try:
            if isinstance(chunk, ParquetError):
                raise chunk
            part = group_part(chunk)
        except ParquetError as error:
            part = failed_part(GROUP, group, address_of(group, leaf), error)
        yield group, leaf, part, known


def of_column(file: ParquetFile, node: Node, made: Answer) -> Answer:
    """The lens's table of a column, with what is stored of each row group and page."""
    scope, table = scope_of(file, node), made.table
    if scope is None or table is None:
        return made
    leaf = scope.leaves[0]
    more = More.of([leaf])
    shown = set(table.addresses)
    paged = {one.partition("/pages/")[0] for one in shown if one and "/pages/" in one}
    known: dict[str | None, tuple[Any, ...]] = {}
    for _, _, part, chunk in _chunks(Scope(file, range(len(file.row_groups)), [leaf])):
        if part.address in shown:
            known[part.address] = more.cells(leaf, part, chunk)
        if chunk is None or chunk.address not in paged:
            continue
        with contextlib.suppress(ParquetError):  # the sentence says why the index cannot be read
            for page in page_parts(chunk):
                known[page.address] = more.cells(leaf, page, chunk)
    whole = Table((*table.columns, *more.columns), table.caption, total=table.total)
    blank = (None,) * len(more.columns)
    for row, address, span in zip(table.rows, table.addresses, table.spans, strict=True):
        whole.add(*row, *known.get(address, blank), address=address, span=span)
    of_chunks = over(Scope(file, range(len(file.row_groups)), [leaf])).totals
    return dataclasses.replace(made, table=whole, totals=of_chunks)


def _sizes(chunk: ColumnChunk | None) -> tuple[int | None, int | None, str | None]:
    """Bytes of the pages in the file and before compression, and the fields that the bounds are from."""
    try:
        metadata = None if chunk is None else chunk.metadata
    except ParquetError:
        return None, None, None
    if metadata is None:
        return None, None, None
    stated, source = metadata.statistics, None
    if stated is not None and (stated.min_value is not None or stated.max_value is not None):
        source = "min_value and max_value"
    elif stated is not None and (stated.min is not None or stated.max is not None):
        source = "min and max, which are deprecated"
    return metadata.total_compressed_size, metadata.total_uncompressed_size, source


def is_compressed(chunk: ColumnChunk | None) -> bool:
    """Whether a codec is why the bytes in the file differ from those before compression: encryption adds some, too."""
    try:
        return chunk is not None and not chunk.encrypted and chunk.metadata.codec != CompressionCodec.UNCOMPRESSED
    except ParquetError:
        return False


def _box(part: Skippable) -> str | None:
    """`x -3 to 2, y 0 to 5.5`; None without a box."""
    if part.box is None:
        return None
    sides = ((axis, *part.box.side(axis)) for axis in "xyzm")
    return ", ".join(f"{axis} {low:g} to {high:g}" for axis, low, high in sides if low is not None and high is not None)  # fmt: skip


def _unscaled(leaf: Leaf, raw: bytes | None) -> int | None:
    """The stored integer of a decimal; None for other types, and for a bound of the wrong length."""
    if raw is None or meaning(leaf).name != "DECIMAL":
        return None
    try:
        stored = physical_value(leaf, raw)
    except ParquetError:
        return None
    return int.from_bytes(stored, "big", signed=True) if isinstance(stored, bytes) else int(stored)


def _sentence(scope: Scope, parts: list[Skippable]) -> str:
    """How many have bounds that a query may use, and what the others lack."""
    usable = sum(part.bounded for part in parts)
    said = f"Of {scope.named} {usable:,} {'has' if usable == 1 else 'have'} bounds that a query may use"
    others: dict[str, int] = {}
    for part in parts:
        if not part.bounded:
            why = part.remark or "no bounds"
            others[why] = others.get(why, 0) + 1
    ordered = sorted(others.items(), key=lambda one: -one[1])
    said += "".join(f"; {count:,}: {why}" for why, count in ordered[:4])
    more = sum(count for _, count in ordered[4:])
    return said + (f"; {plural(more, 'other')}" if more else "") + "."
