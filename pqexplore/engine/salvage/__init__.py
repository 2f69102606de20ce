"""Salvages a file without a usable footer: cut off, overwritten, or never finished.

Pages can be found without the footer, because each has a header. They are found and proven one by one (`scan`,
`prove`), grouped to column chunks and row groups (`fit`, `grouping`, `guessing`), and copied to a new file with a new
footer (`rebuild`). The damaged file is only read.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

import pyarrow as pa

from pqexplore.engine.errors import ParquetError, UsageError, within_memory
from pqexplore.engine.file.column_chunk import ColumnChunk
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.footer import ENCRYPTED_MAGIC, MAGIC
from pqexplore.engine.file.opening import open_source
from pqexplore.engine.file.source import Source
from pqexplore.engine.file.value_findings import num_rows
from pqexplore.engine.file.window import Window
from pqexplore.engine.finding import Finding
from pqexplore.engine.format import schema as schemas
from pqexplore.engine.format.thrift import fast, structs
from pqexplore.engine.format.thrift.encode import encode
from pqexplore.engine.format.thrift.structs import CompressionCodec, Encoding, SchemaElement
from pqexplore.engine.limits import DEFAULT, Limits
from pqexplore.engine.output_file import source_names
from pqexplore.engine.salvage.grouping import BySchema, SalvagedChunk, by_footer
from pqexplore.engine.salvage.guessing import by_guess
from pqexplore.engine.salvage.lost_footer import LostFooter, repaired, search
from pqexplore.engine.salvage.prove import SalvagedPage, SearchBudget, SearchEnded, header_at, prove
from pqexplore.engine.salvage.salvaged import Salvaged
from pqexplore.engine.salvage.scan import Scan, is_cut, scan

if TYPE_CHECKING:
    from pqexplore.engine.file.caller_types import FileSystem, Readable, StorageOptions


def as_read(
    source: Source, footer: LostFooter, pages: list[SalvagedPage], chunks: list[SalvagedChunk], limits: Limits
) -> tuple[list[SalvagedPage], list[SalvagedChunk]]:
    """The pages and chunks, with those that a reader can read in the place of those that are not complete."""
    whole = {(chunk.row_group, chunk.column) for chunk in chunks if chunk.complete}
    budget = SearchBudget(source.size)
    read: list[SalvagedChunk] = []
    try:
        file = ParquetFile(_closed(source, footer), limits=limits)
        for group in file.row_groups:
            for column in group.columns:
                if (group.index, column.leaf.leaf_index) not in whole:
                    made = _read(source, column, limits, budget)
                    read += [] if made is None else [made]
    except (ParquetError, SearchEnded):  # what was found before stays
        pass
    fresh = [page for chunk in read for page in chunk.pages]
    here = {(chunk.row_group, chunk.column) for chunk in read}
    kept = [chunk for chunk in chunks if (chunk.row_group, chunk.column) not in here]
    return _merged(pages, fresh), [*kept, *read]


def _closed(source: Source, footer: LostFooter) -> Source:
    """The file up to its footer, with that footer at its end."""
    body = encode(footer.metadata)
    tail = body + len(body).to_bytes(4, "little") + MAGIC

    def fetch(start: int, length: int) -> bytes:
        stop = start + length
        before = bytes(source.read(start, min(stop, footer.start) - start)) if start < footer.start else b""
        return before + tail[max(0, start - footer.start) : max(0, stop - footer.start)]

    return Source(source.name, footer.start + len(tail), fetch, local=source.local)


def _read(source: Source, chunk: ColumnChunk, limits: Limits, budget: SearchBudget) -> SalvagedChunk | None:
    """A chunk whose pages are all found and can be decompressed, with as many rows as its row group; else None."""
    rows, codec = chunk.row_group.metadata.num_rows, chunk.metadata.codec
    try:
        walk = chunk.frames
        if walk.error is not None or not walk.frames:
            return None
        pages = [prove(source, frame, codec, limits, budget) for frame in walk.frames]
        held = sum(num_rows(page) for page in chunk.pages if page.frame.is_data)
    except ParquetError:
        return None
    if held != rows or not all(page.usable and codec in page.codecs for page in pages):
        return None
    return SalvagedChunk(pages, chunk.row_group.index, chunk.leaf.leaf_index, rows, codec, complete=True)


def _merged(pages: Sequence[SalvagedPage], fresh: Sequence[SalvagedPage]) -> list[SalvagedPage]:
    """The pages in file order; one of `fresh` takes the place of those in its bytes."""
    taken = sorted((page.start, page.end) for page in fresh)
    kept, at = list(fresh), 0
    for page in pages:  # in file order
        while at < len(taken) and taken[at][1] <= page.start:
            at += 1
        if at == len(taken) or page.end <= taken[at][0]:
            kept.append(page)
    return sorted(kept, key=lambda page: page.start)


Schema: TypeAlias = "pa.Schema | Sequence[SchemaElement] | str | os.PathLike[str] | ParquetFile"

__all__ = ["Salvaged", "SalvagedChunk", "SalvagedPage", "hint", "salvage"]


def salvage(
    source: Readable | Source,
    *,
    schema: Schema | None = None,
    limits: Limits | None = None,
    progress: Callable[[int, int], None] | None = None,
    filesystem: FileSystem | None = None,
    storage_options: StorageOptions | None = None,
) -> Salvaged:
    """Find the pages of a Parquet file that lost its footer. The file is only read; nothing is written.

    `schema` gives the columns of the file if its own schema is lost: a pyarrow schema, a list of SchemaElements, or
    another Parquet file with the same schema (a path or a `ParquetFile`). Without it, columns are named `column_0`,
    `column_1`, …, with the types that their pages prove. `progress` is called with the bytes searched so far and the
    file's size. `source`, `filesystem` and `storage_options` are as for `open`.

    Raises CorruptFileError if `schema` is not a tree, UsageError if it is none of the above, OSError if the source
    cannot be read. A file without pages is no error: see `Salvaged.findings`.
    """
    limits = limits or DEFAULT
    opened = open_source(source, filesystem=filesystem, storage_options=storage_options)
    with within_memory("", None):
        given = None if schema is None else schema_elements(schema, limits)
        if given is not None:
            schemas.build(given, limits=limits)
        footer = search(opened, limits)
        scanned = scan(opened, limits, progress)
        return _assemble(opened, scanned, footer, given, limits, source_names(schema))


def _assemble(
    source: Source,
    scanned: Scan,
    footer: LostFooter | None,
    given: list[structs.SchemaElement] | None,
    limits: Limits,
    read: Sequence[str],
) -> Salvaged:
    """Group the pages by the footer if there is one, else by a schema, else by guessing."""
    pages = [page for page in scanned.pages if footer is None or page.start < footer.start]
    findings = [*_magic_findings(source), *_page_findings(source, scanned, footer)]
    elements, origin = given, "the given schema"
    if elements is None and footer is not None:
        origin = f"the footer at byte {footer.start:,}"
        elements, repairs = repaired(footer.metadata, limits)
        findings += repairs
    chunks: list[SalvagedChunk] = []
    if elements is not None and given is None and footer is not None and footer.complete:
        leaves = schemas.build(elements, limits=limits).leaves
        chunks = by_footer(pages, footer.metadata, leaves)
        pages, chunks = as_read(source, footer, pages, chunks, limits)
    if not any(chunk.complete for chunk in chunks) and elements is not None and pages:
        grouping = BySchema(source, pages, schemas.build(elements, limits=limits).leaves, limits)
        chunks = grouping.group()
        findings += grouping.findings
    elif elements is None and pages:
        chunks, elements, unproven = by_guess(source, pages, limits, is_cut(source, scanned))
        origin = "a guess from the pages"
        findings += unproven
    return Salvaged(source, pages, chunks, scanned, footer, elements, origin, findings, limits, read)


def _magic_findings(source: Source) -> list[Finding]:
    begins = bytes(source.read(0, min(4, source.size)))
    if begins == ENCRYPTED_MAGIC:
        return [
            Finding(
                "encrypted",
                "magic",
                "the file begins with PARE: its footer was encrypted, and without it the pages of encrypted columns "
                "cannot be found",
            )
        ]
    if begins != MAGIC:
        return [Finding("opening-magic", "magic", f"the file begins with {begins!r}; expected PAR1")]
    return []


def _page_findings(source: Source, scanned: Scan, footer: LostFooter | None) -> list[Finding]:
    findings = list(scanned.findings)
    if footer is not None:
        what = "a complete FileMetaData" if footer.complete else "a FileMetaData that is cut off after its schema"
        findings.append(
            Finding(
                "footer-found",
                "footer",
                f"{what} begins at byte {footer.start:,}",
                {"start": footer.start, "end": footer.end},
            )
        )
    if scanned.cut is not None and (footer is None or scanned.cut[0] < footer.start):
        offset, header = scanned.cut
        findings.append(
            Finding(
                "page-cut-off",
                "",
                f"the page at byte {offset:,} has {header.compressed_page_size:,} bytes; the file is cut off at byte "
                f"{source.size:,}",
                {"offset": offset, "size": source.size},
            )
        )
    for page in scanned.pages:
        if page.usable:
            continue
        why = "its checksum is wrong" if page.crc_ok is False else "no codec decompresses it to the size in its header"
        findings.append(
            Finding(
                "page-damaged",
                "",
                f"the {page.kind.replace('_', ' ')} at byte {page.start:,} is damaged: {why}",
                {"start": page.start, "end": page.end},
            )
        )
    if not scanned.pages:
        findings.append(Finding("nothing-found", "", "no page was found, so nothing of this file can be salvaged"))
    return findings


def schema_elements(schema: Schema, limits: Limits) -> list[structs.SchemaElement]:
    """The SchemaElements of a pyarrow schema, a Parquet file, or a list of them."""
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.file.file import open as open_file

    if isinstance(schema, ParquetFile):
        return list(schema.footer_metadata.schema)
    if isinstance(schema, pa.Schema):
        return _of_arrow(schema)
    if isinstance(schema, (str, bytes, os.PathLike)):
        with open_file(schema, limits=limits) as file:
            return list(file.footer_metadata.schema)
    if isinstance(schema, Sequence) and all(isinstance(item, structs.SchemaElement) for item in schema):
        if not schema:
            raise UsageError("the list of SchemaElements is empty; it begins with the root")
        return list(schema)
    raise UsageError(
        "schema is a pyarrow.Schema, a list of SchemaElements, or another Parquet file with the same schema, not "
        f"{type(schema).__name__}"
    )


def _of_arrow(schema: pa.Schema) -> list[structs.SchemaElement]:
    """The schema elements that Arrow's writer writes for a schema."""
    import pyarrow.parquet as pq

    sink = pa.BufferOutputStream()
    with pq.ParquetWriter(sink, schema):
        pass
    data = memoryview(sink.getvalue())
    length = int.from_bytes(data[-8:-4], "little")
    metadata, _ = fast.decode(structs.FileMetaData, data[-8 - length : -8])
    return list(metadata.schema)


def hint(source: Source, limits: Limits = DEFAULT) -> str:
    """A sentence about the first page that `salvage` would find; empty if byte 4 begins no page."""
    try:
        window, budget = Window(source, 4, source.size, source.size), SearchBudget(source.size)
        frame = header_at(window, 4, source.size, limits, budget)
        page = prove(source, frame, None, limits, budget)
    except (ParquetError, SearchEnded):
        return ""
    if not page.usable:
        return ""
    codec = next((p.removeprefix("codec ") for p in page.proofs if p.startswith("codec")), None)
    packed = codec or structs.enum_name(CompressionCodec, CompressionCodec.UNCOMPRESSED)
    return (
        f"byte 4 begins a {page.kind.replace('_', ' ')} of {page.num_values:,} values "
        f"({structs.enum_name(Encoding, page.encoding)}, {packed}): pqexplore.salvage(…) may save it and what follows"
    )


def unusable(error: ParquetError, source: Source, limits: Limits = DEFAULT) -> ParquetError:
    """Add the hint to the message of an error about a file without a footer; returns the same object.

    Encrypted files cannot be salvaged, and a footer with a wrong signature is still a footer: no hint for these.
    """
    if error.address == "footer_signature" or source.size <= 12:
        return error
    if bytes(source.read(source.size - 4, 4)) != ENCRYPTED_MAGIC:
        sentence = hint(source, limits)
        if sentence:
            error.message = f"{error.message}; {sentence}"
    return error
