// Written by tools/wire_types.py from pqexplore/lake/panels/objects.py; change it there.

/** An index of the store, and for how many objects it has a value. */
export interface Index {
  column: string;
  kind: string;
  on: string;
  known: number;
  locked: string;
  fills: number[];
}

/** The indexes, and the number of objects in the store. */
export interface Picture {
  indexes: Index[];
  objects: number;
}
