"""The operations that a view can ask for, by name."""

from __future__ import annotations

from pqexplore.insight.lenses import LENSES
from pqexplore.widget import bytemap, charts, hexview, identity, lens, search, tree
from pqexplore.widget.rpc import Op

OPERATIONS: dict[str, Op] = {
    "identity": identity.identity,
    "layout": bytemap.layout,
    "node": tree.node,
    "children": tree.children,
    "locate": tree.locate,
    "bytes": hexview.read,
    "search": search.search,
    "lens": lens.show,
    "table": lens.table,
    "plotly": charts.plotly,
}
for _lens in LENSES.values():
    OPERATIONS.update(_lens.operations)
