"""The operations that a view can ask for, by name."""

from __future__ import annotations

from collections.abc import Generator

from pqexplore.engine.file.file import ParquetFile
from pqexplore.insight.doctor.diagnose import steps
from pqexplore.insight.doctor.rules import DATA
from pqexplore.insight.lenses import LENSES
from pqexplore.widget import (
    bytemap,
    code,
    headline,
    hexview,
    identity,
    lens,
    map_colours,
    search,
    structure,
    tree,
    values,
    words,
)
from pqexplore.widget.rpc import Op


def check(file: ParquetFile) -> Generator[float, None, dict[str, int]]:
    """Checks all bytes of the file, as the doctor does at level `data`; how many findings are known then."""
    report = yield from steps(file, DATA)
    return {"findings": len(report.findings)}


OPERATIONS: dict[str, Op] = {
    "identity": identity.identity,
    "headline": headline.headline,
    "layout": bytemap.layout,
    "map_colours": map_colours.map_colours,
    "node": tree.node,
    "children": tree.children,
    "locate": tree.locate,
    "bytes": hexview.read,
    "structure": structure.structure,
    "find": hexview.find,
    "search": search.search,
    "code": code.code,
    "values": values.values,
    "lens": lens.show,
    "table": lens.table,
    "check": check,
    "glossary": words.glossary,
}
NOT_SAVED = frozenset({"ask_what_if", "find", "values", "write_what_if"})
"""Operations that a saved page does not repeat: they write a file, or take long for what nobody can ask there."""

for _lens in LENSES.values():
    OPERATIONS.update(_lens.operations)
