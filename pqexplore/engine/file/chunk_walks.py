"""Walks through the pages of column chunks: of one, and of several at the same time."""

from __future__ import annotations

import contextlib
import contextvars
import threading
from collections import deque
from collections.abc import Callable, Generator, Sequence
from typing import TYPE_CHECKING

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file import page_headers
from pqexplore.engine.file.counts import settle
from pqexplore.engine.file.page_headers import Walk
from pqexplore.engine.file.window import Window

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk

WALKS_AT_ONCE = 8
"""Column chunks without an offset index whose pages are looked for at the same time: s3fs keeps 10 connections."""


def walk(chunk: ColumnChunk, go_on: Callable[[], None] = lambda: None) -> Walk:
    """The walk from header to header as it is made: nothing is kept. `go_on` as in `Window`."""
    span, source = chunk.span, chunk.source
    pages = None if source.local else chunk.indexed_pages()
    with source.expecting(() if pages is None else pages.at_once()):
        window = Window(
            source,
            span.start,
            min(span.end, chunk.room),
            chunk.room,
            expected=pages is not None,
            page=_page_bytes(chunk),
            go_on=go_on,
        )
        return page_headers.walk(
            window, span.start, span.end, chunk.num_values, chunk.room, chunk.address, chunk.file.limits, chunk.cipher
        )


def _page_bytes(chunk: ColumnChunk) -> int:
    """Bytes of a page, on average, by the footer; 0 if unknown."""
    listed = chunk.metadata.encoding_stats or ()
    pages = sum(one.count for one in listed if isinstance(one.count, int) and one.count > 0)
    return chunk.metadata.total_compressed_size // pages if pages else 0


def wait(chunk: ColumnChunk) -> None:
    """Waits for a walk that was begun in another thread, not inside the chunk's lock, which that walk needs.

    LimitExceededError if the question was cancelled.
    """
    coming = chunk.coming
    if coming is not None:
        from concurrent.futures import CancelledError

        # `concurrent.futures.wait` never returns for one that was cancelled before it began.
        with contextlib.suppress(CancelledError):
            coming.exception()
        chunk.file.budget.charge(address=chunk.address)  # if cancelled, not once more here


def made(chunk: ColumnChunk) -> Walk:
    """The pages: by the walk that was begun, or by one now, and their findings. The caller keeps it."""
    coming, chunk.coming = chunk.coming, None
    done = coming is not None and coming.done() and not coming.cancelled()
    if coming is not None and done and coming.exception() is None:
        result = settle(chunk, coming.result())
    else:
        result = settle(chunk, walk(chunk))
    chunk.file.note_walk(chunk, result)
    chunk.file.budget.charge(nodes=len(result.frames), address=chunk.address)
    return result


class _Dropped(Exception):
    """Nobody waits for the walk any more, or it was cancelled."""


def at_once(chunks: Sequence[ColumnChunk]) -> Generator[ColumnChunk, None, None]:
    """Yields the chunks; where nothing says where the pages are, the walks through the next ones were begun."""
    walks = {chunk for chunk in chunks if _is_walked(chunk)}
    if len(walks) < 2:
        yield from chunks
        return
    from concurrent.futures import ThreadPoolExecutor  # local files do without it

    dropped, account = threading.Event(), chunks[0].file.budget.account

    def go_on() -> None:
        if dropped.is_set() or (account is not None and account.cancelled):
            raise _Dropped

    pool = ThreadPoolExecutor(WALKS_AT_ONCE, "pqexplore-walk")
    todo = deque(chunk for chunk in chunks if chunk in walks)

    def begin() -> None:
        if todo:
            chunk = todo.popleft()
            chunk.coming = pool.submit(contextvars.copy_context().run, walk, chunk, go_on)

    try:
        for _ in range(WALKS_AT_ONCE):
            begin()
        for chunk in chunks:
            yield chunk
            if chunk in walks:
                begin()
    finally:
        dropped.set()
        pool.shutdown(wait=False, cancel_futures=True)
        for chunk in walks:
            chunk.coming = None


def _is_walked(chunk: ColumnChunk) -> bool:
    """Whether the pages of a chunk of this file are found from header to header only."""
    with contextlib.suppress(ParquetError):
        known = chunk.walked is not None or chunk.elsewhere or chunk.locked
        return not known and not len(chunk.expected_headers)
    return False
