"""Rows as an Arrow table: pages to leaf columns, leaf columns to records.

All or nothing: the first page that cannot be read ends it, with the page's address. What is intact elsewhere stays
readable through pages and chunks.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from pqexplore.engine import bulk, logical, types
from pqexplore.engine.cache import Scratch
from pqexplore.engine.errors import CorruptFileError, LimitExceededError, UsageError, located
from pqexplore.engine.limits import DEFAULT, Limits
from pqexplore.engine.nesting.assembly import LeafColumn, assemble
from pqexplore.engine.page import DICTIONARY_ENCODINGS, Page
from pqexplore.engine.schema import Field, Leaf, walk
from pqexplore.engine.thrift.structs import Encoding, FieldRepetitionType, PageType, Type
from pqexplore.engine.tree import Finding

if TYPE_CHECKING:
    from pqexplore.engine.chunk import ColumnChunk
    from pqexplore.engine.file import ParquetFile

REQUIRED = FieldRepetitionType.REQUIRED

BINARY_MAXIMUM = (1 << 31) - 1
"""Bytes that an Arrow binary array can hold; beyond, it is a large_binary."""


@dataclasses.dataclass
class _Decoded:
    """One column chunk, decoded but for its logical type.

    Where `nullable`, there are no levels: the array has the column's nulls already.
    """

    definition_levels: np.ndarray[Any, Any] | None
    repetition_levels: np.ndarray[Any, Any] | None
    physical: pa.Array
    nullable: bool = False


class Budget:
    """What a read may come to, counted as it grows."""

    def __init__(self, file: ParquetFile, what: str = "read()") -> None:
        self._limits = file.limits
        self._what = what
        self._spent = 0

    def spend(self, amount: int, page: Page) -> None:
        """Count the bytes of a page; LimitExceededError when they are too many."""
        self._spent += amount
        if self._spent > self._limits.read_bytes:
            self._limits.check(
                "read_bytes", self._spent, self._what, offset=page.frame.start, address=page.address
            )


def read(
    file: ParquetFile,
    columns: Sequence[str | tuple[str, ...]] | None,
    row_groups: Sequence[int] | None,
) -> pa.Table:
    """The rows as a table; see `ParquetFile.read`."""
    schema = file.schema
    wanted = _select(file, columns)
    groups = range(len(file.row_groups)) if row_groups is None else list(row_groups)
    for group in groups:
        if not -len(file.row_groups) <= group < len(file.row_groups):
            raise UsageError(f"row group {group} is asked for, the file has {len(file.row_groups)}")
    groups = [group % max(1, len(file.row_groups)) for group in groups]
    if row_groups is None:
        _check_row_count(file)
    rows = sum(file.row_groups[group].num_rows for group in groups)
    budget = Budget(file)
    arrays, fields = [], []
    for field in schema.root.children:
        leaves = [leaf for leaf in field.leaves() if leaf.leaf_index in wanted]
        if not leaves:
            continue
        pieces = _read_field(file, field, leaves, groups, budget)
        column = pa.chunked_array(pieces) if pieces else pa.chunked_array([], _type(field, leaves))
        nullable = field.repetition != REQUIRED or pa.types.is_null(column.type)
        fields.append(pa.field(field.name, column.type, nullable=nullable))
        arrays.append(column)
    if not arrays:
        return _without_columns(rows)
    return pa.Table.from_arrays(arrays, schema=pa.schema(fields))


def _without_columns(rows: int) -> pa.Table:
    """A table of rows and nothing in them."""
    return pa.table({"": pa.nulls(rows)}).select([])


def _check_row_count(file: ParquetFile) -> None:
    rows = sum(group.num_rows for group in file.row_groups)
    if rows != file.num_rows:
        file.note(
            Finding(
                "row-count-disagrees",
                "error",
                "footer/num_rows",
                f"the footer's num_rows is {file.num_rows:,}, its row groups have {rows:,} rows; the row groups are read",
                {"num_rows": file.num_rows, "row_groups": rows},
                "FileMetaData.num_rows: number of rows in this file",
            )
        )


def _select(file: ParquetFile, columns: Sequence[str | tuple[str, ...]] | None) -> set[int]:
    """Indexes of the leaves below the names; UsageError for a name that the schema does not have."""
    leaves = file.schema.leaves
    if columns is None:
        return {leaf.leaf_index for leaf in leaves}
    if isinstance(columns, (str, bytes)):
        raise UsageError(f"columns is a list of names; did you mean [{columns!r}]?")
    wanted: set[int] = set()
    for name in columns:
        if isinstance(name, tuple):
            found = {leaf.leaf_index for leaf in leaves if leaf.path[: len(name)] == name}
        else:
            found = {
                leaf.leaf_index
                for leaf in leaves
                if ".".join(leaf.path) == name or ".".join(leaf.path).startswith(name + ".")
            }
        if not found:
            raise UsageError(
                f"no column {name!r}; the top-level columns are "
                f"{', '.join(child.name for child in file.schema.root.children[:20])}"
            )
        wanted |= found
    for field in file.schema.fields:
        if field.kind == "variant":  # it is read whole or not at all
            below = {leaf.leaf_index for leaf in field.leaves()}
            if below & wanted:
                wanted |= below
    return wanted


def _type(field: Field, leaves: list[Leaf]) -> pa.DataType:
    """The Arrow type of a column of which there are no rows."""
    empty = []
    for leaf in leaves:
        levels = np.zeros(0, np.uint8)
        empty.append(
            LeafColumn(
                leaf,
                levels if leaf.max_definition_level else None,
                levels if leaf.max_repetition_level else None,
                types.to_arrow(pa.array([], types.physical_arrow_type(leaf)), leaf),
            )
        )
    return _whole(assemble(field, empty), field, DEFAULT).type


def _whole(array: pa.Array, field: Field, limits: Limits) -> pa.Array:
    """A column with the Variants in it put together from what they are shredded into."""
    if not any(node.kind == "variant" for node in walk(field)):
        return array
    from pqexplore.engine.variant.columns import unshred  # much to import, for few files

    return unshred(array, field, limits=limits)


def _read_field(
    file: ParquetFile, field: Field, leaves: list[Leaf], groups: list[int], budget: Budget
) -> list[pa.Array]:
    """A top-level column, an array for each row group."""
    pieces = []
    for array, chunk in assembled(file, field, leaves, groups, budget.spend):
        with located(chunk.address, chunk.start):
            pieces.append(_whole(array, field, file.limits))
    return one_type(pieces)


def one_type(pieces: list[pa.Array]) -> list[pa.Array]:
    """The arrays in the widest type that one of them has: large_binary where one needs it."""
    if len({piece.type for piece in pieces}) < 2:
        return pieces
    widest = max((piece.type for piece in pieces), key=lambda kind: str(kind).count("large"))
    return [piece.cast(widest) for piece in pieces]


def assembled(
    file: ParquetFile,
    field: Field,
    leaves: list[Leaf],
    groups: Sequence[int],
    spend: Any = lambda amount, page: None,
) -> Iterator[tuple[pa.Array, ColumnChunk]]:
    """The records of a top-level field in each row group, of these of its leaves, and the first leaf's chunk.

    Variants come as the groups that they are stored in.
    """
    decoded = {
        leaf.leaf_index: [
            decode_chunk(file.row_groups[group].columns[leaf.leaf_index], spend) for group in groups
        ]
        for leaf in leaves
    }
    units = {
        leaf.leaf_index: types.int96_unit([part.physical for part in decoded[leaf.leaf_index]])
        for leaf in leaves
        if leaf.physical_type == Type.INT96
    }
    for position, group in enumerate(groups):
        columns = []
        for leaf in leaves:
            part = decoded[leaf.leaf_index][position]
            chunk = file.row_groups[group].columns[leaf.leaf_index]
            with located(chunk.address, chunk.start):
                values = _logical(part, leaf, units.get(leaf.leaf_index))
            columns.append(LeafColumn(leaf, part.definition_levels, part.repetition_levels, values))
        address = file.row_groups[group].address
        first = file.row_groups[group].columns[leaves[0].leaf_index]
        with located(f"{address}/columns/{first.index}", first.start):
            if field is leaves[0] and (part.nullable or not leaves[0].max_definition_level):
                array = columns[0].values  # a slot a record, and nothing to assemble
            else:
                array = assemble(field, columns, limits=file.limits)
            expected = file.row_groups[group].num_rows
            if len(array) != expected:
                raise CorruptFileError(
                    f"column {field.name!r} has {len(array):,} rows, the row group's num_rows is {expected:,}",
                    offset=0,
                )
        yield array, first


def _logical(part: _Decoded, leaf: Leaf, unit: str | None) -> pa.Array:
    """The values in their logical type; what lies in the slots of nulls is converted with them, and stays hidden."""
    if not part.nullable or not part.physical.null_count:
        return types.to_arrow(part.physical, leaf, unit=unit)
    nulls, *stored = part.physical.buffers()
    bare = pa.Array.from_buffers(part.physical.type, len(part.physical), [None, *stored])
    values = types.to_arrow(bare, leaf, unit=unit)
    return pa.Array.from_buffers(values.type, len(values), [nulls, *values.buffers()[1:]])


def decode_chunk(chunk: ColumnChunk, spend: Any = lambda amount, page: None) -> _Decoded:
    """All pages of a chunk: levels and physical values, one after the other."""
    chunk.require_readable()
    with chunk.in_memory():
        return _decode_pages(chunk, spend)


def _decoded_bytes(page: Page) -> int:
    """What levels and values of a page come to at least; runs and nulls take next to no bytes in the file."""
    leaf = page.chunk.leaf
    levels = bool(leaf.max_definition_level) + bool(leaf.max_repetition_level)
    widths: dict[int, int] = {Type.BOOLEAN: 0, Type.INT64: 8, Type.DOUBLE: 8, Type.INT96: 12}
    width = widths.get(leaf.physical_type, 4)
    made: int = page.num_values * (levels + width)
    return made


def _decode_pages(chunk: ColumnChunk, spend: Any) -> _Decoded:
    definition, repetition = [], []
    leaf = chunk.leaf
    found = chunk.frames
    if found.error is not None:
        raise found.error
    pages = []
    for index, frame in enumerate(found.frames):
        page = Page(chunk, index, frame, Scratch())
        if page.is_data:
            pages.append(page)
        if page.is_data or page.kind == "dictionary_page":
            spend(max(frame.header.uncompressed_page_size, _decoded_bytes(page)), page)
    large = sum(page.num_values for page in pages) >= bulk.LEAST_VALUES
    flat = _is_flat(leaf)
    if large and flat:
        made = _flat(chunk, pages, spend)
        if made is not None:
            return made
    for page in pages:
        _check_page(page)
        levels = page.definition_levels
        if levels is not None:
            definition.append(levels)
        levels = page.repetition_levels
        if levels is not None:
            repetition.append(levels)
    return _Decoded(
        _concatenate(definition) if leaf.max_definition_level else None,
        _concatenate(repetition) if leaf.max_repetition_level else None,
        _physical(chunk, pages, spend, in_bulk=large and not flat),
    )


def _is_flat(leaf: Leaf) -> bool:
    """Whether levels say null or not and nothing else, and nulls do not get in the way of the logical type."""
    if len(leaf.path) != 1 or leaf.max_repetition_level or leaf.max_definition_level > 1:
        return False
    if not leaf.max_definition_level:
        return True
    return leaf.physical_type != Type.INT96 and logical.annotation(leaf).name not in (
        "DECIMAL",
        "UNKNOWN",
    )


def _flat(chunk: ColumnChunk, pages: list[Page], spend: Any) -> _Decoded | None:
    """Values and nulls of a large chunk, by Arrow; None where anything is out of the ordinary."""
    nullable = chunk.leaf.max_definition_level == 1
    sections, nulls = [], 0
    for page in pages:
        header = page.header
        if page.encoding is None or not page.num_values or page.crc_ok is False:
            return None
        if header.type == PageType.DATA_PAGE_V2:
            values = page.body.section("values").data
            bare = page.body.section("definition_levels").data
            levels: bytes | memoryview = len(bare).to_bytes(4, "little") + bytes(bare)
            nulls += header.data_page_header_v2.num_nulls
        elif not nullable or header.data_page_header.definition_level_encoding == Encoding.RLE:
            levels, values = page.levels_and_values(nullable)
        else:
            return None
        sections.append(bulk.Section(values, page.num_values, page.encoding, levels))
    array = _in_bulk(chunk, sections, spend, nullable=nullable)
    if array is None or (pages[0].kind == "data_page_v2" and array.null_count != nulls):
        return None
    return _Decoded(None, None, array, nullable=nullable)


def _in_bulk(
    chunk: ColumnChunk, sections: list[bulk.Section], spend: Any, *, nullable: bool
) -> pa.Array | None:
    dictionary = chunk.dictionary_page
    entries, stored = None, None
    if dictionary is not None:
        entries, stored = dictionary.physical, dictionary.body.section("values").data
    most = chunk.file.limits.read_bytes
    array = bulk.decode(chunk.leaf, sections, entries, stored, nullable=nullable, most=most)
    if array is not None and dictionary is not None:
        spend(array.nbytes, dictionary)
    return array


def _physical(chunk: ColumnChunk, pages: list[Page], spend: Any, *, in_bulk: bool) -> pa.Array:
    """The values of all data pages as they are stored: of many by Arrow, else, and wherever it balks, by us."""
    if in_bulk:
        sections = [
            bulk.Section(page.body.section("values").data, page.num_present, page.encoding)
            for page in pages
            if page.encoding is not None and (page.num_present or not len(page.physical))
        ]
        if len(sections) == len(pages):
            array = _in_bulk(chunk, sections, spend, nullable=False)
            if array is not None:
                return array
    values = []
    for page in pages:
        physical = page.physical
        if page.encoding in DICTIONARY_ENCODINGS:
            spend(physical.nbytes, page)
        values.append(physical)
    return concatenate_arrays(values, types.physical_arrow_type(chunk.leaf))


def _check_page(page: Page) -> None:
    """What a data page says of itself twice must agree; a wrong checksum is a finding."""
    if page.crc_ok is False:
        page.chunk.file.note(crc_finding(page))
    header = page.header
    if header.type == PageType.DATA_PAGE_V2:
        said, found = header.data_page_header_v2.num_nulls, page.num_values - page.num_present
        if page.chunk.leaf.max_repetition_level == 0 and said != found:
            page.chunk.file.note(
                Finding(
                    "null-count-disagrees",
                    "warning",
                    page.address,
                    f"the page header's num_nulls is {said:,}, its definition levels have {found:,}",
                    {"num_nulls": said, "definition_levels": found},
                    "DataPageHeaderV2.num_nulls: number of NULL values in this data page",
                )
            )


def crc_finding(page: Page) -> Finding:
    """The finding of a page whose checksum is wrong."""
    return Finding(
        "crc-mismatch",
        "error",
        page.address,
        "the page's CRC32 is not that of its bytes; they were damaged after they were written, or the checksum is wrong",
        {"crc": (page.header.crc or 0) & 0xFFFFFFFF},
        "Pages of all kinds can be individually checksummed",
    )


def _concatenate(parts: list[np.ndarray[Any, Any]]) -> np.ndarray[Any, Any]:
    if not parts:
        return np.zeros(0, np.uint8)
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def concatenate_arrays(parts: list[pa.Array], empty: pa.DataType) -> pa.Array:
    """Arrays of one physical type as one; binary becomes large_binary where 32-bit offsets do not reach."""
    if not parts:
        return pa.array([], empty)
    if len(parts) == 1:
        return parts[0]
    if pa.types.is_binary(empty) and (
        any(pa.types.is_large_binary(part.type) for part in parts)
        or sum(part.nbytes for part in parts) > BINARY_MAXIMUM
    ):
        parts = [part.cast(pa.large_binary()) for part in parts]
    try:
        return pa.concat_arrays(parts)
    except (MemoryError, pa.ArrowMemoryError) as error:
        raise LimitExceededError(
            f"the column does not fit into memory: {error}; read fewer row groups at once", offset=0
        ) from None
