"""`pqexplore what-if FILE`: real sizes of the columns of a file, or of a folder, with other encodings and codecs."""

from __future__ import annotations

import argparse
import dataclasses
import functools
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from pqexplore.cli import files, keys, progress
from pqexplore.cli.out import DONE, Out, Refused

if TYPE_CHECKING:
    from pqexplore.insight.what_if.code import Script
    from pqexplore.insight.what_if.column import ColumnTrial

DESCRIPTION = """\
Say how large the columns of a file are with other encodings and codecs: each is encoded, and its bytes are counted. The
best choice is the smallest that pyarrow, DuckDB, polars and Spark read. Then say what else makes the file smaller, or buys
something: other orders of its rows, row groups, pages. Columns and these changes have half of the time each. On a terminal,
what is saved most so far is said meanwhile. Of a folder, some files are tried and stand for all; and what is saved by joining its small files."""


def add_options(made: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb that are its own."""
    made.add_argument(
        "--columns", "--column", metavar="A,B", help="these columns, dotted, with more choices than the best"
    )
    made.add_argument("--seconds", type=float, default=8.0, metavar="N", help="how long a file may take (8)")
    made.add_argument("--code", action="store_true", help="print the best choices as code for four writers, too")
    made.add_argument(
        "--sample",
        type=_sample,
        metavar="N",
        help="of a folder: how many files are tried (20), or which share of them, as 0.1",
    )


def run(asked: argparse.Namespace, out: Out) -> int:
    """Run the verb. Returns the exit status."""
    if not asked.seconds > 0:
        raise Refused("--seconds is more than 0")
    paths = files.paths(asked.file, folders=True, follow_outside=asked.follow_outside)
    many = [os.path.isdir(path) for path in paths]
    if any(many) and asked.columns:
        raise Refused("--columns is for files")
    if not all(many) and asked.sample is not None:
        raise Refused("--sample is for folders")
    status = DONE
    for position, path in enumerate(paths):
        if position and not asked.json:
            out.say()
        answer = _folder if os.path.isdir(path) else _file
        status = max(status, answer(path, asked, out))
    return status


def _file(path: str, asked: argparse.Namespace, out: Out) -> int:
    from pqexplore.engine.errors import ParquetError, UsageError
    from pqexplore.engine.file.file import open as open_file
    from pqexplore.insight.steps import finish
    from pqexplore.insight.what_if import text, trial
    from pqexplore.insight.what_if.budget import Budget

    columns = asked.columns.split(",") if asked.columns else None
    half = Budget(seconds=asked.seconds / 2)
    try:
        again = functools.partial(open_file, files.source(path), decryption=keys.decryption(asked))
        with again() as file, progress.shown(path, FIRST_LINE) as progressing:
            so_far = _SoFar(progressing)
            made = finish(trial.steps(file, columns, half, so_far.met), lambda done: so_far(done / 2))
            from pqexplore.insight.what_if import savings as other_changes  # the doctor's rules take long to load

            found = finish(other_changes.steps(file, made.columns, half), lambda done: so_far(0.5 + done / 2))
            savings = other_changes.worth(found, made.size)
    except (ParquetError, UsageError, OSError) as error:
        return out.fail(path, error, asked.json)
    made = dataclasses.replace(made, opener=again)
    out.kept.append(made)
    if asked.json:
        out.document("what-if", text.document(made, savings))
        return DONE
    out.lines(text.lines(made, out.room, every=columns is not None))
    out.lines(text.savings(savings, out.room))
    if asked.code:
        _print_code(made.code, out)
    return DONE


FIRST_LINE = 0.1
"""Seconds until the first line about what is saved so far."""


class _SoFar:
    """Says on a terminal how much is done, and which columns save most so far."""

    def __init__(self, progressing: progress.Progress | None) -> None:
        self._progressing = progressing
        self._columns: dict[str, ColumnTrial] = {}

    def met(self, one: ColumnTrial) -> None:
        """Takes a column whose sizes are known, or better known."""
        self._columns[one.path] = one

    def __call__(self, done: float) -> None:
        if self._progressing is not None:
            from pqexplore.insight.what_if.text import so_far

            self._progressing(done, so_far(self._columns.values()))


def _sample(text: str) -> float:
    """A number of files, or a share of them."""
    return int(text) if text.isdecimal() else float(text)


def _print_code(code: Mapping[str, Script], out: Out) -> None:
    for writer, script in code.items():
        left_out = [f"Left out: {sentence}" for sentence in script.left_out]
        out.lines(("", f"{writer}:", *script.code.split("\n"), *left_out))


def _folder(path: str, asked: argparse.Namespace, out: Out) -> int:
    from pqexplore import lake as lakes
    from pqexplore.engine.errors import ParquetError, UsageError
    from pqexplore.lake.what_if import trial_text

    try:
        with (
            lakes.scan(None, files.source(path), follow_outside=asked.follow_outside) as lake,
            progress.shown(path) as progressing,
        ):
            trial = lake.what_if(
                20 if asked.sample is None else asked.sample,
                seconds=asked.seconds,
                progress=progressing and (lambda one: progressing(one.files / max(1, one.total))),
            )
    except (ParquetError, UsageError, OSError) as error:
        return out.fail(path, error, asked.json)
    out.kept.append(trial)
    if asked.json:
        out.document("lake-what-if", trial_text.document(trial))
        return DONE
    out.lines(trial_text.lines(trial, out.room))
    if asked.code:
        for table, code in trial.code.items():
            out.say("")
            out.say(f"{table}:")
            _print_code(code, out)
    return DONE
