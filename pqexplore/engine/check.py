"""Looking everywhere: each rule of the specification that the engine can test, on every part of the file.

Damage is a finding, never an exception: a file that is wrong in ten places is checked in all ten.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pqexplore.engine import page_index
from pqexplore.engine.errors import EncryptedFileError, ParquetError, UnsupportedFeatureError
from pqexplore.engine.footer import ENCRYPTED_MAGIC, MAGIC
from pqexplore.engine.page import Page
from pqexplore.engine.page_sequence import index_findings
from pqexplore.engine.reading import crc_finding
from pqexplore.engine.thrift import structs
from pqexplore.engine.tree import Finding, join

if TYPE_CHECKING:
    from pqexplore.engine.chunk import ColumnChunk
    from pqexplore.engine.file import ParquetFile


def check(file: ParquetFile) -> Iterator[Finding]:
    """Every finding about the file, as it is met."""
    yield from _ends(file)
    if file.metadata is None:
        return
    try:
        groups = file.row_groups
        rows = sum(group.num_rows for group in groups)
        if rows != file.num_rows:
            yield Finding(
                "row-count-disagrees",
                "error",
                "footer/num_rows",
                f"the footer's num_rows is {file.num_rows:,}, its row groups have {rows:,} rows",
                {"num_rows": file.num_rows, "row_groups": rows},
                "FileMetaData.num_rows: number of rows in this file",
            )
        for group in groups:
            for chunk in group.columns:
                yield from _chunk(chunk)
    except ParquetError as error:
        yield failure(error)
    file.layout()


def failure(error: ParquetError, address: str = "") -> Finding:
    """An error as a finding: locked and unsupported parts are notes, the rest is wrong."""
    rule, severity = "unreadable", "error"
    if isinstance(error, EncryptedFileError):
        rule, severity = "locked", "note"
    elif isinstance(error, UnsupportedFeatureError):
        rule, severity = "unsupported", "warning"
    return Finding(
        rule, severity, error.address or address, error.message, {"offset": error.offset}
    )


def _ends(file: ParquetFile) -> Iterator[Finding]:
    begins = bytes(file.source.read(0, 4))
    if begins != file.footer.magic:
        yield Finding(
            "opening-magic",
            "error" if begins not in (MAGIC, ENCRYPTED_MAGIC) else "warning",
            "magic",
            f"the file begins with {begins!r}, and ends in {file.footer.magic!r}",
            {"begins": begins, "ends": file.footer.magic},
            'The file begins and ends with the 4-byte magic number "PAR1"',
        )
    if file.footer.signature_start is not None and file.footer.signature_ok is None:
        yield Finding(
            "signature-not-verified",
            "note",
            "footer_signature",
            "the plaintext footer is signed; without the footer key the signature cannot be verified",
        )


def _chunk(chunk: ColumnChunk) -> Iterator[Finding]:
    try:
        if chunk.struct.file_path:
            return
        if chunk.locked:
            yield Finding("locked", "note", chunk.address, chunk.locked)
            return
        metadata, found = chunk.metadata, chunk.frames
    except ParquetError as error:
        yield failure(error, chunk.address)
        return
    path = tuple(metadata.path_in_schema)
    if path != chunk.leaf.path:
        yield Finding(
            "path-disagrees",
            "warning",
            join(chunk.address, "metadata"),
            f"the chunk's path_in_schema is {'.'.join(path)!r}, the schema has {'.'.join(chunk.leaf.path)!r} at this "
            "position; chunks are bound by position",
            {"path_in_schema": path, "schema": chunk.leaf.path},
            "ColumnMetaData.path_in_schema: path in schema",
        )
    if metadata.type != chunk.leaf.physical_type:
        yield Finding(
            "type-disagrees",
            "error",
            join(chunk.address, "metadata"),
            f"the chunk's type is {structs.enum_name(structs.Type, metadata.type)}, the schema's "
            f"{structs.enum_name(structs.Type, chunk.leaf.physical_type)}",
            {"chunk": metadata.type, "schema": chunk.leaf.physical_type},
        )
    if found.error is not None:
        yield failure(found.error, chunk.address)
    if found.error is None and found.end != chunk.span.end:
        yield Finding(
            "chunk-size-disagrees",
            "warning",
            chunk.address,
            f"the pages end at byte {found.end:,}, total_compressed_size says {chunk.span.end:,}",
            {"pages": found.end, "total_compressed_size": chunk.span.end},
            "ColumnMetaData.total_compressed_size: total byte size of all compressed pages (including the headers)",
        )
    yield from index_findings(chunk, found)
    yield from _indexes(chunk)
    for index, frame in enumerate(found.frames):
        yield from _page(Page(chunk, index, frame))


def _indexes(chunk: ColumnChunk) -> Iterator[Finding]:
    for name in ("column_index", "offset_index", "bloom_filter"):
        try:
            getattr(chunk, name)
        except ParquetError as error:
            yield failure(error, join(chunk.address, name))
            return
    column_index, offset_index = chunk.column_index, chunk.offset_index
    if column_index is None and offset_index is None:
        return
    for problem in page_index.problems(
        column_index, offset_index, chunk.leaf, chunk.row_group.metadata.num_rows
    ):
        name = "column_index" if column_index is not None else "offset_index"
        yield Finding("page-index", "error", join(chunk.address, name), problem)


def _page(page: Page) -> Iterator[Finding]:
    try:
        if page.crc_ok is False:
            yield crc_finding(page)
        if page.kind in ("index_page", "unknown_page"):
            return
        if page.is_data:
            _ = page.definition_levels, page.repetition_levels
        _ = page.values
    except ParquetError as error:
        yield failure(error, page.address)
