"""Checks the arguments of a message against the signature of its operation, before the operation runs.

An operation's parameters are annotated with the types below. So an operation itself need not expect a text where it says
`int`; it still checks what a type does not say, such as the range of a number.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from pqexplore.engine.errors import UsageError

INTEGER = 1 << 63
"""No number in a message is that large, nor its negative: Arrow and numpy count with 64 bits."""


def _is_integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < INTEGER


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _list_of(holds: Callable[[object], bool]) -> Callable[[object], bool]:
    return lambda value: isinstance(value, (list, tuple)) and all(map(holds, value))


TYPES: Mapping[str, tuple[str, Callable[[object], bool]]] = {
    "str": ("a text", _is_text),
    "int": ("an integer of 64 bits", _is_integer),
    "bool": ("true or false", lambda value: isinstance(value, bool)),
    "str | None": ("a text or null", lambda value: value is None or _is_text(value)),
    "int | None": ("an integer of 64 bits or null", lambda value: value is None or _is_integer(value)),
    "list[int]": ("a list of integers of 64 bits", _list_of(_is_integer)),
    "list[str]": ("a list of texts", _list_of(_is_text)),
    "Sequence[str]": ("a list of texts", _list_of(_is_text)),
}
"""Annotations of operations: what they mean in JSON, and the test."""


@functools.lru_cache(maxsize=1024)
def parameters(operation: Callable[..., object]) -> Mapping[str, inspect.Parameter]:
    """The parameters of an operation by name, without the first, the file or the lake.

    `**` among them stands under its own name: such an operation takes any argument.
    """
    found = inspect.signature(operation).parameters.items()
    named = [(name, one) for name, one in found if one.kind is not inspect.Parameter.VAR_POSITIONAL]
    first = 1 if named and named[0][1].kind is not inspect.Parameter.VAR_KEYWORD else 0
    return dict(named[first:])


def check(op: str, operation: Callable[..., object], given: Mapping[str, Any]) -> None:
    """Raise UsageError unless the arguments are those of the operation, and of its types."""
    expected = parameters(operation)
    if any(one.kind is inspect.Parameter.VAR_KEYWORD for one in expected.values()):
        return
    unknown = [repr(name) for name in given if name not in expected]
    if unknown:
        takes = ", ".join(expected) or "none"
        raise UsageError(f"{op} has no argument {', '.join(unknown[:3])}; its arguments: {takes}")
    for name, parameter in expected.items():
        if name not in given:
            if parameter.default is inspect.Parameter.empty:
                raise UsageError(f"{op} needs the argument {name!r}")
            continue
        known = TYPES.get(str(parameter.annotation))
        if known is not None and not known[1](given[name]):
            raise UsageError(f"the argument {name!r} of {op} is {known[0]}, not {type(given[name]).__name__}")
