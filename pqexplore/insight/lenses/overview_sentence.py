"""The sentence of the overview: which kind of bytes, or which column, takes the file, and what it lacks."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from pqexplore.engine.file.file import ParquetFile
from pqexplore.insight import summary
from pqexplore.insight.account import (
    BLOOM_FILTERS,
    FOOTER,
    GAP,
    KEY_VALUES,
    KINDS,
    PAGE_INDEXES,
    PAGES,
    UNKNOWN,
    Piece,
    by_kind,
)
from pqexplore.insight.features import Feature
from pqexplore.insight.wording import factor, name, percent, plural, size

COSTLY = ("statistics", "page index")
"""Features whose absence the sentence always names."""

VERBS = {
    FOOTER: "is the footer",
    KEY_VALUES: "is key-value metadata",
    GAP: "belong to nobody",
    UNKNOWN: f"are {UNKNOWN}",
    PAGE_INDEXES: "are page indexes",
    BLOOM_FILTERS: "are Bloom filters",
    KINDS["unreadable"]: "cannot be read",
}
"""What a share of the file is."""

SMALL = 16_384
"""Bytes: in a smaller file, the footer is usually the largest part."""

NAMED = 0.2
"""The share of the file from which a kind of bytes is named that is not the largest."""

NAMED_GAP = 0.02
"""The same for bytes that belong to nobody."""


def parts(
    file: ParquetFile,
    found: Sequence[Piece],
    columns: list[summary.ColumnSummary],
    known: Sequence[Feature],
    locked: Collection[str] = (),
) -> list[str]:
    """Which part is the largest and why, and which costly features are absent; the first is the most important.

    `locked` are the columns that no key opens: something else says so.
    """
    sizes = by_kind(file, found)
    if file.metadata is None:
        share = percent(sizes.get(UNKNOWN, 0) / file.size)
        return [f"{share} of {size(file.size)} are pages and indexes whose offsets only the footer has"]
    largest = next(iter(sizes), "")
    said = [_largest(file, sizes, columns, largest)]
    unread = [one for one in columns if one.unread and one.path not in locked]
    if unread:
        reason = next((one.reason for one in unread if one.reason), "").rstrip(".")
        said.append(f"{plural(len(unread), 'column')} cannot be read: {reason}")
    for kind, total in sizes.items():
        least = NAMED_GAP if kind == GAP else NAMED
        if kind != largest and kind in VERBS and total > file.size * least:
            verb = VERBS[kind]
            if kind == GAP and any(one.unread and one.path in locked for one in columns):
                verb = "belong to those columns or to nobody"
            said.append(f"{percent(total / file.size)} {verb}")
    absent = _absent(known)
    return [*said, *_needs_keys(known), *([absent] if absent else [])]


def _largest(file: ParquetFile, sizes: dict[str, int], columns: list[summary.ColumnSummary], kind: str) -> str:
    """What takes most of the file: the pages, by their largest column, or another kind of bytes."""
    if file.other_files:
        total = size(sum(max(0, one.compressed_size) for one in columns))
        where = plural(len(file.other_files), "other file")
        return f"This is the footer of a data set: its column chunks, {total}, lie in {where}"
    filled = summary.by_size([one for one in columns if one.compressed_size > 0])
    if kind == PAGES and filled:
        return _of_column(filled[0], len(columns), sizes[PAGES], file.size)
    said = f"{percent(sizes.get(kind, 0) / file.size)} of {size(file.size)} {VERBS.get(kind, f'are {kind}')}"
    if not filled and kind == FOOTER:
        return f"{said}, and no column has any bytes"
    small = file.size < SMALL and kind in (FOOTER, KEY_VALUES)
    return f"the file is small: {said}" if small else said


def _of_column(one: summary.ColumnSummary, columns: int, pages: int, total: int) -> str:
    verb, pressed = _shrinks(one)
    if one.compressed_size >= total * 0.3 or columns == 1:
        which = " ".join(("which", verb, pressed)).strip().replace("  ", " ")
        share = percent(one.compressed_size / total)
        return f"{share} of {size(total)} is column {name(one.path)}, {which}"
    which = f"{verb} it {pressed}".strip() if verb else f"it {pressed}"
    return (
        f"the largest of {plural(columns, 'column')}, {name(one.path)}, has "
        f"{percent(one.compressed_size / pages)} of {size(pages)} of pages; {which}"
    )


def _shrinks(one: summary.ColumnSummary) -> tuple[str, str]:
    """What the codec does to the column: subject and verb, and how much."""
    if one.codecs in ((), ("UNCOMPRESSED",)):
        return "", "is not compressed"
    who = " with ".join(_codec(codec) for codec in one.codecs)
    if one.ratio is None:
        return "", f"is compressed by {who}, and the footer does not say from how many bytes"
    if one.ratio < 0.98:
        return f"{who} makes", f"larger ({factor(one.ratio)})"
    if one.ratio < 1.02:
        return f"{who} does not shrink", ""
    return f"{who} shrinks", ("only " if one.ratio < 1.25 else "") + factor(one.ratio)


def _codec(codec: str) -> str:
    return codec if codec.startswith("LZ") else codec.capitalize()


def _needs_keys(known: Sequence[Feature]) -> list[str]:
    """What is encrypted, whether its keys were given or not; nothing of a footer that is only signed."""
    one = next((one for one in known if one.name == "encryption"), None)
    if one is None or not one.count:
        return []
    if one.unit == "footers":
        return [one.meaning] if one.state == "all" else []
    return [f"{one.count:,} of {plural(one.of, 'column chunk')} need{'s' * (one.count == 1)} a key"]


def _absent(known: Sequence[Feature]) -> str:
    missing = [one.name for one in known if one.absent and one.name in COSTLY]
    if missing:
        return f"there {'is' if missing == ['page index'] else 'are'} no {' and no '.join(missing)}"
    for one in known:
        if one.state == "some" and one.name in COSTLY:
            verb = "has" if one.count == 1 else "have"
            return f"only {one.count:,} of {plural(one.of, 'column chunk')} {verb} {one.name}"
    return ""
