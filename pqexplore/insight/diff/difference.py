"""What differs between two sides, each of them a file or many files: each difference, and all of them as an answer.

A side is a file, a folder, a table or a version of one (`Comparison`), or the files of a table that differ from its first
one (`lake.doctor.drift`). In each case a difference says what differs, where, and what follows from it.
"""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any

import pyarrow as pa

from pqexplore.engine.text import clip, printable
from pqexplore.insight.diff.engines import on_both
from pqexplore.insight.json_values import plain
from pqexplore.insight.terminal import indented, listed, wrap


class Subject(Enum):
    """What a difference is about, the most important first; the member's value is the word for it."""

    DATA = "data"
    SCHEMA = "schema"
    ENCRYPTION = "encryption"
    LAYOUT = "layout"
    STATISTICS = "statistics"
    FILE = "file"
    SIZE = "size"

    @property
    def rank(self) -> int:
        """0 for the most important."""
        return _RANKS[self]


_RANKS = {subject: rank for rank, subject in enumerate(Subject)}


class Effect(Enum):
    """What a change of the schema does to values; the member's value says it."""

    LOST = "values are lost"
    MEANING = "values change their meaning"
    NARROWED = "values may be lost"
    WIDENED = "values are kept, in a wider type"
    LOOKS = "values only look different"
    NONE = ""

    @property
    def rank(self) -> int:
        """0 for the worst."""
        return _EFFECTS[self]


_EFFECTS = {effect: rank for rank, effect in enumerate(Effect)}


TEXT = 1_000
"""Characters of each text of a difference."""


@dataclasses.dataclass(frozen=True, slots=True)
class Difference:
    """Something in which the second side differs from the first.

    - `subject`; `what`: a stable name, such as `codec` or `column-added`.
    - `sentence`: the difference with its evidence. `clause`: the same as the reason of a larger or smaller file, as it
      follows "because"; "" if it changes no size.
    - `columns`: the dotted paths, of the second file where it has them; empty for the whole file. `row_groups`: those
      concerned, if both files have the same ones.
    - `first`, `second`: what each side has, as text; "" if it has none.
    - `effect`: for the schema, what becomes of values. `kind`: the key of `engines.ANSWERS`, "" if it is none of them.
    - `bytes`: how many bytes more the columns concerned take in the second file; None if that does not follow from it.
    - `addresses`: the node to look at in each file; "" for none.
    """

    subject: Subject
    what: str
    sentence: str
    columns: tuple[str, ...] = ()
    row_groups: tuple[int, ...] = ()
    first: str = ""
    second: str = ""
    clause: str = ""
    effect: Effect = Effect.NONE
    kind: str = ""
    bytes: int | None = None
    addresses: tuple[str, str] = ("", "")

    def __post_init__(self) -> None:
        for name in ("sentence", "clause", "first", "second"):
            object.__setattr__(self, name, clip(printable(getattr(self, name)), TEXT))
        object.__setattr__(self, "columns", tuple(printable(one) for one in self.columns))

    @property
    def engines(self) -> Mapping[str, str]:
        """What engines make of both files together, in words, by engine; empty if that was not seen."""
        return on_both(self.kind)

    @property
    def order(self) -> tuple[int, int, int]:
        """Sorts differences, the most important first."""
        return self.subject.rank, self.effect.rank, -abs(self.bytes or 0)

    def __str__(self) -> str:
        return f"{self.subject.value}: {self.sentence} [{self.what}]"

    @property
    def document(self) -> dict[str, Any]:
        """The difference as JSON values."""
        made: dict[str, Any] = plain(self)
        del made["kind"]
        words = {"subject": self.subject.value, "effect": self.effect.value}
        return made | words | {"engines": dict(self.engines)}


def and_more(count: int) -> str:
    """That so many more differences are listed; "" for none."""
    return f" {count:,} more {'difference is' if count == 1 else 'differences are'} listed." if count else ""


@dataclasses.dataclass(frozen=True)
class Comparison:
    """What differs between two sides.

    - `first`, `second`: their names; `level`: what was read: `footer`, `pages` or `data`.
    - `differences`: the most important first.
    """

    first: str
    second: str
    level: str
    differences: tuple[Difference, ...]

    @property
    def sentence(self) -> str:
        """The answer in a sentence or two."""
        raise NotImplementedError

    @property
    def totals(self) -> str:
        """How the differences add up to that of the sizes; "" if there is nothing to add up."""
        return ""

    @property
    def same(self) -> bool:
        """Whether nothing differs, as far as the level shows."""
        return not self.differences

    @functools.cached_property
    def table(self) -> pa.Table:
        """A row for each difference, the most important first.

        Columns: subject, what, sentence, columns (list), row_groups (list), first, second, effect, engines (JSON text),
        bytes (more in the second file), address_first, address_second.
        """
        rows = self.differences
        return pa.table(
            {
                "subject": [one.subject.value for one in rows],
                "what": [one.what for one in rows],
                "sentence": [one.sentence for one in rows],
                "columns": [list(one.columns) for one in rows],
                "row_groups": [list(one.row_groups) for one in rows],
                "first": [one.first for one in rows],
                "second": [one.second for one in rows],
                "effect": [one.effect.value for one in rows],
                "engines": [json.dumps(dict(one.engines)) if one.engines else "" for one in rows],
                "bytes": [one.bytes for one in rows],
                "address_first": [one.addresses[0] for one in rows],
                "address_second": [one.addresses[1] for one in rows],
            },
            schema=_TABLE,
        )

    def lines(self, room: int) -> Iterator[str]:
        """Lines of at most `room` columns for a terminal: the sentence, the totals, each difference with what engines make of it."""
        yield from wrap(self.sentence, room)
        if self.totals:
            yield from wrap(self.totals, room)
        yield from listed(self.differences, lambda one: _lines(one, room), room, "difference")

    @property
    def document(self) -> dict[str, Any]:
        """The comparison as JSON values."""
        return {
            "first": plain(self.first),
            "second": plain(self.second),
            "level": self.level,
            "sentence": self.sentence,
            "differences": [one.document for one in self.differences],
        }

    def __repr__(self) -> str:
        names = f"{printable(self.first)} and {printable(self.second)}"
        return f"<{type(self).__name__} {self.level} of {names}: {self.sentence}>"


def _lines(one: Difference, room: int) -> Iterator[str]:
    """A difference after an empty line: its sentence, its bytes, what engines make of it, and where it is."""
    yield ""
    yield from indented(f"{one.subject.value}: {one.sentence}  [{one.what}]", room, 2)
    if one.bytes:
        yield f"    {one.bytes:+,} bytes"
    for engine, text in one.engines.items():
        yield from indented(f"{engine}: {text}", room, 4)
    places = [place for place in dict.fromkeys(one.addresses) if place]
    if places:
        yield from indented(f"at {printable(' and '.join(places))}", room, 4)


_TABLE = pa.schema(
    [
        *((name, pa.string()) for name in ("subject", "what", "sentence")),
        ("columns", pa.list_(pa.string())),
        ("row_groups", pa.list_(pa.int32())),
        *((name, pa.string()) for name in ("first", "second", "effect", "engines")),
        ("bytes", pa.int64()),
        *((name, pa.string()) for name in ("address_first", "address_second")),
    ]
)
