"""What an encoding is to the rest of the program: its record, and the structure that its `scan` finds in a section.

A section (levels, or values) is a row of `steps`. Each encoding has a subclass of `Structure` that looks into one step, and one record, a `ValueEncoding`. The
reader, the checks, the writer's rules, salvage and the lens read the record and name no encoding themselves.
"""

from __future__ import annotations

import copy
import dataclasses
import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from pqexplore.engine.arrays import Array as Array
from pqexplore.engine.errors import ParquetError, UnsupportedFeatureError
from pqexplore.engine.format.encodings.steps import LEFTOVER, Steps
from pqexplore.engine.format.explain import Buffer, Part, Row, Step, bytes_part
from pqexplore.engine.format.thrift.structs import Encoding, Type, enum_name
from pqexplore.engine.lazy_sequence import once
from pqexplore.engine.span import Span
from pqexplore.engine.text import plural

PIECES = 20_000
"""Pieces of a step that are searched for a value; a value in a later one has the bytes of its step."""


class Fault(NamedTuple):
    """What is wrong or noteworthy although the values can be read: the parts of a finding.

    `leftover` is the start of the leftover that it explains; None if it explains none.
    """

    rule: str
    message: str
    evidence: dict[str, Any]
    specification: str
    leftover: int | None = None


class Structure:
    """The structure of a section, as `scan` returns it: `steps`, and `error`, which stopped the scan after them.

    `raw` are the section's bytes. A subclass has the arrays that its encoding needs.
    """

    raw: Buffer
    error: ParquetError | None
    about_plain = False
    """Whether values are stored as in PLAIN, so that comparing the sizes is pointless."""

    @once
    def steps(self) -> Steps:
        """The steps before `error`, in the order of their bytes."""
        raise NotImplementedError

    @property
    def end(self) -> int:
        """The byte after the last step."""
        raise NotImplementedError

    @once
    def values(self) -> Any:
        """The values of all steps, decoded at once: an Arrow or numpy array. Raises ParquetError for damage in them."""
        raise NotImplementedError

    def leftovers(self, size: int) -> list[tuple[int, int]]:
        """The bytes `[start, end)` of a section of `size` bytes that no step needs; none after an `error`."""
        return [(self.end, size)] if self.error is None and self.end < size else []

    def faults(self) -> Iterator[Fault]:
        """What is wrong in the structure although the values can be read."""
        yield from ()

    def label(self, step: int) -> str:
        """What a step is, in a few words."""
        raise NotImplementedError

    def facts(self, step: int) -> dict[str, Any]:
        """The numbers that matter in a step, by name."""
        return {}

    def pieces(self, step: int) -> Sequence[Step]:
        """The smaller steps inside a step."""
        return ()

    def explain(self, step: int, shown: range) -> tuple[list[Part], list[Row]]:
        """A step's parts, with their bits and arithmetic, and the rows of the values `shown`, a part of its values."""
        raise NotImplementedError

    def summary(self, what: str) -> str:
        """The effect of the encoding, as the start of a sentence; `what` is the number of values: "6 values"."""
        raise NotImplementedError

    def remark(self) -> str:
        """The end of the sentence, after the sizes; it starts with a comma."""
        return ""

    def value_span(self, index: int, section: Span) -> tuple[Span, str | None, str | None]:
        """Where a value, level or index lies: its bytes, its bits if it is smaller, and the labels of its steps.

        `section` is the span of the section. The labels are None if no step yields the value.
        """
        number = self.steps.of_value(index)
        if number is None:
            return section, None, None
        _, start, end, first, count = self.steps[number]
        labels, facts, pieces = [self.label(number)], self.facts(number), self.pieces(number)
        while True:
            near = (p for p in itertools.islice(pieces, PIECES) if 0 <= index - p.first < p.count)
            piece = next(near, None)
            if piece is None:
                break
            start, end, first, count = piece.start, piece.end, piece.first, piece.count
            facts, pieces = piece.facts, piece.parts
            labels.append(piece.label)
        width, start_bit = facts.get("bit_width"), facts.get("bit_start")
        path = " › ".join(labels)
        if width is None or start_bit is None or count <= 1:
            return Span(start, end, section.space).shifted(section.start), None, path
        bit = start_bit + (index - first) * width
        span = Span(bit // 8, (bit + max(1, width) + 7) // 8, section.space)
        return span.shifted(section.start), f"{bit % 8} to {bit % 8 + width - 1}", path

    def size(self, step: int) -> int:
        """The number of bytes of a step."""
        return self.steps[step].end - self.steps[step].start

    def yielded(self, step: int) -> Any:
        """The values of a step; None if it yields none."""
        _, _, _, first, count = self.steps[step]
        return self.values[first : first + count] if count else None

    def step(self, index: int) -> Step:
        """The step number `index`, as `trace` yields it."""
        kind, start, end, first, count = self.steps[index]
        return Step(
            kind.name,
            self.label(index),
            start,
            end,
            first,
            count,
            self.yielded(index),
            self.facts(index),
            self.pieces(index),
        )

    def trace(self, *, first: int = 0) -> Iterator[Step]:
        """The steps one by one, from the one that yields value `first`, with the headers before it; then `error`."""
        yield from map(self.step, self.steps.from_value(first))
        if self.error is not None:
            raise copy.copy(self.error)


class WithLeftovers(Structure):
    """The steps of `inner`, then one for each range of bytes of the section `raw` that none of them needs."""

    def __init__(self, inner: Structure, raw: Buffer) -> None:
        self.inner, self.raw, self.error = inner, raw, inner.error
        self.about_plain = inner.about_plain

    @once
    def steps(self) -> Steps:
        """The steps of `inner`, then the leftovers."""
        steps, inner = Steps(*self.inner.steps.kinds, LEFTOVER), self.inner.steps
        steps.include(inner, 0)
        for start, end in self.inner.leftovers(len(self.raw)):
            steps.add(LEFTOVER, start, end)
        return steps

    @property
    def end(self) -> int:
        """The byte after the last step of `inner`."""
        return self.inner.end

    @once
    def values(self) -> Any:
        """The values of `inner`."""
        return self.inner.values

    def _is_own(self, step: int) -> bool:
        return step >= len(self.inner.steps)

    def leftovers(self, size: int) -> list[tuple[int, int]]:
        """Those of `inner`."""
        return self.inner.leftovers(size)

    def faults(self) -> Iterator[Fault]:
        """Those of `inner`."""
        return self.inner.faults()

    def label(self, step: int) -> str:
        """How many bytes are left over."""
        size = plural(self.size(step), "byte")
        return f"{size} left over" if self._is_own(step) else self.inner.label(step)

    def facts(self, step: int) -> dict[str, Any]:
        """None of a leftover."""
        return {} if self._is_own(step) else self.inner.facts(step)

    def pieces(self, step: int) -> Sequence[Step]:
        """None of a leftover."""
        return () if self._is_own(step) else self.inner.pieces(step)

    def explain(self, step: int, shown: range) -> tuple[list[Part], list[Row]]:
        """A leftover's bytes as they are."""
        if not self._is_own(step):
            return self.inner.explain(step, shown)
        _, start, end, _, _ = self.steps[step]
        return [bytes_part(LEFTOVER.name, self.raw, start, end, (LEFTOVER.meaning,))], []

    def summary(self, what: str) -> str:
        """That of `inner`."""
        return self.inner.summary(what)

    def remark(self) -> str:
        """That of `inner`."""
        return self.inner.remark()

    def size(self, step: int) -> int:
        """The number of bytes of a step."""
        return super().size(step) if self._is_own(step) else self.inner.size(step)

    def yielded(self, step: int) -> Any:
        """The values of a step; None of a leftover."""
        return None if self._is_own(step) else self.inner.yielded(step)

    def trace(self, *, first: int = 0) -> Iterator[Step]:
        """The trace of `inner`, then the leftovers."""
        yield from self.inner.trace(first=first)
        yield from self.trace_leftovers()

    def trace_leftovers(self) -> Iterator[Step]:
        """The steps of the leftovers."""
        yield from map(self.step, range(len(self.inner.steps), len(self.steps)))


def whole(found: Structure, raw: Buffer) -> Structure:
    """`found`, the structure of the section `raw`, with a step for each range of bytes that it does not need."""
    return WithLeftovers(found, raw) if found.leftovers(len(raw)) else found


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class SectionEncoding:
    """An encoding of levels, or of indexes into a dictionary.

    `scan(buffer, num_values, physical_type, type_length=None)` takes the bytes of a section, decrypted and
    decompressed, and returns its `Structure`.
    """

    number: Encoding
    physical_types: tuple[int, ...]
    """The types whose values it encodes; none for an encoding of levels."""
    scan: Callable[..., Structure]

    @property
    def name(self) -> str:
        """The specification's name."""
        return self.number.name

    @property
    def takes(self) -> str:
        """The names of the physical types, as in a sentence."""
        return ", ".join(enum_name(Type, each) for each in self.physical_types)

    def require(self, physical_type: int) -> None:
        """Raise UnsupportedFeatureError if it does not encode values of this physical type."""
        if physical_type not in self.physical_types:
            raise UnsupportedFeatureError(
                f"{self.name} encodes {self.takes}, not values of physical type "
                f"{enum_name(Type, physical_type)} ({int(physical_type)})"
            )


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class ValueEncoding(SectionEncoding):
    """An encoding of values that needs no dictionary.

    `decode` takes the arguments of `scan` and returns an Arrow array of the physical type without nulls; `reference`
    returns the same values as a list of Python objects, decoded one at a time. `encode(values, *options)` is the
    inverse. They raise ParquetError for damage and UnsupportedFeatureError for another physical type.
    """

    decode: Callable[..., pa.Array]
    encode: Callable[..., bytes]
    reference: Callable[..., list[Any]]
    options: tuple[str, ...] = ()
    """The names of the writer's options that `encode` takes, in its order."""
    fixed_width: bool = False
    """Whether each value takes the bytes of its type, so that a section's size shows which types are possible."""
    expands: bool = False
    """Whether few bytes can become many, so that `scan` and `decode` take `limits`."""
