"""`%pqexplore`: the terminal's command in a notebook, once `%load_ext pqexplore` has been run."""

from __future__ import annotations

import argparse
import contextlib
import copy
import glob
import io
import os
import re
import shlex
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from IPython.core.error import UsageError
from IPython.core.magic import Magics, line_cell_magic, magics_class, no_var_expand
from IPython.display import display

from pqexplore.cli import explore as command
from pqexplore.cli import files, keys, names
from pqexplore.cli.lake import by_spark
from pqexplore.cli.verbs import VERBS
from pqexplore.engine.errors import UsageError as EngineUsageError
from pqexplore.engine.tables import SparkFrame
from pqexplore.engine.text import printable
from pqexplore.magic.completing import MATCHER, make_matcher
from pqexplore.magic.shown import Results, Shown

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from pqexplore.widget.explorer import Explorer
    from pqexplore.widget.lake.explorer import LakeExplorer

ROOM = 100
"""Cells in a line: a notebook has no terminal to measure."""

IN_TEXT = ("json", "wide", "check", "html", "columns", "timezone", "verify")
"""Options without a verb that the terminal answers; without them, the explorer is shown."""


def load_ipython_extension(shell: InteractiveShell) -> None:
    """Give a shell `%pqexplore` and its completions; called by `%load_ext pqexplore`."""
    unload_ipython_extension(shell)
    shell.register_magics(PqexploreMagics)
    shell.Completer.custom_matchers.append(make_matcher(shell))


def unload_ipython_extension(shell: InteractiveShell) -> None:
    """Take the completions and displays away again; called by `%unload_ext pqexplore`."""
    matchers = shell.Completer.custom_matchers
    matchers[:] = [one for one in matchers if getattr(one, "matcher_identifier", "") != MATCHER]
    known = shell.magics_manager.registry.get("PqexploreMagics")
    if known is not None:
        known.shown.forget()


@magics_class
class PqexploreMagics(Magics):  # type: ignore[misc]
    """The magic, as a line and as a cell."""

    def __init__(self, shell: InteractiveShell) -> None:
        super().__init__(shell)
        self.shown = Shown(shell)

    @no_var_expand  # type: ignore[untyped-decorator]  # a path or a condition may have braces and dollars
    @line_cell_magic  # type: ignore[untyped-decorator]
    def pqexplore(self, line: str, cell: str | None = None) -> object:
        """Explore Apache Parquet files; `%pqexplore --help` lists verbs and options, those of the terminal.

        `%pqexplore SOURCE` shows the explorer, of a folder or a table that of many files:

            %pqexplore events.parquet --at row_groups/0 --view statistics
            %pqexplore df --where "country = 'NL'" --engine duckdb
            %pqexplore a.parquet --diff b.parquet

        `%pqexplore VERB …` answers, and returns the answer as an object:

            %pqexplore doctor events.parquet
            report = %pqexplore doctor events.parquet

        `%%pqexplore SOURCE` explains the query in the cell: what it reads, what it skips, and why. Without a source, or
        with files only in the cell, it has one file a line, each with options of its own.

        A source is a path, URL, pattern or folder, the name of a variable (a path, a list of paths, bytes, an open file, a
        table of pandas, polars or Arrow, a Spark DataFrame), or of a table in the active Spark session. Keys are files,
        env:NAME, or names of variables, never the keys themselves.
        """
        token = names.VARIABLES.set(self.shell.user_ns)
        try:
            return self._run(_words(line), cell)
        except EngineUsageError as error:
            raise UsageError(str(error)) from None
        finally:
            names.VARIABLES.reset(token)

    def _run(self, words: list[str], cell: str | None) -> object:
        if words and words[0] in VERBS and words[0] not in self.shell.user_ns:
            if cell is None:
                return self._answer(words)
            if words[0] != "ask":
                raise UsageError(f"a query in the cell goes with ask, not with {words[0]}")
            return self._answer([*words, _query(cell)])
        asked = _parsed(words)
        if asked is None:  # the help has been printed
            return None
        lines = [] if cell is None else _lines(cell)
        if asked.file and lines and not all(map(_names_a_file, lines)):
            return self._answer([*words, f"--where={_query(cell or '')}"])
        if any(getattr(asked, option) for option in IN_TEXT):
            if lines:
                raise UsageError("--json and other output in text go with files in the first line")
            return self._answer(words)
        if lines and lines[0].split()[0].upper() in ("SELECT", "WITH"):
            raise UsageError("the first line of a query's cell names the file: %%pqexplore FILE")
        made = list(_explorers(asked))
        for one in lines:
            common = argparse.Namespace(**{**vars(copy.deepcopy(asked)), "file": []})
            beside = _parsed(_words(one), common)
            if beside is None or not beside.file:
                raise UsageError(f"there is no file in the line {one.strip()!r}")
            made += _explorers(beside)
        if not made:
            raise UsageError("%pqexplore needs a file: %pqexplore data.parquet")
        if len(made) == 1:
            return made[0]
        for explorer in made:
            display(explorer)
        return None

    def _answer(self, words: list[str]) -> object:
        """Run the terminal's command: what it answers as an object, which is displayed as the terminal prints it.

        What is no object, and JSON, is printed. Raises UsageError if there is nothing but an error to print.
        """
        from pqexplore.cli import DONE, USAGE, run
        from pqexplore.cli.out import Out

        answers, troubles = io.StringIO(), io.StringIO()
        out = Out(ROOM, answers, troubles, stays=True)
        status = DONE
        with _refusing():
            status = run(words, out)
        if status == USAGE or not answers.getvalue():
            said = troubles.getvalue().removeprefix("pqexplore: ").strip()
            if said:
                raise UsageError(said)
        sys.stderr.write(troubles.getvalue())
        text = "\n".join(map(printable, answers.getvalue().splitlines()))
        kept = [Results(one) if isinstance(one, list) else one for one in out.kept]
        if not kept or "--json" in words or "--sarif" in words:
            if text:
                print(text)
            return None
        result = kept[0] if len(kept) == 1 else Results(kept)
        self.shown.remember(result, text)
        return result


def _words(line: str) -> list[str]:
    """The words of a line, as a shell takes them; on Windows a backslash is a part of a path."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=False)
    lexer.whitespace_split = True
    lexer.commenters = ""
    if os.name == "nt":
        lexer.escape = ""
    try:
        return list(lexer)
    except ValueError as error:
        raise UsageError(f"{error} in {line.strip()!r}") from None


def _parsed(words: list[str], common: argparse.Namespace | None = None) -> argparse.Namespace | None:
    """The arguments without a verb, with those of `common` for what is not given; None after --help."""
    parser = command.parser()
    for action in parser._actions:
        if action.dest == "file":  # a cell may name the files
            action.nargs, action.required = "*", False
    asked = None
    with _refusing():
        asked = parser.parse_args(words, common)
        asked.file = asked.file or []
    return asked


@contextlib.contextmanager
def _refusing() -> Iterator[None]:
    """Raises a parser's error as UsageError; goes on after --help."""
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said):
            yield
    except SystemExit as end:
        if end.code:
            raise UsageError(_without_values(said.getvalue().rpartition("error: ")[2])) from None


def _without_values(said: str) -> str:
    """A parser's error without the values of options that it does not know: one may be a key."""
    said = re.sub(r"(--?[\w-]+)=\S+", r"\1=…", said.strip())
    head, colon, words = said.partition("unrecognized arguments: ")
    shown = (one if one.startswith("-") else "…" for one in words.split())
    return head + colon + " ".join(shown)


def _lines(cell: str) -> list[str]:
    return [one for one in cell.splitlines() if one.strip() and not one.lstrip().startswith("#")]


def _query(cell: str) -> str:
    """The SQL of a cell."""
    return cell.strip().removesuffix(";").rstrip()


def _names_a_file(line: str) -> bool:
    """Whether a line of a cell begins with a source, not with SQL."""
    first = line.split()[0].strip("'\"")
    if names.variable(first) is not names.MISSING or "://" in first:
        return True
    return os.path.lexists(os.path.expanduser(first)) or bool(glob.glob(first))


def _explorers(asked: argparse.Namespace) -> Iterator[Explorer | LakeExplorer]:
    """An explorer for each source that is asked for."""
    for path in files.paths(asked.file, folders=True, frames=True, follow_outside=asked.follow_outside):
        try:
            yield _explorer(path, asked)
        except OSError as error:
            message = f"{error.filename or path}: {error.strerror or error}"
            raise UsageError(printable(message)) from None


def _explorer(path: str, asked: argparse.Namespace) -> Explorer | LakeExplorer:
    from pqexplore.insight.ask.question import ANY
    from pqexplore.widget.explorer import explore

    source, decryption = files.source(path), keys.decryption(asked)
    second = None if asked.diff is None else files.source(names.one(asked.diff))
    table = _table_with_log(path)
    many = bool(table) or _many(source)
    if asked.what_if and (many or asked.view or asked.where or second):
        raise UsageError("--what-if takes a file, and neither --view nor --where nor --diff")
    if second is not None and (many or _many(second)):
        raise UsageError("--diff compares two files, not folders")
    engine = asked.engine or ANY
    if many:
        from pqexplore.lake.lake import Lake
        from pqexplore.widget.lake.explorer import explore_lake

        lake = explore_lake(
            table or source,
            spark=names.session(),
            spark_from=names.MANY,
            follow_outside=asked.follow_outside,
            progress=True,
        )
        if isinstance(lake.subject, Lake) and lake.subject.spark is not None:
            print(by_spark(lake.subject))
        if asked.where:
            lake.engine, lake.where, lake.panel = engine, asked.where, "query"
        return lake
    return explore(
        source,
        at=asked.at or None,
        view="what_if" if asked.what_if else asked.view,
        where=asked.where or "",
        engine=engine,
        against=second,
        decryption=decryption,
        against_decryption=decryption,
    )


def _table_with_log(path: str) -> str:
    """The name of a Delta or Iceberg table of Spark: its log says which files are live; "" for anything else."""
    name = path.table if isinstance(path, names.Held) else ""
    active = names.session()
    if not name or active is None:
        return ""
    from pqexplore.lake.spark_frames import logged

    return name if logged(active, name) is not None else ""


def _many(source: object) -> bool:
    """Whether a source is a folder, or something that stands for many files."""
    if isinstance(source, (str, os.PathLike)):
        return os.path.isdir(source)
    if isinstance(source, SparkFrame):
        return len(source.inputFiles()) > 1
    return type(source).__name__ in ("Lake", "Store")
