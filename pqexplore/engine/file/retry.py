"""Sends requests to a store, and repeats those that fail for a moment.

The wait before each repetition is random, up to a bound that doubles ("Exponential Backoff And Jitter", full jitter, of
the AWS Architecture Blog), so that many workers do not come back at the same time. It is never longer than `LONGEST`, there
are at most `TRIES` tries, and none begins later than `PATIENCE` after the first: a driver that repeats requests itself is
not asked many times more.
"""

from __future__ import annotations

import contextvars
import random
import threading
import time
from collections.abc import Callable
from typing import TypeVar

from pqexplore.engine.errors import StoreError
from pqexplore.engine.file.store_errors import heard

T = TypeVar("T")

TRIES = 6
"""Max tries of one request."""
FIRST, LONGEST = 0.25, 8.0
"""Bound of the first wait, and of any wait, in seconds."""
PATIENCE = 30.0
"""Seconds after which a request is not repeated."""
SLICE = 0.1
"""Seconds between two looks at `stop` while waiting."""

stop: contextvars.ContextVar[Callable[[], None]] = contextvars.ContextVar("stop", default=lambda: None)
"""Raises an error if the work was cancelled; called while a request waits to be repeated."""


class Requests:
    """The requests for one file or place.

    `name` is for messages. `retries` counts the repetitions; any thread may send. `filesystem` is that of fsspec or
    pyarrow. `hear` turns an error of the request into the one to raise.
    """

    def __init__(
        self, name: str, filesystem: object = None, hear: Callable[[Exception, str, object], Exception] = heard
    ) -> None:
        self.name = name
        self.retries = 0
        self._filesystem, self._hear = filesystem, hear
        self._lock = threading.Lock()

    def send(self, request: Callable[[], T], name: str | None = None) -> T:
        """What `request()` returns, called again if it fails for a moment.

        Raises what `hear` makes of its error; a StoreError says how often it was tried.
        """
        begun = time.monotonic()
        for tries in range(1, TRIES + 1):
            try:
                return request()
            except Exception as error:  # of any driver; `heard` gives it a kind
                problem = self._hear(error, name or self.name, self._filesystem)
                if not isinstance(problem, StoreError) or not problem.again:
                    if problem is error:
                        raise
                    raise problem from None
                spent = time.monotonic() - begun
                wait = problem.after
                if wait is None:
                    wait = random.uniform(0, min(LONGEST, FIRST * 2 ** (tries - 1)))
                if tries == TRIES or wait > LONGEST or spent + wait > PATIENCE:
                    raise _tried(problem, tries, spent) from None
            with self._lock:
                self.retries += 1
            _wait(wait)
        raise AssertionError("unreachable")


def _tried(problem: StoreError, tries: int, seconds: float) -> StoreError:
    if tries == 1:
        return problem
    return type(problem)(f"{problem} (tried {tries} times in {seconds:.1f} s)", again=True)


def _wait(seconds: float) -> None:
    """Wait, unless the work is cancelled."""
    check, end = stop.get(), time.monotonic() + seconds
    check()
    while (left := end - time.monotonic()) > 0:
        time.sleep(min(left, SLICE))
        check()
