"""The microscope: how the bytes of a section became its values, a step at a time, down to the bits."""

from __future__ import annotations

from typing import Any

from pqexplore.engine.errors import UsageError
from pqexplore.engine.tree import Node
from pqexplore.insight import encoding
from pqexplore.insight.answer import Answer
from pqexplore.widget.places import in_page, page_at

TITLE = "Encoding"
FIRST = frozenset({"values", "repetition_levels", "definition_levels", "value", "level"})

KINDS = FIRST | {"data_page", "data_page_v2", "dictionary_page"}


def applies(node: Node) -> bool:
    """Pages, their sections, and single values and levels."""
    return node.kind in KINDS and in_page(node.address)


def cost(file: Any, node: Node) -> int:
    """The bytes of the page once decompressed, and of the dictionary that it needs."""
    page = page_at(file, node.address)
    size = int(page.header.uncompressed_page_size or 0)
    dictionary = page.chunk.dictionary_page
    return size + int(dictionary.header.uncompressed_page_size or 0 if dictionary else 0)


def answer(file: Any, node: Node) -> Answer:
    """The whole section in proportion, and its first step, or that of the value, under the glass."""
    return encoding.answer(page_at(file, node.address), node.address)


def derive(
    file: Any,
    address: str,
    step: int | None = None,
    value: int | None = None,
    byte: int | None = None,
    focus: int | None = None,
) -> dict[str, Any]:
    """One step of the section at `address` under the glass: of that number, of a value, or of a byte of the section."""
    page = page_at(file, address)
    name, _ = encoding.place(page, address)
    given = [one for one in (step, value, byte) if one is not None]
    if len(given) != 1 or any(isinstance(one, bool) or not isinstance(one, int) for one in given):
        raise UsageError("ask for one of step, value and byte, a whole number")
    return encoding.look(page, name, step=step, value=value, byte=byte, focus=focus)


OPS = {"derive": derive}
