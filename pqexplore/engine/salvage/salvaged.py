"""What was saved of a file: pages, chunks, and the new file that they make."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from pqexplore.engine import schema as schemas
from pqexplore.engine.errors import CorruptFileError
from pqexplore.engine.limits import Limits
from pqexplore.engine.salvage import rebuild
from pqexplore.engine.salvage.grouping import SalvagedChunk
from pqexplore.engine.salvage.lost_footer import LostFooter
from pqexplore.engine.salvage.prove import SalvagedPage
from pqexplore.engine.salvage.scan import Scan
from pqexplore.engine.source import Source
from pqexplore.engine.thrift import structs
from pqexplore.engine.tree import Finding

if TYPE_CHECKING:
    from pqexplore.engine.file import ParquetFile

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
    """The outcome of `salvage`.

    `pages` and `chunks` are in the order of their bytes; `elements` is the schema, `schema_from` says where it comes
    from; `findings` what is wrong or doubtful. `open` shows the new file without writing it, `write` writes it.
    """

    def __init__(
        self,
        source: Source,
        pages: list[SalvagedPage],
        chunks: list[SalvagedChunk],
        found: Scan,
        footer: LostFooter | None,
        elements: Sequence[structs.SchemaElement] | None,
        schema_from: str,
        findings: list[Finding],
        limits: Limits,
    ) -> None:
        self.source = source
        self.pages = pages
        self.chunks = sorted(chunks, key=lambda chunk: chunk.start)
        self.footer = footer
        self.elements = None if elements is None else list(elements)
        self.schema_from = schema_from if elements is not None else "nowhere"
        self.findings = findings
        self.limits = limits
        self._found = found

    @property
    def schema(self) -> schemas.Schema:
        """The schema of the file. CorruptFileError where none is known."""
        if self.elements is None:
            raise CorruptFileError("nothing was found that a schema could be made of")
        return schemas.build(self.elements, limits=self.limits)

    def selection(self, keep: str | None = None) -> rebuild.Selection:
        """Which chunks make whole rows, and go into the new file; see `write` for `keep`."""
        columns = 0 if self.elements is None else len(self.schema.leaves)
        return rebuild.select(self.chunks, columns, keep)

    def _view(self, keep: str | None) -> Source:
        selection = self.selection(keep)
        if not selection.groups or self.elements is None:
            what = {None: "column is", "columns": "column is", "rows": "row group is"}[keep]
            raise CorruptFileError(
                f"no {what} complete, so no file can be made; what there is can be seen in .pages and .chunks, and a "
                "schema may help to tell columns apart"
            )
        paths = [leaf.path for leaf in self.schema.leaves]
        original = None if self.footer is None else self.footer.metadata
        metadata, pages = rebuild.footer(self.elements, selection, original, paths)
        return rebuild.view(self.source, metadata, pages)

    def open(self, keep: str | None = None) -> ParquetFile:
        """The new file as it would be written, open; nothing is written. CorruptFileError where nothing is complete."""
        from pqexplore.engine.file import ParquetFile

        return ParquetFile(self._view(keep), limits=self.limits)

    def write(self, path: str | os.PathLike[str], keep: str | None = None) -> int:
        """Write what was saved as a new file, and give its size in bytes. The damaged file is not touched.

        `keep` "rows" takes the row groups of which every column is complete, "columns" the columns that are complete
        in every row group; None takes rows where there are any. Pages are copied as they are. The file appears under
        its name when it is complete.

        Raises FileExistsError where there is something at `path`, CorruptFileError where nothing is complete.
        """
        made = self._view(keep)
        return rebuild.copy(made, os.fspath(path))

    @property
    def table(self) -> pa.Table:
        """What each byte of the damaged file is: start, end, kind, address, state, what; it tiles `[0, size)`.

        `address` is the page's in the new numbering where it is known, `state` one of saved, unplaced, damaged, lost.
        """
        rows: list[tuple[int, int, str, str, str, str]] = []
        size = self.source.size
        if size:
            rows.append((0, min(4, size), "magic", "magic", "saved", ""))
        for chunk in self.chunks:
            placed = chunk.column is not None
            for index, page in enumerate(chunk.pages):
                place = (
                    f"row_groups/{chunk.row_group}/columns/{chunk.column}/pages/{index}"
                    if placed
                    else ""
                )
                state = "damaged" if not page.usable else "saved" if chunk.complete else "unplaced"
                what = f"{page.num_values:,} values, proven by {', '.join(page.proofs)}"
                header_end = page.frame.header_end
                rows.append(
                    (
                        page.start,
                        header_end,
                        "page_header",
                        f"{place}/header" if place else "",
                        state,
                        what,
                    )
                )
                rows.append((header_end, page.end, page.kind, place, state, chunk.reason))
        for start, (end, metadata) in self._found.copies.items():
            path = ".".join(metadata.path_in_schema)
            rows.append(
                (start, end, "column_metadata", "", "saved", f"a copy of the metadata of {path}")
            )
        if self.footer is not None:
            rows.append(
                (self.footer.start, self.footer.end, "footer", "footer", "saved", "a FileMetaData")
            )
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
        return pa.table(
            [pa.array(list(c), f.type) for c, f in zip(columns, RANGES, strict=True)], schema=RANGES
        )

    def __repr__(self) -> str:
        selection = self.selection()
        rows = sum(chunks[0].rows for chunks in selection.groups)
        saved = sum(page.end - page.start for page in self.pages if page.usable)
        return (
            f"<Salvaged {self.source.name}: {len(self.pages):,} pages, {saved:,} of {self.source.size:,} bytes; "
            f"{rows:,} rows of {len(selection.columns):,} columns in {len(selection.groups):,} row groups can be "
            f"written, schema from {self.schema_from}>"
        )
