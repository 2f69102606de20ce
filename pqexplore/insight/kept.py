"""Answers that are kept, for the parts of their tables that are asked for later."""

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


class Kept(Generic[Subject]):
    """The latest answers about each subject, such as a file or a lake; those of a subject are dropped with it."""

    def __init__(self) -> None:
        self._answers: weakref.WeakKeyDictionary[Subject, OrderedDict[Hashable, Answer]] = (
            weakref.WeakKeyDictionary()
        )
        self._lock = threading.Lock()

    def get(self, subject: Subject, key: Hashable) -> Answer | None:
        """The answer that was kept; None if absent."""
        with self._lock:
            return self._answers.get(subject, OrderedDict()).get(key)

    def put(self, subject: Subject, key: Hashable, answer: Answer) -> None:
        """Keep an answer; the oldest of the subject is dropped for it."""
        with self._lock:
            of = self._answers.setdefault(subject, OrderedDict())
            of[key] = answer
            while len(of) > MOST:
                of.popitem(last=False)
