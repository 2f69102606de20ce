"""The result of a salvage: pages, chunks, and the new file that they form."""

from __future__ import annotations

import bisect
import dataclasses
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from pqexplore.engine.address import Address
from pqexplore.engine.errors import CorruptFileError, UsageError
from pqexplore.engine.file.footer import MAGIC
from pqexplore.engine.file.source import Source
from pqexplore.engine.finding import Finding
from pqexplore.engine.format import schema as schemas
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.encode import encode
from pqexplore.engine.format.thrift.structs import Encoding, PageType
from pqexplore.engine.limits import Limits
from pqexplore.engine.output_file import OutputFile, writing
from pqexplore.engine.salvage.grouping import SalvagedChunk
from pqexplore.engine.salvage.lost_footer import LostFooter
from pqexplore.engine.salvage.prove import SalvagedPage
from pqexplore.engine.salvage.scan import Scan
from pqexplore.engine.text import printable

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile


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


RANGES = pa.schema(
    [
        ("start", pa.int64()),
        ("end", pa.int64()),
        ("kind", pa.string()),
        ("address", pa.string()),
        ("state", pa.string()),
        ("what", pa.string()),
    ]
)


class Salvaged:
    """The result of `salvage`.

    `pages` and `chunks` are in file order. `elements` is the schema, None if unknown; `schema_from` is its origin.
    `findings` list what is wrong or doubtful. `open` opens the new file without writing it, `write` writes it.
    """

    def __init__(
        self,
        source: Source,
        pages: list[SalvagedPage],
        chunks: list[SalvagedChunk],
        scanned: Scan,
        footer: LostFooter | None,
        elements: Sequence[structs.SchemaElement] | None,
        schema_from: str,
        findings: list[Finding],
        limits: Limits,
        read: Sequence[str] = (),
    ) -> None:
        """`read` are the paths of other files that were read, for the schema."""
        self.source = source
        self._read = [*read, *filter(None, [source.path])]
        self.pages = pages
        self.chunks = sorted(chunks, key=lambda chunk: chunk.start)
        self.footer = footer
        self.elements = None if elements is None else list(elements)
        self.schema_from = schema_from if elements is not None else "nowhere"
        self.findings = findings
        self.limits = limits
        self._scan = scanned

    @property
    def schema(self) -> schemas.Schema:
        """The schema of the file. Raises CorruptFileError if it is unknown."""
        if self.elements is None:
            raise CorruptFileError("the schema is unknown, because no page was found")
        return schemas.build(self.elements, limits=self.limits)

    def selection(self, keep: str | None = None) -> Selection:
        """The chunks of the new file; see `write` for `keep`."""
        columns = 0 if self.elements is None else len(self.schema.leaves)
        return select(self.chunks, columns, keep)

    def _view(self, keep: str | None) -> Source:
        selection = self.selection(keep)
        if not selection.groups or self.elements is None:
            what = {None: "column is", "columns": "column is", "rows": "row group is"}[keep]
            raise CorruptFileError(
                f"no {what} complete, so there is no file to write; .pages and .chunks show what was found, and a "
                "schema (schema=) may help to separate the columns"
            )
        paths = [leaf.path for leaf in self.schema.leaves]
        original = None if self.footer is None else self.footer.metadata
        metadata, pages = footer(self.elements, selection, original, paths)
        return view(self.source, metadata, pages)

    def open(self, keep: str | None = None) -> ParquetFile:
        """Open the new file without writing it. Raises CorruptFileError if nothing is complete."""
        from pqexplore.engine.file.file import ParquetFile

        return ParquetFile(self._view(keep), limits=self.limits)

    def write(
        self, path: str | os.PathLike[str] | OutputFile, keep: str | None = None, *, overwrite: bool = False
    ) -> int:
        """Write a new file and return its size in bytes. The damaged file is not changed.

        `keep` "rows" takes the row groups in which every column is complete, "columns" the columns that are complete
        in every row group; None takes rows if there are any, else columns. Pages are copied as they are. The file
        appears under its name when it is complete. A file that exists is replaced only with `overwrite`, the damaged one
        never.

        Raises FileExistsError if `path` exists, UsageError if it is no place for a file, OSError if it cannot be written,
        CorruptFileError if nothing is complete.
        """
        return copy(self._view(keep), path, overwrite=overwrite, sources=self._read)

    @property
    def table(self) -> pa.Table:
        """Ranges of bytes that tile the damaged file: start, end, kind, address, state, what.

        `address` is that of the page among the salvaged chunks, empty if unknown; `state` one of saved, unplaced,
        damaged, lost.
        """
        rows: list[tuple[int, int, str, str, str, str]] = []
        size = self.source.size
        if size:
            rows.append((0, min(4, size), "magic", "magic", "saved", ""))
        for chunk in self.chunks:
            for index, page in enumerate(chunk.pages):
                address = (
                    Address.of("row_groups", chunk.row_group, "columns", chunk.column, "pages", index)
                    if chunk.row_group is not None and chunk.column is not None
                    else Address()
                )
                state = "damaged" if not page.usable else "saved" if chunk.complete else "unplaced"
                what = f"{page.num_values:,} values, proven by {', '.join(page.proofs)}"
                header_end = page.frame.header_end
                rows.append(
                    (page.start, header_end, "page_header", address.child("header") if address else "", state, what)
                )
                rows.append((header_end, page.end, page.kind, address, state, chunk.reason))
        for start, (end, metadata) in self._scan.copies.items():
            path = ".".join(metadata.path_in_schema)
            rows.append((start, end, "column_metadata", "", "saved", f"a copy of the metadata of {path}"))
        if self.footer is not None:
            rows.append((self.footer.start, self.footer.end, "footer", "footer", "saved", "a FileMetaData"))
        tiled: list[tuple[int, int, str, str, str, str]] = []
        at = 0
        for row in sorted(rows):
            start = max(row[0], at)
            if start >= row[1]:
                continue
            if start > at:
                tiled.append((at, start, "unknown", "", "lost", "nothing here proves to be a page"))
            tiled.append((start, *row[1:]))
            at = row[1]
        if at < size:
            tiled.append((at, size, "unknown", "", "lost", "nothing here proves to be a page"))
        columns = zip(*tiled, strict=True) if tiled else [[] for _ in RANGES]
        return pa.table([pa.array(list(c), f.type) for c, f in zip(columns, RANGES, strict=True)], schema=RANGES)

    def __repr__(self) -> str:
        selection = self.selection()
        rows = sum(chunks[0].rows for chunks in selection.groups)
        saved = sum(page.end - page.start for page in self.pages if page.usable)
        return (
            f"<Salvaged {printable(self.source.name)}: {len(self.pages):,} pages, {saved:,} of {self.source.size:,} bytes; "
            f"{rows:,} rows of {len(selection.columns):,} columns in {len(selection.groups):,} row groups can be "
            f"written, schema from {self.schema_from}>"
        )
