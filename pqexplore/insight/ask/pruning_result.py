"""What one stage says about one test: whether the clause can be TRUE for a row, and the evidence."""

from __future__ import annotations

import dataclasses

from pqexplore.engine.text import clip

PARTITION = "partition values"
LAKE = "lake statistics"
FILE = "bounds of the file"
BOUNDS = "bounds"
NULLS = "null counts"
BLOOM = "Bloom filter"
DICTIONARY = "dictionary"
PAGE_INDEX = "page index"
CONSTANT = "constant"
ROWS = "number of rows"

CLAUSE = 100
"""Characters of a clause that are quoted before a reason: a list of IN may have thousands of values."""


@dataclasses.dataclass(slots=True)
class Ruling:
    """A ruling about a test for a row group or a page.

    - `possible`: whether the clause can be TRUE for a row; False is a reason to skip.
    - `by`: the kind of evidence, one of the constants above; "" if there is none.
    - `reason`: why, as a part of a sentence ("the max 9 is below 10"). `evidence`: the claim itself ("3 … 9"), "" if none.
    - `address`: the node with the evidence. `clause`: the SQL of the clause that it is about.
    - `every`: whether the clause is certainly TRUE for every row.
    """

    possible: bool
    by: str
    reason: str
    evidence: str = ""
    address: str | None = None
    every: bool = False
    clause: str = ""

    @property
    def said(self) -> str:
        """The reason with its clause before it, clipped."""
        return f"{clip(self.clause, CLAUSE)}: {self.reason}" if self.clause else self.reason
