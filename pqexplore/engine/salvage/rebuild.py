"""Builds a file from salvaged pages: their bytes unchanged, with a new footer.

The new file is first a view: a `Source` that reads pages from the damaged file and the rest from memory, so it can be
opened and read before a byte is written. Pages are copied, never decoded and encoded again.
"""

from __future__ import annotations

import bisect
import dataclasses
import os
from collections.abc import Sequence

from pqexplore.engine.errors import UsageError
from pqexplore.engine.file.footer import MAGIC
from pqexplore.engine.file.source import Source
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.encode import encode
from pqexplore.engine.format.thrift.structs import Encoding, PageType
from pqexplore.engine.output_file import OutputFile, writing
from pqexplore.engine.salvage.grouping import SalvagedChunk
from pqexplore.engine.salvage.prove import SalvagedPage

COPY_BYTES = 8 << 20
"""Bytes copied at once."""


@dataclasses.dataclass(frozen=True)
class Selection:
    """The parts of the new file: indexes of columns in the schema, and their chunks in each row group."""

    columns: list[int]
    groups: list[list[SalvagedChunk]]


def select(chunks: Sequence[SalvagedChunk], columns: int, keep: str | None) -> Selection:
    """The chunks that form whole rows. `keep` is `rows`, `columns`, or None: `rows` if that selects any, else `columns`.

    `rows` selects row groups in which every column is complete. `columns` selects the columns that are complete in
    every row group that has a complete column.
    """
    if keep not in (None, "rows", "columns"):
        raise UsageError(f"keep={keep!r}: the choices are 'rows', 'columns' and None")
    groups: dict[int, dict[int, SalvagedChunk]] = {}
    for chunk in chunks:
        if chunk.complete and chunk.row_group is not None and chunk.column is not None:
            groups.setdefault(chunk.row_group, {})[chunk.column] = chunk
    whole = [group for _, group in sorted(groups.items()) if len(group) == columns]
    if keep == "rows" or (keep is None and whole):
        return Selection(list(range(columns)), [[group[i] for i in range(columns)] for group in whole])
    partial = [group for _, group in sorted(groups.items())]
    common = sorted(set.intersection(*(set(group) for group in partial))) if partial else []
    return Selection(common, [[group[i] for i in common] for group in partial if common])


def pruned(elements: Sequence[structs.SchemaElement], columns: Sequence[int]) -> list[structs.SchemaElement]:
    """The schema with only the leaves in `columns`, without groups that lost all their leaves."""
    wanted = set(columns)
    leaf = sum(not one.num_children and one.type is not None for one in elements)
    kept: dict[int, int] = {}  # number of kept children, by element
    # Whether each element is kept whose parent comes later in this loop; the next element is last.
    kept_below: list[bool] = []
    for index in range(len(elements) - 1, -1, -1):  # children before their parents
        element = elements[index]
        count = element.num_children or 0
        if not count and element.type is not None:
            leaf -= 1
            children, stays = 0, leaf in wanted
        else:
            children = sum(kept_below.pop() for _ in range(count))
            stays = bool(children) or not count or not index
        kept_below.append(stays)
        if stays:
            kept[index] = children
    result = []
    for index, element in enumerate(elements):
        if index not in kept:
            continue
        is_group = element.num_children or element.type is None
        result.append(_with_children(element, kept[index]) if is_group else element)
    return result


def _with_children(element: structs.SchemaElement, count: int) -> structs.SchemaElement:
    copy = structs.SchemaElement(**{f.name: getattr(element, f.name) for f in element.FIELDS})
    copy.num_children = count
    return copy


def footer(
    elements: Sequence[structs.SchemaElement],
    selection: Selection,
    original: structs.FileMetaData | None,
    paths: Sequence[Sequence[str]],
) -> tuple[structs.FileMetaData, list[SalvagedPage]]:
    """The new file's FileMetaData, and its pages in their new order."""
    from pqexplore._version import __version__

    offset = len(MAGIC)
    pages: list[SalvagedPage] = []
    groups = []
    physical = [e.type for e in elements if not e.num_children and e.type is not None]
    for chunks in selection.groups:
        begin = offset
        structs_of_group = []
        for column, chunk in zip(selection.columns, chunks, strict=True):
            structs_of_group.append(_chunk(chunk, physical[column], paths[column], offset))
            offset += sum(page.end - page.start for page in chunk.pages)
            pages += chunk.pages
        groups.append(
            structs.RowGroup(
                columns=structs_of_group,
                total_byte_size=sum(_uncompressed(chunk) for chunk in chunks),
                num_rows=chunks[0].rows,
                file_offset=begin,
                total_compressed_size=offset - begin,
            )
        )
    metadata = structs.FileMetaData(
        version=2 if any(page.header.type == PageType.DATA_PAGE_V2 for page in pages) else 1,
        schema=pruned(elements, selection.columns),
        num_rows=sum(group.num_rows for group in groups),
        row_groups=groups,
        key_value_metadata=None if original is None else original.key_value_metadata,
        created_by=f"pqexplore version {__version__} (salvaged)",
    )
    return metadata, pages


def _uncompressed(chunk: SalvagedChunk) -> int:
    """Bytes of the pages when decompressed, headers included."""
    return sum(page.frame.header_end - page.start + page.header.uncompressed_page_size for page in chunk.pages)


def _chunk(chunk: SalvagedChunk, physical: int, path: Sequence[str], offset: int) -> structs.ColumnChunk:
    dictionary = offset if chunk.pages[0].is_dictionary else None
    data = offset
    if dictionary is not None:
        data += chunk.pages[0].end - chunk.pages[0].start
    assert chunk.codec is not None  # a chunk is selected only if its pages decompress
    return structs.ColumnChunk(
        file_offset=0,
        meta_data=structs.ColumnMetaData(
            type=physical,
            encodings=sorted({Encoding.RLE, *(page.encoding for page in chunk.pages)}),
            path_in_schema=list(path),
            codec=chunk.codec,
            num_values=chunk.num_values,
            total_uncompressed_size=_uncompressed(chunk),
            total_compressed_size=sum(page.end - page.start for page in chunk.pages),
            data_page_offset=data,
            dictionary_page_offset=dictionary,
        ),
    )


def view(source: Source, metadata: structs.FileMetaData, pages: Sequence[SalvagedPage]) -> Source:
    """The new file as a source: pages are read from `source`, the rest from memory."""
    body = encode(metadata)
    tail = body + len(body).to_bytes(4, "little") + MAGIC
    starts, pieces, at = [0], [(0, MAGIC)], len(MAGIC)
    for page in pages:
        starts.append(at)
        pieces.append((page.start, b""))
        at += page.end - page.start
    starts.append(at)
    pieces.append((0, tail))
    ends = [*starts[1:], at + len(tail)]

    def fetch(start: int, length: int) -> bytes:
        parts = []
        index = bisect.bisect_right(starts, start) - 1
        while length:
            take = min(length, ends[index] - start)
            offset, data = pieces[index]
            inside = start - starts[index]
            parts.append(data[inside : inside + take] if data else bytes(source.read(offset + inside, take)))
            start, length, index = start + take, length - take, index + 1
        return b"".join(parts)

    return Source(f"{source.name} (salvaged)", ends[-1], fetch, local=source.local)


def copy(
    view: Source, path: str | os.PathLike[str] | OutputFile, *, overwrite: bool = False, sources: Sequence[str] = ()
) -> int:
    """Write the new file to `path` and return its size in bytes. Raises as `output_file.writing` does."""
    if not isinstance(path, OutputFile):
        with writing(path, overwrite=overwrite, sources=sources) as out:
            return copy(view, out)
    for start in range(0, view.size, COPY_BYTES):
        path.write(view.read(start, min(COPY_BYTES, view.size - start)))
    return view.size
