"""The steps of an encoding in a window of a page's levels or values: one value, eight packed ones, or a run of them."""

from __future__ import annotations

import bisect
import contextlib
import dataclasses
import itertools
from collections.abc import Iterator

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.page import Page
from pqexplore.engine.format.encodings.byte_stream_split import Streams
from pqexplore.engine.format.encodings.encoding import Structure
from pqexplore.engine.span import Span
from pqexplore.insight import text

SHOWN = 60
"""Characters of a value in a label."""

PACKED = 8
"""Bit-packed values that fill whole bytes together."""


@dataclasses.dataclass(slots=True)
class SectionStep:
    """Bytes `[start, end)` of a space: `count` values or levels from number `first` on; 0 for other bytes."""

    start: int
    end: int
    label: str
    about: str
    first: int = 0
    count: int = 0


@dataclasses.dataclass(slots=True)
class SectionSteps:
    """The steps that touch a window, and the damage that ends them."""

    steps: list[SectionStep]
    error: ParquetError | None


def section_steps(page: Page, name: str, section: Span, window: Span, most: int) -> SectionSteps:
    """At most `most` steps of a section of a page that touch a window of its space.

    Raises ParquetError if not even the first step can be found.
    """
    found = page.structure(name)
    near = _near(found, window.start - section.start, window.end - section.start)
    every = (step for index in near for step in _parts(found, index, section.start, window))
    steps = list(itertools.islice(every, most))
    with contextlib.suppress(ParquetError):  # the page's own lens says why its values cannot be read
        _add_values(page, name, steps)
    return SectionSteps(steps, found.error)


def _near(found: Structure, low: int, high: int) -> Iterator[int]:
    """The numbers of the steps that may have bytes in `[low, high)` of the section."""
    steps = found.steps
    # the values of byte streams come after them, and have bytes in each
    number = found.width if isinstance(found, Streams) else len(steps)
    first = bisect.bisect_right(range(number), low, key=lambda i: steps[i].start) - 1
    for index in range(max(0, first), number):
        if steps[index].start >= high:
            return
        yield index


def _parts(found: Structure, index: int, base: int, window: Span) -> Iterator[SectionStep]:
    """A step of the encoding; of bit-packed values each group of eight that touches the window.

    Byte 0 of the section is byte `base` of the window's space.
    """
    kind, start, end, first, count = found.steps[index]
    count = count if kind.yields == "values" else 0
    label, start, end = found.label(index), base + start, base + end
    facts = found.facts(index) if count > 1 else {}
    width, begin = facts.get("bit_width"), facts.get("bit_start")
    if not width or begin is None or begin % 8:
        yield SectionStep(start, end, label, kind.meaning, first, count)
        return
    begin = base + begin // 8
    if begin > start:
        yield SectionStep(start, begin, f"header: {label}", kind.meaning)
    for group in range(max(0, (window.start - begin) // width), -(-count // PACKED)):
        at, number = begin + group * width, group * PACKED
        if at >= window.end:
            return
        last = number + PACKED >= count
        yield SectionStep(
            at,
            end if last else at + width,
            "",
            f"{kind.meaning} Here: {label}.",
            first + number,
            min(PACKED, count - number),
        )


def _add_values(page: Page, name: str, steps: list[SectionStep]) -> None:
    """Makes the numbers and the values of steps of a few values their labels."""
    few = [step for step in steps if 0 < step.count <= PACKED]
    if not few:
        return
    for step in few:
        one, last = step.count == 1, step.first + step.count - 1
        step.label = f"{step.first:,}" if one else f"{step.first:,} to {last:,}"
    begin, end = few[0].first, max(step.first + step.count for step in few)
    if name == "values":
        raw = page.physical_part(begin, end).to_pylist()
        texts = _Texts(page)
    else:
        levels = getattr(page, name)
        raw = [] if levels is None else levels[begin:end].tolist()
        texts = None
    for step in few:
        values = raw[step.first - begin : step.first - begin + step.count]
        shown = [str(value) if texts is None else texts.of(value) for value in values]
        if shown:
            step.label = f"{step.label} = {text.shorten(', '.join(shown), SHOWN)}"


class _Texts:
    """Values of a page as texts; those that come again are formatted once."""

    def __init__(self, page: Page) -> None:
        self._leaf = page.chunk.leaf
        self._known: dict[object, str] = {}

    def of(self, value: object) -> str:
        """A physical value in the column's logical type."""
        if value not in self._known:
            self._known[value] = text.value_texts(self._leaf, value, SHOWN)["logical"]
        return self._known[value]
