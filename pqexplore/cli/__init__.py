"""`pqexplore FILE` and `pqexplore VERB`: Parquet files at the terminal.

`verbs` lists the verbs; each has a module here, which is imported when the verb is used. Without a verb, `explore`
answers. Answers go to standard output, what went wrong as one line to standard error.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from pqexplore.cli import pager
from pqexplore.cli.out import DONE, FOUND, NO_PAGER, UNREADABLE, USAGE, WIDE, Ended, Out
from pqexplore.cli.verbs import VERBS
from pqexplore.engine import ending
from pqexplore.engine.errors import UsageError
from pqexplore.insight.terminal import ALL, WHOLE, Room

__all__ = ["DONE", "FOUND", "UNREADABLE", "USAGE", "main", "run"]


INTERRUPTED = 130
"""The exit status after Ctrl-C: 128 and the number of SIGINT, as shells have it."""

COMPLETE = "__complete"
"""The verb that the scripts of `pqexplore completion` call."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line with `arguments` (those of the process by default); the exit status."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    out = Out()
    paged = pager.on_terminal() if NO_PAGER not in words else None
    if paged is not None:
        out.answers = paged
        out.troubles = paged if sys.stderr.isatty() else None
    try:
        return _heeding(words, out)
    finally:
        if paged is not None:
            paged.close()


def _heeding(words: list[str], out: Out) -> int:
    """Run the command line, and heed the signals that end the process. Returns the exit status."""
    with ending.heeding():
        try:
            try:
                status = run(words, out)
            finally:
                out.flush()
            ending.check()
            return status
        except Ended as end:
            return end.status
        except KeyboardInterrupt as end:
            out.note(end)
            return INTERRUPTED
        except Exception:
            if ending.interrupted():  # what the interrupt broke
                return INTERRUPTED
            raise


def run(words: list[str], out: Out) -> int:
    """Run a verb, or answer for files. Returns the exit status; SystemExit for wrong arguments and --help."""
    if WIDE in words:
        out.room = WHOLE
    if ALL in words:
        out.room = Room(out.room)
    try:
        if words and words[0] in VERBS:
            return VERBS[words[0]].run(words[1:], out)
        if words[:1] == [COMPLETE]:
            from pqexplore.cli import complete

            return complete.run(words[1:], out)
        from pqexplore.cli import explore

        return explore.run(words, out)
    except UsageError as error:
        return out.fail("", error)
    except Exception as error:  # the net of the verbs that do not go file by file
        if ending.interrupted():  # what the interrupt broke
            raise
        from pqexplore.engine.errors import ParquetError
        from pqexplore.insight.trouble import unexpected

        # An ImportError says what is not installed.
        own = isinstance(error, (ParquetError, OSError, ImportError))
        return out.fail("", error if own else unexpected(error))
