"""The exercises of chapter 11."""

from __future__ import annotations

import os

from pqexplore.course.attempt import table_of, wrote
from pqexplore.course.equal_answers import inside, whole
from pqexplore.course.exercise import exercise


@exercise(
    "11.1",
    "By which column must visits be sorted so that the file is smallest?",
    "Which columns are sorted, too, or have runs at least, if you sort by one?",
    "Try all four: pqexplore.plan(visits.sort_by(name)).size.",
)
def order(answer: object) -> bool | str:
    import pqexplore

    if not isinstance(answer, str):
        return "Answer with the name of one column."
    visits = table_of("visits.parquet")
    sizes = {name: pqexplore.plan(visits.sort_by(name)).size for name in visits.column_names}
    if answer not in sizes:
        return "Answer with the name of one column."
    if sizes[answer] > min(sizes.values()):
        return f"So sorted, the file has {sizes[answer]:,} bytes. Another column gives fewer."
    return True


@exercise(
    "11.2",
    "Which row_group_rows is right for DuckDB?",
    "Both ends are wrong: row groups that are too large are read in full, and those that are too small need room themselves.",
    "Try some between 2,000 and 40,000: write the file, and look at its size and at ask(…, engine='duckdb').",
)
def group_rows(answer: object) -> bool | str:
    import pqexplore

    rows = whole(answer)
    if rows is None:
        return "The answer is a whole number of rows."
    if not 1_000 <= rows <= 40_000:
        return "Take between 1,000 and 40,000 rows."  # thousands of row groups take long to write
    options = pqexplore.WriteOptions(row_group_rows=rows, encodings={"id": "DELTA_BINARY_PACKED", "price": "PLAIN"})
    target = "ledger-answer.parquet"
    size = pqexplore.write(table_of("ledger.parquet"), target, options, overwrite=True).size
    where = "day = DATE '2024-05-05'"
    with pqexplore.open("ledger-answer.parquet") as file:
        plan = pqexplore.ask(file, where, columns=["id", "price"], engine="duckdb")
        read = plan.stages[-1].rows_out
    if read > 10_000:
        return f"The query reads {read:,} rows."
    more = size / os.path.getsize("ledger.parquet") - 1
    return True if more <= 0.02 else f"The file is {more:.1%} larger than with one row group."


@exercise(
    "11.3",
    "How is telemetry.parquet rewritten with at most half of its bytes?",
    "The rows are in no order. Which column ascends if you sort by it, and what encoding is good for it then?",
    "Sort, ask what_if of the sorted file, and rewrite it with best.",
)
def shrink(answer: object) -> bool | str:
    problem = wrote(answer, "telemetry.parquet", "telemetry-answer.parquet")
    if problem:
        return problem
    first, second = table_of("telemetry.parquet"), table_of("telemetry-answer.parquet")
    if first.schema.names != second.schema.names:
        return "The file does not have the same columns."
    if not first.sort_by("at").equals(second.sort_by("at")):
        return "The file does not have the same rows, or not with the same types."
    share = os.path.getsize("telemetry-answer.parquet") / os.path.getsize("telemetry.parquet")
    return True if share <= 0.5 else f"The new file has {share:.0%} of the bytes."


@exercise(
    "11.4",
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
