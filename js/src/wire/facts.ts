// Written by tools/wire_types.py from pqexplore/insight/lenses/facts.py; change it there.

/** Empty: the view has the facts with the node, and its children by the operation `children`. */
export type Picture = Record<string, never>;
