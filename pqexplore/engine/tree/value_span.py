"""Where one level or value lies, by the structure of its section."""

from __future__ import annotations

import itertools

from pqexplore.engine.file.page import Page
from pqexplore.engine.file.page_sections import Section
from pqexplore.engine.span import Span

PIECES = 20_000
"""Pieces of a step that are searched for a value; a value in a later one has the bytes of its step."""


def value_span(page: Page, section: Section, index: int) -> tuple[Span, str | None, str | None]:
    """The bytes of one level or value in its section's space, its bits if it is smaller, and its derivation."""
    structure = page.structure(section.name)
    step = structure.steps.of_value(index)
    if step is None:
        return section.span, None, None
    _, start, end, first, count = structure.steps[step]
    labels, facts, pieces = [structure.label(step)], structure.facts(step), structure.pieces(step)
    while True:
        piece = next(
            (
                one
                for one in itertools.islice(pieces, PIECES)
                if one.first <= index < one.first + one.count
            ),
            None,
        )
        if piece is None:
            break
        start, end, first, count, facts = (
            piece.start,
            piece.end,
            piece.first,
            piece.count,
            piece.facts,
        )
        labels.append(piece.label)
        pieces = piece.parts
    base, space = section.span.start, section.span.space
    width, start_bit = facts.get("bit_width"), facts.get("bit_start")
    if width is not None and start_bit is not None and count > 1:
        bit = start_bit + (index - first) * width
        span = Span(base + bit // 8, base + (bit + max(1, width) + 7) // 8, space)
        return span, f"{bit % 8} to {bit % 8 + width - 1}", " › ".join(labels)
    return Span(base + start, base + end, space), None, " › ".join(labels)
