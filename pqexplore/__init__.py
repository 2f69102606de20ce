"""See a Parquet file down to the last bit.

`open` gives the file as handles and a tree of bytes. `ask` says what a query reads of a file or of many, and why.
`explore` shows a file in a notebook cell, `explore_lake` many files at once (`pqexplore.lake`). `samples` are example
files, `glossary` explains the words, `format` has the parts of the format by themselves. Each name is imported when it is
first used, so `import pqexplore` is cheap.
"""

from __future__ import annotations

from pqexplore._version import __version__ as __version__

TYPE_CHECKING = False
"""Not imported from `typing`: the command line imports this module first, and heeds Ctrl-C only after it."""

_HOME = {
    "open": "pqexplore.engine.file.file",
    "ParquetFile": "pqexplore.engine.file.file",
    "Limits": "pqexplore.engine.limits",
    "Decryption": "pqexplore.engine.format.encryption.keys",
    "Finding": "pqexplore.engine.finding",
    "Span": "pqexplore.engine.span",
    "ParquetError": "pqexplore.engine.errors",
    "NotParquetError": "pqexplore.engine.errors",
    "CorruptFileError": "pqexplore.engine.errors",
    "UnsupportedFeatureError": "pqexplore.engine.errors",
    "ElsewhereError": "pqexplore.engine.errors",
    "EncryptedFileError": "pqexplore.engine.errors",
    "LimitExceededError": "pqexplore.engine.errors",
    "UsageError": "pqexplore.engine.errors",
    "ask": "pqexplore.lake.asking",
    "ask_spark": "pqexplore.lake.spark.ask_spark",
    "salvage": "pqexplore.engine.salvage",
    "write": "pqexplore.engine.writer.file",
    "rewrite": "pqexplore.engine.writer.rewriting",
    "write_summary": "pqexplore.engine.writer.data_set",
    "plan": "pqexplore.engine.writer.file",
    "WriteOptions": "pqexplore.engine.writer.options",
    "Encryption": "pqexplore.engine.writer.options",
    "Plan": "pqexplore.engine.writer.plan",
    "diagnose": "pqexplore.insight.doctor.diagnose",
    "diff": "pqexplore.lake.comparing",
    "what_if": "pqexplore.insight.what_if.trial",
    "Budget": "pqexplore.insight.what_if.budget",
    "explore": "pqexplore.widget.explorer",
    "Explorer": "pqexplore.widget.explorer",
    "explore_lake": "pqexplore.widget.lake.explorer",
    "LakeExplorer": "pqexplore.widget.lake.explorer",
    "load_ipython_extension": "pqexplore.magic",
    "unload_ipython_extension": "pqexplore.magic",
}

_MODULES = ("format", "glossary", "lake", "samples")
"""Public modules. They are no part of `__all__`: `from pqexplore import *` does not hide Python's own `format`."""

_SHOWN_BY = {"pqexplore.engine.file.file": "pqexplore.insight.file_html"}
"""Modules that say how a notebook shows the objects of another one; imported with it."""

__all__ = sorted(_HOME)

if TYPE_CHECKING:
    from typing import Any

    from pqexplore import format as format
    from pqexplore import glossary as glossary
    from pqexplore import lake as lake
    from pqexplore import samples as samples
    from pqexplore.engine.errors import CorruptFileError as CorruptFileError
    from pqexplore.engine.errors import ElsewhereError as ElsewhereError
    from pqexplore.engine.errors import EncryptedFileError as EncryptedFileError
    from pqexplore.engine.errors import LimitExceededError as LimitExceededError
    from pqexplore.engine.errors import NotParquetError as NotParquetError
    from pqexplore.engine.errors import ParquetError as ParquetError
    from pqexplore.engine.errors import UnsupportedFeatureError as UnsupportedFeatureError
    from pqexplore.engine.errors import UsageError as UsageError
    from pqexplore.engine.file.file import ParquetFile as ParquetFile
    from pqexplore.engine.file.file import open as open
    from pqexplore.engine.finding import Finding as Finding
    from pqexplore.engine.format.encryption.keys import Decryption as Decryption
    from pqexplore.engine.limits import Limits as Limits
    from pqexplore.engine.salvage import salvage as salvage
    from pqexplore.engine.span import Span as Span
    from pqexplore.engine.writer.data_set import write_summary as write_summary
    from pqexplore.engine.writer.file import plan as plan
    from pqexplore.engine.writer.file import write as write
    from pqexplore.engine.writer.options import Encryption as Encryption
    from pqexplore.engine.writer.options import WriteOptions as WriteOptions
    from pqexplore.engine.writer.plan import Plan as Plan
    from pqexplore.engine.writer.rewriting import rewrite as rewrite
    from pqexplore.insight.doctor.diagnose import diagnose as diagnose
    from pqexplore.insight.what_if.budget import Budget as Budget
    from pqexplore.insight.what_if.trial import what_if as what_if
    from pqexplore.lake.asking import ask as ask
    from pqexplore.lake.comparing import diff as diff
    from pqexplore.lake.spark.ask_spark import ask_spark as ask_spark
    from pqexplore.magic import load_ipython_extension as load_ipython_extension
    from pqexplore.magic import unload_ipython_extension as unload_ipython_extension
    from pqexplore.widget.explorer import Explorer as Explorer
    from pqexplore.widget.explorer import explore as explore
    from pqexplore.widget.lake.explorer import LakeExplorer as LakeExplorer
    from pqexplore.widget.lake.explorer import explore_lake as explore_lake


def __getattr__(name: str) -> Any:
    import importlib

    if name in _MODULES:
        return importlib.import_module(f"pqexplore.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'pqexplore' has no attribute {name!r}")
    home = _HOME[name]
    value = getattr(importlib.import_module(home), name)
    if home in _SHOWN_BY:
        importlib.import_module(_SHOWN_BY[home])
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    hidden = {"Any", "TYPE_CHECKING", "annotations", "importlib"}
    return sorted({*globals(), *_HOME, *_MODULES} - hidden)
