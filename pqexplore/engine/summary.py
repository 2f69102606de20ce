"""A file at a glance, as plain HTML: what a notebook shows for the handle, and where no widget can run."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from pqexplore.engine import types
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.thrift import structs
from pqexplore.engine.thrift.structs import CompressionCodec

if TYPE_CHECKING:
    from pqexplore.engine.file import ParquetFile

COLUMNS_SHOWN = 50
"""Columns listed; the rest is counted."""


def html_summary(file: ParquetFile) -> str:
    """Identity and columns as an HTML fragment; all text from the file is escaped."""
    parts = [f"<p><b>{html.escape(file.name)}</b>: {html.escape(headline(file))}</p>"]
    try:
        rows = _rows(file)
    except ParquetError as error:
        return "".join([*parts, f"<p>{html.escape(str(error))}</p>"])
    head = "".join(f"<th>{name}</th>" for name in ("column", "type", "codec", "bytes", "ratio"))
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    parts.append(f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>")
    more = len(file.schema.leaves) - len(rows)
    if more > 0:
        parts.append(f"<p>and {more:,} more columns</p>")
    return "".join(parts)


def headline(file: ParquetFile) -> str:
    """Size, rows, row groups, columns and writer in one line."""
    metadata = file.metadata
    if metadata is None:
        return f"{file.size:,} bytes, encrypted footer: {file.footer.locked}"
    try:
        columns = f"{len(file.schema.leaves):,} columns"
    except ParquetError as error:
        columns = f"a schema that cannot be read ({error.message})"
    groups = len(metadata.row_groups or ())
    rows = "?" if metadata.num_rows is None else f"{metadata.num_rows:,}"
    return (
        f"{file.size:,} bytes, {rows} rows, {groups:,} row group{'' if groups == 1 else 's'}, {columns}, written by "
        f"{metadata.created_by or 'an unnamed writer'}"
    )


def _rows(file: ParquetFile) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    groups = file.row_groups
    for leaf in file.schema.leaves[:COLUMNS_SHOWN]:
        compressed = uncompressed = 0
        codecs: dict[str, None] = {}
        note = ""
        for group in groups:
            try:
                metadata = group.columns[leaf.leaf_index].metadata
            except ParquetError as error:
                note = error.message
                continue
            compressed += metadata.total_compressed_size
            uncompressed += metadata.total_uncompressed_size
            codecs[structs.enum_name(CompressionCodec, metadata.codec)] = None
        rows.append(
            (
                ".".join(leaf.path),
                types.describe(leaf),
                ", ".join(codecs) or note,
                f"{compressed:,}",
                f"{uncompressed / compressed:.2f}" if compressed > 0 else "",
            )
        )
    return rows
