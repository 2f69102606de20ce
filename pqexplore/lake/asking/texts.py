"""Fills the places in the words of verdicts with the values of each row group."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pqexplore.engine.text import printable
from pqexplore.lake.asking.partitions import value_of
from pqexplore.lake.asking.rulings import FOLDER, HIGH, LOW, NULLS, PLACES

if TYPE_CHECKING:
    from pqexplore.lake.asking.judging import Indexes
    from pqexplore.lake.asking.local import Judged, Situation


def words(judged: Judged, members: Indexes, lake: Situation, part: str) -> list[str]:
    """A text of the ruling about each of some members of a family: `part` is said, evidence or by."""
    made: list[str] = [""] * len(members)
    verdicts = judged.verdict[members]
    for number in np.unique(verdicts):
        ruling = judged.verdicts[number].ruling
        here = np.flatnonzero(verdicts == number)
        text = getattr(ruling, part)
        pieces = PLACES.split(text)
        filled = [printable(text)] * len(here) if len(pieces) == 1 else _joined(pieces, judged, members[here], lake)
        for at, one in zip(here.tolist(), filled, strict=True):
            made[at] = one
    return made


def _joined(pieces: list[str], judged: Judged, members: Indexes, lake: Situation) -> list[str]:
    """`pieces` are texts, each but the last followed by the kind and the test of a place."""
    parts: list[Any] = []
    for at in range(0, len(pieces), 3):
        parts.append(pa.scalar(printable(pieces[at])))
        if at + 2 < len(pieces):
            parts.append(_values(pieces[at + 1], int(pieces[at + 2]), judged, members, lake))
    found: list[str] = pc.binary_join_element_wise(*parts, pa.scalar("")).to_pylist()
    return found


def _values(kind: str, test: int, judged: Judged, members: Indexes, lake: Situation) -> pa.Array:
    if kind == FOLDER:
        key, codes = judged.keys[test], judged.folders(lake)[members]
        shown = {code: printable(f"{key}={value_of(lake.folders[code], key)}") for code in np.unique(codes).tolist()}
        return pa.array([shown[code] for code in codes.tolist()], pa.string())
    rows = pa.array(judged.chunks[test][members])
    column = {LOW: "min_text", HIGH: "max_text", NULLS: "null_count"}[kind]
    some = lake.chunks.rows[column].take(rows).to_pylist()
    if kind == NULLS:
        return pa.array([f"{count:,}" for count in some], pa.string())
    return pa.array([printable(text or "") for text in some], pa.string())
