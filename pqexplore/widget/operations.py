"""The operations that a view can ask for, by name."""

from __future__ import annotations

from pqexplore.widget import bytemap, hexview, identity, lenses, tree
from pqexplore.widget.rpc import Op

OPERATIONS: dict[str, Op] = {
    "identity": identity.identity,
    "layout": bytemap.layout,
    "node": tree.node,
    "children": tree.children,
    "locate": tree.locate,
    "bytes": hexview.read,
    "lens": lenses.show,
}
for _lens in lenses.LENSES.values():
    OPERATIONS.update(_lens.OPS)
