"""Which difference makes which bytes: each column that takes more or fewer of them gets a cause."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pqexplore.insight.diff.chunk_facts import Chunk, total
from pqexplore.insight.diff.difference import Difference, Subject
from pqexplore.insight.diff.matching import dotted
from pqexplore.insight.wording import listing, name, percent, size

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.format.field import Leaf
    from pqexplore.insight.diff.matching import Matching

NAMED = 4

_OF_PAGES = frozenset(
    (
        "codec", "encoding", "pages", "page-version", "checksums", "encryption", "row-groups", "type", "nullability",
        "list-layout", "shredding", "rows", "row-order", "row-values", "values", "float-bits", "null-count", "bounds",
    )
)  # fmt: skip
"""Differences that change how many bytes pages take, those with columns for these, the others for all."""

_OF_HEADERS = frozenset(("statistics", "page-index"))
"""Differences that change page headers: writers put statistics there, too, unless there is a page index."""

_MADE = {"bloom-filter": "bloom", "page-index": "index"}
"""Differences that are bytes of their own: the figure of a chunk that counts them."""

WITHOUT_CAUSE = ("compression", "size")
"""Differences of sizes that no other difference explains."""

Columns = Mapping[str, tuple[list[Chunk | None], list[Chunk | None]]]


def with_sizes(
    a: ParquetFile, b: ParquetFile, found: Matching, columns: Columns, differences: Sequence[Difference], level: str
) -> list[Difference]:
    """The differences with the bytes that follow from them, and one more for bytes without a cause."""
    bytes_of: Counter[int] = Counter()
    left: dict[str, _Left] = {}
    for path, (one, two) in columns.items():
        if None in one or None in two:
            continue  # the bytes of a chunk that cannot be read are not known
        sizes = total(one, _pages), total(two, _pages)
        more, raw = sizes[1] - sizes[0], total(two, _raw) - total(one, _raw)
        cause = _cause(path, differences, only_headers=raw == more) if more else None
        if cause is not None:
            bytes_of[cause] += more
        elif more:
            compressed = any(chunk.metadata.codec for chunk in (*one, *two) if chunk)
            left[path] = (*sizes, compressed and abs(raw) <= _header_bytes(one))
    for at, each in enumerate(differences):
        figure = _MADE.get(each.what)
        if figure is not None:
            bytes_of[at] = sum(
                _figure(columns[path][1], figure) - _figure(columns[path][0], figure) for path in each.columns
            )
        if each.what in ("column-added", "column-removed", "field-id", "shredding"):
            added = [leaf for leaf in found.added if dotted(leaf) in each.columns]
            removed = [leaf for leaf in found.removed if dotted(leaf) in each.columns]
            bytes_of[at] += _bytes(b, added) - _bytes(a, removed)
    made = [
        dataclasses.replace(each, bytes=bytes_of[at]) if at in bytes_of else each for at, each in enumerate(differences)
    ]
    return made + _without_cause(left, level)


_Left = tuple[int, int, bool]
"""The bytes of a column's pages in both files, and whether they are alike before compression."""


def _cause(path: str, differences: Sequence[Difference], only_headers: bool) -> int | None:
    """The number of the difference that explains why a column's pages take other bytes; None if there is none.

    `only_headers`: as many bytes differ before compression as after it, which holds of page headers.
    """
    causes = [
        at
        for at, each in enumerate(differences)
        if each.what in _OF_PAGES and (path in each.columns or not each.columns)
    ]
    if not causes and only_headers:
        causes = [at for at, each in enumerate(differences) if each.what in _OF_HEADERS and path in each.columns]
    return min(causes, key=lambda at: _strength(differences[at]), default=None)


def _figure(chunks: Sequence[Chunk | None], name: str) -> int:
    return sum(getattr(chunk, name) for chunk in chunks if chunk)


def _strength(one: Difference) -> tuple[int, int]:
    """Which of several causes counts: one about the layout of the column first, then its values, then its type."""
    order = {Subject.LAYOUT: 0, Subject.ENCRYPTION: 1, Subject.DATA: 2, Subject.SCHEMA: 3}
    return order.get(one.subject, 4), 0 if one.columns else 1


def _pages(chunk: Chunk) -> int:
    return chunk.metadata.total_compressed_size


def _raw(chunk: Chunk) -> int:
    return chunk.metadata.total_uncompressed_size


def _header_bytes(chunks: Sequence[Chunk | None]) -> int:
    """By how many bytes page headers can differ, because they have the compressed sizes as varints."""
    pages = (int(one.texts.get("pages", "1").replace(",", "")) + 1 for one in chunks if one)
    return 8 * sum(pages)


def _bytes(file: ParquetFile, leaves: Sequence[Leaf]) -> int:
    from pqexplore.engine.errors import ParquetError

    found = 0
    for leaf in leaves:
        for group in file.row_groups:
            try:
                found += group.columns[leaf.leaf_index].metadata.total_compressed_size
            except ParquetError:
                continue
    return found


def _without_cause(left: Mapping[str, _Left], level: str) -> list[Difference]:
    """The columns whose bytes differ and nothing says why: those that are alike before compression, and the others."""
    made = []
    alike = {path: one for path, one in left.items() if one[2]}
    others = {path: one for path, one in left.items() if not one[2]}
    for found, what in zip((alike, others), WITHOUT_CAUSE, strict=True):
        if not found:
            continue
        first, second = (sum(one[side] for one in found.values()) for side in (0, 1))
        some = listing([name(path) for path in found], most=NAMED)
        change = f"{size(second)} in place of {size(first)}"
        if first > 0:
            share = percent(abs(second / first - 1))
            change += f" ({share} {'more' if second > first else 'less'})"
        if what == "compression":
            why = "the codec has another level or implementation"
            clause = f"{some} {'is' if len(found) == 1 else 'are'} compressed in another way"
            if level != "data":  # a few other values can have nearly the same length
                why += ", or some values differ"
                clause = f"the pages of {some} take {change} for nearly as many bytes before compression"
            sentence = f"The pages of {some} take {change}, and nearly as many bytes before compression: {why}."
        else:
            more = "" if level == "data" else f" Level {'pages or data' if level == 'footer' else 'data'} may show why."
            sentence = f"The pages of {some} take {change}, and nothing that was read says why.{more}"
            clause = f"the pages of {some} take {change}"
        made.append(
            Difference(
                Subject.SIZE,
                what,
                sentence,
                tuple(found),
                first=f"{first:,} B",
                second=f"{second:,} B",
                clause=clause,
                bytes=second - first,
            )
        )
    return made
