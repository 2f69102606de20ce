"""Runs of bytes, each of one owner, in a window of the file or of a page's decoded bytes.

The tree is walked from the tile of the layout, or from the page whose decoded bytes are shown, down to the innermost node
whose bytes touch the window. In levels and values the steps of the encoding are the runs: a page of a million values costs
what the window shows. Runs tile the window: what no child has belongs to the node around it.
"""

from __future__ import annotations

import bisect
import contextlib
import dataclasses
import itertools
from collections.abc import Iterator, Sequence

import numpy as np

from pqexplore.engine.address import Address
from pqexplore.engine.errors import EncryptedFileError, LimitExceededError, ParquetError, UsageError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.page import Page
from pqexplore.engine.format.encodings.byte_stream_split import Streams
from pqexplore.engine.format.encodings.encoding import Structure
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.kind import Kind
from pqexplore.engine.span import Span
from pqexplore.engine.tree.at import chunk_at, page_at
from pqexplore.engine.tree.node import Node
from pqexplore.engine.tree.resolve_address import SECTIONS
from pqexplore.insight import short_text
from pqexplore.widget import run_words

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
    near = _near_value(found, window.start - section.start, window.end - section.start)
    every = (step for index in near for step in _parts(found, index, section.start, window))
    steps = list(itertools.islice(every, most))
    with contextlib.suppress(ParquetError):  # the page's own lens says why its values cannot be read
        _add_values(page, name, steps)
    return SectionSteps(steps, found.error)


def _near_value(found: Structure, low: int, high: int) -> Iterator[int]:
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
            step.label = f"{step.label} = {short_text.shorten(', '.join(shown), SHOWN)}"


class _Texts:
    """Values of a page as texts; those that come again are formatted once."""

    def __init__(self, page: Page) -> None:
        self._leaf = page.chunk.leaf
        self._known: dict[object, str] = {}

    def of(self, value: object) -> str:
        """A physical value in the column's logical type."""
        if value not in self._known:
            self._known[value] = short_text.value_texts(self._leaf, value, SHOWN)["logical"]
        return self._known[value]


RUNS = 2_000
"""Runs in one reply; a node that would have more is one run."""


FEW = 64
"""Children up to which all are looked at; of more, those near the window are found by bisection."""


SCANNED = 5_000
"""Children from the first one near the window on that are looked at."""


INHERITED = frozenset({Kind.FIELD, Kind.STRUCT, Kind.VALUE, Kind.LEVEL, Kind.BLOOM_FILTER_BLOCK})
"""Kinds that have the colour of what they are in."""


STRUCTS = frozenset(
    {
        *(Kind.FIELD, Kind.STRUCT, Kind.PAGE_HEADER, Kind.COLUMN_INDEX, Kind.OFFSET_INDEX),
        *(Kind.BLOOM_FILTER_HEADER, Kind.FOOTER),
    }
)
"""Kinds of nodes that are Thrift structs, or fields that can be."""


LEVELS = frozenset({Kind.REPETITION_LEVELS, Kind.DEFINITION_LEVELS})
"""Kinds of the sections of a page that a data page v2 does not compress."""


BOUNDS = frozenset({"min", "max", "min_value", "max_value"})


BOUND_LISTS = frozenset({"min_values", "max_values"})
"""Fields of Statistics and of a ColumnIndex with values of the column."""


STOP = "The byte 0 that ends a struct."


OK, LOCKED, CORRUPT = 0, 1, 2


@dataclasses.dataclass(slots=True)
class Place:
    """What a run inherits from the nodes around it."""

    part: str = Kind.FILE
    path: tuple[str, ...] = ()
    state: int = OK
    about: str = ""


@dataclasses.dataclass(slots=True)
class Run:
    """Bytes of one owner. `plain`: they are, or end with, one value of the column as PLAIN stores it."""

    start: int
    end: int
    kind: str
    label: str
    address: str
    place: Place
    about: str
    plain: bool = False


class Walk:
    """Collects the runs of one window."""

    def __init__(self, file: ParquetFile, start: int, end: int, space: str) -> None:
        self.file = file
        self.start = start
        self.end = end
        self.space = space
        self.runs: list[Run] = []

    def tiles(self) -> None:
        """The runs of a window of the file, tile by tile of the layout."""
        table = self.file.layout("chunks")
        starts, ends = table["start"].to_numpy(), table["end"].to_numpy()
        first = int(np.searchsorted(starts, self.start, "right")) - 1
        last = int(np.searchsorted(starts, self.end, "left"))
        for i in range(max(0, first), last):
            low, high = int(starts[i]), int(ends[i])
            kind, address = (table[name][i].as_py() for name in ("kind", "address"))
            node = self._tile(Kind(kind), Address(address), Span(low, high))
            self.node(node, low, high, Place())

    def _tile(self, kind: Kind, address: Address, span: Span) -> Node:
        """The node of a tile; if the tree has none, the tile itself in the nearest node above it."""
        label = kind.replace("_", " ")
        above = address
        while above:
            with contextlib.suppress(ParquetError, LookupError):
                node = self.file.node(above)
                if above == address:
                    return node
                return Node(kind, label, above, span, state=node.state, reason=node.reason)
            above = above.parent
        return Node(kind, label, "", span)

    def decoded(self) -> None:
        """The runs of a window of decrypted or decompressed bytes: those of the node that they belong to."""
        size = self.file.space_size(self.space)
        with contextlib.suppress(LookupError, UsageError):  # bytes of another file have no node here
            self.node(self.file.node(self.space.rpartition(":")[0]), 0, size, Place())

    def node(self, node: Node, low: int, high: int, around: Place) -> None:
        """The runs of a node that has the bytes `[low, high)`."""
        place = _inside(node, around)
        cursor = low
        try:
            for first, last, child in self._children(node, low, high, place):
                if first > cursor:
                    self._own(node, low, cursor, first, place)
                if isinstance(child, Run):
                    self._add(dataclasses.replace(child, start=first, end=last))
                elif first < self.end and last > self.start:
                    self.node(child, first, last, place)
                cursor = last
        except ParquetError as error:
            place = dataclasses.replace(place, state=_state(error), about=error.message)
        if cursor < high:
            self._own(node, low, cursor, high, place)

    def _own(self, node: Node, low: int, start: int, end: int, place: Place) -> None:
        """Adds bytes of a node, which begins at `low`, that none of its parts has."""
        if start >= self.end or end <= self.start:
            return
        label, about = run_words.decoded(node), place.about
        plain = node.name in BOUNDS or node.address.parent.name in BOUND_LISTS
        if node.kind in STRUCTS and end - start == 1 and start > low:
            label, about = run_words.ending(node), about or STOP
        elif node.kind == Kind.FIELD:
            meaning = node.facts[0].meaning
            about = about or f"{meaning}{run_words.bound(self.file, node) if plain else ''}"
        elif node.kind == Kind.BODY and not about:
            about = run_words.compressed(self.file, node)
        place = dataclasses.replace(place, path=place.path[:-1])
        self._add(Run(start, end, node.kind, label, node.address, place, about, plain))

    def _add(self, run: Run) -> None:
        if run.start < self.end and run.end > self.start:
            self.runs.append(run)

    def _children(self, node: Node, low: int, high: int, place: Place) -> Iterator[tuple[int, int, Node | Run]]:
        """Bytes and owner of each part of a node near the window, in order, without overlaps."""
        if len(self.runs) >= RUNS:
            return
        cursor = low
        parts: Iterator[tuple[int, int, Node | Run]]
        parts = self._steps(node, place) if node.name in SECTIONS and node.kind == node.name else self._nodes(node)
        for start, end, part in parts:
            start, end = max(start, cursor), min(end, high)
            if start < end:
                yield start, end, part
                cursor = end
            if start >= self.end:
                return

    def _nodes(self, node: Node) -> Iterator[tuple[int, int, Node]]:
        """The children of a node with bytes near the window, by their bytes."""
        if node.kind == Kind.COLUMN_CHUNK:
            found: Sequence[Node] = self._pages(node)
        else:
            found = _near(node.children, self.start, self.space)
        spans = [
            (child.span.start, child.span.end, child)
            for child in found
            if child.span is not None and child.span.space == self.space
        ]
        spans.sort(key=lambda one: (one[0], -one[1]))
        yield from _beside_levels(spans)

    def _pages(self, node: Node) -> list[Node]:
        """The pages of a chunk that touch the window, and the damage after the last one."""
        chunk = chunk_at(self.file, node.address)
        found: list[Node] = []
        with contextlib.suppress(ParquetError):
            pages = chunk.pages
            at = bisect.bisect_right(pages, self.start, key=lambda page: page.span.start) - 1
            for page in itertools.islice(pages, max(0, at), max(0, at) + SCANNED):
                found.append(self.file.node(page.address))
                if page.span.end >= self.end:
                    return found
        last = node.children[-1:]
        return [*found, *(one for one in last if one.kind == Kind.UNREADABLE)]

    def _steps(self, node: Node, place: Place) -> Iterator[tuple[int, int, Run]]:
        """The steps of the levels or values of a page near the window, and the bytes that none of them needs."""
        page = page_at(self.file, node.address)
        if node.span is None:
            return
        window = Span(self.start, self.end, self.space)
        plain = page.section_encoding("values") == structs.Encoding.PLAIN
        found = section_steps(page, node.name, node.span, window, RUNS - len(self.runs))
        for step in found.steps:
            kind, address, label = node.kind, node.address, step.label
            if step.count:
                kind = Kind.VALUE if node.kind == Kind.VALUES else Kind.LEVEL
                address = Address.of(node.address, step.first)
                label = f"{kind} {label}" if step.count == 1 else f"{kind}s {label}"
            one = kind == Kind.VALUE and step.count == 1 and plain
            run = Run(step.start, step.end, kind, label, address, place, step.about, one)
            yield step.start, step.end, run
        left = dataclasses.replace(place, part=Kind.LEFTOVER)
        for address, span in sorted(page.leftovers(node.name).items(), key=lambda one: one[1].start):
            label = f"{len(span):,} bytes left over"
            run = Run(span.start, span.end, Kind.LEFTOVER, label, address, left, "")
            yield span.start, span.end, run
        if found.error is not None:
            raise found.error


def _beside_levels(spans: list[tuple[int, int, Node]]) -> Iterator[tuple[int, int, Node]]:
    """The parts of a page, in order. Levels of a data page v2 are not compressed: the body has the bytes after them."""
    levels = [one for one in spans if one[2].kind in LEVELS]
    for start, end, node in spans:
        if node.kind == Kind.BODY and not node.children:
            inside = [one for one in levels if start <= one[0] and one[1] <= end]
            yield from inside
            start = max([start, *(one[1] for one in inside)])
        yield start, end, node


def _near(children: Sequence[Node], start: int, space: str) -> Sequence[Node]:
    """The children from the last one that begins before `start`; all of a few."""
    if len(children) <= FEW:
        return children

    def begin(child: Node) -> int:
        return child.span.start if child.span is not None and child.span.space == space else -1

    first = max(0, bisect.bisect_right(children, start, key=begin) - 1)
    return children[first : first + SCANNED]


def _inside(node: Node, around: Place) -> Place:
    """What the parts of a node inherit: its colour, its name and its state."""
    name = node.name if node.kind == Kind.FIELD else short_text.shorten(node.label, 80)
    path = (*around.path, name)
    if node.kind == Kind.GROUP:  # parts that are not known without a key; some may not be encrypted
        return Place(Kind.UNKNOWN_PARTS, path)
    part = around.part if node.kind in INHERITED and around.path else node.kind
    if node.kind in (Kind.VALUES, Kind.BODY) and around.part == Kind.DICTIONARY_PAGE:
        part = around.part
    state = {"locked": LOCKED, "corrupt": CORRUPT}.get(node.state, around.state)
    return Place(part, path, state, (node.reason or around.about) if state else "")


def _state(error: ParquetError) -> int:
    if isinstance(error, EncryptedFileError):
        return LOCKED
    return OK if isinstance(error, LimitExceededError) else CORRUPT
