"""The life of one value: from the bytes in the file through every step of a reader to the row that it stands in.

The other lenses each show one step of all values of a page; this one shows all steps of one value. An entry without a
value has a life, too: its definition level says what is missing. `stages` makes the stages.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from typing import Any

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.tree.at import in_page, page_at
from pqexplore.engine.tree.node import Node
from pqexplore.insight.answer import Answer, Column, Table
from pqexplore.insight.lenses import encoding, page, rows
from pqexplore.insight.lenses.lens import Lens, Request
from pqexplore.insight.lenses.value.own_bits import Link, Stage
from pqexplore.insight.lenses.value.stages import NUMBER, SIZE, Life, address_of, entry_address, life_of, sizes
from pqexplore.insight.wording import name
from pqexplore.insight.writers.defect import VALUES

_SOURCE = re.compile(rf"{SIZE.pattern}|(?:index|entry) {NUMBER}|{NUMBER} values?")
"""The numbers of where a value's bits are."""


def sentence(life: Life) -> str:
    """What the value is, what bits it is made of, and where it stands."""
    which = "" if life.page.is_data else "the dictionary in "
    what = f"{_which(life)} of {which}page {life.page.index}"
    if life.index is None and life.missing:
        rest = f"has no value: {life.missing}"
    else:
        if life.text is None:
            reason = "" if life.trouble is None else f": {life.trouble.message}"
            rest = f"cannot be read{reason}"
        else:
            rest = f"is {name(life.text)}" if life.text else "is empty"
            rest += f": {life.source}" if life.source else ""
    stands = f"; {_stands(life)}" if _stands(life) else ""
    return f"{what} {rest}{stands}."


def _stands(life: Life) -> str:
    if life.place is None:
        return life.use
    column = "column " if len(life.page.chunk.leaf.path) == 1 and not life.place.positions else ""
    return f"it is {column}{name(life.place.path)} of row {life.place.row:,}"


def _which(life: Life) -> str:
    """`Value 3`, or `Entry 3`."""
    number = life.entry if life.index is None else life.index
    missing = life.index is None and life.missing
    noun = "Value" if life.page.is_data and not missing else "Entry"
    return noun if number is None else f"{noun} {number:,}"


def links(life: Life) -> list[Link]:
    """Where the numbers of the sentence lead, in their order: to nodes, to rows, to bytes."""
    page = life.page
    stages = {stage.kind: stage for stage in life.stages}
    made = [Link(_which(life), page.address, "page"), Link(f"page {page.index}", page.address)]
    if life.index is None and life.missing:
        made += _to_bytes(re.search(rf"{NUMBER} of {NUMBER}", life.missing), stages.get("definition"))
    elif life.text is not None:
        made += _to_bytes(re.search(".+", name(life.text)), stages.get("dictionary", stages.get("encoding")))
        made += _of_source(life, stages)
    row = stages.get("row")
    if row is None:
        return made
    if life.place is None:
        return made + row.links
    nested = [one for one in row.links if one.lens == "nesting"]
    return made + nested + row.links[:1]


def _to_bytes(found: re.Match[str] | None, stage: Stage | None) -> list[Link]:
    """A link from a text to the bytes of a stage, if there are both."""
    if found is None or stage is None or stage.span is None:
        return []
    return [Link(found[0], span=stage.span)]


def _of_source(life: Life, stages: dict[str, Stage]) -> list[Link]:
    """Links from the sizes, offsets and indexes of where the value's bits are."""
    stage, made = stages.get("encoding"), []
    for found in _SOURCE.finditer(life.source):
        text, entry = found[0], stages.get("dictionary")
        if text.startswith(("index", "entry")):
            stage = entry
            made += [Link(text, entry.address)] if entry is not None else []
        elif stage is not None:
            made += sizes(text, stage) or _to_bytes(found, stage)
    return made


KINDS = frozenset({"value", "level"})


@dataclasses.dataclass(slots=True)
class Picture:
    """The stages in order. `before` and `after` are the neighbours in the page, None at its ends; `code` saves a page.

    `links` are those of the sentence, in the order of their texts.
    """

    column: str
    links: list[Link]
    stages: list[Stage]
    before: str | None
    after: str | None
    code: str


def answer(file: ParquetFile, node: Node) -> Answer:
    """The life of the value or level at the node. What cannot be read is the last stage, with its error."""
    found = page_at(file, node.address)
    life = life_of(found, node.address)
    own = address_of(life) or node.address
    picture = Picture(
        column=".".join(found.chunk.leaf.path),
        links=links(life),
        stages=life.stages,
        before=_neighbour(life, -1),
        after=_neighbour(life, 1),
        code=f"pqexplore.explore(path, at={own!r}).to_html()",
    )
    return Answer(sentence(life), picture, table(life), code=f"f.node({own!r}).facts")


def table(life: Life) -> Table:
    """One row a stage; its address and bytes are the row's."""
    made = Table(
        (Column("stage", "stage"), Column("what", "what it is"), Column("value", "what it gives")), caption="Stages"
    )
    for stage in life.stages:
        made.add(stage.title, "; ".join(stage.says), stage.gives, address=stage.address, span=stage.span)
    return made


def _neighbour(life: Life, by: int) -> str | None:
    """The address of the entry before or after; None if the page has none."""
    if life.entry is None or not 0 <= life.entry + by < life.page.num_values:
        return None
    try:
        index = page.value_number(life.page, life.entry + by)
    except ParquetError:
        return None
    return entry_address(life.page, life.entry + by, index if index >= 0 else None)


def cost(file: ParquetFile, node: Node) -> int:
    """Bytes of the page and its dictionary; of a list without an offset index also those of the pages before.

    Their repetition levels say how many rows begin before the page, unless their headers do (version 2).
    """
    found = page_at(file, node.address)
    chunk, size = found.chunk, encoding.cost(file, node)
    if not chunk.leaf.max_repetition_level or chunk.offset_index is not None:
        return size
    headers = (chunk.pages[number].header for number in range(found.index))
    return size + sum(int(one.uncompressed_page_size or 0) for one in headers if one.data_page_header is not None)


def saved(picture: dict[str, Any]) -> Iterator[Request]:
    """What the stages lead to: their nodes, then those of the numbers in them, and the rows around the record."""
    stages = picture.get("stages") or ()
    linked = [*picture.get("links", ()), *(link for one in stages for link in one["links"])]
    for leading in (*stages, *linked):
        if leading["address"]:
            yield "node", {"address": leading["address"]}
    for row in {link["row"] for link in linked} - {None}:
        yield "rows", {"start": row - row % rows.ROWS, "column": 0}


LENS = Lens(
    "value",
    title="Life of a value",
    answer=answer,
    kinds=KINDS,
    where=lambda node: in_page(node.address) and "/header" not in node.address,
    first=KINDS,
    cost=cost,
    picture=Picture,
    saved=saved,
    misled_by=frozenset({VALUES}),
    no_figure="it follows one value, and has no numbers to compare",
)
