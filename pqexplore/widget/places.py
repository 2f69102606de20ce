"""The last place in each file, so that an explorer begins there when its cell runs again.

It is kept in memory, and for the file as it was: a file that was written anew begins at its top.
"""

from __future__ import annotations

import dataclasses
import os
import threading
from collections import OrderedDict

from pqexplore.engine.file.file import ParquetFile

KEPT = 200
"""Files whose last place is kept."""


@dataclasses.dataclass(frozen=True, slots=True)
class Place:
    """An address, and the preferred lens; "" for the first one that applies."""

    address: str
    view: str


_lock = threading.Lock()
_places: OrderedDict[tuple[str, int, str], Place] = OrderedDict()


def remember(file: ParquetFile, place: Place) -> None:
    """Note where one is in a file. Nothing is noted of bytes without a name or a state that tells them apart."""
    key = _key(file)
    if key is None:
        return
    with _lock:
        _places[key] = place
        _places.move_to_end(key)
        while len(_places) > KEPT:
            _places.popitem(last=False)


def recall(file: ParquetFile) -> Place | None:
    """Where one was last in a file; None if that is not known, or was its top."""
    key = _key(file)
    with _lock:
        place = _places.get(key) if key is not None else None
    return None if place == Place("", "") else place


def _key(file: ParquetFile) -> tuple[str, int, str] | None:
    state = file.source.opened_as
    if state is None:
        return None
    name = file.name if "://" in file.name else os.path.abspath(file.name)
    return name, file.size, repr(state)
