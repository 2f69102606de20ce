"""What a value is, in a sentence, and where each number of the sentence leads. Beside the lens value."""

from __future__ import annotations

import re

from pqexplore.insight.lenses.value_bits import Link, Stage
from pqexplore.insight.lenses.value_stages import NUMBER, SIZE, Life, sizes
from pqexplore.insight.wording import name

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
