"""Keeps what was decoded (decompressed pages, levels, values); the least recently used results go first."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

CAPACITY = 128 << 20
"""Bytes that one open file keeps."""

T = TypeVar("T")


class Cache:
    """A thread-safe store of results, bounded by the bytes that they hold."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._used = 0
        self._items: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], T], size: Callable[[T], int]) -> T:
        """The value of `key`; `make` makes it if it is not kept, `size` gives the bytes that it holds.

        Two threads may make the same value at once; both get the one that is kept first.
        """
        with self._lock:
            if key in self._items:
                self._items.move_to_end(key)
                kept: T = self._items[key][0]
                return kept
        value = make()
        held = size(value)
        with self._lock:
            if key in self._items:
                first: T = self._items[key][0]
                return first
            self._items[key] = (value, held)
            self._used += held
            while self._used > self._capacity and len(self._items) > 1:
                # the newest value stays, whatever its size
                self._used -= self._items.popitem(last=False)[1][1]
        return value

    def peek(self, key: Hashable) -> Any:
        """The value of `key` if it is kept, else None."""
        with self._lock:
            item = self._items.get(key)
            return None if item is None else item[0]

    def has(self, key: Hashable) -> bool:
        """Whether the value of `key` is kept."""
        with self._lock:
            return key in self._items

    def clear(self) -> None:
        """Removes all values."""
        with self._lock:
            self._items.clear()
            self._used = 0


class Scratch:
    """The interface of `Cache` for one short-lived reader: keeps everything, has no lock."""

    def __init__(self) -> None:
        self._items: dict[Hashable, Any] = {}

    def get(self, key: Hashable, make: Callable[[], T], size: Callable[[T], int]) -> T:
        """The value of `key`; `make` makes it if it is not kept. `size` is not called."""
        if key not in self._items:
            self._items[key] = make()
        value: T = self._items[key]
        return value

    def peek(self, key: Hashable) -> Any:
        """The value of `key` if it is kept, else None."""
        return self._items.get(key)
