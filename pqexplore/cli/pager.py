"""Answers on a terminal that are longer than the terminal go through a pager, as git's do: `less -R`, or what PAGER names.

What is printed is held back until the terminal is full; then the pager is started, and takes this and all that follows. What
fits is printed at the end. What went wrong goes to the same place, in its order, where standard error is the terminal, too.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    import subprocess
    from typing import IO

PAGER = "less -R"
VARIABLES = ("PQEXPLORE_PAGER", "PAGER")
"""What names another pager, the first that is set; "" and `cat` mean none."""

_paging = False


def paging() -> bool:
    """Whether a pager has the terminal: what writes beside it breaks its screen."""
    return _paging


def command() -> list[str]:
    """The words of the pager's command; none if there is no pager."""
    import shlex

    text = next((os.environ[name] for name in VARIABLES if name in os.environ), PAGER)
    words = shlex.split(text, posix=os.name != "nt")
    return words if words and words[0] != "cat" and shutil.which(words[0]) else []


class Paged:
    """A terminal whose pager starts when it is full; `stream` is the terminal."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self._held: list[str] = []
        self._lines = 0
        self._pager: subprocess.Popen[str] | None = None
        self._straight = False

    def isatty(self) -> bool:
        """True: what is printed is for people."""
        return True

    def write(self, text: str) -> int:
        """Hold the text back, or give it to whom it goes. BrokenPipeError if the pager has ended."""
        if self._straight or self._pager is not None:
            self._target().write(text)
            return len(text)
        self._held.append(text)
        size = shutil.get_terminal_size()
        self._lines += sum(1 + max(0, len(line) - 1) // size.columns for line in text.split("\n")) - 1
        if self._lines >= size.lines:
            self._start()
        return len(text)

    def flush(self) -> None:
        """Print what was held back, if all of it fits. A pager that has ended takes no more."""
        if self._pager is None:
            self._straight = True
            self._release()
            self.stream.flush()
        elif self._pager.stdin is not None and not self._pager.stdin.closed:
            with suppress(BrokenPipeError):
                self._pager.stdin.flush()

    def close(self) -> None:
        """Wait until the reader has left the pager; Ctrl-C is then the pager's."""
        global _paging
        if self._pager is None:
            return
        main = threading.current_thread() is threading.main_thread()
        before = signal.signal(signal.SIGINT, signal.SIG_IGN) if main else None
        try:
            if self._pager.stdin is not None:
                with suppress(BrokenPipeError):
                    self._pager.stdin.close()
            self._pager.wait()
        finally:
            _paging = False
            if main:
                signal.signal(signal.SIGINT, before)

    def _target(self) -> TextIO | IO[str]:
        if self._pager is not None and self._pager.stdin is not None:
            return self._pager.stdin
        return self.stream

    def _release(self) -> None:
        held, self._held = self._held, []
        self._target().write("".join(held))

    def _start(self) -> None:
        """Start the pager; without one, what follows is printed as it comes."""
        import subprocess

        global _paging
        words = command()
        if words:
            self.stream.flush()
            environment = {"LESS": "FRX", "LV": "-c", **os.environ}
            try:
                self._pager = subprocess.Popen(
                    words,
                    stdin=subprocess.PIPE,
                    text=True,
                    encoding="utf-8",
                    errors="backslashreplace",
                    env=environment,
                )
            except OSError:
                self._straight = True
            else:
                _paging = True
        else:
            self._straight = True
        self._release()


def on_terminal() -> Paged | None:
    """The pager of standard output; None if it is no terminal, or one that can do nothing."""
    usable = sys.stdout.isatty() and sys.stdin is not None and os.environ.get("TERM", "") != "dumb"
    return Paged(sys.stdout) if usable else None
