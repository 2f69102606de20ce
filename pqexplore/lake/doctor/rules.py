"""The rules of many files, and the names of all rules that docs/rules.md lists."""

from __future__ import annotations

from pqexplore.insight.doctor.checked import LOSES_ROWS
from pqexplore.insight.doctor.rules import RULES as OF_A_FILE
from pqexplore.lake.doctor import states, together, uneven
from pqexplore.lake.doctor.report import TITLES

RULES = (*together.RULES, *uneven.RULES, *states.RULES)

NAMES = frozenset([*(one.name for one in RULES), *OF_A_FILE, *TITLES, *LOSES_ROWS])
"""Documented values of `LakeFinding.rule`; `check()` has more of them."""
