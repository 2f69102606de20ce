"""What crosses to the front end: dataclasses, written as JSON objects with the same field names.

Each lens declares the dataclasses of its picture and of its operations' replies in its own module; tools/wire_types.py
generates TypeScript's interfaces from them (js/src/wire/NAME.ts), and a test compares the two.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any, TypeAlias, TypeVar

import numpy as np

from pqexplore.insight.binary_columns import Columns

T = TypeVar("T")

Json: TypeAlias = Any
"""Values that JSON has, and `Columns`, which the transport packs as binary buffers."""


@dataclasses.dataclass(frozen=True, slots=True)
class Chip:
    """A short fact: its name and its value, as texts."""

    name: str
    value: str


class Encoded(dict[str, Json]):
    """An object in JSON's types: `encode` returns it as it is."""


class Shared(list[T]):
    """A list that many answers have in common, and that is encoded once. It must not change."""

    @functools.cached_property
    def encoded(self) -> Json:
        """The list in JSON's types."""
        return [encode(one) for one in self]


def encode(value: Any) -> Json:
    """`value` in JSON's types: dataclasses become objects, arrays lists, enums their values.

    TypeError for what has no such form, so that a mistake surfaces in Python and not in the browser.
    """
    kind = type(value)
    if kind in PLAIN or kind is Encoded:  # most values are, and a page of a file has millions
        return value
    if kind is list or kind is tuple:
        return [one if type(one) in PLAIN else encode(one) for one in value]
    if kind is dict:
        return {str(name): encode(item) for name, item in value.items()}
    if dataclasses.is_dataclass(kind):
        return {name: encode(getattr(value, name)) for name in _fields(kind)}
    return _rare(value)


PLAIN = frozenset({str, int, float, bool, type(None)})
"""Types that JSON has. Types derived from them are not among them: not every JSON library knows those."""


@functools.cache
def _fields(kind: type[Any]) -> tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(kind))


def _rare(value: Any) -> Json:
    if isinstance(value, Shared):
        return value.encoded
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, (bool, int, float, Columns)):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, Mapping):
        return {str(name): encode(item) for name, item in value.items()}
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    if isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray, memoryview)):
        return [encode(item) for item in value]
    raise TypeError(f"{type(value).__name__} does not travel to the front end")
