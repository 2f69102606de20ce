"""The readers of a file as lines of text for a terminal, and as JSON values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pqexplore.insight.doctor.readers.reader import Reader
from pqexplore.insight.doctor.readers.readers import Readers
from pqexplore.insight.json_values import plain
from pqexplore.insight.terminal import wrap


def readers_lines(readers: Readers, room: int) -> Iterator[str]:
    """The sentence, then each reader with its reason and its source."""
    yield from ("  " + line for line in wrap(readers.sentence, room - 2))
    for one in readers:
        source = f"  [{one.source}]" if one.source else ""
        yield from ("    " + line for line in wrap(f"{one}{source}", room - 4, "  "))


def readers_document(readers: Readers) -> dict[str, Any]:
    """The readers as JSON values, the verdicts by their words."""
    return {"ran": readers.ran, "sentence": plain(readers.sentence), "readers": [_document(one) for one in readers]}


def _document(one: Reader) -> dict[str, Any]:
    made: dict[str, Any] = plain(one)
    return made | {"verdict": one.verdict.value}
