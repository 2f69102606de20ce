"""What a rule of the doctor is: one record, which its module gives in `RULES`."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from pqexplore.insight.doctor.diagnosis import Diagnosis, Severity, Source

if TYPE_CHECKING:
    from pqexplore.insight.doctor.subject import Subject

FOOTER, PAGES, DATA = "footer", "pages", "data"
LEVELS = (FOOTER, PAGES, DATA)
"""How much a diagnosis reads: the footer; also page headers, indexes and Bloom filters; everything."""


@dataclasses.dataclass(frozen=True, slots=True)
class Rule:
    """One rule.

    - `name`: stable; `severity`: that of its diagnoses; `level`: what it reads.
    - `title`: what it looks for; `why`: why it matters; `threshold`: the number that it compares with, and its reason,
      "" if there is none; `source`.
    - `instead_of`: a rule of a lower level whose diagnoses this one replaces, because it looks closer; "" if none.
    - `locked`: whether it looks at files whose footer needs a key, too.
    - `after_check`: whether it looks at what `check()` found, which it does at level `data`.
    - `find(subject)`: yields the diagnoses that the file's evidence supports.
    """

    name: str
    severity: Severity
    level: str
    title: str
    why: str
    find: Callable[[Subject], Iterator[Diagnosis]]
    source: Source | None = None
    threshold: str = ""
    instead_of: str = ""
    locked: bool = False
    after_check: bool = False
