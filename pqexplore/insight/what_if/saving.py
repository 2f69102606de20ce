"""A saving: one change to a file besides its encodings and codecs, with the size it leads to."""

from __future__ import annotations

import dataclasses
from collections.abc import Generator
from enum import StrEnum

from pqexplore.engine.writer.options import WriteOptions


class Kind(StrEnum):
    """What is changed."""

    ORDER = "sort order"
    ROW_GROUPS = "row groups"
    PAGES = "pages"
    BLOOM_FILTERS = "Bloom filters"
    STATISTICS = "statistics"
    PAGE_INDEX = "page index"
    TYPE = "type"
    SHREDDING = "Variant shredding"


@dataclasses.dataclass(frozen=True)
class Saving:
    """One change to a file, its size in bytes after it, and how to make it.

    - `column` is dotted, None for the whole file. `choice` names the change in a few words, as "sorted by city, day".
    - `bytes` is the size with the change, `without` the size without it, of what the change touches: the file or the column,
      both with the best choices of encodings and codecs, or filters, bounds or indexes as they are today. `bytes` is larger where
      the change buys something else, which `sentence` says. `error` is twice the standard error of `bytes`; None if `bytes` is exact
      or the error is not known. `sampled` says whether it is an estimate.
    - `options`, `sort` and `types` are the arguments of `pqexplore.rewrite` that make the change, beside the best
      choices of the columns.
    - `skips` says whether it lets a search skip more than today, and none skip less.
    """

    kind: Kind
    column: str | None
    choice: str
    without: int
    bytes: int
    error: int | None
    sampled: bool
    sentence: str
    options: WriteOptions | None = None
    sort: tuple[str, ...] = ()
    types: tuple[tuple[str, str], ...] = ()
    skips: bool = False


Steps = Generator[float, None, list[Saving]]
"""The steps of a finder to its savings; yields the share of the budget that is spent."""
