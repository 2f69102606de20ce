"""The engines: which of a file's claims each one uses to skip data, in which order, and what it distrusts.

`engine.Engine` uses all that the format allows; every other engine is a subclass that leaves something out or does it
in its own way. A statement about an engine is only made if a test runs that engine and compares, or it is marked as
from documentation.
"""

from __future__ import annotations

import importlib

from pqexplore.engine.errors import UsageError
from pqexplore.insight.ask.engines.engine import Engine, Statement

__all__ = ["ENGINES", "Engine", "Statement", "engine"]

_MODULES = {
    "format": "engine",
    "datafusion": "datafusion",
    "duckdb": "duckdb",
    "polars": "polars",
    "pyarrow": "arrow",
    "spark": "spark",
}

ENGINES = tuple(_MODULES)
"""The names of the engines; `format` is a reader that uses everything."""


def engine(name: str) -> Engine:
    """The engine of that name. UsageError if there is none."""
    if name not in _MODULES:
        raise UsageError(f"there is no engine {name!r}; there are {', '.join(_MODULES)}")
    found: Engine = importlib.import_module(f"{__name__}.{_MODULES[name]}").ENGINE
    return found
