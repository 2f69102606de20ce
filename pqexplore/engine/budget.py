"""Bounds the cost of a question about a file: bytes decoded, nodes made, seconds of the processor.

Few bytes can become much: a run of 67 million values takes five. So each question (`check`, a lens, `layout`, …) has an
account, opened with `Budget.asking`. Code that takes memory or makes nodes calls `charge`, once a page or a batch. If one
question asks another, the outer account is charged. Reading a page outside any question is bounded by the limits of a page,
and not counted.

An account that is used up raises LimitExceededError, at this charge and at each later one. Questions that can be answered
in part look at `exhausted` and say that they stopped. A MemoryError in a question becomes a LimitExceededError, too.
"""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import TypeVar

from pqexplore.engine.errors import LimitExceededError, within_memory
from pqexplore.engine.limits import DEFAULT, Limits

Result = TypeVar("Result")
Yielded = TypeVar("Yielded")

DECODED_A_BYTE = 256
"""Bytes that each byte of the file's pages may become, in addition to `work_bytes`."""

BYTES_A_SECOND = 16 << 10
"""Bytes of the file's pages that add one second to `work_seconds`.

`check` takes 2 ms a chunk, and the smallest chunks have some 60 bytes: so a good file of many small chunks is read whole.
"""


class Account:
    """The cost of one question so far.

    `exhausted` says why it had to stop, `stopped_at` is the address at which; both are empty while it may go on.
    """

    def __init__(self, what: str, limits: Limits, size: int, *, counted: bool = True) -> None:
        self.what = what
        self.exhausted = ""
        self.stopped_at = ""
        self.cancelled = False
        self.bytes = 0
        self.nodes = 0
        self.seconds = 0.0
        self._limits = limits
        self._counted = counted
        self._bytes = limits.work_bytes + DECODED_A_BYTE * size
        self._nodes = limits.work_nodes + size
        self._seconds = limits.work_seconds + size / BYTES_A_SECOND
        self._begun = 0.0
        self._soonest = 0.0
        """When the seconds can be used up, by `perf_counter`, so that the slower clock of the processor is not read before."""

    def begin(self) -> None:
        """Starts the clock of the processor in this thread."""
        self._begun = time.thread_time()

    def end(self) -> None:
        """Stops the clock."""
        self.seconds += time.thread_time() - self._begun

    @property
    def spent(self) -> float:
        """Seconds of the processor so far, while the clock runs."""
        return self.seconds + time.thread_time() - self._begun

    def has_room(self, size: int, nodes: int) -> bool:
        """Whether `charge` would accept a cost now."""
        if self.exhausted or self.cancelled:
            return False
        return not self._counted or (self.bytes + size <= self._bytes and self.nodes + nodes <= self._nodes)

    def charge(self, size: int, nodes: int, address: str | None, offset: int | None) -> None:
        """Adds a cost. Raises LimitExceededError if it is too much, or was before."""
        self.bytes += size
        self.nodes += nodes
        if not self.exhausted:
            self.exhausted = self._reason()
            if not self.exhausted:
                return
            self.stopped_at = address or ""
        if offset is None and address is None:
            address = ""
        raise LimitExceededError(f"{self.what}: {self.exhausted}", offset=offset, address=address)

    def _reason(self) -> str:
        """Why the question must stop; empty if it may go on."""
        if self.cancelled:
            return "it was cancelled"
        if not self._counted:
            return ""
        if self.bytes > self._bytes:
            return self._too_much("work_bytes", self._bytes, "decoded bytes")
        if self.nodes > self._nodes:
            return self._too_much("work_nodes", self._nodes, "nodes")
        now = time.perf_counter()
        if now >= self._soonest:
            left = self._seconds - self.spent
            if left < 0:
                return self._too_much("work_seconds", self._seconds, "seconds of the processor")
            self._soonest = now + left
        return ""

    def _too_much(self, name: str, allowed: float, unit: str) -> str:
        base = getattr(self._limits, name)
        more = 4 * base if base else 1
        return (
            f"it takes more than the {allowed:,.0f} {unit} that a file of this size is given; to go on, open "
            f"the file with limits=pqexplore.Limits({name}={more})"
        )


class Budget:
    """The accounts of one open file. Safe to use from several threads; each has its own account.

    `size` is the number of bytes before the footer: more bytes allow more work.
    """

    def __init__(self, limits: Limits = DEFAULT, size: int = 0) -> None:
        self._limits = limits
        self._size = size
        self._local = threading.local()
        self._open: weakref.WeakSet[Account] = weakref.WeakSet()

    @property
    def account(self) -> Account | None:
        """The account of this thread's question; None if there is no question."""
        account: Account | None = getattr(self._local, "account", None)
        return account

    @property
    def exhausted(self) -> str:
        """Why this thread's question must stop; empty while it may go on."""
        account = self.account
        return "" if account is None else account.exhausted

    def charge(self, size: int = 0, nodes: int = 0, *, address: str | None = None, offset: int | None = None) -> None:
        """Charges bytes that are about to be decoded, and nodes that are about to be made, to this thread's question.

        Raises LimitExceededError if that is more than the question may cost, or if it was cancelled.
        """
        account = getattr(self._local, "account", None)
        if account is not None:
            account.charge(size, nodes, address, offset)

    def has_room(self, size: int, nodes: int) -> bool:
        """Whether this thread's question may cost so much more, as far as that is known beforehand."""
        account = self.account
        return account is None or account.has_room(size, nodes)

    @contextmanager
    def asking(self, what: str, address: str | None = None, *, counted: bool = True) -> Iterator[Account]:
        """A question: charges inside the `with` go to one account, that of the outermost question.

        `what` names the question in errors; `address` is the place of an error for lack of memory. Without `counted` the
        work is not bounded, and can only be cancelled.
        """
        outer = self.account
        account = outer or self._new(what, counted)
        with within_memory(address or "", None):
            if outer is not None:
                yield outer
                return
            with self._working(account):
                yield account

    def steps(
        self, what: str, work: Generator[Yielded, None, Result], address: str | None = None
    ) -> Generator[Yielded, None, Result]:
        """Runs work in steps on one account, whose clock stops between steps; yields and returns as the work does."""
        outer = self.account
        account = outer or self._new(what, True)
        try:
            while True:
                try:
                    with within_memory(address or "", None), self._working(account):
                        step = next(work)
                except StopIteration as stop:
                    result: Result = stop.value
                    return result
                yield step
        finally:
            work.close()

    def cancel(self) -> None:
        """Stops the questions of all threads at their next charge."""
        for account in list(self._open):
            account.cancelled = True

    def _new(self, what: str, counted: bool) -> Account:
        account = Account(what, self._limits, self._size, counted=counted)
        self._open.add(account)
        return account

    @contextmanager
    def _working(self, account: Account) -> Iterator[None]:
        before = self.account
        if before is account:
            yield
            return
        self._local.account = account
        account.begin()
        try:
            yield
        finally:
            account.end()
            self._local.account = before
