"""Replies of a saved page in a block: their JSON turned by columns, and their buffers, compressed together.

Replies of one kind have the same fields. So the values of a field stand together, one reply's after the other's: what they
have in common is written once, integers as what they are more than the one before. js/src/replyblock.ts reads it.
"""

from __future__ import annotations

import base64
import dataclasses
import gzip
import json
from collections.abc import Sequence
from itertools import chain
from operator import itemgetter
from typing import Any

import numpy as np

from pqexplore.engine.arrays import Int64s
from pqexplore.insight.wire import Json

EXACT = 1 << 53
"""No integer from here on is sure to be exact in JavaScript."""


def column(values: Sequence[Json]) -> Json:
    """JSON values by columns: the name of a form, and what it needs.

    - `same`: a value, and how often it occurs.
    - `steps`: integers, each as the difference from the one before.
    - `words`: distinct texts, and which of them each value is.
    - `objects`: names, and a column for each. All objects have these names.
    - `lists`: a column of their lengths, and one of the items of all.
    - `kinds`: which of the columns has each value, and these columns. For values of several forms.
    - `values`: the values themselves.
    """
    kinds = set(map(type, values))
    if kinds == {str}:
        return _texts(values)
    if kinds == {dict}:
        names = dict.fromkeys(map(tuple, values))
        if len(names) == 1 and (only := next(iter(names))):
            return ["objects", only, [column(list(map(itemgetter(name), values))) for name in only]]
        return _several(values, list(map(tuple, values))) if len(names) > 1 else ["values", values]
    if kinds == {list}:
        return ["lists", column(list(map(len, values))), column(list(chain.from_iterable(values)))]
    if kinds & {str, dict, list}:
        return _several(values, [type(one) if type(one) in (str, dict, list) else None for one in values])
    return _numbers(values, kinds)


def _texts(values: Sequence[str]) -> Json:
    numbers = {text: i for i, text in enumerate(dict.fromkeys(values))}
    if len(numbers) == 1:
        return ["same", values[0], len(values)]
    if len(numbers) > 0.7 * len(values):
        return ["values", values]
    return ["words", list(numbers), list(map(numbers.__getitem__, values))]


def _numbers(values: Sequence[Json], kinds: set[type]) -> Json:
    """Numbers, true and false, null. A negative zero is equal to zero, so floats are never the same."""
    if len(kinds) == 1 and float not in kinds and values.count(values[0]) == len(values):
        return ["same", values[0], len(values)]
    if kinds == {int} and max(values) < EXACT and min(values) > -EXACT:
        numbers = np.array(values, np.int64)
        steps = np.diff(numbers)
        if _characters(steps) < _characters(numbers[1:]):
            return ["steps", [values[0], *steps.tolist()]]
    return ["values", values]


_POWERS = 10 ** np.arange(1, 19)


def _characters(numbers: Int64s) -> int:
    """How many characters integers have in all as JSON."""
    digits = 1 + np.searchsorted(_POWERS, np.abs(numbers), side="right")
    return int(digits.sum()) + int(np.count_nonzero(numbers < 0))


def _several(values: Sequence[Json], forms: Sequence[object]) -> Json:
    groups: dict[object, list[Json]] = {}
    for form, value in zip(forms, values, strict=True):
        groups.setdefault(form, []).append(value)
    numbers = {form: i for i, form in enumerate(groups)}
    return ["kinds", [numbers[form] for form in forms], list(map(column, groups.values()))]


@dataclasses.dataclass(frozen=True, slots=True)
class Reply:
    """The reply of that `name` as an object, with its buffers beside it."""

    name: str
    result: dict[str, Any]
    buffers: list[bytes]


def read(name: str, reply: str) -> Reply:
    """A reply that is JSON."""
    result = json.loads(reply)
    return Reply(name, result, list(map(base64.b64decode, result.get("buffers", ()))))


def block(replies: Sequence[Reply]) -> str:
    """Names and replies as text: gzip, in base64.

    In it are a line of the names, a line of the column of replies and of the bytes of each buffer, and the buffers. A reply
    has the numbers of its buffers; equal ones are there once.
    """
    numbers: dict[bytes, int] = {}
    results: list[dict[str, Any]] = []
    for one in replies:
        found = [numbers.setdefault(buffer, len(numbers)) for buffer in one.buffers]
        results.append({**one.result, "buffers": found})
    names = json.dumps(column([one.name for one in replies]), separators=(",", ":"))
    data = json.dumps([column(results), column(list(map(len, numbers)))], separators=(",", ":"))
    raw = b"\n".join([names.encode(), data.encode(), b"".join(numbers)])
    return base64.b64encode(gzip.compress(raw, 9, mtime=0)).decode()
