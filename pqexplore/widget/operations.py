"""The operations that a view can ask for, by name."""

from __future__ import annotations

from collections.abc import Generator

from pqexplore.engine.file.file import ParquetFile
from pqexplore.insight.doctor.diagnose import steps
from pqexplore.insight.doctor.rules import DATA
from pqexplore.insight.lenses import LENSES
from pqexplore.widget import bytemap, headline, hexview, identity, lens, search, tree
from pqexplore.widget.rpc import Op


def check(file: ParquetFile) -> Generator[float, None, dict[str, int]]:
    """Checks all bytes of the file, as the doctor does at level `data`; how many findings are known then."""
    report = yield from steps(file, DATA)
    return {"findings": len(report.findings)}


OPERATIONS: dict[str, Op] = {
    "identity": identity.identity,
    "headline": headline.headline,
    "layout": bytemap.layout,
    "node": tree.node,
    "children": tree.children,
    "locate": tree.locate,
    "bytes": hexview.read,
    "search": search.search,
    "lens": lens.show,
    "table": lens.table,
    "check": check,
}
NOT_SAVED = frozenset({"ask_what_if", "write_what_if"})
"""Operations that a saved page does not repeat: they write a file, or take long for what nobody can ask there."""

for _lens in LENSES.values():
    OPERATIONS.update(_lens.operations)
