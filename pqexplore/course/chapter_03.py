"""The exercises of chapter 03."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pqexplore.course.equal_answers import inside, same, shortened
from pqexplore.course.exercise import exercise

if TYPE_CHECKING:
    import pyarrow as pa

    from pqexplore.engine.file.file import ParquetFile

PAGE = "row_groups/0/columns/0/pages/0"
"""Where the explorer of exercise 03.4 begins."""

EXAMPLES: tuple[list[list[int | None] | None], ...] = (
    [[1, 2], [], None, [None, 3], [4]],
    [[]],
    [None, None],
    [[None] * 3, [1]],
    [[1], [], [2, None]],
)
"""Rows whose lengths the function of exercise 03.5 must find."""


@exercise(
    "03.1",
    "How many entries does a column store for these rows?",
    "Each element of a list has an entry, also an element that is null.",
    "A row without elements has an entry, too: to say that it is there.",
)
def entries(answer: object) -> bool | str:
    rows = [[1, 2, 3], [], None, [None], [4, 5]]
    if same(answer, len(rows)):
        return "These are the rows. A list of three elements has three entries."
    if same(answer, sum(len(row or ()) for row in rows)):
        return "These are the elements. What about a list that has none?"
    if same(answer, len(_levels(rows)[0]) - 1):
        return "One is missing. A null and an empty list have an entry each, and a null in a list has one."
    return same(answer, len(_levels(rows)[0]))


@exercise(
    "03.2",
    "What is the highest definition level of a list that is never null, with elements that are never null?",
    "The definition level counts the places at which one may have to stop. A required field is no such place.",
    "The path has three fields. Which of them is neither optional nor required?",
)
def highest(answer: object) -> bool | str:
    import pyarrow as pa

    def found(nullable: bool) -> int:
        element = pa.field("element", pa.int64(), nullable=nullable)
        column = pa.field("x", pa.list_(element), nullable=nullable)
        file = _written(pa.table({"x": [[1]]}, schema=pa.schema([column])))
        return file.schema.leaves[0].max_definition_level

    if same(answer, found(True)):
        return "That is the highest level if the list and its elements may be null."
    return same(answer, found(False))


@exercise(
    "03.3",
    "What are the rows with these levels and values?",
    "A row begins at each repetition 0. How many rows are there?",
    "Definition 0 is a null in place of a list, 1 an empty list, 2 a null in a list, 3 a value.",
)
def rows_of(answer: object) -> bool | str:
    right = [[], [10, None, 20], None, [30]]
    if same(answer, [None, [10, None, 20], [], [30]]):
        return "A null and an empty list are not the same. Which of them has definition 0?"
    if same(answer, [[], [10, 20], None, [30]]):
        return "An entry without a value may be an element, too."
    if isinstance(answer, list | tuple) and len(answer) != len(right):
        return "That is not the number of rows."
    return same(answer, right)


@exercise(
    "03.4",
    "Which definition level says that an inner list is null?",
    "Row 1 begins at the first entry after entry 0 with repetition 0. Step on from there, and watch the row grow.",
    "Which definition level means that `lists.list.element` is null? The names of the levels are printed above the explorer.",
)
def inner_null(answer: object) -> bool | str | None:
    import pqexplore
    from pqexplore.format import name_levels

    if answer == PAGE:
        return None
    with pqexplore.open("nested.parquet") as file:
        chunk = file.row_groups[0].columns[0]
        wanted = name_levels(chunk.leaf)[0].index("lists.list.element is null")
        levels = chunk.pages[0].definition_levels
        assert levels is not None
        entry = levels.tolist().index(wanted)
    if same(answer, f"{PAGE}/repetition_levels/{entry}"):
        return "The entry is right. That it is null is said by its other level."
    if inside(answer, f"{PAGE}/definition_levels") and not same(answer, f"{PAGE}/definition_levels"):
        return same(answer, f"{PAGE}/definition_levels/{entry}") or "That is another entry."
    return "Select the definition level of one entry."


@exercise(
    "03.5",
    "Which lengths do the lists have, by the levels alone?",
    "Begin a row at repetition 0: with None if the definition level is 0, else with 0.",
    "An entry is an element if its definition level is 2 or 3. Add one to the last row then.",
)
def lengths(answer: object) -> bool | str:
    if not callable(answer):
        return "Write a function: def lengths(repetition, definition): …"
    for rows in EXAMPLES:
        found = answer(*_levels(rows))
        if not same(found, [None if row is None else len(row) for row in rows]):
            return f"For the rows {rows} it gives {shortened(found)}."
    return True


def _levels(rows: Sequence[Sequence[int | None] | None]) -> tuple[list[int], list[int]]:
    """The repetition and definition levels of a column with these lists of numbers."""
    import pyarrow as pa

    table = pa.table({"x": pa.array(rows, pa.list_(pa.int64()))})
    repetition, definition = list[int](), list[int]()
    for page in _written(table).row_groups[0].columns[0].pages:
        if page.is_data:
            assert page.repetition_levels is not None and page.definition_levels is not None
            repetition += page.repetition_levels.tolist()
            definition += page.definition_levels.tolist()
    return repetition, definition


def _written(table: pa.Table) -> ParquetFile:
    """A table as a Parquet file in memory."""
    import io

    import pqexplore

    target = io.BytesIO()
    pqexplore.write(table, target)
    return pqexplore.open(target.getvalue())


@exercise(
    "03.6",
    "Click the field that is read as a list without LIST.",
    "The column of the lens that names the logical type says LIST for the annotated ones.",
    "It is not in a group: it is a repeated field below the root itself.",
)
def unannotated(answer: object) -> bool | str | None:
    """Any place of the one leaf that is a field of the root."""
    from pqexplore.engine.file.file import open as open_file

    if not isinstance(answer, str) or answer in ("", "schema"):
        return None if answer in ("", "schema") else False
    with open_file("old-lists.parquet") as file:
        leaf = next(leaf for leaf in file.columns if len(leaf.path) == 1)
        element = next(
            index
            for index, one in enumerate(file.footer_metadata.schema)
            if one.name == leaf.path[0] and not one.num_children
        )
    parts = answer.strip("/").removeprefix("footer/").split("/")
    if parts[0] == "row_groups":
        return parts[2:4] == ["columns", str(leaf.index)]
    return parts[0] == "schema" and parts[1:2] == [str(element)]
