"""pyarrow.compute, imported when the first of its functions is used: that takes 30 ms, which reading a footer is spared."""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    import pyarrow.compute

    found = getattr(pyarrow.compute, name)
    globals()[name] = found
    return found
