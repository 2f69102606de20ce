"""See a Parquet file down to the last bit.

`open` gives the file as handles and a tree of bytes, `explore` shows it in a notebook cell, `explore_lake` many files
at once (`pqexplore.lake`). Everything is imported
when it is first used, so that `import pqexplore` is cheap.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOME = {
    "open": "pqexplore.engine.file",
    "ParquetFile": "pqexplore.engine.file",
    "Limits": "pqexplore.engine.limits",
    "Decryption": "pqexplore.engine.encryption.keys",
    "Finding": "pqexplore.engine.tree",
    "Span": "pqexplore.engine.tree",
    "ParquetError": "pqexplore.engine.errors",
    "NotParquetError": "pqexplore.engine.errors",
    "CorruptFileError": "pqexplore.engine.errors",
    "UnsupportedFeatureError": "pqexplore.engine.errors",
    "EncryptedFileError": "pqexplore.engine.errors",
    "LimitExceededError": "pqexplore.engine.errors",
    "salvage": "pqexplore.engine.salvage",
    "write": "pqexplore.engine.writer.file",
    "plan": "pqexplore.engine.writer.file",
    "WriteOptions": "pqexplore.engine.writer.options",
    "Encryption": "pqexplore.engine.writer.options",
    "Plan": "pqexplore.engine.writer.plan",
    "explore": "pqexplore.widget.explorer",
    "Explorer": "pqexplore.widget.explorer",
    "explore_lake": "pqexplore.widget.lake.explorer",
    "LakeExplorer": "pqexplore.widget.lake.explorer",
    "load_ipython_extension": "pqexplore.magic",
    "unload_ipython_extension": "pqexplore.magic",
}

__all__ = sorted(_HOME)

if TYPE_CHECKING:
    from pqexplore.engine.encryption.keys import Decryption as Decryption
    from pqexplore.engine.errors import CorruptFileError as CorruptFileError
    from pqexplore.engine.errors import EncryptedFileError as EncryptedFileError
    from pqexplore.engine.errors import LimitExceededError as LimitExceededError
    from pqexplore.engine.errors import NotParquetError as NotParquetError
    from pqexplore.engine.errors import ParquetError as ParquetError
    from pqexplore.engine.errors import UnsupportedFeatureError as UnsupportedFeatureError
    from pqexplore.engine.file import ParquetFile as ParquetFile
    from pqexplore.engine.file import open as open
    from pqexplore.engine.limits import Limits as Limits
    from pqexplore.engine.salvage import salvage as salvage
    from pqexplore.engine.tree import Finding as Finding
    from pqexplore.engine.tree import Span as Span
    from pqexplore.engine.writer.file import plan as plan
    from pqexplore.engine.writer.file import write as write
    from pqexplore.engine.writer.options import Encryption as Encryption
    from pqexplore.engine.writer.options import WriteOptions as WriteOptions
    from pqexplore.engine.writer.plan import Plan as Plan


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'pqexplore' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOME])
