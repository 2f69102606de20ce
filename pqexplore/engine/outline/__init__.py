"""The file's tree, made of nodes as they are asked for.

`file_node` is the root, `find` goes straight to an address, `space` gives the bytes that a page's spans refer to.
"""

from pqexplore.engine.outline.find import find, space
from pqexplore.engine.outline.top import file_node

__all__ = ["file_node", "find", "space"]
