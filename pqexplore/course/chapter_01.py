"""The exercises of chapter 01."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pqexplore.course.equal_answers import inside, same
from pqexplore.course.exercise import exercise

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.file.page import Page

NAME = "first-events.parquet"


@exercise(
    "01.1",
    "At which byte of the file does the footer begin?",
    "What comes after the footer? Count from the end of the file.",
    "Its length has four bytes, and the magic four more. The footer is before both of them.",
)
def footer_begins(answer: object) -> bool | str:
    with _file() as file:
        with open(NAME, "rb") as plain:
            plain.seek(-8, 2)
            length = int.from_bytes(plain.read(4), "little")
        if same(answer, length):
            return "That is its length, not where it begins."
        if same(answer, file.size - length):
            return "The footer is not the last thing in the file. What comes after it?"
        if same(answer, file.size - 4 - length):
            return "Two things come after the footer, not one."
        return same(answer, file.size - 8 - length)


@exercise(
    "01.2",
    "How many bytes of column chunks does the query read?",
    "The table above has the bytes of each chunk. Which of them does the query need?",
    "Two columns in each of the three row groups are six chunks.",
)
def query_reads(answer: object) -> bool | str:
    with _file() as file:
        columns = [[group.columns[name].metadata for group in file.row_groups] for name in ("country", "amount")]
    stored = [sum(chunk.total_compressed_size for chunk in column) for column in columns]
    if same(answer, sum(column[0].total_compressed_size for column in columns)):
        return "That is the first row group. The query reads all rows."
    if same(answer, sum(chunk.total_uncompressed_size for column in columns for chunk in column)):
        return "That is their size when they are decompressed. What is read is what is in the file."
    if same(answer, stored):
        return "These are the bytes of each column. The exercise asks for one number."
    return same(answer, sum(stored))


@exercise(
    "01.3",
    "Which data page has the country of row 13,000?",
    "The first row group has 8,000 rows. So in which row group is row 13,000, and which of its rows is it?",
    "Add up the values of the data pages until you have come past that row. A dictionary page has no rows.",
)
def page_of_row(answer: object) -> bool | str | None:
    if answer == "":
        return None
    with _file() as file:
        right, _ = _page_of(file, "country", 13_000)
        if inside(answer, right.address):
            return True
        if not isinstance(answer, str) or not answer.startswith("row_groups/"):
            return "Pages are in the column chunks, and these in the row groups: begin there."
        if not inside(answer, right.address.partition("/columns")[0]):
            return "Row 13,000 is in another row group."
        chunk = _chunk_of(file, "country", 13_000)[0]
        if not inside(answer, chunk.address):
            return "The row group is right. Now go down to the column `country`, and to one of its pages."
        if inside(answer, f"{chunk.address}/pages") and answer != f"{chunk.address}/pages":
            return "The column chunk is right, the page is not."
        return "The column chunk is right. Now select the page in it."


@exercise(
    "01.4",
    "How many bits does an index of `user` take in row group 0?",
    "The dictionary of a chunk is `chunk.dictionary`. How many entries does that of `user` have?",
    "With 5 bits one can count from 0 to 31. How many bits do you need to count to the last entry?",
)
def index_bits(answer: object) -> bool | str:
    with _file() as file:
        chunk = file.row_groups[0].columns["user"]
        page = next(page for page in chunk.pages if page.is_data)
        right = page.body.section("values").data[0]
        if same(answer, page.num_values.bit_length()):
            return "Count the entries of the dictionary, not the values of the page."
        if same(answer, chunk.pages[0].num_values):
            return "So many entries there are. How many bits does a number take that names one of them?"
        return same(answer, right)


@exercise(
    "01.5",
    "At which byte does the `score` of row 9,000 begin, and what is it?",
    "Row group 1 begins with row 8,000. Which of its rows is row 9,000?",
    "The address of value n of a page is its own address and `/values/n`; the first value is value 0.",
    'A double has eight bytes: `struct.unpack("<d", …)`, as above.',
)
def score_of_row(answer: object) -> bool | str:
    with _file() as file:
        page, row = _page_of(file, "score", 9_000)
        span = file.node(f"{page.address}/values/{row}").span
        assert span is not None
        right = (span.start, page.values[row].as_py())
        if same(answer, right):
            return True
        if same(answer, right[::-1]):
            return "The pair is swapped: the byte comes first."
        if isinstance(answer, tuple | list) and len(answer) == 2:
            if same(answer[0], right[0]):
                return "The place is right, the value is not."
            if same(answer[1], right[1]):
                return "The value is right. Now say where in the file it begins."
        return False


def _file() -> ParquetFile:
    import pqexplore

    return pqexplore.open(NAME)


def _chunk_of(file: ParquetFile, column: str, row: int) -> tuple[ColumnChunk, int]:
    """The chunk of a column that has a row of the file, and the number of the row in it."""
    for group in file.row_groups:
        if row < group.num_rows:
            return group.columns[column], row
        row -= group.num_rows
    raise AssertionError("the file has fewer rows")


def _page_of(file: ParquetFile, column: str, row: int) -> tuple[Page, int]:
    """The data page that has a row of the file, of a column with one value in each row; the number of the row in it."""
    chunk, row = _chunk_of(file, column, row)
    for page in chunk.pages:
        if page.is_data:
            if row < page.num_values:
                return page, row
            row -= page.num_values
    raise AssertionError("the chunk has fewer values")
