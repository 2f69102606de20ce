"""The pages of a chunk by its page index: on the axis of rows, on the axis of bytes, and what their values span."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import numpy as np

from pqexplore.engine.errors import UsageError
from pqexplore.engine.tree import Node
from pqexplore.insight import page_index
from pqexplore.insight.answer import Answer
from pqexplore.widget import lenses, text
from pqexplore.widget.columns import pack
from pqexplore.widget.places import chunk_at

TITLE = "Page index"
INLINE = 300
"""Pages that travel with the picture; more of them are asked for, as columns."""

BLOCK = 200
"""Pages whose ranges are sent as texts at a time."""

FIRST = frozenset({"column_index", "offset_index"})


def applies(node: Node) -> bool:
    """Column chunks, and their two indexes."""
    return node.kind in ("column_chunk", "column_index", "offset_index")


def answer(file: Any, node: Node) -> Generator[float, None, Answer]:
    """The verdict and the axes; the pages themselves come as columns."""
    made, pages = yield from page_index.of_chunk(chunk_at(file, node.address))
    if pages is not None and made.picture is not None:
        few = made.picture["pages"] <= INLINE
        made.picture["columns"] = _lists(pages) if few else None
        made.picture["texts"] = _shown(made, 0, INLINE) if few else None
        if not few:
            packed = _packed(pages)
            file.cache.get((made.picture["chunk"], "pages drawn"), lambda: packed, _size)
    return made


def indexed(file: Any, address: str) -> tuple[dict[str, Any], list[Any]]:
    """The pages of a chunk as columns: rows, bytes, range on the axis, nulls."""

    def make() -> Any:
        pages = lenses.finish(page_index.of_chunk(chunk_at(file, address)))[1]
        return ([], []) if pages is None else _packed(pages)

    header, buffers = file.cache.get((address, "pages drawn"), make, _size)
    return {"columns": header}, buffers


def texts(file: Any, address: str, start: int) -> dict[str, Any]:
    """What the pages from the one at `start` span, `BLOCK` of them, as texts."""
    made = lenses.finish(lenses.answer(file, file.node(address), "page_index"))
    if made.table is None or start % BLOCK or not 0 <= start < len(made.table.rows):
        raise UsageError(f"page {start:,} is not where {BLOCK} pages begin")
    return {"start": start, "texts": _shown(made, start, BLOCK)}


def _shown(made: Answer, start: int, count: int) -> list[str]:
    """What pages span, as texts."""
    at = [column.name for column in page_index.COLUMNS].index
    shown = []
    for row in made.table.rows[start : start + count] if made.table is not None else ():
        low, high, remark = (row[at(name)] for name in ("min", "max", "remark"))
        if low is None and high is None:
            shown.append(remark or "no bounds")
        else:
            shown.append(f"{text.inline(low, 32)} … {text.inline(high, 32)}")
    return shown


OPS = {"indexed_pages": indexed, "indexed_texts": texts}


def _columns(pages: page_index.Pages) -> dict[str, Any]:
    return {
        "first_row": pages.first_row.astype("<f8"),
        "rows": _small(pages.rows),
        "offset": pages.offset.astype("<f8"),
        "size": _small(pages.size),
        "low": np.nan_to_num(pages.low, nan=-1.0).astype("<f4"),
        "high": np.nan_to_num(pages.high, nan=-1.0).astype("<f4"),
        "nulls": _small(pages.nulls),
        "null_page": pages.null_page.astype("<u1"),
    }


def _lists(pages: page_index.Pages) -> dict[str, list[float]]:
    return {name: values.tolist() for name, values in _columns(pages).items()}


def _packed(pages: page_index.Pages) -> tuple[Any, list[Any]]:
    return pack(_columns(pages))


def _small(counts: Any) -> Any:
    """In four bytes where that is enough."""
    return counts.astype("<i4" if len(counts) and counts.max() < 1 << 31 else "<f8")


def _size(packed: tuple[Any, list[Any]]) -> int:
    return sum(len(part) for part in packed[1])
