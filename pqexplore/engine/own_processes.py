"""The environment of the Python processes that this package starts with `-m`.

They import this package from where this process has it, and nothing from the current folder, in which `-m` alone would look
first: people look at files in folders that others filled, and a `json.py` there would be run.
"""

from __future__ import annotations

import os
from pathlib import Path

ABOVE = str(Path(__file__).absolute().parents[2])
"""The folder that the package is in."""


def environment(**more: str) -> dict[str, str]:
    """The environment of this process, with these changes and `more`."""
    paths = [ABOVE, *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONSAFEPATH": "1", **more}
