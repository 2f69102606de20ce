"""The exercises of chapter 10."""

from __future__ import annotations

import operator
import os
from collections.abc import Mapping, Sequence, Set
from typing import TYPE_CHECKING, SupportsIndex

from pqexplore.course.attempt import wrote
from pqexplore.course.equal_answers import inside
from pqexplore.course.exercise import exercise

if TYPE_CHECKING:
    import pyarrow as pa


def _whole(answer: object) -> int | None:
    """A whole number of any integer type; None for all else."""
    if isinstance(answer, bool) or not isinstance(answer, SupportsIndex):
        return None
    return operator.index(answer)


def _table(path: str) -> pa.Table:
    import pqexplore

    with pqexplore.open(path) as file:
        return file.read()


@exercise(
    "10.1",
    "In which columns of orders.parquet did the dictionary reach its limit?",
    "Print the encodings of all data pages of each column, as in step 1.",
    "A column of this kind has a dictionary page, and data pages of two encodings.",
)
def overflowed(answer: object) -> bool | str:
    import pqexplore

    right = set()
    with pqexplore.open("orders.parquet") as file:
        for chunk in file.row_groups[0].columns:
            kinds = {page.encoding for page in chunk.pages if page.is_data}
            if chunk.dictionary_page is not None and len(kinds) > 1:
                right.add(".".join(chunk.leaf.path))
    if isinstance(answer, str):
        return "Answer with a set, even if it has one name."
    if isinstance(answer, Mapping) or not isinstance(answer, Set | Sequence):
        return False
    if set(answer) < right:
        return "These are right, as far as they go. There are more." if answer else "There are some."
    if set(answer) > right:
        return "Not all of these reached it: look at the encodings of their data pages."
    return set(answer) == right and len(answer) == len(right)


@exercise(
    "10.2",
    "What is the smallest dictionary_bytes with which all pages of email use the dictionary?",
    "A dictionary page is PLAIN: four bytes for the length of each text, then the text.",
    "The limit must hold all different texts. How large are they together, with their lengths?",
)
def smallest_dictionary(answer: object) -> bool | str:
    import pqexplore

    emails = _table("orders.parquet").select(["email"])
    texts = [text.encode() for text in emails["email"].unique().to_pylist()]

    def keeps(limit: int) -> bool:
        options = pqexplore.WriteOptions(dictionary_bytes=limit)
        return set(pqexplore.plan(emails, options).columns[0].encodings) == {"RLE_DICTIONARY"}

    bytes_ = _whole(answer)
    if bytes_ is None:
        return "The answer is a whole number of bytes."
    if bytes_ == sum(map(len, texts)):
        return "These are the texts alone. How does a reader know where one ends?"
    if not keeps(bytes_):
        return "With this limit, the writer gives the dictionary up."
    return "That is enough, but less is enough, too." if keeps(bytes_ - 1) else True


@exercise(
    "10.3",
    "With which encoding and codec has price the fewest bytes that Spark and DuckDB can read?",
    "choices has a row for each encoding, codec and level, with the bytes, and in unread_by the engines that do not read it.",
    "Leave out the rows where unread_by has Spark or DuckDB, and order the others by their bytes.",
)
def price(answer: object) -> bool | str:
    import pqexplore

    if not isinstance(answer, Mapping) or not {"encoding", "codec"} <= set(answer):
        return 'Answer with a dictionary that has "encoding" and "codec".'
    asked = tuple(str(answer[part]).upper() for part in ("encoding", "codec"))
    rows = pqexplore.what_if("orders.parquet", columns=["price"]).table.to_pylist()
    found = [row for row in rows if (row["encoding"], row["codec"]) == asked]
    if not found:
        return "The trial has no such choice."
    not_for = {"Spark", "DuckDB"} & set.intersection(*(set(row["unread_by"]) for row in found))
    if not_for:
        return f"{min(not_for)} is known not to read it: see unread_by."
    least = min(row["bytes"] for row in rows if not {"Spark", "DuckDB"} & set(row["unread_by"]))
    if min(row["bytes"] for row in found) > least:
        return "Both read it, but they read one with fewer bytes, too."
    return True


@exercise(
    "10.4",
    "Which columns of stock can have a smaller type without loss?",
    "Cast, cast back, and compare.",
    "A zero in front, a 33rd bit and a tenth do not come back.",
)
def smaller_types(answer: object) -> bool | str:
    import pyarrow as pa

    stock = _table("stock.parquet")
    kinds = pa.date32(), pa.int32(), pa.float32()

    def returns(name: str, kind: pa.DataType) -> bool:
        try:
            values = stock[name].cast(kind, safe=not pa.types.is_floating(kind))
            return bool(values.cast(stock[name].type).equals(stock[name]))
        except pa.ArrowException:
            return False

    if not isinstance(answer, Mapping):
        return "Answer with a dictionary from names to types."
    answer = {name: pa.type_for_alias(kind) if isinstance(kind, str) else kind for name, kind in answer.items()}
    right = {name for name in stock.column_names if any(returns(name, kind) for kind in kinds)}
    if set(answer) < right:
        return "Some column is missing."
    if set(answer) != right:
        return "Not every column that you name comes back as it was."
    lost = [name for name, kind in answer.items() if kind not in kinds or not returns(name, kind)]
    return f"{lost[0]} does not come back from this type." if lost else True


@exercise(
    "10.5",
    "By which column must visits be sorted so that the file is smallest?",
    "Which columns are sorted, too, or have runs at least, if you sort by one?",
    "Try all four: pqexplore.plan(visits.sort_by(name)).size.",
)
def order(answer: object) -> bool | str:
    import pqexplore

    if not isinstance(answer, str):
        return "Answer with the name of one column."
    visits = _table("visits.parquet")
    sizes = {name: pqexplore.plan(visits.sort_by(name)).size for name in visits.column_names}
    if answer not in sizes:
        return "Answer with the name of one column."
    if sizes[answer] > min(sizes.values()):
        return f"So sorted, the file has {sizes[answer]:,} bytes. Another column gives fewer."
    return True


@exercise(
    "10.6",
    "Which row_group_rows is right for DuckDB?",
    "Both ends are wrong: row groups that are too large are read in full, and those that are too small need room themselves.",
    "Try some between 2,000 and 40,000: write the file, and look at its size and at ask(…, engine='duckdb').",
)
def group_rows(answer: object) -> bool | str:
    import pqexplore

    rows = _whole(answer)
    if rows is None:
        return "The answer is a whole number of rows."
    if not 1_000 <= rows <= 40_000:
        return "Take between 1,000 and 40,000 rows."  # thousands of row groups take long to write
    options = pqexplore.WriteOptions(row_group_rows=rows, encodings={"id": "DELTA_BINARY_PACKED", "price": "PLAIN"})
    target = "ledger-answer.parquet"
    size = pqexplore.write(_table("ledger.parquet"), target, options, overwrite=True).size
    where = "day = DATE '2024-05-05'"
    with pqexplore.open("ledger-answer.parquet") as file:
        plan = pqexplore.ask(file, where, columns=["id", "price"], engine="duckdb")
        read = plan.stages[-1].rows_out
    if read > 10_000:
        return f"The query reads {read:,} rows."
    more = size / os.path.getsize("ledger.parquet") - 1
    return True if more <= 0.02 else f"The file is {more:.1%} larger than with one row group."


@exercise(
    "10.7",
    "How is telemetry.parquet rewritten with at most half of its bytes?",
    "The rows are in no order. Which column ascends if you sort by it, and what encoding is good for it then?",
    "Sort, ask what_if of the sorted file, and rewrite it with best.",
)
def shrink(answer: object) -> bool | str:
    problem = wrote(answer, "telemetry.parquet", "telemetry-answer.parquet")
    if problem:
        return problem
    first, second = _table("telemetry.parquet"), _table("telemetry-answer.parquet")
    if first.schema.names != second.schema.names:
        return "The file does not have the same columns."
    if not first.sort_by("at").equals(second.sort_by("at")):
        return "The file does not have the same rows, or not with the same types."
    share = os.path.getsize("telemetry-answer.parquet") / os.path.getsize("telemetry.parquet")
    return True if share <= 0.5 else f"The new file has {share:.0%} of the bytes."


@exercise(
    "10.8",
    "Which is the largest dictionary page of small.parquet?",
    "In the bytes at the top, dictionaries have a colour of their own. Two stand out.",
    "Compare the two: the Overview has the bytes of each, and so has each page when it is selected.",
)
def largest_dictionary(answer: object) -> bool | str | None:
    import pqexplore

    if answer == "":
        return None
    with pqexplore.open("small.parquet") as file:
        chunks = [chunk for group in file.row_groups for chunk in group.columns]
        found = [chunk.dictionary_page for chunk in chunks]
        pages = sorted((page for page in found if page is not None), key=lambda one: len(one.span))
        largest, others = pages[-1].address, [page.address for page in pages[:-1]]
    if any(inside(answer, other) for other in others):
        return "That is a dictionary, but there is a larger one."
    if not isinstance(answer, str) or "/pages/" not in answer:
        return "That is not a page."
    return inside(answer, largest)
