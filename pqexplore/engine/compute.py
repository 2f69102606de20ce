"""pyarrow.compute, imported when it is needed: it makes wrappers of 300 functions, which takes 20 ms.

The functions in `SHORT`, which the check of nearly every file calls, do without: they call Arrow's functions by name, as those
wrappers do, and take the arguments that are needed here. `tests/engine/test_compute.py` compares them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

Call = Callable[..., Any]


def _binary_length(arrow: Any, array: Any) -> Any:
    return arrow.call_function("binary_length", [array])


def _min_max(arrow: Any, array: Any) -> Any:
    return arrow.call_function("min_max", [array])


def _sum(arrow: Any, array: Any) -> Any:
    return arrow.call_function("sum", [array])


def _cast(arrow: Any, array: Any, kind: Any) -> Any:
    return arrow.call_function("cast", [array], arrow.CastOptions.safe(kind))


def _dictionary_encode(arrow: Any, array: Any) -> Any:
    return arrow.call_function("dictionary_encode", [array])


def _index(arrow: Any, array: Any, value: Any) -> Any:
    return arrow.call_function("index", [array], arrow.IndexOptions(value))


def _take(arrow: Any, array: Any, indices: Any, *, boundscheck: bool = True) -> Any:
    return arrow.call_function("take", [array, indices], arrow.TakeOptions(boundscheck=boundscheck))


def _rank(arrow: Any, array: Any, *, sort_keys: str, tiebreaker: str) -> Any:
    return arrow.call_function("rank", [array], arrow.RankOptions(sort_keys=sort_keys, tiebreaker=tiebreaker))


SHORT: dict[str, Call] = {
    "binary_length": _binary_length,
    "cast": _cast,
    "dictionary_encode": _dictionary_encode,
    "index": _index,
    "min_max": _min_max,
    "rank": _rank,
    "sum": _sum,
    "take": _take,
}


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    made = _short(name) or _long(name)
    globals()[name] = made
    return made


def _short(name: str) -> Call | None:
    """A function of `SHORT`; None for another one, and with a pyarrow that is built in another way."""
    try:
        from pyarrow import _compute
    except ImportError:
        return None
    return functools.partial(SHORT[name], _compute) if name in SHORT else None


def _long(name: str) -> Any:
    import pyarrow.compute

    return getattr(pyarrow.compute, name)
