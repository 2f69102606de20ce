"""Pages that are made of the code: the command line, the Python names, the lake's tables, the glossary."""

from __future__ import annotations

import importlib
import inspect
import re
import types
from collections.abc import Iterator

import pqexplore
from pqexplore.cli.verbs import VERBS
from pqexplore.insight.doctor.readers.known import KNOWN
from pqexplore.insight.doctor.readers.reader import Verdict
from pqexplore.insight.doctor.readers.table import SOURCES, VERSIONS
from pqexplore.insight.glossary import GLOSSARY, bytes_of
from pqexplore.lake.tables import TABLES

HANDLES = {
    # what a user holds, and where its class is
    "RowGroup": "pqexplore.engine.file.row_group",
    "ColumnChunk": "pqexplore.engine.file.column_chunk",
    "Page": "pqexplore.engine.file.page",
    "Answer": "pqexplore.insight.answer",
}
GROUPS = {
    "Open and read": ("open", "ParquetFile", "Decryption", "Limits", "Finding", "Span"),
    "Ask": ("ask", "ask_spark", "diagnose", "diff", "what_if", "Budget"),
    "Write and fix": ("write", "rewrite", "write_summary", "plan", "Plan", "WriteOptions", "Encryption", "salvage"),
    "Explore": ("explore", "Explorer", "explore_lake", "LakeExplorer"),
    "Errors": (
        *("ParquetError", "NotParquetError", "CorruptFileError", "UnsupportedFeatureError", "ElsewhereError"),
        *("EncryptedFileError", "LimitExceededError", "UsageError"),
    ),
}
MODULES = ("lake", "lake.metadatastore", "samples", "glossary", "format", "course")
"""Public modules of the package; each lists its names."""

HIDDEN = {"load_ipython_extension", "unload_ipython_extension"}
"""Public names that only IPython calls."""


def pages() -> dict[str, str]:
    """The Markdown of each page, by its name."""
    return {
        "reference/cli.md": "\n".join(_cli()),
        "reference/python.md": "\n".join(_python()),
        "reference/modules.md": "\n".join(_modules()),
        "reference/lake.md": "\n".join(_lake()),
        "reference/readers.md": "\n".join(_readers()),
        "reference/glossary.md": "\n".join(_glossary()),
    }


def _cli() -> Iterator[str]:
    from pqexplore.cli.explore import parser

    yield "# Command line\n"
    yield "`pqexplore FILE…` says what a file is and what is wrong with it. A verb answers one question.\n"
    yield f"```text\n{parser().format_help()}```\n"
    for verb in VERBS.values():
        yield f"## {verb.name}: {verb.summary}\n"
        yield f"```text\n{verb.parser().format_help()}```\n"


def _python() -> Iterator[str]:
    yield "# Python\n"
    yield f"{_text(pqexplore)}\n"
    for title, names in GROUPS.items():
        yield f"## {title}\n"
        for name in names:
            yield from _described(f"pqexplore.{name}", getattr(pqexplore, name))
    yield "## What a file is made of\n"
    for name, module in HANDLES.items():
        found = getattr(__import__(module, fromlist=[name]), name)
        yield from _described(name, found)


def _modules() -> Iterator[str]:
    yield "# Python: the modules\n"
    yield "Many files, data skipping indexes, samples, the glossary, parts of the format, and the course.\n"
    for name in MODULES:
        module = importlib.import_module(f"pqexplore.{name}")
        yield f"## pqexplore.{name}\n\n{_short(_text(module))}\n"
        for one in module.__all__:
            if callable(getattr(module, one)):
                yield from _described(f"pqexplore.{name}.{one}", getattr(module, one))


def _described(name: str, found: object) -> Iterator[str]:
    """A heading, the signature and the text of a function or a class; of a class its public parts, too."""
    yield f"### {name}\n"
    if not (inspect.isclass(found) and issubclass(found, Exception)):
        yield f"```python\n{_signature(name, found)}\n```\n"
    yield f"{_text(found)}\n"
    if not inspect.isclass(found) or issubclass(found, Exception):
        return
    for part, kind in inspect.getmembers_static(found):
        if part.startswith("_") or not hasattr(kind, "__doc__"):
            continue
        if isinstance(kind, property) and kind.__doc__:
            yield f"- **`.{part}`**: {_short(kind.__doc__)}"
        elif isinstance(kind, types.FunctionType | classmethod | staticmethod) and kind.__doc__:
            yield f"- **`.{_signature(part, getattr(found, part), True)}`**: {_short(kind.__doc__)}"
    yield ""


def _signature(name: str, found: object, short: bool = False) -> str:
    """The call with its types, an argument a line if it is long."""
    try:
        made = inspect.signature(found)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return name
    shown = [one for one in made.parameters.values() if one.name != "self"]
    if short:
        return f"{name}({', '.join(one.name for one in shown)})"
    texts = [re.sub(r"'([^']*)'", r"\1", str(one), count=1) for one in shown]
    first = next((i for i, one in enumerate(shown) if one.kind is one.KEYWORD_ONLY), None)
    if first is not None and not any(one.kind is one.VAR_POSITIONAL for one in shown):
        texts.insert(first, "*")
    gives = "" if made.return_annotation is made.empty else f" -> {str(made.return_annotation).strip(chr(39))}"
    line = f"{name}({', '.join(texts)}){gives}"
    if len(line) <= 100:
        return line
    return f"{name}(\n" + "".join(f"    {one},\n" for one in texts) + f"){gives}"


def _text(found: object) -> str:
    """A docstring as Markdown; a field of a class that is indented below `Args` is none of ours."""
    return inspect.getdoc(found) or ""


def _short(doc: str) -> str:
    """The first paragraph of a docstring, in one line."""
    return " ".join(inspect.cleandoc(doc).split("\n\n")[0].split())


def _lake() -> Iterator[str]:
    yield "# The lake's tables\n"
    yield "`pqexplore.lake.scan` stores these tables; `lake.sql` can use each by its name.\n"
    for name, table in TABLES.items():
        yield f"## Table `{name}`\n\n{table.meaning}\n"
        yield "| column | type | meaning |\n|---|---|---|"
        for column in table.columns:
            yield f"| `{column.name}` | {_cell(column.type)} | {_cell(column.meaning)} |"
        yield ""
    yield "The stored questions are [the views](../views.md).\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def _glossary() -> Iterator[str]:
    yield "# Glossary\n"
    yield "The words of the specification, as the explorer's cards and `pqexplore explain` have them.\n"
    for one in GLOSSARY.values():
        also = f"\n\nAlso: {', '.join(f'`{word}`' for word in one.also)}." if one.also else ""
        yield f"## {one.name}\n\n{one.meaning}\n\n```text\n{one.picture}\n```\n"
        yield f"{_cell(bytes_of(one).sentence)}\n"
        yield f"[Specification]({one.link}){also}\n"


MARKS = {Verdict.READS: "yes", Verdict.WRONG: "**wrong**", Verdict.REFUSES: "no"}


def _readers() -> Iterator[str]:
    yield "# What is known of the readers\n"
    yield "`pqexplore doctor FILE --readers` predicts by this table who can read a file. An empty cell is not known."
    yield "[The implementation status](../status.md) is measured anew by running the readers.\n"
    yield "yes: reads it. **wrong**: reads other values, without an error. no: refuses.\n"
    yield f"| feature | {' | '.join(VERSIONS)} |\n|---|{'---|' * len(VERSIONS)}"
    for feature, known in KNOWN.items():
        cells = (known.cells.get(one) for one in VERSIONS)
        marks = (MARKS[cell.verdict] if cell else "" for cell in cells)
        yield f"| `{feature}`: {_cell(known.title)} | {' | '.join(marks)} |"
    for engine, version in VERSIONS.items():
        yield f"\n## {engine}\n"
        yield f"Version: {version or 'not recorded'}.\n"
        yield "| feature | | what it does | source |\n|---|---|---|---|"
        for feature, known in KNOWN.items():
            cell = known.cells.get(engine)
            if cell and cell.what:
                source = SOURCES[cell.source]
                link = f"[{source.title}]({source.url})" if source.url else source.title
                whole = ", the whole file" if cell.whole else ""
                yield f"| {feature} | {MARKS[cell.verdict]} | {_cell(cell.what)}{whole} | {link} |"
    yield ""


def missing() -> set[str]:
    """Public names that the page of Python does not have."""
    shown = {name for names in GROUPS.values() for name in names}
    return {one for one in pqexplore.__all__ if one not in HIDDEN} - shown
