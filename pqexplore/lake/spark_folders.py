"""Which files a scan's partition filters leave: the values are in the names of the folders, `day=2026-02-01`."""

from __future__ import annotations

import re
import urllib.parse
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation

from pqexplore.lake.catalyst import Joined, Node, Not, Test

_FOLDER = re.compile(r"([^/=]+)=([^/]*)(?=/)")
_NULL = "__HIVE_DEFAULT_PARTITION__"


def values(path: str) -> dict[str, str | None]:
    """The partition values in a path, by lower-cased column; None is NULL."""
    return {
        urllib.parse.unquote(name).lower(): None if text == _NULL else urllib.parse.unquote(text)
        for name, text in _FOLDER.findall(path)
    }


def left_out_by(filters: Sequence[Node], path: str) -> Node | None:
    """The filter by which a file is not read; None if it is read, or if that is not certain."""
    known = values(path)
    return next((one for one in filters if verdict(one, known) is False), None)


def verdict(node: Node, known: Mapping[str, str | None]) -> bool | None:
    """Whether a condition is TRUE for partition values; None for NULL and for what is not certain."""
    if isinstance(node, Joined):
        sides = verdict(node.left, known), verdict(node.right, known)
        decisive = node.word == "OR"
        if decisive in sides:
            return decisive
        return None if None in sides else not decisive
    if isinstance(node, Not):
        inner = verdict(node.part, known)
        return None if inner is None else not inner
    if not isinstance(node, Test) or len(node.column.path) != 1:
        return None
    name = node.column.path[0].lower()
    return _tested(node, known[name]) if name in known else None


def _tested(test: Test, text: str | None) -> bool | None:
    if test.operator in ("null", "not null"):
        return (text is None) is (test.operator == "null")
    if text is None:
        return False if test.operator == "<=>" else None
    if test.operator == "in":
        found = [_compared("=", text, value) for value in test.values]
        return True if True in found else None if None in found else False
    if test.operator == "starts":
        return text.startswith(test.values[0])
    if test.operator not in ("=", "<=>", "<", "<=", ">", ">="):
        return None
    return _compared("=" if test.operator == "<=>" else test.operator, text, test.values[0])


def _compared(operator: str, text: str, literal: str) -> bool | None:
    """Compares as numbers if both are, else as dates if both are; text only for equality that holds letter by letter."""
    order: int
    try:
        left, right = Decimal(text), Decimal(literal)
        order = (left > right) - (left < right)
    except InvalidOperation:
        dates = all(re.fullmatch(r"\d{4}-\d\d-\d\d", one) for one in (text, literal))
        if not dates and operator != "=":
            return None
        order = (text > literal) - (text < literal)
    return {
        "=": order == 0,
        "<": order < 0,
        "<=": order <= 0,
        ">": order > 0,
        ">=": order >= 0,
    }[operator]
