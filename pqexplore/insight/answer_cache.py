"""Answers and plans that are kept, for what is asked about them later."""

from __future__ import annotations

import threading
import weakref
from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

from pqexplore.insight.answer import Answer

MOST = 24
"""Answers that are kept for one subject."""

Subject = TypeVar("Subject")
Value = TypeVar("Value")


class Latest(Generic[Subject, Value]):
    """The latest values about each subject, such as a file or a lake; those of a subject are dropped with it."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: weakref.WeakKeyDictionary[Subject, OrderedDict[Hashable, Value]] = weakref.WeakKeyDictionary()
        self._lock = threading.Lock()

    def get(self, subject: Subject, key: Hashable) -> Value | None:
        """The value that was kept; None if absent."""
        with self._lock:
            return self._values.get(subject, OrderedDict()).get(key)

    def put(self, subject: Subject, key: Hashable, value: Value) -> None:
        """Keep a value; the oldest of the subject is dropped for it."""
        with self._lock:
            of = self._values.setdefault(subject, OrderedDict())
            of[key] = value
            while len(of) > self._most:
                of.popitem(last=False)


class Kept(Latest[Subject, Answer]):
    """The latest answers about each subject."""

    def __init__(self) -> None:
        super().__init__(MOST)
