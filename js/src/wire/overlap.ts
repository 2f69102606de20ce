// Written by tools/wire_types.py from pqexplore/lake/panels/overlap.py; change it there.

/** A column: the share and the number of files that a query for one value reads, of `all` files. */
export interface Bar {
  column: string;
  type: string;
  share: number;
  files: number;
  all: number;
}

/** The range of a file: the ranks of its bounds among the sorted bounds of all files, and the bounds as text. */
export interface Line {
  low: number;
  high: number;
  path: string;
  low_text: string | null;
  high_text: string | null;
}

/** The columns that files declare to be sorted by, then the others, those that skip best first. */
export interface Picture {
  bars: Bar[];
}

/** The ranges of a column's files, as ranks among `ranks` sorted bounds. */
export interface Ranges {
  column: string;
  type: string;
  ranks: number;
  lines: Line[];
  total: number;
  unknown: number;
  first: string;
  last: string;
}
