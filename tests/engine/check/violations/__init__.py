"""Planted violations of the format, one a row: the file, the rule that must see it, and a near miss that it must not see.

A module of this folder has a list `VIOLATIONS`; `tests/engine/check/test_violations.py` checks every row of every module.
"""

import dataclasses
from collections.abc import Callable, Mapping


@dataclasses.dataclass(frozen=True)
class Violation:
    """`make()` is the file that breaks the format; `near()` is the closest file that does not, None if a row beside it is.

    `severity` is the finding's, and `address` where it must stand; empty if any will do. `also` are the rules of further
    errors and warnings that the file must have; without them the violation is one finding. `keys` are the arguments of
    `Decryption`; without them the file is opened without keys.
    """

    name: str
    rule: str
    make: Callable[[], bytes]
    near: Callable[[], bytes] | None = None
    severity: str = "error"
    address: str = ""
    also: tuple[str, ...] = ()
    keys: Mapping[str, object] | None = None
