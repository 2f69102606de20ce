"""Where the answers of a verb go: lines for people, JSON for programs, what went wrong; and the exit statuses."""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import re
import sys
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, NoReturn, TextIO, TypeVar

from pqexplore.engine.text import printable
from pqexplore.insight.terminal import ALL, LISTED, line_room

if TYPE_CHECKING:
    from pqexplore.cli.pager import Paged

RED, YELLOW, BLUE, BOLD, PLAIN = "\x1b[31m", "\x1b[33m", "\x1b[34m", "\x1b[1m", "\x1b[0m"

SEVERITIES = {
    "error": RED,
    "damage": RED,
    "wrong answer possible": RED,
    "warning": YELLOW,
    "slow": YELLOW,
    "wasteful": YELLOW,
    "portability": BLUE,
    "note": BLUE,
}
"""Of findings and of diagnoses."""

_SEVERITY = re.compile(rf"( *)({'|'.join(SEVERITIES)})(?=:| )")


def wanted(stream: TextIO | Paged) -> bool:
    """Whether `stream` is a terminal with colours, and NO_COLOR (https://no-color.org) is not set."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM", "") != "dumb"


def painted(line: str) -> str:
    """A printable line with colours: lines of two spaces that begin with a severity, and lines without an indent."""
    if line and line[0] != " ":
        return f"{BOLD}{line}{PLAIN}"
    found = _SEVERITY.match(line)
    if found is None or len(found[1]) != 2:
        return line
    return f"{found[1]}{SEVERITIES[found[2]]}{found[2]}{PLAIN}{line[found.end() :]}"


T = TypeVar("T")

DONE, FOUND, USAGE, UNREADABLE = 0, 1, 2, 3
"""Exit statuses: done; something was found, or differs; wrong arguments; a file could not be read or written."""


WIDE = "--wide"

NO_PAGER = "--no-pager"


class Refused(Exception):
    """The arguments of a verb do not go together: the message, which is printed after its usage."""


def add_output(parser: argparse.ArgumentParser) -> None:
    """Add the options of the output: --json, and --wide, --all and --no-pager, which `run` and `main` read."""
    parser.add_argument("--json", action="store_true", help="print JSON, a line for each FILE")
    parser.add_argument(WIDE, action="store_true", help="whole cells on a terminal, too, as in a pipe or a file")
    parser.add_argument(ALL, action="store_true", help=f"whole lists; without, a list ends after {LISTED} lines")
    parser.add_argument(
        NO_PAGER, action="store_true", help="on a terminal, print long answers without a pager (PAGER, else less -R)"
    )


class Ended(SystemExit):
    """Ends the command: nobody takes its answers anymore, so the rest of the work has no reader."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


def add_force(parser: argparse.ArgumentParser) -> None:
    """Add --force, which a verb that writes a file has."""
    parser.add_argument(
        "--force", action="store_true", help="replace a file that exists; one that is read is never replaced"
    )


@dataclasses.dataclass(slots=True)
class Out:
    """The output of one call.

    `room` is the number of cells in a line. `answers` and `troubles` are the streams; None for standard output and
    standard error. A terminal is a `Paged` one. `kept` are the objects that were printed: an Answer, a Report, a plan. With `stays`, their files are
    left open, so that they can be asked more.
    """

    room: int = dataclasses.field(default_factory=line_room)
    answers: TextIO | Paged | None = None
    troubles: TextIO | Paged | None = None
    kept: list[object] = dataclasses.field(default_factory=list)
    stays: bool = False

    def using(self, opened: AbstractContextManager[T]) -> AbstractContextManager[T]:
        """What `opened` gives; closed at the end, unless what is kept stays."""
        if not self.stays:
            return opened
        return nullcontext(opened.__enter__())

    def say(self, line: str = "") -> None:
        """Print one line for people; all of them pass here, so none can control the terminal."""
        text = printable(line)
        self.write(f"{painted(text) if wanted(self.answers or sys.stdout) else text}\n")

    def lines(self, lines: Iterable[str]) -> None:
        """Print lines for people."""
        for line in lines:
            self.say(line)

    def write(self, text: str) -> None:
        """Write text as it is. Ended if the reader of the pipe has closed it, or the disk is full."""
        try:
            (self.answers or sys.stdout).write(text)
        except OSError as error:
            self._end(error)

    def flush(self) -> None:
        """Hand the answers on: what fails at the interpreter's end is an error that nobody catches."""
        try:
            (self.answers or sys.stdout).flush()
        except OSError as error:
            self._end(error)

    def _end(self, error: OSError) -> NoReturn:
        """Ends the command, quietly if the reader has gone, as `head` does."""
        if self.answers is None:  # the interpreter must not flush into it again
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, sys.stdout.fileno())
            os.close(nowhere)
        if isinstance(error, BrokenPipeError):
            raise Ended(DONE) from None
        self.fail("standard output", error)
        raise Ended(UNREADABLE) from None

    def data(self, text: str) -> None:
        """Write lines of a file's values as they are; to a terminal, as printable text."""
        if (self.answers or sys.stdout).isatty():
            text = "".join(f"{printable(line)}\n" for line in text.removesuffix("\n").split("\n"))
        self.write(text)

    def document(self, kind: str, made: Mapping[str, object]) -> None:
        """Print a JSON document in one line, with the version of our documents and its kind in docs/json.schema.json."""
        from pqexplore.insight.document import VERSION

        self.record({"version": VERSION, "kind": kind, **made})

    def record(self, made: Mapping[str, object]) -> None:
        """Print a JSON object, in one line. UsageError if it is nested too deeply."""
        from pqexplore.engine.errors import UsageError

        try:
            text = json.dumps(made)
        except RecursionError:
            raise UsageError("the values are nested too deeply for JSON") from None
        self.write(text + "\n")

    def fail(self, path: str, error: Exception, as_json: bool = False) -> int:
        """Say in one line why `path` cannot be read or written; with `as_json`, print a document of it, too.

        Returns the exit status: a wrong use is what the caller asked for, such as a column that is not there.

        An error that has the name of another file is about that one: it is the file that should be written.
        """
        from pqexplore.engine.errors import TargetError, UsageError
        from pqexplore.engine.file.urls import masked
        from pqexplore.insight.json_values import plain
        from pqexplore.insight.trouble import describe

        if isinstance(error, TargetError):
            path = error.target
        elif isinstance(error, OSError) and isinstance(error.filename, str):
            path = error.filename
        path = masked(path)
        if as_json:
            self.document("error", {"name": plain(path), "error": describe(error)})
        text = (error.strerror if isinstance(error, OSError) else None) or str(error)
        said = f"pqexplore: {text if text.startswith((path, printable(path))) else f'{path}: {text}'}"
        print(printable(said), file=self.troubles or sys.stderr)
        self.note(error)
        return USAGE if isinstance(error, UsageError) else UNREADABLE

    def remark(self, text: str) -> None:
        """Say something about the answers that is none of them, on standard error."""
        print(printable(f"pqexplore: {text}"), file=self.troubles or sys.stderr)

    def note(self, error: BaseException) -> None:
        """Say what was added to an error: what is kept of the work, and how to go on."""
        for note in getattr(error, "__notes__", ()):
            print(printable(note), file=self.troubles or sys.stderr)
