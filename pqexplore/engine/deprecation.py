"""What still works under an old name, with a warning that names the new one. docs/migration.md has each of them.

An old name stays for all of version 1; what is frozen is in `tests/golden`.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

DEPRECATED: dict[str, str] = {}
"""What is deprecated, and what to write instead."""

RENAMED_RULES = {
    "embedded-damaged": "metadata-damaged",
    "name-repeated": "duplicate-names",
    "repeated-nonce": "nonce-reused",
    "statistics-not-encrypted": "plaintext-statistics",
    "type-mended": "type-corrected",
}
"""Rules by the names that they had before 1.0."""


def deprecated(what: str, instead: str, *, depth: int = 1) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorates a function that is kept for callers of an old name: a call warns, and names what to write instead.

    `depth` says how many calls lie between the function and the code of the user.
    """
    DEPRECATED[what] = instead

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(function)
        def warning(*args: P.args, **kwargs: P.kwargs) -> R:
            warnings.warn(f"{what} is deprecated since pqexplore 1.0: {instead}", DeprecationWarning, depth + 1)
            return function(*args, **kwargs)

        return warning

    return decorate


def renamed_rule(name: str) -> str:
    """The present name of a rule. A DeprecationWarning if it has another one now."""
    new = RENAMED_RULES.get(name, name)
    if new != name:
        warnings.warn(f"the rule {name} is called {new} since pqexplore 1.0", DeprecationWarning, 3)
    return new
