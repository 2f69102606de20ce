"""The glossary for the view, which shows a card for each word of the specification."""

from __future__ import annotations

import dataclasses

from pqexplore.insight.glossary import GLOSSARY, Term


@dataclasses.dataclass(slots=True)
class Glossary:
    """All terms."""

    terms: list[Term]


def glossary(_subject: object) -> Glossary:
    """The terms are the same for every file and lake."""
    return Glossary(list(GLOSSARY.values()))
