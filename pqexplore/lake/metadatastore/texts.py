"""Functions of text, as terms. Spark's text is UTF-8 in the order of its bytes, which is Python's order of characters.

Upper and lower case are computed for ASCII only: Java and Python may know different versions of Unicode.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from pqexplore.insight.ask import patterns
from pqexplore.insight.ask.predicate import Wildcard
from pqexplore.lake.metadatastore import value_ranges
from pqexplore.lake.metadatastore.terms import BOOLEAN, STRING, Columns, NotComputed, Term, function
from pqexplore.lake.metadatastore.value_ranges import NONE, UP, Span, Uncertain

_PLAIN = re.compile(r"(\^?)([A-Za-z0-9 _-]*)")
"""Regular expressions that are a text, perhaps from the beginning."""


def matches(text: str, parts: patterns.Pattern) -> bool:
    """Whether a text matches a pattern of LIKE, in time proportional to the product of their lengths."""
    pattern: list[str | Wildcard] = []
    for part in parts:
        pattern += [part] if isinstance(part, Wildcard) else list(part)
    at = place = 0
    star, resume = -1, 0
    while at < len(text):
        if place < len(pattern) and pattern[place] is Wildcard.TEXT:
            star, resume = place, at
            place += 1
        elif place < len(pattern) and pattern[place] in (Wildcard.CHARACTER, text[at]):
            at, place = at + 1, place + 1
        elif star >= 0:
            resume += 1
            at, place = resume, star + 1
        else:
            return False
    return all(rest is Wildcard.TEXT for rest in pattern[place:])


def like(of: Term, parts: patterns.Pattern) -> Term:
    """`of LIKE pattern`."""
    if of.type != STRING:
        raise NotComputed(f"LIKE of {of.type} is not computed")
    prefix = parts[0] if parts and isinstance(parts[0], str) else ""
    whole = parts == ((prefix,) if prefix else ())
    all_match = parts[1:] == (Wildcard.TEXT,) if prefix else parts == (Wildcard.TEXT,)

    def span(columns: Columns) -> Span:
        found = of.span(columns)
        if found.any or found.empty:
            return found
        if found.low == found.high:
            match = matches(found.low, parts)
            return value_ranges.truth(match, not match, found.null)
        possible = found.high >= prefix and found.low[: len(prefix)] <= prefix
        if whole:
            possible = found.low <= prefix <= found.high
        every = all_match and found.low.startswith(prefix) and found.high.startswith(prefix)
        return value_ranges.truth(possible, not every, found.null)

    return Term(BOOLEAN, span, of.columns)


def _ascii(text: str) -> str:
    if not text.isascii():
        raise Uncertain
    return text


def pattern(kind: str, of: Term, text: str) -> Term:
    """LIKE, ILIKE or RLIKE with a pattern that is a literal."""
    if of.type != STRING:
        raise NotComputed(f"{kind} of {of.type} is not computed")
    if kind == "regexplike":
        found = _PLAIN.fullmatch(text)
        if found is None:
            raise NotComputed("the regular expression is more than a text")
        anywhere = () if found[1] else (Wildcard.TEXT,)
        return like(of, (*anywhere, *((found[2],) if found[2] else ()), Wildcard.TEXT))
    parts = patterns.pattern(text)
    if parts is None:
        raise NotComputed("the pattern has an escape before a character that needs none")
    if kind == "like":
        return like(of, parts)
    lowered = tuple(_lower(part) if isinstance(part, str) else part for part in parts)
    return function(BOOLEAN, lambda value: matches(_ascii(value).lower(), lowered), [of])


def _lower(part: str) -> str:
    if not part.isascii():
        raise NotComputed("ILIKE is computed for ASCII only")
    return part.lower()


def _constant(of: Term, *kinds: str) -> object:
    """The value of a term without columns. Raises NotComputed for others."""
    found = of.constant
    if of.type not in kinds or found is None or not found.point:
        raise NotComputed("an argument is not a constant")
    return found.low


def _substring(parts: Sequence[Term]) -> Term:
    of = parts[0]
    start, *length = (_constant(one, "integer") for one in parts[1:])
    if not isinstance(start, int) or start < 0 or of.type != STRING:
        raise NotComputed("a substring from the end, or of another type, is not computed")
    first = max(start - 1, 0)
    end = first + max(int(str(length[0])), 0) if length else None
    return function(STRING, lambda text: text[first:end], [of], [NONE if first else UP])


def _left(parts: Sequence[Term]) -> Term:
    count = int(str(_constant(parts[1], "integer")))
    return function(STRING, lambda text: text[: max(count, 0)], _texts(parts[:1]), [UP])


def _right(parts: Sequence[Term]) -> Term:
    count = int(str(_constant(parts[1], "integer")))
    return function(STRING, lambda text: text[-count:] if count > 0 else "", _texts(parts[:1]))


def _concat(parts: Sequence[Term]) -> Term:
    along = [NONE] * (len(parts) - 1) + [UP]
    return function(STRING, lambda *some: "".join(some), _texts(parts), along)


def _replace(parts: Sequence[Term]) -> Term:
    if not _constant(parts[1], STRING):
        raise NotComputed("nothing is replaced")
    return function(STRING, lambda text, old, new: text.replace(old, new), _texts(parts))


def _part(before: bool, after: bool) -> Callable[[Sequence[Term]], Term]:
    """startswith, endswith, contains."""

    def made(parts: Sequence[Term]) -> Term:
        text = str(_constant(parts[1], STRING))
        wild = (Wildcard.TEXT,)
        middle = (text,) if text else ()
        return like(parts[0], (*wild * before, *middle, *wild * after) if text else wild)

    return made


def _texts(parts: Sequence[Term]) -> list[Term]:
    if any(part.type != STRING for part in parts):
        raise NotComputed("an argument is no text, and Spark casts it")
    return list(parts)


def _simple(kind: str, of: Callable[..., object]) -> Callable[[Sequence[Term]], Term]:
    return lambda parts: function(kind, of, _texts(parts))


FUNCTIONS: dict[str, tuple[tuple[str, ...], Callable[[Sequence[Term]], Term]]] = {
    "lower": (("this",), _simple(STRING, lambda text: _ascii(text).lower())),
    "upper": (("this",), _simple(STRING, lambda text: _ascii(text).upper())),
    "length": (("this",), _simple("integer", len)),
    "reverse": (("this",), _simple(STRING, lambda text: text[::-1])),
    "trim": (("this",), _simple(STRING, lambda text: text.strip(" "))),
    "substring": (("this", "start", "length"), _substring),
    "left": (("this", "expression"), _left),
    "right": (("this", "expression"), _right),
    "concat": (("expressions", "safe"), _concat),
    "dpipe": (("this", "expression", "safe"), _concat),
    "replace": (("this", "expression", "replacement"), _replace),
    "strposition": (("this", "substr"), _simple("integer", lambda text, part: text.find(part) + 1)),
    "startswith": (("this", "expression"), _part(False, True)),
    "endswith": (("this", "expression"), _part(True, False)),
    "contains": (("this", "expression"), _part(True, True)),
}
"""Functions by sqlglot's name of the expression: the arguments, in order, and the term."""

PATTERNS = ("like", "ilike", "regexplike")
"""Those whose second argument is a pattern; see `pattern`."""
