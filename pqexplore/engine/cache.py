"""What was decoded is kept for a while: decompressed pages, levels, values; the least recently used go first."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any

CAPACITY = 128 << 20
"""Bytes that one open file keeps."""


class Cache:
    """A thread-safe store of results, bounded by the bytes that they hold."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._used = 0
        self._items: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], Any], size: Callable[[Any], int]) -> Any:
        """The value of `key`, made by `make` where it is not kept; `size` says how many bytes it holds.

        Two threads may make the same value at once; the first one kept is the one both get.
        """
        with self._lock:
            if key in self._items:
                self._items.move_to_end(key)
                return self._items[key][0]
        value = make()
        held = size(value)
        with self._lock:
            if key in self._items:
                return self._items[key][0]
            self._items[key] = (value, held)
            self._used += held
            while (
                self._used > self._capacity and len(self._items) > 1
            ):  # the newest stays, whatever its size
                self._used -= self._items.popitem(last=False)[1][1]
        return value

    def peek(self, key: Hashable) -> Any:
        """The value of `key` if it is kept just now, else None."""
        with self._lock:
            found = self._items.get(key)
            return None if found is None else found[0]

    def has(self, key: Hashable) -> bool:
        """Whether the value of `key` is kept just now."""
        with self._lock:
            return key in self._items

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._items.clear()
            self._used = 0


class Scratch:
    """A store with the interface of `Cache` for one reader that is soon done: nothing is evicted, nobody waits."""

    def __init__(self) -> None:
        self._items: dict[Hashable, Any] = {}

    def get(self, key: Hashable, make: Callable[[], Any], size: Callable[[Any], int]) -> Any:
        """The value of `key`, made by `make` where it is not there yet; `size` is not asked."""
        if key not in self._items:
            self._items[key] = make()
        return self._items[key]
