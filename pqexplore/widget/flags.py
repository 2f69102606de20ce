"""The findings above a note as flags: of a node in the tree, of tiles on the byte map."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pqexplore.engine.file.file import ParquetFile
from pqexplore.insight import text
from pqexplore.insight.doctor.diagnosis import Diagnosis, Severity
from pqexplore.insight.doctor.places import Places, places

MOST = 100
"""Findings that are marked on the byte map: the worst."""

SENTENCE = 300
"""Characters of a finding's sentence."""


@dataclasses.dataclass(slots=True)
class Flag:
    """The worst finding at a place: its severity and its sentence, and how many others there are."""

    severity: str
    sentence: str
    more: int


def flag(found: Sequence[Diagnosis]) -> Flag | None:
    """The flag for findings, the worst first; None without findings."""
    if not found:
        return None
    sentence = text.shorten(found[0].sentence, SENTENCE)
    return Flag(found[0].severity.value, sentence, len(found) - 1)


def of_tiles(
    file: ParquetFile, addresses: pa.Array, owners: tuple[np.ndarray[Any, Any], ...]
) -> tuple[list[Flag], np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The findings that mark tiles; for each tile the position of its worst one plus 1, 0 for none; and its severities.

    The severities are bits: bit i is that of rank i. `owners` are the row group and the column of each tile, -1 for one that is in no column chunk.
    """
    known = places(file)
    above = [one for one in known.all if one.severity is not Severity.NOTE][:MOST]
    marks = np.zeros(len(addresses), "<u1")
    severities = np.zeros(len(addresses), "<u1")
    flags: list[Flag] = []
    for one in above:
        concerned = _tiles(known, one, addresses, owners)
        if concerned.any():
            flags.append(Flag(one.severity.value, text.shorten(one.sentence, SENTENCE), 0))
            marks[concerned & (marks == 0)] = len(flags)
            severities[concerned] |= np.uint8(1 << one.severity.rank)
    return flags, marks, severities


def _tiles(
    known: Places, one: Diagnosis, addresses: pa.Array, owners: tuple[np.ndarray[Any, Any], ...]
) -> np.ndarray[Any, Any]:
    """Whether a finding is about each tile."""
    named, groups, leaves = known.tiles(one)
    group, column = owners
    found: np.ndarray[Any, Any] = np.zeros(len(addresses), bool)
    if groups or leaves:
        found = group >= 0
        if groups:
            found = found & np.isin(group, groups)
        if leaves:
            found = found & np.isin(column, list(leaves))
        return found
    for address in named:
        found |= inside(addresses, address)
        # A tile is a leaf of the layout: the place may be a part of it.
        above = [address[:at] for at, letter in enumerate(address) if letter == "/"]
        found |= pc.is_in(addresses, pa.array(above, pa.string())).to_numpy(zero_copy_only=False)
    return found


def inside(addresses: pa.Array, address: str) -> np.ndarray[Any, Any]:
    """Whether each address is `address` or below it."""
    found: np.ndarray[Any, Any] = pc.or_(
        pc.equal(addresses, address), pc.starts_with(addresses, f"{address}/")
    ).to_numpy(zero_copy_only=False)
    return found
