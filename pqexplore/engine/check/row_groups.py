"""Checks the RowGroup struct: its ordinal, sums of sizes, file_offset and sorting columns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pqexplore.engine.address import Address
from pqexplore.engine.check.metadata import required_fields
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.finding import Finding
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.rule import Severity

if TYPE_CHECKING:
    from pqexplore.engine.file.row_group import RowGroup


def findings(group: RowGroup) -> Iterator[Finding]:
    """Findings about the RowGroup struct, compared with its column chunks."""
    if structs.missing(group.metadata):
        yield from required_fields(group.metadata, Address.of("footer", group.address))
        return
    yield from _num_rows(group)
    yield from _ordinal(group)
    yield from _sorting_columns(group)


def _num_rows(group: RowGroup) -> Iterator[Finding]:
    if group.metadata.num_rows < 0:
        yield Finding(
            "row-group-rows",
            Address.of("footer", group.address, "num_rows"),
            f"num_rows of row group {group.index} is {group.metadata.num_rows:,}; expected 0 or more",
            {"num_rows": group.metadata.num_rows},
        )


def _ordinal(group: RowGroup) -> Iterator[Finding]:
    ordinal = group.metadata.ordinal
    if ordinal is not None and ordinal != group.index & 0x7FFF:
        yield Finding(
            "row-group-ordinal",
            Address.of("footer", group.address, "ordinal"),
            f"the ordinal of row group {group.index} is {ordinal}; expected its position in the file",
            {"ordinal": ordinal, "index": group.index},
        )


def rows(group: RowGroup, found: list[Finding]) -> Iterator[Finding]:
    """The findings `rows-disagree` of its chunks; one if all columns have the same number of rows."""
    counts = {finding.evidence["pages"] for finding in found}
    columns = len(group.file.schema.leaves)
    if len(counts) > 1 or not 1 < len(found) == columns:
        yield from found
        return
    (count,) = counts
    yield Finding(
        "rows-disagree",
        Address.of("footer", group.address, "num_rows"),
        f"the pages of all {columns:,} columns hold {count:,} rows, the row group's num_rows is "
        f"{group.metadata.num_rows:,}",
        {"pages": count, "num_rows": group.metadata.num_rows},
    )


def sums(group: RowGroup) -> Iterator[Finding]:
    """total_byte_size and total_compressed_size must be the sums over the chunks."""
    if structs.missing(group.metadata):
        return
    try:
        chunks = [chunk.metadata for chunk in group.columns]
    except ParquetError:
        return  # the checks of the chunk report it
    for name, part, words in (
        (
            "total_byte_size",
            "total_uncompressed_size",
            "RowGroup.total_byte_size: Total byte size of all the uncompressed column data in this row group",
        ),
        (
            "total_compressed_size",
            "total_compressed_size",
            "RowGroup.total_compressed_size: Total byte size of all compressed (and potentially encrypted) column "
            "data in this row group",
        ),
    ):
        total = getattr(group.metadata, name)
        actual = sum(getattr(chunk, part) for chunk in chunks)
        if total is None or total == actual:
            continue
        compressed = sum(chunk.total_compressed_size for chunk in chunks)
        remark = ", the compressed size" if total == compressed else ""
        yield Finding(
            "row-group-size-disagrees",
            Address.of("footer", group.address, name),
            f"{name} is {total:,}{remark}; the {part} of the column chunks is {actual:,} in all",
            {name: total, "column_chunks": actual},
            words,
            severity=Severity.DAMAGE if total < 0 else Severity.PORTABILITY,
        )


def file_offset(group: RowGroup) -> Iterator[Finding]:
    """file_offset must be where the first page begins."""
    offset = group.metadata.file_offset
    if not offset:
        return
    try:
        chunks = [chunk for chunk in group.columns if not chunk.elsewhere]
        starts = [chunk.start for chunk in chunks if chunk.metadata.total_compressed_size]
    except ParquetError:
        return
    if starts and offset != min(starts):
        yield Finding(
            "row-group-file-offset",
            Address.of("footer", group.address, "file_offset"),
            f"file_offset is byte {offset:,}, the first page of the row group begins at byte {min(starts):,}; "
            "readers that split files by file_offset may read the wrong row groups",
            {"file_offset": offset, "first_page": min(starts)},
        )


def _sorting_columns(group: RowGroup) -> Iterator[Finding]:
    leaves = group.file.schema.leaves
    seen: set[int] = set()
    for position, column in enumerate(group.metadata.sorting_columns or ()):
        address = Address.of("footer", group.address, "sorting_columns", position)
        index = column.column_idx
        if structs.missing(column):
            yield from required_fields(column, address)
        elif not 0 <= index < len(leaves):
            yield Finding(
                "sorting-column",
                address,
                f"sorting_columns names column {index}; the file has {len(leaves):,} columns",
                {"column_idx": index, "columns": len(leaves)},
                "SortingColumn.column_idx: The ordinal position of the column (in this row group)",
            )
        elif index in seen:
            yield Finding(
                "sorting-column",
                address,
                f"sorting_columns names column {index} twice",
                {"column_idx": index},
                severity=Severity.PORTABILITY,
            )
        else:
            seen.add(index)
