"""Which objects of a Metadatastore a condition skips, and the indexes that decide."""

from __future__ import annotations

import dataclasses
import datetime
from typing import TYPE_CHECKING

from pqexplore.insight.answer import Answer, Column, Table
from pqexplore.lake.asking.indexed import reason, staleness_of, staleness_sentence
from pqexplore.lake.panels.filters import Filters
from pqexplore.lake.panels.panel import Panel

if TYPE_CHECKING:
    from pqexplore.lake.metadatastore import Evaluation, Store

LISTED = 2_000
LOSSES = 100
"""Max objects in the list of those that xskipper would lose."""

VERDICTS = ("kept", "skipped", "partition pruned")


@dataclasses.dataclass(slots=True)
class Verdict:
    """An object, and the index of its verdict in `VERDICTS`."""

    name: str
    verdict: int


@dataclasses.dataclass(slots=True)
class Loss:
    """An object with rows that may match, which xskipper would skip, and why."""

    name: str
    why: str


@dataclasses.dataclass(slots=True)
class Picture:
    """A condition, and the verdict for each object. `counts` are the objects by verdict; empty without a condition."""

    condition: str
    mode: str
    counts: list[int]
    verdicts: list[Verdict]
    may_lose: list[Loss]


def answer(store: Store, filters: Filters, typed: str = "") -> Answer:
    """Which objects a condition skips, and why, and how far the store is up to date; `typed` is `MODE:CONDITION`. UsageError if it is not valid SQL."""
    mode, _, condition = typed.partition(":")
    state = _state(store)
    if not condition.strip():
        sentence = f"Type a condition to see which objects it skips. {state}"
        return Answer(sentence, picture=Picture("", mode or "sound", [], [], []))
    found = store.evaluate(condition, mode=mode)
    table = Table(
        (Column("object", "object"), Column("verdict", "verdict"), Column("reason", "reason")),
        caption="objects, and why each is kept or skipped",
        total=len(store.rows),
    )
    order = [*found.skipped, *found.partition_pruned, *found.kept]
    for name in order[:LISTED]:
        table.add(name, found.verdict(name), reason(found, name), address=f"object:{name}")
    counts = [len(found.kept), len(found.skipped), len(found.partition_pruned)]
    picture = Picture(
        condition,
        mode,
        counts,
        [Verdict(name, VERDICTS.index(found.verdict(name))) for name in list(store.rows)[:LISTED]],
        [Loss(name, why) for name, why in list(found.may_lose.items())[:LOSSES]],
    )
    return Answer(
        f"{_sentence(found, counts)} {state}",
        picture=picture,
        table=table,
        code=f"store.evaluate({condition!r}, mode={mode!r})",
    )


def _state(store: Store) -> str:
    """How far the store is up to date, by a listing of now."""
    found = staleness_of(store)
    said = staleness_sentence(found)
    if found is None:
        return said
    read = " New and changed files are read in any case." if found.new or found.changed else ""
    return f"Listed at {datetime.datetime.now(datetime.UTC):%H:%M:%S} UTC: {said}{read}"


def _sentence(found: Evaluation, counts: list[int]) -> str:
    kept, skipped, pruned = counts
    total = kept + skipped + pruned
    text = f"{kept:,} of {total:,} objects must be read: indexes rule out {skipped:,}"
    if pruned:
        text += f", partition columns alone rule out {pruned:,}"
    if found.may_lose:
        text += f"; {len(found.may_lose):,} of them may have matching rows, which xskipper would lose"
    return text + "."


PANEL = Panel("skipping", "What a query skips", answer, picture=Picture)
