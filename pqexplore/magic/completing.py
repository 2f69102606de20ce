"""What Tab offers after `%pqexplore`: verbs, options and their values, variables, paths."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from IPython.core.completer import SimpleCompletion, context_matcher

from pqexplore.cli import complete, names
from pqexplore.engine.text import printable

if TYPE_CHECKING:
    from IPython.core.completer import CompletionContext, SimpleMatcherResult
    from IPython.core.interactiveshell import InteractiveShell

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
    token = names.VARIABLES.set(variables)
    try:
        option = complete.expecting(before)
        found = [printable(word) for word, _ in complete.completions([*before, fragment])]
    finally:
        names.VARIABLES.reset(token)
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
