"""plotly.js of the installed plotly package, for the view: it draws the figures that pictures hold.

It is sent once a page, compressed; nothing is fetched from elsewhere. Texts of a figure are made harmless by the view
(js/src/plottext.ts), which every figure passes on its way to plotly.
"""

from __future__ import annotations

import ast
import functools
import gzip
import importlib.resources
import re
from typing import Any

from pqexplore.engine.errors import UsageError

WRAPPED = """(function () { var module = {exports: {}}, exports = module.exports, define;
%s
globalThis.pqxPlotlyMade = module.exports; }).call(globalThis);"""
"""plotly.js as a function of its own, so that no module system of the page takes it for one of its modules."""

_STYLE = re.compile(
    r"""createElement\("style"\)[^{}]{0,200}?\.textContent=('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")""",
    re.DOTALL,
)
"""A style sheet that plotly.js puts into the page when it is loaded."""


def plotly(_subject: object) -> tuple[dict[str, Any], list[bytes]]:
    """The script that gives the page plotly.js, compressed with gzip."""
    return {"bytes": len(_packed())}, [_packed()]


@functools.cache
def script() -> str:
    """The script that gives the page plotly.js; UsageError if the plotly package has none."""
    try:
        found = importlib.resources.files("plotly").joinpath("package_data/plotly.min.js")
        return WRAPPED % found.read_text("utf-8")
    except (ImportError, OSError) as error:
        raise UsageError(f"the plotly package has no plotly.js: {error}") from error


@functools.cache
def styles() -> list[str]:
    """The texts of the style elements that the script makes: an empty one for its rules, and those of its maps."""
    found = [ast.literal_eval(literal) for literal in _STYLE.findall(script())]
    return ["", *found]


@functools.cache
def _packed() -> bytes:
    return gzip.compress(script().encode(), 6, mtime=0)
