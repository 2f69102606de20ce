"""Reads files with processes of this machine."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from pqexplore.engine import own_processes
from pqexplore.engine.ending import TemporaryFolder
from pqexplore.lake.listed_files import Entry, Options
from pqexplore.lake.scanning import subprocess_isolation
from pqexplore.lake.scanning.progress import Watch
from pqexplore.lake.scanning.subprocess_isolation import Died
from pqexplore.lake.store.part_files import Done, inspect
from pqexplore.lake.store.run_lock import Pulse

FEW = 200
"""Max number of files for which a second process is not worth its start."""
TASK = 1_000
"""Max files of a task: progress is reported after each task."""
STARTING = 120.0
"""Max seconds for a process to start."""

COMMAND = ("-m", "pqexplore.lake.scanning.worker")
"""The Python code of a worker."""


def tasks(entries: Sequence[Entry], workers: int) -> list[list[Entry]]:
    """Split the files into tasks, several for each worker, so that no worker is busy long after the others."""
    size = max(1, min(TASK, -(-len(entries) // (4 * max(1, workers)))))
    return [list(entries[start : start + size]) for start in range(0, len(entries), size)]


def run(
    entries: Sequence[Entry], options: Options, root: str, watch: Watch, processes: int | None = None
) -> list[Done]:
    """Read all files; `processes` is by default the number of processors, or one for few files; 0 means this process.

    This process has no protection from a file that crashes or hangs the reader (see `guard`).

    Raises Cancelled if `watch` was cancelled; parts that were written by then are in no manifest.
    """
    if processes == 0 or (processes is None and not _elsewhere(entries, options)):
        found = []
        for task in tasks(entries, 2):
            watch.check()
            found.append(inspect(task, options, root))
            watch.add(found[-1])
        return found
    workers = processes or (1 if len(entries) <= FEW else os.cpu_count() or 1)
    return list(_processes(tasks(entries, workers), options, root, watch, workers))


def _elsewhere(entries: Sequence[Entry], options: Options) -> bool:
    """Whether another process can read the files: it does not share memory, and its options are JSON."""
    try:
        options.to_json()
    except TypeError:
        return False
    return not any(entry.path.startswith("memory:") for entry in entries)


def _processes(shares: list[list[Entry]], options: Options, root: str, watch: Watch, workers: int) -> Iterator[Done]:
    todo: queue.SimpleQueue[list[Entry]] = queue.SimpleQueue()
    answers: queue.SimpleQueue[Done | BaseException] = queue.SimpleQueue()
    left = 0
    for share in shares:
        todo.put(share)
        left += len(share)
    team = [_Worker(options, root, todo, answers) for _ in range(min(workers, len(shares)))]
    try:
        while left:
            watch.check()
            try:
                answer = answers.get(timeout=0.1)
            except queue.Empty:
                continue
            if isinstance(answer, BaseException):
                raise answer
            left -= answer.files
            watch.add(answer)
            yield answer
    finally:
        for worker in team:
            worker.stop()


class _Reader:
    """A process that reads files, for the process that started it."""

    def __init__(self, options: Options, root: str) -> None:
        self._seconds = options.seconds_per_file
        self._folder = TemporaryFolder()
        place = os.path.join(self._folder.path, "pulse")
        Pulse.create(place)
        self.pulse = Pulse(place)
        self._answers: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._errors = os.path.join(self._folder.path, "errors")
        with open(self._errors, "wb") as errors:
            self._process = subprocess.Popen(
                [sys.executable, *COMMAND],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                encoding="utf-8",
                env=own_processes.environment(),
            )
        threading.Thread(target=self._listen, daemon=True).start()
        self._send({"options": options.to_json(), "root": root, "pulse": place})

    def _listen(self) -> None:
        assert self._process.stdout is not None
        with contextlib.suppress(OSError, ValueError):  # it died, or was closed
            for line in self._process.stdout:
                self._answers.put(line)
        self._answers.put("")

    def _send(self, message: object) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):  # it died: there will be no answer
            self._process.stdin.write(json.dumps(message) + "\n")
            self._process.stdin.flush()

    def start(self) -> None:
        """Wait until the process is ready. RuntimeError if it does not start."""
        try:
            started = self._answers.get(timeout=STARTING)
        except queue.Empty:
            started = ""
        if not started:
            raise RuntimeError(f"a process that reads files does not start{self._last_words()}")

    def read(self, task: list[Entry], stopped: Callable[[], bool]) -> Done | Died:
        """Send a task and wait for the answer. Returns how the process ended if it did not answer."""
        self.pulse.rest()
        self._send([dataclasses.astuple(entry) for entry in task])
        line = subprocess_isolation.awaited(self._answers, self.pulse, self._seconds, stopped)
        if line:
            return subprocess_isolation.understood(line)
        if line is None:
            self.kill()
            return subprocess_isolation.died("timeout", self.pulse, subprocess_isolation.too_long(self._seconds))
        self._wait()
        reason = f"the process that read it ended with {self._process.returncode}"
        return subprocess_isolation.died("crashed", self.pulse, reason + self._last_words())

    def _last_words(self) -> str:
        lines = Path(self._errors).read_text("utf-8", "replace").strip().splitlines()
        return f": {lines[-1][:300]}" if lines else ""

    def _wait(self) -> None:
        with contextlib.suppress(subprocess.TimeoutExpired):  # it waits for a dead file system
            self._process.wait(subprocess_isolation.DYING)

    def kill(self) -> None:
        """End the process, busy or not; one that cannot be ended is left alone."""
        self._process.kill()

    def close(self) -> None:
        """End the process, and close its pipes and files."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        self._wait()
        if self._process.returncode is None:
            self.kill()
            self._wait()
        self._folder.remove()


class _Worker(threading.Thread):
    """Sends tasks to a process, and replaces it if it dies; `guard` decides what happens to the task."""

    def __init__(
        self,
        options: Options,
        root: str,
        todo: queue.SimpleQueue[list[Entry]],
        answers: queue.SimpleQueue[Done | BaseException],
    ) -> None:
        super().__init__(daemon=True)
        self._options, self._root, self._todo, self._answers = options, root, todo, answers
        self._stopped = False
        self._reader: _Reader | None = None
        self.start()

    def run(self) -> None:
        """Send tasks until none are left."""
        try:
            while not self._stopped:
                try:
                    task = self._todo.get(timeout=0.1)
                except queue.Empty:
                    continue
                self._do(task)
        except BaseException as error:
            if not self._stopped:
                self._answers.put(error)
        finally:
            self._end()

    def _do(self, task: list[Entry]) -> None:
        if self._reader is None:
            self._reader = _Reader(self._options, self._root)
            self._reader.start()
        found = self._reader.read(task, lambda: self._stopped)
        if isinstance(found, Done):
            self._answers.put(found)
            return
        self._end()
        if self._stopped:
            return
        more, row = subprocess_isolation.remaining(task, found, self._options, self._root)
        for some in more:
            self._todo.put(some)
        if row is not None:
            self._answers.put(row)

    def _end(self) -> None:
        reader, self._reader = self._reader, None
        if reader is not None:
            if self._stopped:
                reader.kill()
            reader.close()

    def stop(self) -> None:
        """End the process, busy or not."""
        self._stopped = True
        reader = self._reader
        if reader is not None:
            reader.kill()
