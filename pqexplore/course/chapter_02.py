"""The exercises of chapter 02."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pqexplore.course.equal_answers import inside, same
from pqexplore.course.exercise import exercise

if TYPE_CHECKING:
    from pqexplore.engine.format.explain import Step

BADGES = "row_groups/0/columns/0"
"""Where the explorer of exercise 02.3 begins."""


@exercise(
    "02.1",
    "How many values does the first run stand for, and in how many bytes is it written?",
    "Byte 0 of the section is the bit width; the header of the run begins at byte 1. It ends at the first byte below 128.",
    "The lowest bit of the header is the kind of the run. The rest of the number counts the values.",
    "Three bits take one whole byte. Add the bytes of the header.",
)
def first_run(answer: object) -> bool | str:
    run = next(step for step in _steps("cold-room.parquet", "door") if step.kind == "rle run")
    header = run.parts[0]
    right = (run.count, run.end - run.start)
    if same(answer, right[::-1]):
        return "The pair is swapped: the number of values comes first."
    if same(answer, (header.facts["header"], right[1])):
        return "That is the whole header. Its lowest bit does not count values."
    if same(answer, (run.count - 1, right[1])):
        return "The door is closed once more after the first 40 values: read the count from the header."
    if same(answer, (run.count, right[1] + 1)):
        return "The byte with the bit width belongs to the section, not to its first run."
    if same(answer, (run.count, header.end - header.start)):
        return "These are the bytes of the header alone. Which byte comes after it?"
    return same(answer, right)


@exercise(
    "02.2",
    "In which bytes do the bits of a bit-packed value lie?",
    "The bit-packed run has a header, too. Where do its packed bytes begin?",
    "Value i has the bits from i * width on. Eight bits are a byte; the last of three bits may be in the byte after the first.",
)
def packed_value(answer: object) -> bool | str:
    run = next(step for step in _steps("cold-room.parquet", "door") if step.kind == "bit-packed run")
    packed = run.parts[1]
    width = packed.facts["bit_width"]
    assert isinstance(width, int)
    low = 8 * packed.start + 21 * width
    right = (low // 8, (low + width - 1) // 8)
    if same(answer, [byte - packed.start for byte in right]):
        return "You counted from the first packed byte. Count from the first byte of the section."
    if same(answer, (right[0], right[1] + 1)):
        return "Write the last byte that has bits of the value, not the one after it."
    return same(answer, right)


@exercise(
    "02.3",
    "Which data page writes visitors as indexes?",
    "The dictionary has some visitors. When they came, the writer had not fallen back to PLAIN yet.",
    "The staff are the rows 0 to 899, and a page has 200 rows. In which page is the first visitor?",
)
def indexed_visitors(answer: object) -> bool | str | None:
    import pqexplore

    if answer == BADGES:
        return None
    with pqexplore.open("badges.parquet") as file:
        chunk = file.row_groups[0].columns["badge"]
        page = next((page for page in chunk.pages if inside(answer, page.address)), None)
        if page is None:
            return "Select a page of the chunk."
        if not page.is_data:
            return "That is the dictionary: it has their names. Which page has their indexes?"
        if page.dictionary_ids is None:
            return "This page has no indexes: the names themselves are in it."
        if any(str(name).startswith("visitor") for name in page.values.to_pylist()):
            return True
        return "This page has indexes, but there are no visitors in it."


@exercise(
    "02.4",
    "What would the bit width be if the ticks were 60 to 75 seconds apart?",
    "What is stored is the difference less the smallest difference of the block.",
    "How many different numbers is that, 0 included? And how many bits does the largest of them need?",
)
def wider(answer: object) -> bool | str:
    if same(answer, (75).bit_length()):
        return "Not the difference itself is stored, but how much larger it is than the smallest."
    if same(answer, 75 - 60) or same(answer, 76 - 60):
        return "That is a number, not a width. How many bits does one need for it?"
    return same(answer, (75 - 60).bit_length())


@exercise(
    "02.5",
    "How many bytes of the name are taken from the one before, and how many are its own?",
    "Write one text below the other, and count the letters that both begin with.",
    "The first letter that differs ends the prefix, even if some after it are the same again.",
)
def prefix(answer: object) -> bool | str:
    step = next(step for step in _steps("names.parquet", "name") if step.kind == "value" and step.first == 50)
    right = (step.facts["prefix_length"], step.facts["suffix_length"])
    if same(answer, right[::-1]):
        return "The pair is swapped: what is taken from the text before comes first."
    return same(answer, right)


def _steps(name: str, column: str) -> Sequence[Step]:
    """The steps in which the first data page of a column is decoded."""
    import pqexplore

    with pqexplore.open(name) as file:
        pages = file.row_groups[0].columns[column].pages
        return list(next(page for page in pages if page.is_data).trace())
