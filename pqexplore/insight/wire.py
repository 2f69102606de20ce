"""What crosses to the front end: dataclasses, written as JSON objects with the same field names.

Each lens declares the dataclasses of its picture and of its operations' replies in its own module; tools/wire_types.py
generates TypeScript's interfaces from them (js/src/wire/NAME.ts), and a test compares the two.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any, TypeAlias

import numpy as np

from pqexplore.insight.columns import Columns

Json: TypeAlias = Any
"""Values that JSON has, and `Columns`, which the transport packs as binary buffers."""

_SAME = frozenset({type(None), bool, int, float, str})
"""The types, without those derived from them, that are JSON's already."""


@dataclasses.dataclass(frozen=True, slots=True)
class Chip:
    """A short fact: its name and its value, as texts."""

    name: str
    value: str


def encode(value: Any) -> Json:
    """`value` in JSON's types: dataclasses become objects, arrays lists, enums their values.

    TypeError for what has no such form, so that a mistake surfaces in Python and not in the browser.
    """
    if type(value) in _SAME:
        return value
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, (bool, int, float, Columns)):
        return value
    if isinstance(value, str):
        return str(value)  # an Address is a kind of text that not every JSON library knows
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: encode(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(name): encode(item) for name, item in value.items()}
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    if isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray, memoryview)):
        return [item if type(item) in _SAME else encode(item) for item in value]
    raise TypeError(f"{type(value).__name__} does not travel to the front end")
