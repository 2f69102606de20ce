"""The exercises of chapter 09."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

from pqexplore.course.attempt import wrote
from pqexplore.course.equal_answers import in_order, inside, same
from pqexplore.course.exercise import exercise
from pqexplore.engine.text import plural

CHUNK = "row_groups/7/columns/2"
"""Where the explorer of exercise 09.6 begins: the prices of row group 7."""
MOST_BYTES = 45_000
"""Exercise 09.4: what DuckDB may read."""


def _overlapping(lows: Sequence[bytes], highs: Sequence[bytes], low: float, high: float) -> list[int]:
    """The places of the bounds, as little-endian doubles, between which a number from low to high may lie."""
    import numpy as np

    bounds = np.frombuffer(b"".join(lows), "<f8"), np.frombuffer(b"".join(highs), "<f8")
    found: list[int] = np.flatnonzero((bounds[0] <= high) & (bounds[1] >= low)).tolist()
    return found


@exercise(
    "09.1",
    "Which row groups of by-price.parquet does Spark read for price BETWEEN 120 AND 130?",
    "Ask with engine='spark'. The plan says of each row group whether it is kept.",
    "plan.row_groups has the columns row_group and kept; plan.kept has the row groups that are read.",
)
def read_groups(answer: object) -> bool | str:
    import pqexplore

    with pqexplore.open("by-price.parquet") as file:
        stored = [group.columns["price"].statistics for group in file.row_groups]
        lows = [one.min_value for one in stored if one is not None and one.min_value is not None]
        highs = [one.max_value for one in stored if one is not None and one.max_value is not None]
        right = _overlapping(lows, highs, 120, 130)
    if same(answer, len(right)):
        return "That is how many. Which ones are they?"
    if isinstance(answer, str):
        return "Answer with numbers, as in [0, 11]."
    return same(in_order(answer), right)


@exercise(
    "09.2",
    "Which condition for the same rows reads at most one row group?",
    "Bounds are of the column, not of what is computed from it. Leave the column alone on its side.",
    "If twice the price is more than 995, what must the price itself be?",
)
def bare_column(answer: object) -> bool | str:
    import pqexplore

    if not isinstance(answer, str):
        return "A condition is a text in SQL."
    with pqexplore.open("by-price.parquet") as file:
        try:
            plan = pqexplore.ask(file, answer)
        except pqexplore.UsageError as error:
            return f"It cannot be asked: {error}."
        if len(plan.kept) > 1:
            return " ".join([f"It reads {len(plan.kept)} row groups.", *plan.remarks])
        found = plan.verify().matches.to_pylist()
        right = sum(price * 2 > 995 for price in file.read(["price"])["price"].to_pylist())
    if sum(row["matching"] for row in found) != right:
        return "It reads little, but it is not true of the same rows."
    return True


@exercise(
    "09.3",
    "For which customers is a row group read in vain, because its Bloom filter is wrong?",
    "About one customer in a hundred is a false alarm for a filter. Try many, such as f'c{n:05}' for n from 0 on.",
    "row_group.columns['customer'].bloom_filter.probe(customer).hit is what the filter says. "
    "file.read(['customer'], row_groups=[n]) says whether it is true.",
)
def in_vain(answer: object) -> bool | str:
    import operator

    import pqexplore

    if not isinstance(answer, Mapping):
        return "The answer is a dictionary, such as {'c00001': 0}."
    if not answer:
        return "The dictionary is empty. Three customers are asked for."
    with pqexplore.open("with-filters.parquet") as file:
        for customer, number in answer.items():
            at = operator.index(number)
            if isinstance(number, bool) or not 0 <= at < file.num_row_groups:
                return f"There is no row group {number!r}."
            probe = file.row_groups[at].columns["customer"].bloom_filter
            if probe is None or not probe.probe(customer).hit:
                return f"The filter of row group {at} rules {customer!r} out."
            if customer in file.read(["customer"], row_groups=[at])["customer"].to_pylist():
                return f"{customer!r} is in row group {at}: it is not read in vain."
    return True if len(answer) >= 3 else "These are right. Three are asked for."


@exercise(
    "09.4",
    "How must the table be written, so that DuckDB reads little for one day?",
    "The rows of a day lie together already. How many rows are read besides them?",
    "DuckDB reads row groups whole. How large should one be?",
)
def smaller_groups(answer: object) -> bool | str:
    import pqexplore

    with pqexplore.open("shop.parquet") as file:
        table = file.read()
    problem = wrote(answer, table, "shop-answer.parquet")
    if problem:
        return problem
    with pqexplore.open("shop-answer.parquet") as file:
        if not file.read().sort_by("id").equals(table.sort_by("id")):
            return "The file does not have the same rows and columns."
        asked = "day = DATE '2024-05-05' AND price > 400"
        plan = pqexplore.ask(file, asked, columns=["id"], engine="duckdb")
    if len(plan.kept) <= 2 and plan.reading.bytes <= MOST_BYTES:
        return True
    groups = plural(len(plan.kept), "row group")
    return f"DuckDB reads {groups}, and plans to read {plan.reading.bytes:,} bytes."


@exercise(
    "09.5",
    "Which engines lose rows of measured.parquet for t > 100?",
    "Ask each engine, as in the last section. The plan's sentence begins with what it loses.",
    "plan.wrong_rows is empty where every skip is justified.",
)
def losers(answer: object) -> bool | str:
    import pqexplore

    with pqexplore.open("measured.parquet") as file:
        right = {
            name
            for name in ("duckdb", "polars", "spark", "pyarrow")
            if pqexplore.ask(file, "t > 100", engine=name).wrong_rows
        }
    if isinstance(answer, str):
        return "Answer with a set, even if it has one name."
    if not isinstance(answer, Set | Sequence):
        return False
    given = {name.lower() for name in answer if isinstance(name, str)}
    if len(given) != len(answer):
        return False
    if given < right:
        return "They do lose rows, but they are not all that do." if given else "Some of them do."
    if given > right:
        return "Not all of these lose rows."
    return given == right


@exercise(
    "09.6",
    "Which page of price in row group 7 does Spark decode for price BETWEEN 222 AND 223?",
    "The pages are sorted: each one begins where the one before it ends.",
    "Find the page whose min is below 222 and whose max is above 223.",
)
def decoded_page(answer: object) -> bool | str | None:
    import pqexplore

    if answer in ("", CHUNK):
        return None
    with pqexplore.open("batches.parquet") as file:
        chunk = file.row_groups[7].columns["price"]
        index = chunk.column_index
        assert index is not None
        may = _overlapping(index.min_values, index.max_values, 222, 223)
        pages = [page.address for page in chunk.pages if page.is_data]
        for page in chunk.pages:
            if not page.is_data and inside(answer, page.address):
                return "That is the dictionary. Spark reads it, too, but its entries are in no page order."
    if not inside(answer, CHUNK):
        return "That is no part of the prices of row group 7."
    return any(inside(answer, pages[at]) for at in may)
