"""A file without a usable footer: cut off, overwritten, or never finished.

The footer says where everything is, but every page says what it is itself. So pages are found and proven one by one
(`scan`, `prove`), put together to column chunks and row groups (`fit`, `grouping`, `guessing`), and can be had as a new file under
a footer that is written anew (`rebuild`). The damaged file is only read.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from pqexplore.engine import schema as schemas
from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.footer import ENCRYPTED_MAGIC, MAGIC
from pqexplore.engine.limits import DEFAULT, Limits
from pqexplore.engine.pages import Window
from pqexplore.engine.salvage.grouping import BySchema, SalvagedChunk, by_footer
from pqexplore.engine.salvage.guessing import by_guess
from pqexplore.engine.salvage.lost_footer import LostFooter, search
from pqexplore.engine.salvage.prove import Budget, Exhausted, SalvagedPage, header_at, prove
from pqexplore.engine.salvage.salvaged import Salvaged
from pqexplore.engine.salvage.scan import Scan, scan
from pqexplore.engine.source import Source, open_source
from pqexplore.engine.thrift import fast, structs
from pqexplore.engine.thrift.structs import CompressionCodec, Encoding
from pqexplore.engine.tree import Finding

__all__ = ["Salvaged", "SalvagedChunk", "SalvagedPage", "hint", "salvage"]


def salvage(
    source: Any,
    *,
    schema: Any = None,
    limits: Limits | None = None,
    progress: Callable[[int, int], None] | None = None,
    filesystem: Any = None,
    storage_options: dict[str, Any] | None = None,
) -> Salvaged:
    """What can be had of a Parquet file whose footer is lost; nothing is written, and the file is only read.

    `schema` says which columns the file has, where its own schema is lost: a pyarrow schema, a list of
    SchemaElements, or another Parquet file with the same schema (a path or a `ParquetFile`). Without it columns are
    named `column_0`, `column_1`, …, and have the types that their pages prove. `progress` is called with the bytes
    searched so far and the size. `source`, `filesystem` and `storage_options` are as for `open`.

    Raises CorruptFileError where `schema` is no tree, UsageError where it is none of the above, OSError where the
    source cannot be read. That nothing was found is no error: see `Salvaged.findings`.
    """
    limits = limits or DEFAULT
    opened = open_source(source, filesystem=filesystem, storage_options=storage_options)
    given = None if schema is None else schema_elements(schema, limits)
    if given is not None:
        schemas.build(given, limits=limits)
    footer = search(opened, limits)
    found = scan(opened, limits, progress)
    return _assemble(opened, found, footer, given, limits)


def _assemble(
    source: Source,
    found: Scan,
    footer: LostFooter | None,
    given: list[structs.SchemaElement] | None,
    limits: Limits,
) -> Salvaged:
    """Group what was found, by the best that is known about it."""
    pages = [page for page in found.pages if footer is None or page.start < footer.start]
    findings = [*_magic_findings(source, found), *_page_findings(source, found, footer)]
    elements, origin = given, "the schema that was given"
    if elements is None and footer is not None:
        elements, origin = footer.metadata.schema, f"the footer at byte {footer.start:,}"
    chunks: list[SalvagedChunk] = []
    if given is None and footer is not None and footer.complete:
        chunks = by_footer(pages, footer.metadata)
    if not any(chunk.complete for chunk in chunks) and elements is not None and pages:
        grouping = BySchema(source, pages, schemas.build(elements, limits=limits).leaves, limits)
        chunks = grouping.group()
        findings += grouping.findings
    elif elements is None and pages:
        chunks, elements, doubts = by_guess(source, pages, limits)
        origin = "a guess from the pages"
        findings += doubts
    return Salvaged(source, pages, chunks, found, footer, elements, origin, findings, limits)


def _magic_findings(source: Source, found: Scan) -> list[Finding]:
    begins = bytes(source.read(0, min(4, source.size)))
    if begins == ENCRYPTED_MAGIC:
        return [
            Finding(
                "encrypted",
                "warning",
                "magic",
                "the file begins with PARE: its footer was encrypted, and pages of encrypted columns cannot be found "
                "without it",
            )
        ]
    if begins != MAGIC:
        return [
            Finding(
                "opening-magic",
                "warning",
                "magic",
                f"the file begins with {begins!r}, not with PAR1",
            )
        ]
    return []


def _page_findings(source: Source, found: Scan, footer: LostFooter | None) -> list[Finding]:
    findings = list(found.findings)
    if footer is not None:
        what = (
            "a complete FileMetaData"
            if footer.complete
            else "a FileMetaData that breaks off behind its schema"
        )
        findings.append(
            Finding(
                "footer-found",
                "note",
                "footer",
                f"{what} begins at byte {footer.start:,}",
                {"start": footer.start, "end": footer.end},
            )
        )
    if found.cut is not None and (footer is None or found.cut[0] < footer.start):
        offset, header = found.cut
        findings.append(
            Finding(
                "page-cut-off",
                "warning",
                "",
                f"the page at byte {offset:,} has {header.compressed_page_size:,} bytes; the file ends at byte "
                f"{source.size:,}",
                {"offset": offset, "size": source.size},
            )
        )
    for page in found.pages:
        if page.usable:
            continue
        why = (
            "its checksum is wrong"
            if page.crc_ok is False
            else "its bytes decompress with no codec"
        )
        findings.append(
            Finding(
                "page-damaged",
                "error",
                "",
                f"the {page.kind.replace('_', ' ')} at byte {page.start:,} is damaged: {why}",
                {"start": page.start, "end": page.end},
            )
        )
    if not found.pages:
        findings.append(
            Finding(
                "nothing-found", "error", "", "no page was found: nothing of this file can be saved"
            )
        )
    return findings


def schema_elements(schema: Any, limits: Limits) -> list[structs.SchemaElement]:
    """The SchemaElements of a pyarrow schema, a Parquet file, or a list of them."""
    from pqexplore.engine.file import ParquetFile
    from pqexplore.engine.file import open as open_file

    if isinstance(schema, ParquetFile):
        return list(schema.footer_metadata.schema)
    if isinstance(schema, pa.Schema):
        return _of_arrow(schema)
    if isinstance(schema, (str, bytes, os.PathLike)):
        with open_file(schema, limits=limits) as file:
            return list(file.footer_metadata.schema)
    if isinstance(schema, Sequence) and all(
        isinstance(item, structs.SchemaElement) for item in schema
    ):
        if not schema:
            raise UsageError("the list of SchemaElements is empty; it begins with the root")
        return list(schema)
    raise UsageError(
        "schema is a pyarrow.Schema, a list of SchemaElements, or another Parquet file with the same schema, not "
        f"{type(schema).__name__}"
    )


def _of_arrow(schema: pa.Schema) -> list[structs.SchemaElement]:
    """What Arrow's own writer makes of a schema."""
    import pyarrow.parquet as pq

    sink = pa.BufferOutputStream()
    with pq.ParquetWriter(sink, schema):
        pass
    data = memoryview(sink.getvalue())
    length = int.from_bytes(data[-8:-4], "little")
    metadata, _ = fast.decode(structs.FileMetaData, data[-8 - length : -8])
    return list(metadata.schema)


def hint(source: Source, limits: Limits = DEFAULT) -> str:
    """What `salvage` would find first, in one sentence; it looks at the first page only. Empty where that is nothing."""
    try:
        window, budget = Window(source, 4, source.size, source.size), Budget(source.size)
        frame = header_at(window, 4, source.size, limits, budget)
        page = prove(source, frame, None, limits, budget)
    except (ParquetError, Exhausted):
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
    """An error about a file without a footer, which says what can be done; the same object.

    Nothing can be saved of an encrypted file, and a signed footer that was forged is a footer all the same.
    """
    if error.address == "footer_signature" or source.size <= 12:
        return error
    if bytes(source.read(source.size - 4, 4)) != ENCRYPTED_MAGIC:
        saved = hint(source, limits)
        if saved:
            error.message = f"{error.message}; {saved}"
    return error
