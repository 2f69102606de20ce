"""Reads files in a process that may die or hang, so that only the file that caused it is lost.

Native code may crash, the kernel may end a process that takes too much memory, a file system may never answer. The
process itself cannot handle these, so another process watches it: a `Pulse` shows the current file, a reader that takes
too long for one file is ended, and another reader continues with the rest of the task.

A file that crashed a reader is read once more, alone. If it crashes again, it is a row with error_code `crashed`. A file
that took too long is a row with error_code `timeout` at once. The files before it in the same task are read again.
"""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import json
import os
import queue
import signal
import threading
import time
from collections.abc import Callable, Sequence

from pqexplore.engine import ending
from pqexplore.lake.listed_files import Entry, Options
from pqexplore.lake.store.part_files import Done, failed, inspect
from pqexplore.lake.store.run_lock import NOWHERE, Pulse

POLL = 0.1
"""Seconds between two checks of a pulse."""
DYING = 5.0
"""Max seconds to wait for a killed process; one that waits for a dead file system may never end."""

SECONDS = {"chunks": 60.0, "pages": 600.0, "check": 3600.0}
"""Default seconds that one file may take, by depth of reading."""


def seconds_per_file(level: str, check: bool) -> float:
    """The default time limit of one file, in seconds."""
    return SECONDS["check" if check else level]


@dataclasses.dataclass(frozen=True)
class Died:
    """How a reader ended: `crashed` or `timeout`, the index of its current file, the phase, and a sentence."""

    code: str
    place: int
    phase: str
    reason: str


def died(code: str, pulse: Pulse, reason: str) -> Died:
    """The end of the reader that `pulse` belongs to."""
    return Died(code, pulse.place, pulse.phase, reason)


def too_long(seconds: float) -> str:
    """The error message of a file that takes too long."""
    return (
        f"reading took longer than {seconds:g} s, and was stopped; scan with seconds_per_file=… to allow more "
        "(0: without a limit)"
    )


def remaining(task: Sequence[Entry], end: Died, options: Options, root: str) -> tuple[list[list[Entry]], Done | None]:
    """The tasks that are left after a reader died, and the row of the file that is left out, if any."""
    if end.place == NOWHERE and len(task) > 1:  # between files: all their rows took too much memory
        half = len(task) // 2
        return [list(task[:half]), list(task[half:])], None
    place = end.place if 0 <= end.place < len(task) else 0
    others = [list(some) for some in (task[:place], task[place + 1 :]) if some]
    if end.code == "crashed" and len(task) > 1:
        return [[task[place]], *others], None
    row = failed(task[place], options, root, end.code, end.reason, end.phase)
    return others, row


def awaited(
    answers: queue.SimpleQueue[str], pulse: Pulse, seconds: float, stopped: Callable[[], bool] = lambda: False
) -> str | None:
    """A reader's answer; empty if the reader ended without one; None if the current file takes too long.

    `seconds` is the time limit of one file; 0 for no limit. Also None if `stopped()` is true.
    """
    begun, since = pulse.begun, time.monotonic()
    while not stopped():
        try:
            return answers.get(timeout=min(POLL, seconds / 4) if seconds else POLL)
        except queue.Empty:
            pass
        now = pulse.begun
        if now != begun or pulse.place == NOWHERE:
            begun, since = now, time.monotonic()
        elif seconds and time.monotonic() - since > seconds:
            return None
    return None


# In the reader.


def answer(task: Sequence[Entry], options: Options, root: str, pulse: Pulse) -> str:
    """Read a task. Returns its `Done` as one line, or an error that no file caused."""
    try:
        return inspect(task, options, root, pulse).to_json()
    except MemoryError:
        raise  # the task is read in smaller pieces
    except OSError as error:
        return json.dumps({"errno": error.errno or errno.EIO, "error": str(error)})
    except Exception as error:
        return json.dumps({"error": f"{type(error).__name__}: {error}"[:1000]})


def understood(line: str) -> Done:
    """Parses the line of `answer`. OSError or RuntimeError if it is an error, such as a full disk."""
    if line.startswith('{"errno"'):
        said = json.loads(line)
        raise OSError(said["errno"], said["error"])
    if line.startswith('{"error"'):
        raise RuntimeError(f"a process that reads files failed: {json.loads(line)['error']}")
    return Done.from_json(line)


# Readers that are forked: on Spark, whose workers have no threads to lose and everything imported.


def forked(entries: Sequence[Entry], options: Options, root: str) -> list[Done]:
    """Read files in forks of this process; parts are written below `root`. Reads them in this process if it cannot fork."""
    if not hasattr(os, "fork"):
        return [inspect(entries, options, root)]
    todo, found = [list(entries)] if entries else [], []
    pulse = Pulse()
    while todo:
        task = todo.pop()
        pulse.rest()
        try:
            read = _fork(task, options, root, pulse)
        except BlockingIOError:  # the system allows no more processes
            read = inspect(task, options, root)
        if isinstance(read, Done):
            found.append(read)
            continue
        more, row = remaining(task, read, options, root)
        todo += more
        if row is not None:
            found.append(row)
    return found


def _fork(task: Sequence[Entry], options: Options, root: str, pulse: Pulse) -> Done | Died:
    reading, writing = os.pipe()
    try:
        child = os.fork()
    except OSError:
        os.close(reading)
        os.close(writing)
        raise
    if child == 0:
        try:
            os.close(reading)
            if hasattr(signal, "SIGTERM"):
                signal.signal(signal.SIGTERM, signal.SIG_DFL)
            ending.end_with_parent()
            with os.fdopen(writing, "w", encoding="utf-8") as stream:
                stream.write(answer(task, options, root, pulse) + "\n")
        except BaseException:
            os._exit(1)
        os._exit(0)
    os.close(writing)
    answers: queue.SimpleQueue[str] = queue.SimpleQueue()
    listener = threading.Thread(target=_listen, args=(reading, answers), daemon=True)
    listener.start()
    line = awaited(answers, pulse, options.seconds_per_file)
    if line is None:
        _end(child)  # first, because the listener waits for it
    listener.join(DYING)
    if line:
        os.waitpid(child, 0)
        return understood(line)
    if line is None:
        return died("timeout", pulse, too_long(options.seconds_per_file))
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    return died("crashed", pulse, f"the process that read it ended with {code}")


def _listen(descriptor: int, answers: queue.SimpleQueue[str]) -> None:
    with os.fdopen(descriptor, encoding="utf-8") as stream:
        line = stream.readline()
    answers.put(line if line.endswith("\n") else "")


def _end(child: int) -> None:
    """End a process; one that cannot be ended is left alone."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)
    end = time.monotonic() + DYING
    while time.monotonic() < end:
        with contextlib.suppress(ChildProcessError):
            if os.waitpid(child, os.WNOHANG)[0] == 0:
                time.sleep(0.01)
                continue
        return
