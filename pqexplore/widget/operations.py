"""The operations that a view can ask for, by name."""

from __future__ import annotations

from pqexplore.widget import bytemap, charts, hexview, identity, lenses, search, tree
from pqexplore.widget.rpc import Op

OPERATIONS: dict[str, Op] = {
    "identity": identity.identity,
    "layout": bytemap.layout,
    "node": tree.node,
    "children": tree.children,
    "locate": tree.locate,
    "bytes": hexview.read,
    "search": search.search,
    "lens": lenses.show,
    "table": lenses.table,
    "plotly": charts.plotly,
}
for _lens in lenses.LENSES.values():
    OPERATIONS.update(getattr(_lens, "OPS", {}))
