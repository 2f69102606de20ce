"""Signals that end the process, while a file is written or a command runs: nothing is lost, nothing stays behind.

Ctrl-C raises KeyboardInterrupt in whatever code runs at that moment. In the import of an extension that exception can get lost
(pyarrow looks for pandas, and ignores what that import raises), or become another one (numpy's ImportError). So inside of
`heeding` an interrupt waits until the import is over, and is remembered: `check` raises what was swallowed.

Each signal waits until a new temporary folder has its owner, else the folder would stay.

SIGTERM and SIGHUP end a process without unwinding it. Inside of `heeding` they first remove the paths of `removing`, then
end the process as they do without it. Handlers belong to the main thread: elsewhere, `heeding` does nothing.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Iterator
from types import FrameType

INTERRUPT = signal.SIGINT
ENDING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]

_AGAIN = 0.02
"""Seconds after which an interrupt that came during an import is looked at again."""

_IMPORTING = "<frozen importlib._bootstrap"
"""How the names of the interpreter's own modules for imports begin, in frames."""

_paths: set[str] = set()
_before: dict[int, object] = {}
_blocks = 0
_interrupts = 0
_late = False
_again: threading.Timer | None = None
_imports_below = 0
_process = 0
_making = False
_waiting = 0


@contextlib.contextmanager
def heeding() -> Iterator[None]:
    """Inside the `with`, signals that end the process are heeded as this module says.

    A handler that the program has set, and a signal that it ignores, stay as they are.
    """
    global _blocks, _interrupts, _imports_below, _late, _process
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    if not _blocks:
        _interrupts, _late, _imports_below, _process = 0, False, _imports(None), os.getpid()
    _blocks += 1
    try:
        _install()
        yield
    finally:
        _blocks -= 1
        if not _blocks:
            if _again is not None:
                _again.cancel()
            _restore()
            if _late:  # Ctrl-C came while the handlers were put back: the program's own gets it
                _late = False
                signal.raise_signal(INTERRUPT)


def _install() -> None:
    for number in (INTERRUPT, *ENDING):
        handler = signal.getsignal(number)
        default = handler is signal.SIG_DFL
        if default or (number == INTERRUPT and handler is signal.default_int_handler):
            with contextlib.suppress(ValueError):  # not the main interpreter
                signal.signal(number, _interrupted if number == INTERRUPT else _ended)
                _before[number] = handler


def _restore() -> None:
    for number, handler in _before.items():
        if signal.getsignal(number) in (_interrupted, _ended):  # else another one was set since
            with contextlib.suppress(ValueError):
                signal.signal(number, handler)  # type: ignore[arg-type]
    _before.clear()


def _interrupted(number: int, frame: FrameType | None) -> None:
    global _again, _interrupts, _late
    if not _blocks:  # the outermost `with` is being left; one that came before was heeded inside of it
        _late = not _interrupts
        return
    _interrupts += 1
    if _waits(number):
        return
    if _imports(frame) > _imports_below:
        _again = _timer(number)
        _again.start()
        return
    raise KeyboardInterrupt


def _waits(number: int) -> bool:
    """Whether a signal has to wait for the owner of a new temporary folder, which raises it again."""
    global _waiting
    if _making:
        _waiting = number
    return _making


def _timer(number: int) -> threading.Timer:
    """Raises a signal again, so that a call that the main thread waits for is interrupted."""
    main = threading.main_thread().ident
    if main is not None and hasattr(signal, "pthread_kill"):
        timer = threading.Timer(_AGAIN, signal.pthread_kill, (main, number))
    else:
        timer = threading.Timer(_AGAIN, signal.raise_signal, (number,))
    timer.daemon = True
    return timer


def _imports(frame: FrameType | None) -> int:
    """How many frames below this one, or below the caller's, belong to imports."""
    count = 0
    step: FrameType | None = frame or sys._getframe(1)
    while step is not None:
        count += step.f_code.co_filename.startswith(_IMPORTING)
        step = step.f_back
    return count


def _ended(number: int, _frame: FrameType | None) -> None:
    if _waits(number):
        return
    if os.getpid() == _process:  # a process that was forked has nothing of its own here
        for path in list(_paths):
            _remove(path)
    signal.signal(number, signal.SIG_DFL)
    signal.raise_signal(number)


def end_by_interrupt() -> None:
    """From now on, until `heeding` is left, an interrupt ends the process as SIGTERM does.

    This is for a process in which a thread waits for input: unwinding would wait for that thread.
    """
    if signal.getsignal(INTERRUPT) is _interrupted:
        signal.signal(INTERRUPT, _ended)


def interrupted() -> bool:
    """Whether Ctrl-C came inside of the outermost `heeding`, whatever became of it."""
    return _blocks > 0 and _interrupts > 0


def check() -> None:
    """Raise KeyboardInterrupt if Ctrl-C came inside of the outermost `heeding` and was swallowed."""
    if interrupted() and threading.current_thread() is threading.main_thread():
        if _again is not None:
            _again.cancel()
        raise KeyboardInterrupt


@contextlib.contextmanager
def removing(path: str) -> Iterator[None]:
    """A file or folder that is removed when the `with` is left, also by a signal that ends the process."""
    with heeding():
        _paths.add(path)
        try:
            yield
        finally:
            try:
                _remove(path)
            except BaseException:  # a second Ctrl-C
                _remove(path)
                raise
            finally:
                _paths.discard(path)


class TemporaryFolder:
    """A new folder that goes with this object, at the end of the process, and by a signal that ends it inside of `heeding`."""

    def __init__(self) -> None:
        global _making, _waiting
        _making = True
        try:
            self.path = tempfile.mkdtemp(prefix="pqexplore-")
            _paths.add(self.path)
            self.remove = weakref.finalize(self, _forget, self.path)
        finally:
            _making = False
            if _waiting:
                number, _waiting = _waiting, 0
                signal.raise_signal(number)


@contextlib.contextmanager
def temporary_folder() -> Iterator[str]:
    """A new folder that is removed when the `with` is left, also by a signal that ends the process."""
    folder = TemporaryFolder()
    with removing(folder.path):
        yield folder.path


def end_with_parent() -> None:
    """End this process when its parent ends, because nobody can read the answer."""
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, name="pqexplore parent", daemon=True).start()


def _forget(folder: str) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    _paths.discard(folder)


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass
    except OSError:  # a folder
        shutil.rmtree(path, ignore_errors=True)
