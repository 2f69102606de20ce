"""The exercises of chapter 10."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import TYPE_CHECKING

from pqexplore.course.attempt import table_of
from pqexplore.course.equal_answers import whole
from pqexplore.course.exercise import exercise

if TYPE_CHECKING:
    import pyarrow as pa


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

    emails = table_of("orders.parquet").select(["email"])
    texts = [text.encode() for text in emails["email"].unique().to_pylist()]

    def keeps(limit: int) -> bool:
        options = pqexplore.WriteOptions(dictionary_bytes=limit)
        return set(pqexplore.plan(emails, options).columns[0].encodings) == {"RLE_DICTIONARY"}

    bytes_ = whole(answer)
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

    stock = table_of("stock.parquet")
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
