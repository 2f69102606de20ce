"""The exercises of chapter 07. The lake is the one that the notebook stored; its tables are read without Spark."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence, Set
from typing import TYPE_CHECKING

from pqexplore.course.equal_answers import same
from pqexplore.course.exercise import exercise

if TYPE_CHECKING:
    from pqexplore.lake import Lake

HERE = "lake-on-spark"


def _lake() -> Lake:
    from pqexplore import lake

    path = os.path.join(HERE, "lake")
    if not os.path.isdir(path):
        raise FileNotFoundError(2, "", path)
    return lake.open(path)


def _files() -> list[dict[str, object]]:
    """The readable files of the lake."""
    found: list[dict[str, object]] = _lake().dataset("files").to_table().to_pylist()
    return [one for one in found if one["status"] == "ok"]


@exercise(
    "07.1",
    "Which column takes the most bytes, over all files that were read?",
    "The view column_sizes adds up the chunks of each column.",
    "Take compressed_bytes, which are the bytes in the files. By uncompressed_bytes, another column comes first.",
)
def largest_column(answer: object) -> bool | str:
    from collections import Counter

    paths = {one["path"] for one in _files()}
    columns = ["path", "column_name", "compressed_bytes"]
    sizes: Counter[str] = Counter()
    for row in _lake().dataset("column_chunks").to_table(columns=columns).to_pylist():
        if row["path"] in paths:
            sizes[row["column_name"]] += row["compressed_bytes"]
    return same(answer, sizes.most_common(1)[0][0])


@exercise(
    "07.2",
    "How many files would the whole lake need, if each had a mebibyte?",
    "Ask the view small_files with target_bytes=1 << 20, and look at all of its rows.",
    "A file does not cross a partition. Add up target_files over the partitions.",
)
def target_files(answer: object) -> bool | str:
    from collections import Counter

    partitions: Counter[object] = Counter()
    for one in _files():
        size = one["size"]
        assert isinstance(size, int)
        partitions[one["partition_values"]] += size
    if same(answer, _mebibytes(sum(partitions.values()))):
        return "That would be enough if a file could have rows of several days."
    if same(answer, len(partitions) - 1):
        return "That is one for each day. The lake has another table, too."
    return same(answer, sum(map(_mebibytes, partitions.values())))


def _mebibytes(size: int) -> int:
    """So many bytes in mebibytes, the last one begun."""
    return -(-size // (1 << 20))


@exercise(
    "07.3",
    "Which engines read the folder tips_first, without any option and without an error?",
    "Scan the folder tips_first: drift() of this lake has one difference.",
    "The difference has engines, as above: an engine that refuses, or wants an option, does not read the folder as it is.",
)
def without_error(answer: object) -> bool | str:
    from pqexplore.lake import scan

    folder = os.path.join(HERE, "tips-first")
    if not os.path.isdir(folder):
        raise FileNotFoundError(2, "", folder)
    (tip,) = scan(None, folder, processes=0).drift().differences
    outcomes = {name.lower(): outcome.value for name, outcome in tip.outcomes.items()}
    asked = ("spark", "duckdb", "pyarrow", "polars")
    right = {name for name in asked if outcomes[name] != "fails"}
    if isinstance(answer, str):
        return "Answer with a set, even if it has one name."
    if isinstance(answer, Mapping) or not isinstance(answer, Set | Sequence):
        return False
    given = {name.lower() for name in answer if isinstance(name, str)}
    if any(outcomes.get(name) == "fails" for name in given):
        return "One of them does not read the folder as it is: it raises an error."
    if given and given < right:
        return "That is right, as far as it goes. There are more."
    return given == right and len(answer) == len(right)


@exercise(
    "07.4",
    "What would VACUUM delete in eight days from now?",
    "lake.removable(at=…) takes the time that is asked about, as a datetime with a time zone.",
    "found.files has a row for each file, with its size. The files that were removed yesterday are among them then.",
)
def in_eight_days(answer: object) -> bool | str:
    import datetime

    now = datetime.datetime.now(datetime.UTC)
    today, later = (_lake().removable(now + datetime.timedelta(days=days)).files["size"].to_pylist() for days in (0, 8))
    right = (len(later), sum(later))
    if same(answer, right[::-1]):
        return "The pair is swapped: the number of files comes first."
    if same(answer, (len(today), sum(today))):
        return "That is what it would delete now."
    if same(answer, (len(later) - len(today), sum(later) - sum(today))):
        return "These come in addition. What it may delete today is still there in eight days."
    if isinstance(answer, Sequence) and len(answer) == 2 and same(answer[0], right[0]):
        return same(answer, right) or "So many files, but not so many bytes."
    return same(answer, right)


@exercise(
    "07.5",
    "Which file has the fewest rows?",
    "In the panel Files, drag over the square at the bottom that has no cross: the table then has its files alone.",
    "Or ask lake.sql for the path and num_rows of files with the status ok.",
)
def fewest_rows(answer: object) -> bool | str | None:
    if answer == "":
        return None
    rows = {one["path"]: one["num_rows"] for one in _files()}
    if answer not in rows:
        return "The lake has no such file, or it was not read."
    return rows[answer] == min(count for count in rows.values() if isinstance(count, int))
