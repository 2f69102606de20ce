"""The file as one tree: every byte has an owner, every owner an address.

A `Node` has a kind, a label, an address (a stable path of names and indexes such as
`row_groups/0/columns/4/pages/2/values/17`), a span (the place of its bytes), facts, and children that are made on first
use. The explorer, the command line, the checks and the tests walk the same tree.

Addresses follow ownership: a column index lies near the footer and belongs to its chunk. `layout` follows the order of the
bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pqexplore.engine.address import Address
from pqexplore.engine.errors import within_memory
from pqexplore.engine.fact import Fact
from pqexplore.engine.handle import Handle
from pqexplore.engine.kind import Kind
from pqexplore.engine.span import Span
from pqexplore.engine.text import printable


class Node(Handle):
    """A place in the file's tree.

    `label` is a short text for people, `span` the bytes (None for a group without bytes of its own). `state` is `ok`,
    `locked` (encrypted, no key) or `corrupt`; `reason` says why it is not ok. Label and reason are printable text.
    """

    __slots__ = ("_children", "_facts", "address", "kind", "label", "reason", "span", "state")

    def __init__(
        self,
        kind: Kind,
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
        self.label = printable(label)
        self.address = address if isinstance(address, Address) else Address(address)
        self.span = span
        self.state = state
        self.reason = printable(reason)
        self._facts = facts
        self._children = children

    @property
    def facts(self) -> Sequence[Fact]:
        """The facts of this node, the most important first; made on first use."""
        if callable(self._facts):
            with within_memory(self.address, None):
                self._facts = self._facts()
        return self._facts

    @property
    def children(self) -> Sequence[Node]:
        """The nodes below. A sequence made on first use; `len` and slices do not make all nodes."""
        if callable(self._children):
            with within_memory(self.address, None):
                self._children = self._children()
        return self._children

    @property
    def name(self) -> str:
        """The last part of the address."""
        return self.address.name

    def __repr__(self) -> str:
        place = printable(self.address) or "file"
        return f"<{self.kind} {place} {self.span or 'without bytes'}>"
