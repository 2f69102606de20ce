"""Addresses: stable paths of names and indexes, such as `row_groups/0/columns/4/pages/2/values/17`."""

from __future__ import annotations

_LISTS = ("columns", "pages")
"""Parts of an address without a node of their own: their nodes are children of the part before."""


class Address(str):
    """The place of a node in the file's tree. An address is a text, so it compares, prints and travels as one.

    The address of the file is empty.
    """

    __slots__ = ()

    @classmethod
    def of(cls, *parts: str | int) -> Address:
        """Joins parts, each a name, an index or an address; leaves out empty parts."""
        return cls("/".join([str(part) for part in parts if part != ""]))

    @classmethod
    def parse(cls, text: str) -> Address:
        """An address typed by a person: without slashes at its ends."""
        return cls(text.strip("/"))

    def child(self, *parts: str | int) -> Address:
        """The address of the parts below this one."""
        return Address.of(self, *parts)

    @property
    def parts(self) -> tuple[str, ...]:
        """Its names and indexes; empty for the file."""
        return tuple(self.split("/")) if self else ()

    @property
    def name(self) -> str:
        """Its last part; empty for the file."""
        return self.rpartition("/")[2]

    @property
    def parent(self) -> Address:
        """The address of the node one level up; empty, the file's, for a node at the top.

        `row_groups/0/columns/4` belongs to `row_groups/0`, `…/columns/4/pages/2` to `…/columns/4`.
        """
        above = self.rpartition("/")[0]
        before, _, last = above.rpartition("/")
        return Address(before if before and last in _LISTS else above)

    def is_in(self, other: str) -> bool:
        """Whether this is `other` or below it."""
        return not other or self == other or self.startswith(other + "/")
