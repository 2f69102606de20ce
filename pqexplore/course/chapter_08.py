"""The exercises of chapter 08. The store and the folders are those that the notebook wrote in `skipping-indexes`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pqexplore.course.equal_answers import same
from pqexplore.course.exercise import exercise

if TYPE_CHECKING:
    from pqexplore.lake.metadatastore import Store

HERE = "skipping-indexes"


def _store(name: str = "indexes") -> Store:
    from pqexplore.lake import metadatastore

    if not os.path.isdir(os.path.join(HERE, name)):
        raise FileNotFoundError(2, "", os.path.join(HERE, name))
    return metadatastore.open(os.path.join(HERE, name))


@exercise(
    "08.1",
    "How many files does a query for city IN ('Rome', 'Oslo') AND trip < 220000 have to read?",
    "Which of the two conditions skips files? Nearly every file has Oslo.",
    "Day 1 has the trips from 100000 on, its second file those from 110000 on, and so on. Or ask store.evaluate.",
)
def how_many(answer: object) -> bool | str:
    store = _store()
    right = len(store.evaluate("city IN ('Rome', 'Oslo') AND trip < 220000").kept)
    if any(same(answer, len(all_)) for all_ in (store.evaluate("city = 'Oslo'").kept, store.rows)):
        return "Nearly every file has Oslo, but few have such a trip."
    if same(answer, len(store.evaluate("trip < 300000").kept)):
        return "These are the files of days 1 and 2. Not all files of day 2 have trips below 220000."
    if same(answer, len(store.evaluate("trip < 200000").kept)):
        return "These are the files of day 1. Trips below 220000 are in others, too."
    return same(answer, right)


@exercise(
    "08.2",
    "Which index lets fare > 100 skip files, and keeps no more than two numbers of each file?",
    "Which kind of index can answer a question with >?",
    "Fares are in no order, but not every file has a fare above 100. Its greatest fare says so.",
)
def index_of_fares(answer: object) -> bool | str:
    import tempfile

    from pqexplore.lake import metadatastore

    if isinstance(answer, Sequence) and not isinstance(answer, str) and len(answer) == 1:
        (answer,) = answer
    kinds = metadatastore.MinMax, metadatastore.ValueList, metadatastore.BloomFilter
    if not isinstance(answer, kinds):
        return 'The answer is an index, such as ValueList("city").'
    if isinstance(answer, metadatastore.BloomFilter):
        return "A Bloom filter answers = alone."
    with tempfile.TemporaryDirectory() as folder:
        built = metadatastore.build(None, os.path.join(HERE, "trips"), [answer], folder)
        if not built.evaluate("fare > 100").skipped:
            return "With it, fare > 100 still reads all files."
    if isinstance(answer, metadatastore.ValueList):
        return "It skips files, but it keeps every different fare of a file."
    return True


@exercise(
    "08.3",
    "Which file does driver = 20019 read in vain?",
    "store.evaluate('driver = 20019').kept has the names; store.object(name).path is the file of one.",
    "Read the drivers of each of the five files, and look whether 20019 is among them.",
)
def read_in_vain(answer: object) -> bool | str | None:
    import pyarrow.parquet as pq

    if answer == "":
        return None
    store = _store()
    kept = [store.object(name).path for name in store.evaluate("driver = 20019").kept]
    if answer not in kept:
        return "The index rules this file out: it is not read."
    drivers = pq.read_table(answer, columns=["driver"], partitioning=None)["driver"]
    return "The driver is in this file." if 20019 in drivers.to_pylist() else True


@exercise(
    "08.4",
    "Which one index saves most reads of a file for four queries?",
    "Ask metadatastore.advise(str(folder), asked, sample=20), as above; its table has the best first.",
    "The rows '(all)' are of several indexes together. Of two that skip as much, the one with fewer bytes is better.",
)
def best_index(answer: object) -> bool | str:
    from pqexplore.lake import metadatastore

    queries = ["driver = 20019", "driver = 31000", "fare > 100", "city = 'Oslo'"]
    advice = metadatastore.advise(os.path.join(HERE, "trips"), queries, sample=20)
    single = [one for one in advice.proposals if one.column != "(all)" and one.skipped]
    best = single[0]
    if not isinstance(answer, Sequence) or isinstance(answer, str) or len(answer) != 2:
        return 'The answer is a column and a kind, such as ("trip", "minmax").'
    column, kind = answer
    if not isinstance(kind, str):
        return False
    kind = kind.replace(" ", "").replace("_", "")
    if kind.lower() not in ("minmax", "valuelist", "bloomfilter"):
        return "The column comes first, then the kind of index."
    if column == "(all)":
        return "That is several indexes together. Which one is the best?"
    if column == best.column and kind.lower() != best.index:
        return f"The column is right. Does a {kind} skip as much, in as few bytes?"
    return column == best.column and kind.lower() == best.index


@exercise(
    "08.5",
    "How many files must a query for city = 'Rome' read, now that files have changed?",
    "The store has proof for files that are as they were. For which files does it have none?",
    "One file is new to the store, one is not any more what the store knows, and one is not there: what does each mean for the query?",
)
def must_read(answer: object) -> bool | str:
    store = _store("of-first-days")
    found = store.files_to_read("city = 'Rome'")
    if same(answer, len(found.evaluation.kept)):
        return "That is what the indexes keep. Of some files they do not know what is in them now."
    if same(answer, len(found.staleness.new) + len(found.staleness.changed) + 1):
        return "A file that is gone cannot be read."
    if same(answer, len(found.staleness.new)):
        return "A file that was written again is another file to the store, too."
    return same(answer, len(found))
