"""A strip: the bytes of one part of a file as tiles. They lie side by side and fill it; what no part owns is a tile, too."""

from __future__ import annotations

import dataclasses

import numpy as np

from pqexplore.insight.columns import Array


@dataclasses.dataclass(slots=True)
class Strip:
    """The bytes `[start, end)` of a space as tiles.

    `address` and `title` name the expanded node. `starts` and `ends` are int64 of shape (tiles,), `kind` is an index
    into `kinds` of each tile. A tile's address and label are in `addresses` and `labels`; for pages, `template` is set
    instead: the address with `#` for the tile's number. `chosen` is the tile that the next strip expands, -1 for none;
    `guessed` says that it is the largest and not the selected one. `note` says why a part that should be there is absent.
    """

    address: str
    title: str
    start: int
    end: int
    space: str
    starts: Array
    ends: Array
    kind: Array
    kinds: list[str]
    addresses: list[str] = dataclasses.field(default_factory=list)
    labels: list[str] = dataclasses.field(default_factory=list)
    template: str = ""
    chosen: int = -1
    guessed: bool = False
    note: str = ""
    runs: frozenset[int] = frozenset()
    """Tiles that are several neighbours of one kind, with the address of the first."""

    def __len__(self) -> int:
        return len(self.starts)

    def address_of(self, tile: int) -> str:
        """The address of a tile."""
        return self.template.replace("#", str(tile)) if self.template else self.addresses[tile]

    def label_of(self, tile: int) -> str:
        """The label of a tile."""
        return f"page {tile}" if self.template else self.labels[tile]

    def kind_of(self, tile: int) -> str:
        """The kind of a tile."""
        return self.kinds[int(self.kind[tile])]

    def size_of(self, tile: int) -> int:
        """Bytes of a tile."""
        return int(self.ends[tile] - self.starts[tile])

    def largest(self) -> int:
        """The tile with the most bytes; -1 without tiles."""
        return int(np.argmax(self.ends - self.starts)) if len(self) else -1

    def names(self, tile: int, address: str) -> bool:
        """Whether a tile is the node at an address: a run of neighbours is none of them."""
        return tile >= 0 and tile not in self.runs and self.address_of(tile) == address

    def find(self, address: str) -> int:
        """The tile with an address, or else the innermost tile around it; -1 if there is none."""
        if self.template:
            begins = self.template.replace("#", "")
            number = address[len(begins) :].split("/")[0] if address.startswith(begins) else ""
            return int(number) if number.isdecimal() and int(number) < len(self) else -1
        best, length = -1, -1
        for tile, own in enumerate(self.addresses):
            if own != self.address and len(own) > length and (address == own or address.startswith(own + "/")):
                best, length = tile, len(own)
        return best
