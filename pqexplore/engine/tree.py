"""The file as one tree: every byte has an owner, every owner an address.

A `Node` has a kind, a label, an address (a stable path of names and indexes such as
`row_groups/0/columns/4/pages/2/values/17`), a span (where its bytes lie), facts, and children that are made when
they are asked for. The explorer, the command line, the checks and the tests walk the same tree.

Addresses follow ownership: a column index lies near the footer and belongs to its chunk. Where things lie is the
business of `layout`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar, overload

T = TypeVar("T")

FILE = "file"
"""The space of the file's own bytes. Any other space is named by the address of the page whose decrypted or
decompressed bytes it is, followed by `:decrypted` or `:decompressed`."""


@dataclasses.dataclass(frozen=True, slots=True)
class Span:
    """The bytes `[start, end)` of a space."""

    start: int
    end: int
    space: str = FILE

    def __len__(self) -> int:
        return self.end - self.start

    def __str__(self) -> str:
        place = "" if self.space == FILE else f" of {self.space}"
        return f"[{self.start:,}, {self.end:,}){place}"

    def shifted(self, by: int, space: str | None = None) -> Span:
        """The same bytes seen from a space that begins `by` bytes earlier."""
        return Span(self.start + by, self.end + by, self.space if space is None else space)


@dataclasses.dataclass(frozen=True, slots=True)
class Fact:
    """One thing that is known of a node: its name, its value, and a sentence that says what it means.

    `span` has the bytes that say so, where they are known; `address` is the node that the value refers to.
    """

    name: str
    value: Any
    meaning: str = ""
    span: Span | None = None
    address: str | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Finding:
    """Something wrong or noteworthy about a file.

    `rule` is a short stable name, `severity` one of error, warning, note; `evidence` the values that show it;
    `specification` the words of the specification that it rests on.
    """

    rule: str
    severity: str
    address: str
    message: str
    evidence: dict[str, Any] = dataclasses.field(default_factory=dict)
    specification: str = ""

    def __str__(self) -> str:
        return f"{self.severity}: {self.message} [{self.rule}] at {self.address or 'file'}"


class LazySequence(Sequence[T]):
    """A sequence of known length whose items are made on access; what is made is not kept."""

    def __init__(self, length: int, make: Callable[[int], T]) -> None:
        self._length = length
        self._make = make

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> list[T]: ...
    def __getitem__(self, index: int | slice) -> T | list[T]:
        if isinstance(index, slice):
            return [self._make(i) for i in range(*index.indices(self._length))]
        if not -self._length <= index < self._length:
            raise IndexError(index)
        return self._make(index % self._length)

    def __iter__(self) -> Iterator[T]:
        return (self._make(i) for i in range(self._length))


class Node:
    """A place in the file's tree.

    `kind` is the specification's word (`page`, `column_chunk`, …), `label` a short text for people, `span` the bytes
    (None for a grouping without bytes of its own). `state` is `ok`, `locked` (encrypted, no key) or `corrupt`, and
    `reason` says why it is not ok. `facts` and `children` are made on first use.
    """

    __slots__ = ("_children", "_facts", "address", "kind", "label", "reason", "span", "state")

    def __init__(
        self,
        kind: str,
        label: str,
        address: str,
        span: Span | None = None,
        *,
        facts: Callable[[], Sequence[Fact]] | Sequence[Fact] = (),
        children: Callable[[], Sequence[Node]] | Sequence[Node] = (),
        state: str = "ok",
        reason: str = "",
    ) -> None:
        self.kind = kind
        self.label = label
        self.address = address
        self.span = span
        self.state = state
        self.reason = reason
        self._facts = facts
        self._children = children

    @property
    def facts(self) -> Sequence[Fact]:
        """What is known of this node, most telling first."""
        if callable(self._facts):
            self._facts = self._facts()
        return self._facts

    @property
    def children(self) -> Sequence[Node]:
        """The nodes below, made when asked for; a sequence, so `len` and slices do not make them all."""
        if callable(self._children):
            self._children = self._children()
        return self._children

    @property
    def name(self) -> str:
        """The last part of the address."""
        return self.address.rpartition("/")[2]

    def __repr__(self) -> str:
        return f"<{self.kind} {self.address or 'file'} {self.span or 'without bytes'}>"


def join(*parts: str | int) -> str:
    """An address from its parts; empty parts vanish."""
    return "/".join([str(part) for part in parts if part != ""])


_LISTS = ("columns", "pages")
"""Parts of an address that only say what is counted: their nodes are children of what comes before."""


def parent(address: str) -> str:
    """The address of the node one level up; the file's address is the empty string.

    `row_groups/0/columns/4` belongs to `row_groups/0`, `…/columns/4/pages/2` to `…/columns/4`.
    """
    above = address.rpartition("/")[0]
    before, _, last = above.rpartition("/")
    return before if before and last in _LISTS else above
