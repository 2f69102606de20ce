"""The rules of many files, and the names of all rules that docs/rules.md lists."""

from __future__ import annotations

from pqexplore.insight.doctor.rules import ALL
from pqexplore.lake.doctor import column_bounds, diagnosing, states, together, uneven

RULES = (*together.RULES, *uneven.RULES, *column_bounds.RULES, *states.RULES)

NAMES = frozenset((*ALL, *(one.name for one in diagnosing.RULES)))
"""Documented values of `LakeFinding.rule`."""
