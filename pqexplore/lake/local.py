"""Reading files with processes of this machine."""

from __future__ import annotations

import dataclasses
import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pqexplore
from pqexplore.lake.entries import Entry, Options
from pqexplore.lake.parts import Done, failed, inspect
from pqexplore.lake.progress import Watch

FEW = 200
"""Files up to which starting a process costs more than it brings."""
TASK = 1_000
"""Most files of a task: after each one hears how far things are."""

COMMAND = ("-m", "pqexplore.lake.worker")
"""What Python is to run in a worker."""


def tasks(entries: Sequence[Entry], workers: int) -> list[list[Entry]]:
    """The files in shares, at least a few for each worker, so that none is left with the last large one."""
    size = max(1, min(TASK, -(-len(entries) // (4 * max(1, workers)))))
    return [list(entries[start : start + size]) for start in range(0, len(entries), size)]


def run(
    entries: Sequence[Entry],
    options: Options,
    root: str,
    watch: Watch,
    processes: int | None = None,
) -> list[Done]:
    """Read all files; `processes` is by default the number of processors, and 0 means this process.

    Raises Cancelled where `watch` says so; whatever was written then is listed nowhere.
    """
    workers = (os.cpu_count() or 1) if processes is None else processes
    if workers == 0 or (processes is None and len(entries) <= FEW):
        found = []
        for task in tasks(entries, 2):
            watch.check()
            found.append(inspect(task, options, root))
            watch.add(found[-1])
        return found
    return list(_processes(tasks(entries, workers), options, root, watch, workers))


def _processes(
    shares: list[list[Entry]], options: Options, root: str, watch: Watch, workers: int
) -> Iterator[Done]:
    todo: queue.SimpleQueue[list[Entry] | None] = queue.SimpleQueue()
    answers: queue.SimpleQueue[Any] = queue.SimpleQueue()
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


class _Worker(threading.Thread):
    """A process and the thread that talks to it; a process that dies is replaced, and its task cut in two."""

    def __init__(self, options: Options, root: str, todo: Any, answers: Any) -> None:
        super().__init__(daemon=True)
        self._options, self._root, self._todo, self._answers = options, root, todo, answers
        self._stopped = False
        self._process: subprocess.Popen[str] | None = None
        self.start()

    def _begin(self) -> subprocess.Popen[str]:
        above = str(Path(pqexplore.__file__).parents[1])
        path = os.pathsep.join(filter(None, (above, os.environ.get("PYTHONPATH"))))
        process = subprocess.Popen(
            [sys.executable, *COMMAND],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._said,
            text=True,
            encoding="utf-8",
            env={**os.environ, "PYTHONPATH": path},
        )
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(
            json.dumps({"options": self._options.to_json(), "root": self._root}) + "\n"
        )
        process.stdin.flush()
        if not process.stdout.readline() and not self._stopped:
            raise RuntimeError(f"a process that reads files does not start{self._last_words()}")
        return process

    def run(self) -> None:
        """Hand out tasks until there are none."""
        with tempfile.TemporaryFile() as self._said:
            try:
                while not self._stopped and (task := self._next()) is not None:
                    self._do(task)
            except BaseException as error:
                if not self._stopped:
                    self._answers.put(error)
            finally:
                self._end()

    def _next(self) -> list[Entry] | None:
        while not self._stopped:
            try:
                task: list[Entry] | None = self._todo.get(timeout=0.1)
                return task
            except queue.Empty:
                continue
        return None

    def _do(self, task: list[Entry]) -> None:
        process = self._process = self._process or self._begin()
        assert process.stdin is not None and process.stdout is not None
        line = ""
        try:
            process.stdin.write(json.dumps([dataclasses.astuple(entry) for entry in task]) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except OSError:
            pass  # it died: there is no answer
        if line:
            self._answers.put(Done.from_json(line))
            return
        self._end()
        if self._stopped:
            return
        if len(task) > 1:
            self._todo.put(task[: len(task) // 2])
            self._todo.put(task[len(task) // 2 :])
            return
        reason = f"the process that read it ended with {process.returncode}"
        self._answers.put(
            failed(task[0], self._options, self._root, "crashed", reason + self._last_words())
        )

    def _last_words(self) -> str:
        self._said.seek(0)
        said = self._said.read().decode(errors="replace").strip().splitlines()
        return f": {said[-1][:300]}" if said else ""

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            for stream in (process.stdin, process.stdout):
                try:
                    if stream is not None:
                        stream.close()
                except OSError:
                    pass
            try:
                process.wait(0.0 if self._stopped else 5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def stop(self) -> None:
        """End the process, busy or not."""
        self._stopped = True
        process = self._process
        if process is not None:
            process.kill()
