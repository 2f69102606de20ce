"""What comparing two files gave."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pqexplore.insight.diff import data
    from pqexplore.insight.diff.difference import Difference


@dataclasses.dataclass(frozen=True)
class Compared:
    """What differs between two files.

    - `first`, `second`: their names; `level`: what was read: `footer`, `pages` or `data`.
    - `differences`: the most important first. `sizes`: bytes of both files.
    - `values`: what comparing the values gave; None below level data. `same_bytes`: whether the files are equal byte for
      byte; None if that was not looked at.
    - `columns`: the dotted paths of the columns that were compared; None for all.
    """

    first: str
    second: str
    level: str
    differences: tuple[Difference, ...]
    sizes: tuple[int, int]
    values: data.Values | None = None
    same_bytes: bool | None = None
    columns: tuple[str, ...] | None = None
