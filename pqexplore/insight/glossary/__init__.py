"""The glossary: every word of the specification that the product uses, in two sentences, with a picture of three lines.

The explorer's cards, the tour and the documents read it.
"""

from __future__ import annotations

from pqexplore.insight.glossary import pages, skipping, special, structure
from pqexplore.insight.glossary.places import TermBytes, bytes_of
from pqexplore.insight.glossary.term import Term

__all__ = ["GLOSSARY", "Term", "TermBytes", "bytes_of", "explain"]

GLOSSARY: dict[str, Term] = {one.name: one for module in (structure, pages, skipping, special) for one in module.TERMS}
"""The terms by name, from the file as a whole to its smallest parts."""


def _spelt(word: str) -> str:
    return " ".join(word.replace("_", " ").split()).casefold()


_BY_SPELLING = {_spelt(spelling): one for one in GLOSSARY.values() for spelling in (*one.also, one.name)}


def explain(word: str) -> Term:
    """The term that is spelt so, in any case, with spaces or underscores.

    Raises KeyError, which names similar terms.
    """
    import difflib

    spelt = _spelt(word)
    found = _BY_SPELLING.get(spelt) or _BY_SPELLING.get(spelt.removesuffix("s"))
    if found is None:
        near = difflib.get_close_matches(spelt, _BY_SPELLING, 3, 0.5)
        names = dict.fromkeys(_BY_SPELLING[one].name for one in near)
        said = f"; there are {', '.join(names)}" if near else ""
        raise KeyError(f"the glossary has no {word!r}{said}")
    return found
