"""A comparison as lines of text for a terminal, and as JSON values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pqexplore.engine.text import printable
from pqexplore.insight.diff.difference import Difference
from pqexplore.insight.diff.many import Many
from pqexplore.insight.document import plain
from pqexplore.insight.terminal import indented, wrap

LISTED = 200
"""Differences that are printed. The others are only counted."""


def diff_lines(sentence: str, differences: Sequence[Difference], room: int) -> Iterator[str]:
    """The sentence, then each difference with what engines make of it."""
    yield from wrap(sentence, room)
    for one in differences[:LISTED]:
        yield ""
        yield from indented(f"{one.subject.value}: {one.sentence}  [{one.what}]", room, 2)
        if one.bytes:
            yield f"    {one.bytes:+,} bytes"
        for engine, text in one.engines.items():
            yield from indented(f"{engine}: {text}", room, 4)
        places = [place for place in dict.fromkeys(one.addresses) if place]
        if places:
            yield from indented(f"at {printable(' and '.join(places))}", room, 4)
    if len(differences) > LISTED:
        yield f"  and {len(differences) - LISTED:,} more differences"


def many_lines(found: Many, room: int) -> Iterator[str]:
    """The sentence, each odd one, and the files that cannot be read."""
    yield from wrap(found.sentence, room)
    for one in found.odd[:LISTED]:
        yield from indented(f"{one.sentence}  [{one.what}]", room, 2)
    if len(found.odd) > LISTED:
        yield f"  and {len(found.odd) - LISTED:,} more differences"
    for file, why in found.unread:
        yield from indented(f"{file} cannot be read: {why}", room, 2)


def many_document(found: Many) -> dict[str, Any]:
    """A comparison of many files as JSON values."""
    return {
        "files": [plain(file) for file in found.files],
        "sentence": found.sentence,
        "odd": [plain(one) | {"sentence": one.sentence} for one in found.odd],
        "unread": [{"file": plain(file), "why": plain(why)} for file, why in found.unread],
    }
