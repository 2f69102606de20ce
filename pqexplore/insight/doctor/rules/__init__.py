"""The rules of the doctor, by name. A module holds the rules of one theme, and gives them as `RULES`."""

from __future__ import annotations

from pqexplore.insight.doctor.rules import (
    bytes,
    columns,
    compression,
    contents,
    dictionaries,
    encodings,
    encryption,
    filters,
    layout,
    metadata,
    order,
    pages,
    skipping,
    types,
    values,
    writers,
)
from pqexplore.insight.doctor.rules.rule import DATA, FOOTER, LEVELS, PAGES, Rule

__all__ = ["DATA", "FOOTER", "LEVELS", "PAGES", "RULES", "Rule"]

RULES: dict[str, Rule] = {
    rule.name: rule
    for module in (
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
        contents,
        metadata,
        encryption,
        writers,
    )
    for rule in module.RULES
}
