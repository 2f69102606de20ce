"""`pqexplore what-if FILE`: real sizes of a file's columns with other encodings and codecs."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable

DESCRIPTION = """\
Say how large the columns of a file are with other encodings and codecs: each is encoded, and its bytes are counted. The
best choice is the smallest that pyarrow, DuckDB, polars and Spark read. Then say what else makes the file smaller, or buys
something: other orders of its rows, row groups, pages. Columns and these changes have half of the time each.

Exit status: 0 done, 2 usage, 3 the file could not be read."""

DONE, UNREADABLE = 0, 3


def parser() -> argparse.ArgumentParser:
    """The options of the verb."""
    made = argparse.ArgumentParser(
        prog="pqexplore what-if",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("file", metavar="FILE", help="a path or URL")
    made.add_argument(
        "--columns", metavar="A,B", help="these columns, dotted, with more choices than the best"
    )
    made.add_argument(
        "--seconds", type=float, default=20.0, metavar="N", help="how long it may take (20)"
    )
    made.add_argument(
        "--code", action="store_true", help="print the best choices as code for four writers, too"
    )
    made.add_argument("--json", action="store_true", help="print JSON")
    return made


def run(
    words: list[str],
    say: Callable[[str], None],
    fail: Callable[[str, Exception], None],
    room: int,
) -> int:
    """Run the verb; `say` prints a line for people, `fail` reports a file that cannot be read. Returns the exit status."""
    options = parser()
    asked = options.parse_args(words)
    if not asked.seconds > 0:
        options.error("--seconds is more than 0")
    from pqexplore.engine.errors import ParquetError, UsageError
    from pqexplore.insight.what_if import text
    from pqexplore.insight.what_if.budget import Budget
    from pqexplore.insight.what_if.trial import what_if

    columns = asked.columns.split(",") if asked.columns else None
    try:
        half = Budget(seconds=asked.seconds / 2)
        trial = what_if(asked.file, columns, half)
        savings = trial.savings
    except (ParquetError, UsageError, OSError) as error:
        fail(asked.file, error)
        return UNREADABLE
    if asked.json:
        print(json.dumps(text.document(trial, savings)))
        return DONE
    for line in text.lines(trial, room, every=columns is not None):
        say(line)
    for line in text.savings(savings, room):
        say(line)
    if asked.code:
        for writer, script in trial.code.items():
            left_out = [f"Left out: {sentence}" for sentence in script.left_out]
            for line in ("", f"{writer}:", *script.code.split("\n"), *left_out):
                say(line)
    return DONE
