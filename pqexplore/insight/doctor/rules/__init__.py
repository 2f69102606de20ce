"""The rules of the doctor, by name. A module holds the rules of one theme, and gives them as `RULES`."""

from __future__ import annotations

from pqexplore.engine.rule import DATA, FOOTER, LEVELS, PAGES, SAMPLE, Rule, register
from pqexplore.engine.rules import RULES as ALL
from pqexplore.insight.doctor.rules import (
    bytes,
    columns,
    compression,
    dictionaries,
    encodings,
    encryption,
    filters,
    joined,
    layout,
    mistyped_values,
    order,
    pages,
    readers,
    shifted,
    skipping,
    types,
    values,
    writers,
)

__all__ = ["ALL", "DATA", "FOOTER", "LEVELS", "PAGES", "RULES", "SAMPLE", "Rule"]

RULES: dict[str, Rule] = {
    rule.name: rule
    for module in (
        joined,
        readers,
        shifted,
        layout,
        pages,
        bytes,
        compression,
        dictionaries,
        encodings,
        skipping,
        order,
        filters,
        columns,
        types,
        values,
        mistyped_values,
        encryption,
        writers,
    )
    for rule in register(*module.RULES)
}
