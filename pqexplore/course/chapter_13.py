"""The exercises of chapter 13."""

from __future__ import annotations

import zlib
from numbers import Integral
from typing import TYPE_CHECKING

from pqexplore.course.equal_answers import same
from pqexplore.course.exercise import exercise
from pqexplore.engine.errors import ParquetError

if TYPE_CHECKING:
    from pqexplore.engine.finding import Finding


@exercise(
    "13.1",
    "Which checksum fits the damaged page?",
    "The CRC-32 of the page as it is stored now; the finding has the page's address.",
    "`.stored` of the damaged page has its bytes: compute as for the page before it.",
)
def checksum(answer: object) -> bool | str | None:
    """The CRC-32 of the damaged bytes, modulo 2^32: the header has it as a signed number."""
    from pqexplore.engine.file.file import open as open_file

    with open_file("flip.parquet") as file:
        where = _damaged("flip.parquet").split("/")
        page = file.row_groups[int(where[1])].columns[int(where[3])].pages[int(where[5])]
        computed, stored = zlib.crc32(page.stored), page.header.crc
    if isinstance(answer, str | bytes):
        return "Answer with a number. A checksum in hexadecimal digits is one with 0x before it."
    given = _integer(answer) % (1 << 32)
    if stored is not None and given == stored % (1 << 32):
        return "That is the one it holds, and it does not fit."
    return given == computed


@exercise(
    "13.2",
    "Select the page that the storm damaged.",
    "storm.check() names the address of what is wrong.",
    "An address goes down from row group to column to page: set explorer.selection to it.",
)
def damaged_page(answer: object) -> bool | str | None:
    """The page whose checksum is wrong by `check`, or any place in it."""
    from pqexplore.engine.file.file import open as open_file

    if answer in ("", "row_groups"):
        return None
    where = _damaged("storm.parquet")
    given = answer.strip("/") if isinstance(answer, str) else ""
    if given and where.startswith(f"{given}/"):
        return "The damaged page is in there. Go further down."
    with open_file("storm.parquet") as file:
        pages = {page.address for chunk in file.chunks() for page in chunk.pages}
    if given in pages - {where}:
        return "The checksum of that page fits."
    return given == where or given.startswith(f"{where}/")


@exercise(
    "13.3",
    "How many values does a damaged dictionary page spoil?",
    "Which pages have indexes into this dictionary?",
    "Each row group has a dictionary of its own, and each column, too.",
)
def distrusted(answer: object) -> bool | str | None:
    """The values of the one chunk that has this dictionary."""
    from pqexplore.engine.file.file import open as open_file

    with open_file("harbour.parquet") as file:
        chunk = file.row_groups[1].columns["ship"]
        dictionary = chunk.dictionary_page
        if dictionary is not None and same(answer, dictionary.num_values):
            return "These are the entries of the dictionary. Who uses them?"
        if same(answer, chunk.pages[-1].num_values):
            return "That is one page. How many pages have indexes into this dictionary?"
        if same(answer, sum(group.columns["ship"].num_values for group in file.row_groups)):
            return "These are the values of ship in all row groups. Do they share a dictionary?"
        if same(answer, file.row_groups[1].num_rows * len(file.columns)):
            return "These are all values of the row group. Do its columns share a dictionary?"
        return same(answer, chunk.num_values)


@exercise(
    "13.4",
    "How many bytes must be left to save three row groups?",
    "Where does the last page of the third row group end?",
    "A column chunk has a span; the row group ends with the last of its chunks.",
)
def needed(answer: object) -> bool | str | None:
    """A number with which the salvage gives three row groups, while with one byte less it does not."""
    from pqexplore.engine.file.file import open as open_file

    with open_file("harbour.parquet") as file:
        rows = sum(group.num_rows for group in file.row_groups[:3])
    with open("harbour.parquet", "rb") as raw:
        whole = raw.read()
    size = _integer(answer)
    if not 0 < size <= len(whole):
        return False
    if _rows_saved(whole[:size]) < rows:
        return "With so many bytes there are fewer."
    if _rows_saved(whole[: size - 1]) >= rows:
        return "That is enough, but not the smallest number."
    return True


def _rows_saved(data: bytes) -> int:
    """The rows that a salvage with the schema of `harbour.parquet` finds."""
    from pqexplore.engine.salvage import salvage

    try:
        return salvage(data, schema="harbour.parquet").open("rows").num_rows
    except ParquetError:
        return 0


@exercise(
    "13.5",
    "What is the smallest page_bytes for harbour.parquet?",
    "The limit is for the decompressed bytes of one page, so the largest page decides.",
    "Each page has a header with uncompressed_page_size; f.chunks() has all chunks, and each its pages.",
)
def smallest_limit(answer: object) -> bool | str | None:
    """A limit with which the file can be read, while with one byte less it cannot."""
    limit = _integer(answer)
    if not _can_read(limit):
        return "With this limit the file cannot be read."
    if _can_read(limit - 1):
        return "That is enough, but not the smallest number."
    return True


def _can_read(page_bytes: int) -> bool:
    from pqexplore.engine.file.file import open as open_file
    from pqexplore.engine.limits import Limits

    try:
        with open_file("harbour.parquet", limits=Limits(page_bytes=page_bytes)) as file:
            file.read()
    except ParquetError:
        return False
    return True


@exercise(
    "13.6",
    "How much longer does an extension of 300 bytes make a footer?",
    "Four bytes name the field. How many does the length 300 need, at seven bits each?",
    "A stop byte goes away, and one comes back.",
)
def longer(answer: object) -> bool | str | None:
    """The header of field 32767, the length as ULEB128, and the extension."""
    if same(answer, 300):
        return "The extension itself has 300. What comes before it?"
    if same(answer, 307):
        return "The stop byte was there before."
    if same(answer, 305):
        return "A length of 300 does not fit into seven bits."
    return same(answer, 4 + -(-(300).bit_length() // 7) + 300)


def _integer(answer: object) -> int:
    """A whole number, of NumPy, too. TypeError if it is none: True is not 1."""
    if isinstance(answer, bool) or not isinstance(answer, Integral):
        raise TypeError("not a whole number")
    return int(answer)


def _damaged(name: str) -> str:
    """The address of the page whose checksum is wrong."""
    from pqexplore.engine.file.file import open as open_file

    with open_file(name) as file:
        found: list[Finding] = [one for one in file.check() if one.rule == "crc-mismatch"]
    return found[0].address
