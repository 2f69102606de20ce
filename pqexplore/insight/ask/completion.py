"""What can follow in a condition that is being typed: columns, and values of a column that are known without a new read.

Values are the bounds of the row groups, and the entries of dictionaries that were read already. Each text that is offered
can be asked.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.format.logical import describe
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.insight.ask import slider_literals
from pqexplore.insight.skippable import group_parts

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.format.field import Leaf

OFFERED = 12
"""Max texts that are offered."""

COLUMNS = 20_000
"""Columns whose names are looked at."""

ENTRIES = 10_000
"""Max entries of a dictionary that are looked at."""

_NAME = r"(?:`[^`]+`|\w+)(?:\.(?:`[^`]+`|\w+))*"
_COMPARED = re.compile(
    rf"(?P<name>{_NAME})\s*(?:=|<>|!=|<=|>=|<|>|\bLIKE\s|\b(?:NOT\s+)?IN\s*\((?:[^()]*,)?"
    rf"|\bBETWEEN\s(?:[^'\"]*?\sAND\s)?)\s*(?P<typed>(?:[A-Z_]+\s*)?'[^']*|[\w.+-]*)\Z",
    re.IGNORECASE,
)
_WORD = re.compile(rf"(?:`[^`]*|{_NAME}\.?)\Z")


@dataclasses.dataclass(slots=True)
class Offer:
    """A text that can follow, and what it is."""

    text: str
    note: str


@dataclasses.dataclass(slots=True)
class Completion:
    """What can stand in place of the characters from `start` to the caret."""

    start: int
    offers: list[Offer]


def completed(file: ParquetFile, before: str) -> Completion:
    """What can follow the text of a condition up to the caret. ParquetError if the schema cannot be read."""
    compared = _COMPARED.search(before)
    if compared:
        leaf = next((one for one in _leaves(file) if slider_literals.name_of(one) == compared["name"]), None)
        if leaf is not None:
            typed = compared["typed"]
            return Completion(len(before) - len(typed), list(_values(file, leaf, typed))[:OFFERED])
    word = _WORD.search(before)
    typed = word[0] if word else ""
    quoted = before.count("'") % 2
    return Completion(len(before) - len(typed), [] if quoted else list(_columns(file, typed)))


def _leaves(file: ParquetFile) -> Iterator[Leaf]:
    """The columns that a condition can name: those of fields in lists need a function."""
    return (leaf for leaf in file.schema.leaves[:COLUMNS] if not leaf.max_repetition_level)


def _columns(file: ParquetFile, typed: str) -> Iterator[Offer]:
    """Columns by part of the name: first those that begin with it, then those with a part that does, then the others."""
    wanted = typed.replace("`", "").lower()
    found: list[tuple[int, str, Leaf]] = []
    for leaf in _leaves(file):
        name = slider_literals.name_of(leaf)
        plain = ".".join(leaf.path).lower()
        at = plain.find(wanted)
        if at >= 0 and name != typed:
            found.append((0 if at == 0 else 1 if plain[at - 1] in "._" else 2, name, leaf))
    left = OFFERED
    for _, name, leaf in sorted(found, key=lambda one: one[0]):
        if left and slider_literals.can_ask(file, f"{name} IS NOT NULL"):
            left -= 1
            yield Offer(name, describe(leaf))


def _values(file: ParquetFile, leaf: Leaf, typed: str) -> Iterator[Offer]:
    """Values of a column as literals: those that begin as the typed text does, with or without what stands before it."""
    wanted = typed.lower()
    inside = wanted.rpartition("'")[2]
    seen: set[str] = set()
    for text, note in _known(file, leaf):
        plain = text.split("'")[1] if "'" in text else text
        begins = text.lower().startswith(wanted) or plain.lower().startswith(inside)
        if begins and text not in seen and text != typed:
            seen.add(text)
            yield Offer(text, note)


def _known(file: ParquetFile, leaf: Leaf) -> Iterator[tuple[str, str]]:
    if leaf.physical_type == Type.BOOLEAN:
        yield from (("TRUE", ""), ("FALSE", ""))
        return
    parts = [part for part in group_parts(file, leaf, slider_literals.GROUPS) if part.bounded]
    bounds = slider_literals.bounds_of(iter(parts), leaf)
    if bounds:
        exact = all(part.low_exact is not False and part.high_exact is not False for part in parts)
        yield slider_literals.literal(bounds[0], leaf), "min" if exact else "at or below the min"
        yield slider_literals.literal(bounds[-1], leaf), "max" if exact else "at or above the max"
    for value in _entries(file, leaf):
        yield slider_literals.literal(value, leaf), "in a dictionary"
    for value in bounds[1:-1]:
        yield slider_literals.literal(value, leaf), "bound of a row group"


def _entries(file: ParquetFile, leaf: Leaf) -> Iterator[slider_literals.Value]:
    """The entries of the column's dictionaries that were read already, as far as they can stand in a condition."""
    for group in range(min(len(file.row_groups), slider_literals.GROUPS)):
        address = Address.of("row_groups", group, "columns", leaf.leaf_index, "pages", 0)
        if file.cache.peek((address, "physical")) is None:
            continue
        try:
            entries = file.row_groups[group].columns[leaf.leaf_index].dictionary
        except ParquetError:
            continue
        if entries is not None:
            yield from filter(slider_literals.can_stand, entries[:ENTRIES].to_pylist())
