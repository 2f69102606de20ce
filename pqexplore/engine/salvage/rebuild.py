"""A file made of the pages that were found: their bytes as they are, under a footer that is written anew.

The new file is a view first: a `Source` that takes pages from the damaged file and makes up the rest, so that it can
be opened, looked at and read before a byte is written. Pages are copied, never decoded and encoded again.
"""

from __future__ import annotations

import bisect
import contextlib
import dataclasses
import os
import secrets
from collections.abc import Sequence

from pqexplore.engine.errors import UsageError
from pqexplore.engine.footer import MAGIC
from pqexplore.engine.salvage.grouping import SalvagedChunk
from pqexplore.engine.salvage.prove import SalvagedPage
from pqexplore.engine.source import Source
from pqexplore.engine.thrift import structs
from pqexplore.engine.thrift.encode import encode
from pqexplore.engine.thrift.structs import Encoding, PageType

PIECE = 8 << 20
"""Bytes copied at once."""


@dataclasses.dataclass(frozen=True)
class Selection:
    """What goes into the new file: columns by their index in the schema, and for each row group their chunks."""

    columns: list[int]
    groups: list[list[SalvagedChunk]]


def select(chunks: Sequence[SalvagedChunk], columns: int, keep: str | None) -> Selection:
    """The chunks that make whole rows: `keep` is `rows`, `columns`, or None for rows where there are any.

    `rows` takes row groups of which every column is complete. `columns` takes the columns that are complete in every
    row group that has a complete column.
    """
    if keep not in (None, "rows", "columns"):
        raise UsageError(f"keep={keep!r}: the choices are 'rows', 'columns' and None")
    groups: dict[int, dict[int, SalvagedChunk]] = {}
    for chunk in chunks:
        if chunk.complete and chunk.row_group is not None and chunk.column is not None:
            groups.setdefault(chunk.row_group, {})[chunk.column] = chunk
    whole = [group for _, group in sorted(groups.items()) if len(group) == columns]
    if keep == "rows" or (keep is None and whole):
        return Selection(
            list(range(columns)), [[group[i] for i in range(columns)] for group in whole]
        )
    there = [group for _, group in sorted(groups.items())]
    common = sorted(set.intersection(*(set(group) for group in there))) if there else []
    return Selection(common, [[group[i] for i in common] for group in there if common])


def pruned(
    elements: Sequence[structs.SchemaElement], columns: Sequence[int]
) -> list[structs.SchemaElement]:
    """A schema without the leaves that are not among `columns`, and without the groups that this leaves empty."""
    wanted = set(columns)
    position = leaf = 0

    def take() -> list[structs.SchemaElement]:
        nonlocal position, leaf
        element = elements[position]
        position += 1
        if not element.num_children and element.type is not None:
            leaf += 1
            return [element] if leaf - 1 in wanted else []
        kept, count = [], 0
        for _ in range(element.num_children or 0):
            child = take()
            count += bool(child)
            kept += child
        if not kept and position > 1 and (element.num_children or len(elements) == 1):
            return []
        copy = structs.SchemaElement(**{f.name: getattr(element, f.name) for f in element.FIELDS})
        copy.num_children = count
        return [copy, *kept]

    return take()


def footer(
    elements: Sequence[structs.SchemaElement],
    selection: Selection,
    original: structs.FileMetaData | None,
    paths: Sequence[Sequence[str]],
) -> tuple[structs.FileMetaData, list[SalvagedPage]]:
    """The new file's FileMetaData, and its pages in their new order."""
    from pqexplore import __version__

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
                total_byte_size=sum(c.meta_data.total_uncompressed_size for c in structs_of_group),
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


def _chunk(
    chunk: SalvagedChunk, physical: int, path: Sequence[str], offset: int
) -> structs.ColumnChunk:
    dictionary = offset if chunk.pages[0].is_dictionary else None
    data = offset
    if dictionary is not None:
        data += chunk.pages[0].end - chunk.pages[0].start
    compressed = sum(page.end - page.start for page in chunk.pages)
    saved = sum(
        page.header.uncompressed_page_size - page.header.compressed_page_size
        for page in chunk.pages
    )
    return structs.ColumnChunk(
        file_offset=0,
        meta_data=structs.ColumnMetaData(
            type=physical,
            encodings=sorted({Encoding.RLE, *(page.encoding for page in chunk.pages)}),
            path_in_schema=list(path),
            codec=chunk.codec,
            num_values=chunk.num_values,
            total_uncompressed_size=compressed + saved,
            total_compressed_size=compressed,
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
            place, data = pieces[index]
            inside = start - starts[index]
            parts.append(
                data[inside : inside + take] if data else bytes(source.read(place + inside, take))
            )
            start, length, index = start + take, length - take, index + 1
        return b"".join(parts)

    return Source(f"{source.name} (salvaged)", ends[-1], fetch, local=source.local)


def copy(made: Source, path: str) -> int:
    """Write the new file to `path`, which must not exist, and give its size.

    It is written under another name in the same folder first, and gets its own when it is complete. FileExistsError
    where there is something at `path` already.
    """
    if os.path.lexists(path):
        raise FileExistsError(
            f"{path} exists; salvage never overwrites, give the name of a new file"
        )
    folder, name = os.path.split(os.path.abspath(path))
    temporary = os.path.join(folder, f".{name}.{secrets.token_hex(4)}.partial")
    try:
        with open(temporary, "xb") as file:
            for start in range(0, made.size, PIECE):
                file.write(made.read(start, min(PIECE, made.size - start)))
            file.flush()
            os.fsync(file.fileno())
        _place(temporary, path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
    return made.size


def _place(temporary: str, path: str) -> None:
    """Give the finished file its name, unless somebody else took it meanwhile."""
    try:
        os.link(temporary, path)
    except FileExistsError:
        raise FileExistsError(f"{path} exists now; salvage never overwrites") from None
    except OSError:  # a file system without links
        if os.path.lexists(path):
            raise FileExistsError(f"{path} exists now; salvage never overwrites") from None
        os.rename(temporary, path)
