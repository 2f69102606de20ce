"""Which cases of a test are run each time: the others are for `make test-full`."""

from collections.abc import Iterable
from typing import Any

import pytest


def quick(cases: Iterable[Any], *names: Any) -> list[Any]:
    """Parameters of a test: cases named in `names` are run each time, and the others with the slow tests."""
    cases = list(cases)
    assert all(name in cases for name in names), f"{names} are not all among {cases}"
    return [pytest.param(case, marks=() if case in names else pytest.mark.full) for case in cases]
