"""The words of the specification, each in two sentences, with a picture: `pqexplore.glossary.explain("page")`.

`GLOSSARY` has them by name, from the file as a whole to its smallest parts.
"""

from __future__ import annotations

from pqexplore.insight.glossary import GLOSSARY, Term, explain

__all__ = ["GLOSSARY", "Term", "explain"]


def __dir__() -> list[str]:
    return list(__all__)
