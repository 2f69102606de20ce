"""A cause: why a query reads more than it needs, the evidence, and what would fix it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping


@dataclasses.dataclass(frozen=True, slots=True)
class Cause:
    """Why a query reads more than it needs.

    - `name`: its stable name (`sentinel`, `unsorted`, …); `column`: the dotted path that it is about.
    - `sentence`: the cause with its evidence; `fix`: what to do, in a sentence; `code`: the same by writer
      (`pyarrow`, `Spark`, `DuckDB`, `polars`, `pqexplore`), where it can be said.
    - `evidence`: the numbers that the sentence rests on, by name. `addresses`: the nodes that show it.
    - `saves`: how many bytes fewer the query would read, as an estimate; 0 if it is not known. `reads`: row groups (or
      pages) that it would then read, None if it is not known.
    """

    name: str
    column: str
    sentence: str
    fix: str
    code: Mapping[str, str]
    evidence: Mapping[str, object]
    addresses: tuple[str, ...] = ()
    saves: int = 0
    reads: int | None = None
