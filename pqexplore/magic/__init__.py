"""`%pqexplore`: the explorer by a line, once `%load_ext pqexplore` has been run.

    %pqexplore SOURCE [--at ADDRESS] [--view NAME] [--where SQL] [--engine NAME]
    %pqexplore SOURCE --what-if
    %pqexplore SOURCE --diff SECOND [--at ADDRESS]
    %pqexplore SOURCE --doctor [--level footer|pages|data] [--readers predict|run]
    %pqexplore VERB …
    %%pqexplore [--at ADDRESS] [--view NAME] [--where SQL] [--engine NAME] [--diff SECOND]
    SOURCE [--at ADDRESS] [--view NAME] [--where SQL] [--engine NAME]
    SOURCE …

A source is a path, a URL, or the name of a variable that holds what `pqexplore.open` takes; a folder of files opens in
the lake explorer. `--what-if` begins with the lens that says how large the file would be with other choices. Paths,
variables, options and views complete with Tab. The verbs and their arguments are those of the command line
(`%pqexplore stats data.parquet`); what says one thing about a file gives it as an object.
"""

from __future__ import annotations

import glob
import io
import os
import re
import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from IPython.core.completer import SimpleCompletion, context_matcher
from IPython.core.error import UsageError
from IPython.core.magic import Magics, line_cell_magic, magics_class
from IPython.core.magic_arguments import argument, magic_arguments
from IPython.display import display

from pqexplore.cli.verbs import VERBS
from pqexplore.engine.text import printable

if TYPE_CHECKING:
    import argparse

    from IPython.core.completer import CompletionContext, SimpleMatcherResult
    from IPython.core.interactiveshell import InteractiveShell

    from pqexplore.insight.answer import Answer
    from pqexplore.widget.explorer import Explorer
    from pqexplore.widget.lake.explorer import LakeExplorer

OPTIONS = ("--at", "--view", "--where", "--engine", "--what-if", "--diff", "--doctor", "--level", "--readers")  # fmt: skip
LEVELS, READERS = ("footer", "pages", "data"), ("predict", "run")
"""The values of --level and --readers, as `pqexplore doctor` has them."""

ROOM = 100
"""Cells in a line of a report."""

ENDINGS = (".parquet", ".parq", ".pq", ".parquet.encrypted")
"""What completion takes for a Parquet file; any file can be opened."""

MATCHER = "pqexplore"

_LINE = re.compile(r"\s*%{0,2}pqexplore\s")
_CELL = re.compile(r"\s*%%pqexplore\b")


def load_ipython_extension(shell: InteractiveShell) -> None:
    """Give a shell `%pqexplore` and its completions; called by `%load_ext pqexplore`."""
    shell.register_magics(PqexploreMagics)
    unload_ipython_extension(shell)
    shell.Completer.custom_matchers.append(make_matcher(shell))


def unload_ipython_extension(shell: InteractiveShell) -> None:
    """Take the completions away again; called by `%unload_ext pqexplore`."""
    matchers = shell.Completer.custom_matchers
    matchers[:] = [one for one in matchers if getattr(one, "matcher_identifier", "") != MATCHER]


@magics_class
class PqexploreMagics(Magics):  # type: ignore[misc]
    """The magic, as a line and as a cell."""

    @magic_arguments()  # type: ignore[untyped-decorator]
    @argument("source", nargs="?", help="A path, a URL, or the name of a variable that holds one.")  # type: ignore[untyped-decorator]
    @argument("--at", default="", help="The address to begin at, such as row_groups/0/columns/4.")  # type: ignore[untyped-decorator]
    @argument("--view", help="The lens to begin with: overview, rows, statistics, encoding, …")  # type: ignore[untyped-decorator]
    @argument("--where", default="", help="A condition: what does a query with it read, and why?")  # type: ignore[untyped-decorator]
    @argument("--engine", default="format", help="The engine that runs the query: spark, duckdb, …")  # type: ignore[untyped-decorator]
    @argument("--what-if", action="store_true", help="How large would it be with other choices?")  # type: ignore[untyped-decorator]
    @argument("--diff", metavar="SECOND", help="A second file: what differs from it?")  # type: ignore[untyped-decorator]
    @argument("--doctor", action="store_true", help="Say what is wrong with the file, instead.")  # type: ignore[untyped-decorator]
    @argument("--level", choices=LEVELS, help="With --doctor: what is read; the footer by default.")  # type: ignore[untyped-decorator]
    @argument("--readers", choices=READERS, help="With --doctor: who can read the file.")  # type: ignore[untyped-decorator]
    @line_cell_magic  # type: ignore[untyped-decorator]
    def pqexplore(
        self, line: str, cell: str | None = None
    ) -> Explorer | LakeExplorer | Answer | None:
        """Explore an Apache Parquet file; as a cell magic one file a line."""
        typed = self._words(line)
        if cell is None and typed and typed[0] in VERBS and typed[0] not in self.shell.user_ns:
            return _verb(typed)
        first = self._parsed(line)
        asked = [] if first.source is None else [first]
        for words in (cell or "").splitlines():
            if words.strip() and not words.lstrip().startswith("#"):
                one = self._parsed(words)
                one.at, one.view = one.at or first.at, one.view or first.view
                one.diff = one.diff or first.diff
                if one.source is None:
                    raise UsageError(f"there is no file in the line {words.strip()!r}")
                asked.append(one)
        if not asked:
            raise UsageError("%pqexplore needs a file: %pqexplore data.parquet")
        if first.doctor and first.diff:
            raise UsageError("--diff shows an explorer; --doctor does not go with it")
        if first.doctor:
            if first.what_if:
                raise UsageError("--what-if and --doctor do not go together")
            for one in asked:
                self._print_report(one, first)
            return None
        if first.level or first.readers:
            raise UsageError("--level and --readers go with --doctor")
        for one in asked:
            one.what_if = one.what_if or first.what_if
        made = [self._explorer(one) for one in asked]
        if len(made) == 1:
            return made[0]
        for explorer in made:
            display(explorer)
        return None

    def _words(self, line: str) -> list[str]:
        try:
            return _split(line)
        except ValueError as error:
            raise UsageError(f"{error} in {line.strip()!r}") from None

    def _parsed(self, line: str) -> argparse.Namespace:
        options: argparse.Namespace = self.pqexplore.parser.parse_args(self._words(line))
        return options

    def _source(self, given: str) -> Any:
        """What a source stands for: the value of the variable of that name, else the text itself."""
        known = given.isidentifier() and given in self.shell.user_ns
        return self.shell.user_ns[given] if known else given

    def _print_report(self, asked: argparse.Namespace, options: argparse.Namespace) -> None:
        from pqexplore.engine.errors import UsageError as EngineUsageError
        from pqexplore.insight.doctor.diagnose import diagnose
        from pqexplore.insight.doctor.readers.text import readers_lines
        from pqexplore.insight.doctor.text import report_lines

        source = self._source(asked.source)
        if _many(source):
            raise UsageError("--doctor takes files; of a folder, pqexplore.lake has the diagnosis")
        try:
            report = diagnose(source, options.level or LEVELS[0])
            lines = [report.name, *report_lines(report, ROOM)]
            if options.readers:
                readers = report.readers(run=options.readers == "run")
                lines += ["", *readers_lines(readers, ROOM)]
        except EngineUsageError as error:
            raise UsageError(str(error)) from None
        except OSError as error:
            raise UsageError(printable(f"{asked.source}: {error.strerror or error}")) from None
        print(*map(printable, lines), sep="\n")

    def _explorer(self, asked: argparse.Namespace) -> Explorer | LakeExplorer:
        from pqexplore.engine.errors import UsageError as EngineUsageError
        from pqexplore.widget.explorer import explore

        source = self._source(asked.source)
        view = "what_if" if asked.what_if else asked.view
        if asked.what_if and (_many(source) or asked.view or asked.where or asked.diff):
            raise UsageError("--what-if takes a file, and neither --view nor --where nor --diff")
        try:
            second = None if asked.diff is None else self._source(asked.diff)
            if second is not None and (_many(source) or _many(second)):
                raise UsageError("--diff compares two files, not folders")
            if _many(source):
                from pqexplore.widget.lake.explorer import explore_lake

                lake = explore_lake(source, progress=True)
                if asked.where:
                    lake.engine, lake.where, lake.panel = asked.engine, asked.where, "query"
                return lake
            return explore(
                source,
                at=asked.at or None,
                view=view,
                where=asked.where,
                engine=asked.engine,
                against=second,
            )
        except EngineUsageError as error:
            raise UsageError(str(error)) from None
        except OSError as error:
            message = f"{error.filename or asked.source}: {error.strerror or error}"
            raise UsageError(printable(message)) from None


def _verb(words: list[str]) -> Answer | None:
    """Run a verb of the command line, and print what it says; the Answer instead if it is one.

    Raises UsageError if there is nothing but an error to print.
    """
    from pqexplore.cli import USAGE, run
    from pqexplore.cli.out import Out
    from pqexplore.insight.answer import Answer

    answers, troubles = io.StringIO(), io.StringIO()
    out = Out(ROOM, answers, troubles)
    try:
        status = run(words, out)
    except SystemExit:  # the parser has printed the help, or what is wrong
        return None
    if status >= USAGE and not answers.getvalue():
        raise UsageError(troubles.getvalue().removeprefix("pqexplore: ").strip())
    if len(out.kept) == 1 and isinstance(out.kept[0], Answer) and "--json" not in words:
        return out.kept[0]
    for line in (*answers.getvalue().splitlines(), *troubles.getvalue().splitlines()):
        print(printable(line))
    return None


def _many(source: object) -> bool:
    """Whether a source is a folder, or something that stands for many files."""
    if isinstance(source, (str, os.PathLike)):
        return os.path.isdir(source)
    return type(source).__name__ in ("Lake", "Store")


def _split(line: str) -> list[str]:
    """The words of a line, as a shell takes them; on Windows a backslash is a part of a path."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=False)
    lexer.whitespace_split = True
    lexer.commenters = ""
    if os.name == "nt":
        lexer.escape = ""
    return list(lexer)


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
        found = completions(shell.user_ns, fragment, before[-1] if before else "")
        return {
            "completions": [SimpleCompletion(text=text, type=kind) for text, kind in found],
            "matched_fragment": fragment,
            "suppress": True,
            "ordered": True,
        }

    return matcher


def completions(names: dict[str, Any], fragment: str, before: str) -> Iterator[tuple[str, str]]:
    """The words that may complete `fragment` after the word `before`, each with its kind.

    After `--view` the views, after `--engine` the engines; from a dash on the options; else variables of `names` that hold a source, then paths.
    """
    if before == "--view":
        from pqexplore.insight.lenses import LENSES

        yield from ((name, "keyword") for name in LENSES if name.startswith(fragment))
    elif before == "--engine":
        from pqexplore.insight.ask.engines import ENGINES

        yield from ((name, "keyword") for name in ENGINES if name.startswith(fragment))
    elif before in ("--level", "--readers"):
        of = LEVELS if before == "--level" else READERS
        yield from ((name, "keyword") for name in of if name.startswith(fragment))
    elif before in ("--at", "--where"):
        return
    elif fragment.startswith("-"):
        yield from ((name, "keyword") for name in OPTIONS if name.startswith(fragment))
    else:
        for name in sorted(names):
            if name.startswith(fragment) and name[0] != "_" and _is_source(names[name]):
                yield name, "variable"
        yield from ((path, "path") for path in _paths(fragment))


def _is_source(value: object) -> bool:
    """Whether a variable holds what can be explored: a path, bytes, an open file."""
    from pqexplore.engine.file.file import ParquetFile

    return isinstance(value, (str, os.PathLike, bytes, ParquetFile))


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
