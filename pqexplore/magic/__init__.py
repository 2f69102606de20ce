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
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from IPython.core.completer import SimpleCompletion, context_matcher
from IPython.core.error import UsageError
from IPython.core.magic import Magics, line_cell_magic, magics_class, no_var_expand
from IPython.display import display

from pqexplore.cli import complete, files, keys, notebook_variables
from pqexplore.cli import explore as command
from pqexplore.cli.lake import by_spark
from pqexplore.cli.verbs import VERBS
from pqexplore.engine.errors import UsageError as EngineUsageError
from pqexplore.engine.tables import SparkFrame
from pqexplore.engine.text import markup, printable

if TYPE_CHECKING:
    from IPython.core.completer import CompletionContext, SimpleMatcherResult
    from IPython.core.interactiveshell import InteractiveShell

    from pqexplore.widget.explorer import Explorer
    from pqexplore.widget.lake.explorer import LakeExplorer


ROWS_SHOWN = 100
"""Rows of an Arrow table that HTML shows; all are in the table."""

CELL = 200
"""Max characters of a value in HTML."""

REMEMBERED = 100
"""Results whose display is known; an older one is displayed by its repr."""


class Results(list[object]):
    """What a line returns of several files, and the findings of `check`."""


class Shown:
    """The displays of results in one shell.

    Formatters are registered by type, but only for the objects that a line returned: another object of such a type is
    displayed as before.
    """

    def __init__(self, shell: InteractiveShell) -> None:
        self._formatters = shell.display_formatter.formatters
        self._texts: dict[int, tuple[object, str]] = {}
        self._before: dict[tuple[str, type], Any] = {}

    def remember(self, result: object, text: str) -> None:
        """Display `result` as `text`, which is printable. An object with HTML of its own keeps that."""
        self._texts.pop(id(result), None)
        self._texts[id(result)] = result, text
        if len(self._texts) > REMEMBERED:
            del self._texts[next(iter(self._texts))]
        kind = type(result)
        self._register("text/plain", kind, self._print)
        self._register("text/html", kind, self._html)

    def forget(self) -> None:
        """Display everything as before the magic was loaded."""
        for (mime, kind), before in self._before.items():
            self._formatters[mime].pop(kind, None)
            if before is not None:
                self._formatters[mime].for_type(kind, before)
        self._before.clear()
        self._texts.clear()

    def _register(self, mime: str, kind: type, show: Any) -> None:
        if (mime, kind) not in self._before:
            self._before[mime, kind] = self._formatters[mime].for_type(kind, show)

    def _print(self, result: object, printer: Any, cycle: bool) -> None:
        """Called by IPython's printer of texts."""
        _, text = self._texts.get(id(result), (None, None))
        before = self._before.get(("text/plain", type(result)))
        if text is not None:
            printer.text(text)
        elif before is not None:
            before(result, printer, cycle)
        else:
            printer.text(repr(result))

    def _html(self, result: object) -> str | None:
        """Called by IPython's formatter of HTML; None for no HTML."""
        own: str | None = result._repr_html_() if hasattr(result, "_repr_html_") else None
        _, text = self._texts.get(id(result), (None, None))
        if own is not None or text is None:
            return own
        if isinstance(result, pa.Table):
            return _table(result)
        lines = "\n".join(map(markup, text.split("\n")))
        return f"<pre><code>{lines}</code></pre>"


def _table(table: pa.Table) -> str:
    from pqexplore.cli.text_tables import arrow_columns, cells
    from pqexplore.insight.html_table import html_table

    columns = arrow_columns(table.slice(0, ROWS_SHOWN))
    rows = (cells(row, "null") for row in zip(*columns, strict=True))
    more = table.num_rows - ROWS_SHOWN
    after = f"<p>and {more:,} more rows</p>" if more > 0 else ""
    return html_table(table.column_names, rows, CELL) + after


ENDINGS = (".parquet", ".parq", ".pq", ".parquet.encrypted")
"""What completion takes for a Parquet file; any file can be opened."""

MATCHER = "pqexplore"

KEYS = ("decryption", "kms", "footer_key_file")
"""Options whose value is a variable with keys."""

FILES = ("diff", "schema", "html", "out", "footer_key_file")
"""Options whose value is a path, or a variable that holds one."""

_LINE = re.compile(r"\s*%{0,2}pqexplore\s")
_CELL = re.compile(r"\s*%%pqexplore\b")


def make_matcher(shell: InteractiveShell) -> Any:
    """What completes the words after `%pqexplore`, for IPython's completer; nothing else completes there."""

    @context_matcher(identifier=MATCHER, priority=100)  # type: ignore[untyped-decorator]
    def matcher(context: CompletionContext) -> SimpleMatcherResult:
        line = context.line_with_cursor
        in_cell = _CELL.match(context.full_text) is not None and context.cursor_line > 0
        if not in_cell and not _LINE.match(line):
            return {"completions": [], "suppress": False}
        words = line.split()
        fragment = "" if not line or line[-1].isspace() else words[-1]
        before = words[:-1] if fragment else words
        found = completions(shell.user_ns, before if in_cell else before[1:], fragment)
        return {
            "completions": [SimpleCompletion(text=text, type=kind) for text, kind in found],
            "matched_fragment": fragment,
            "suppress": True,
            "ordered": True,
        }

    return matcher


def completions(variables: Mapping[str, Any], before: list[str], fragment: str) -> Iterator[tuple[str, str]]:
    """The words that may complete `fragment` after the words `before`, each with its kind."""
    token = notebook_variables.VARIABLES.set(variables)
    try:
        option = complete.expecting(before)
        found = [printable(word) for word, _ in complete.completions([*before, fragment])]
    finally:
        notebook_variables.VARIABLES.reset(token)
    yield from ((word, "keyword") for word in found)
    if option is None and fragment.startswith("-"):
        return
    keys = option is not None and option.dest in KEYS
    paths = option is None or option.dest in FILES
    for name in sorted(variables):
        held = variables[name]
        fits = (keys and _has_keys(held)) or (paths and _is_source(held))
        if fits and name.startswith(fragment) and name[0] != "_":
            yield name, "variable"
    if paths:
        yield from ((path, "path") for path in _paths(fragment))


def _has_keys(value: object) -> bool:
    """Whether a variable may hold a key, keys or a key management service."""
    from pqexplore.engine.format.encryption.keys import Decryption

    if isinstance(value, bytes | Decryption):
        return True
    return not isinstance(value, type) and hasattr(value, "unwrap_key")


def _is_source(value: object) -> bool:
    """Whether a variable holds what can be explored: a path, bytes, an open file, a table, a list of some."""
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.tables import SparkFrame, is_table

    if isinstance(value, list | tuple):
        return bool(value) and _is_source(value[0])
    if isinstance(value, str | os.PathLike | bytes | ParquetFile):
        return True
    return not isinstance(value, type) and (isinstance(value, SparkFrame) or is_table(value))


def _paths(fragment: str) -> Iterator[str]:
    """Folders and Parquet files whose path begins with `fragment`; spaces are written as a shell wants them."""
    typed = fragment.replace("\\ ", " ") if os.name != "nt" else fragment
    expanded = os.path.expanduser(typed)
    for path in sorted(glob.glob(glob.escape(expanded) + "*")):
        shown = typed + path[len(expanded) :]
        if os.name != "nt":
            shown = shown.replace(" ", "\\ ")
        if os.path.isdir(path):
            yield shown + "/"
        elif path.endswith(ENDINGS):
            yield shown


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
        token = notebook_variables.VARIABLES.set(self.shell.user_ns)
        try:
            return self._run(_words(line), cell)
        except EngineUsageError as error:
            raise UsageError(str(error)) from None
        finally:
            notebook_variables.VARIABLES.reset(token)

    def _run(self, words: list[str], cell: str | None) -> object:
        if words and words[0] in VERBS and words[0] not in self.shell.user_ns:
            return self._answer(words if cell is None else _with_query(words, cell))
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
            made += _of_line(one, asked)
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


def _with_query(words: list[str], cell: str) -> list[str]:
    """A verb's words and the query in the cell; only `ask` takes one."""
    if words[0] != "ask":
        raise UsageError(f"a query in the cell goes with ask, not with {words[0]}")
    return [*words, _query(cell)]


def _of_line(line: str, asked: argparse.Namespace) -> Iterator[Explorer | LakeExplorer]:
    """The explorers of a line of the cell, with the options of the first line."""
    common = argparse.Namespace(**{**vars(copy.deepcopy(asked)), "file": []})
    parsed = _parsed(_words(line), common)
    if parsed is None or not parsed.file:
        raise UsageError(f"there is no file in the line {line.strip()!r}")
    return _explorers(parsed)


def _names_a_file(line: str) -> bool:
    """Whether a line of a cell begins with a source, not with SQL."""
    first = line.split()[0].strip("'\"")
    if notebook_variables.variable(first) is not notebook_variables.MISSING or "://" in first:
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
    second = None if asked.diff is None else files.source(notebook_variables.one(asked.diff))
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
            spark=notebook_variables.session(),
            spark_from=notebook_variables.MANY,
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
    name = path.table if isinstance(path, notebook_variables.Held) else ""
    active = notebook_variables.session()
    if not name or active is None:
        return ""
    from pqexplore.lake.spark.data_frames import logged

    return name if logged(active, name) is not None else ""


def _many(source: object) -> bool:
    """Whether a source is a folder, or something that stands for many files."""
    if isinstance(source, (str, os.PathLike)):
        return os.path.isdir(source)
    if isinstance(source, SparkFrame):
        return len(source.inputFiles()) > 1
    return type(source).__name__ in ("Lake", "Store")
