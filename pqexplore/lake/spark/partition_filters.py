"""Which files a scan's partition filters leave: the values are in the names of the folders, `day=2026-02-01`."""

from __future__ import annotations

import re
import urllib.parse
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation

from pqexplore.lake.spark.catalyst_expressions import Joined, Node, Not, Test

_FOLDER = re.compile(r"([^/=]+)=([^/]*)(?=/)")
_NULL = "__HIVE_DEFAULT_PARTITION__"
_WORD = re.compile(r"(?!(?:true|false)$)[A-Za-z].*", re.IGNORECASE | re.DOTALL)
"""A literal that only a column of text can have."""


def values(path: str) -> dict[str, str | None]:
    """The partition values in a path, by lower-cased column; None is NULL."""
    return {
        urllib.parse.unquote(name).lower(): None if text == _NULL else urllib.parse.unquote(text)
        for name, text in _FOLDER.findall(path)
    }


def left_out_by(filters: Sequence[Node], path: str) -> Node | None:
    """The filter by which a file is not read; None if it is read, or if that is not certain. `path` is Spark's URL."""
    known = values(urllib.parse.unquote(path))
    return next((one for one in filters if verdict(one, known) is False), None)


def verdict(node: Node, known: Mapping[str, str | None], *, certain: bool = False) -> bool | None:
    """Whether a condition is TRUE for partition values; None for NULL and for what is not certain.

    Texts that are numbers are compared as numbers; with `certain`, the comparison as text must give the same.
    """
    if isinstance(node, Joined):
        sides = (verdict(node.left, known, certain=certain), verdict(node.right, known, certain=certain))
        decisive = node.word == "OR"
        if decisive in sides:
            return decisive
        return None if None in sides else not decisive
    if isinstance(node, Not):
        inner = verdict(node.part, known, certain=certain)
        return None if inner is None else not inner
    if not isinstance(node, Test) or len(node.column.path) != 1:
        return None
    name = node.column.path[0].lower()
    return _tested(node, known[name], certain) if name in known else None


def _tested(test: Test, text: str | None, certain: bool) -> bool | None:
    if test.operator in ("null", "not null"):
        return (text is None) is (test.operator == "null")
    if text is None:
        return False if test.operator == "<=>" else None
    if test.operator == "in":
        found = [_compared("=", text, value, certain) for value in test.values]
        return True if True in found else None if None in found else False
    if test.operator == "starts":
        return text.startswith(test.values[0])
    if test.operator not in ("=", "<=>", "<", "<=", ">", ">="):
        return None
    operator = "=" if test.operator == "<=>" else test.operator
    return _compared(operator, text, test.values[0], certain)


def _compared(operator: str, text: str, literal: str, certain: bool) -> bool | None:
    """Compares as numbers if both are, else as dates if both are; text only for equality that holds letter by letter.

    With `certain`, None if the answer differs between columns of numbers, dates and text.
    """
    orders = {(text > literal) - (text < literal)}
    try:
        left, right = Decimal(text), Decimal(literal)
        number = int(left > right) - int(left < right)
        orders = {number, *orders} if certain else {number}
    except InvalidOperation:
        dates = all(re.fullmatch(r"\d{4}-\d\d-\d\d", one) for one in (text, literal))
        word = certain and _WORD.fullmatch(literal) is not None
        if not (dates or word or (operator == "=" and (not certain or text == literal))):
            return None
    found = {_holds(operator, order) for order in orders}
    return found.pop() if len(found) == 1 else None


def _holds(operator: str, order: int) -> bool:
    return {"=": order == 0, "<": order < 0, "<=": order <= 0, ">": order > 0, ">=": order >= 0}[operator]
