"""Runs a call in a process of its own: a crash costs the call, one that takes too long is ended, one that is cancelled, too.

Such a process ends as Ctrl-C and SIGTERM end a command (`engine.ending`); what it does not end within `GRACE` is killed, with all
that it started. Its temporary folder lies in one of this process, which removes it.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence

import anyio
from anyio.abc import Process

from pqexplore.cli.mcp.one_call import Reply
from pqexplore.engine import ending, own_processes

COMMAND = ("-m", "pqexplore.cli.mcp.one_call")
"""What Python runs for a call."""

GRACE = 2.0
"""Seconds that a process has to end itself."""

MOST = max(2, os.cpu_count() or 1)
"""Calls at the same time; the others wait."""


@dataclasses.dataclass(frozen=True)
class Calls:
    """Runs calls, `MOST` at a time, each for some seconds at most."""

    seconds: float
    free: anyio.Semaphore = dataclasses.field(default_factory=lambda: anyio.Semaphore(MOST))

    async def answer(self, words: Sequence[str], full: bool) -> Reply:
        """The reply to a call. A cancelled one ends its process."""
        async with self.free:
            with ending.temporary_folder() as folder:
                process = await anyio.open_process(
                    [sys.executable, *COMMAND],
                    stderr=subprocess.DEVNULL,
                    env=own_processes.environment(TMPDIR=folder, TEMP=folder, TMP=folder),
                    start_new_session=True,
                )
                try:
                    with anyio.fail_after(self.seconds):
                        return await _asked(process, words, full)
                except TimeoutError:
                    return Reply(too_long(self.seconds), failed=True)
                finally:
                    with anyio.CancelScope(shield=True):
                        await _end(process)


def too_long(seconds: float) -> str:
    """What is said of a call that took too long."""
    return (
        f"the call took longer than {seconds:g} s, and was stopped; ask for less, such as some columns, or a row group, or start the "
        "server with a larger --seconds"
    )


async def _asked(process: Process, words: Sequence[str], full: bool) -> Reply:
    assert process.stdin is not None and process.stdout is not None
    with contextlib.suppress(anyio.BrokenResourceError):  # it died
        await process.stdin.send(json.dumps({"words": list(words), "full": full}).encode() + b"\n")
    text = b"".join([part async for part in process.stdout])
    code = await process.wait()
    if code:
        return Reply(
            f"the process that answered ended with {code}, without an answer; the next call has a new one", failed=True
        )
    return Reply(**json.loads(text))


async def _end(process: Process) -> None:
    """End a process and what it started, if it is not over; and close its pipes."""
    with anyio.move_on_after(GRACE):
        if process.returncode is None:
            _signal(process, signal.SIGTERM)
            await process.wait()
    if process.returncode is None:
        _signal(process, getattr(signal, "SIGKILL", signal.SIGTERM))
    await process.aclose()


def _signal(process: Process, number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, number)
        else:
            process.terminate()
