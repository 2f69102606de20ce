"""The words of the specification, each in two sentences, with a picture: `pqexplore.glossary.explain("page")`.

`GLOSSARY` has them by name, from the file as a whole to its smallest parts. `bytes_of` reads the bytes of a term in a sample.
"""

from __future__ import annotations

from pqexplore.insight.glossary import GLOSSARY, Term, TermBytes, bytes_of, explain

__all__ = ["GLOSSARY", "Term", "TermBytes", "bytes_of", "explain"]


def __dir__() -> list[str]:
    return list(__all__)
