"""The result of a salvage: pages, chunks, and the new file that they form."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from pqexplore.engine.address import Address
from pqexplore.engine.errors import CorruptFileError
from pqexplore.engine.file.source import Source
from pqexplore.engine.finding import Finding
from pqexplore.engine.format import schema as schemas
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.limits import Limits
from pqexplore.engine.output_file import OutputFile
from pqexplore.engine.salvage import rebuild
from pqexplore.engine.salvage.grouping import SalvagedChunk
from pqexplore.engine.salvage.lost_footer import LostFooter
from pqexplore.engine.salvage.prove import SalvagedPage
from pqexplore.engine.salvage.scan import Scan
from pqexplore.engine.text import printable

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile

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

    def selection(self, keep: str | None = None) -> rebuild.Selection:
        """The chunks of the new file; see `write` for `keep`."""
        columns = 0 if self.elements is None else len(self.schema.leaves)
        return rebuild.select(self.chunks, columns, keep)

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
        metadata, pages = rebuild.footer(self.elements, selection, original, paths)
        return rebuild.view(self.source, metadata, pages)

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
        return rebuild.copy(self._view(keep), path, overwrite=overwrite, sources=self._read)

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
