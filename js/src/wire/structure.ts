// Written by tools/wire_types.py from pqexplore/widget/structure.py; change it there.

import type { Header } from "../columns";

/** How the values of a column are stored and meant. */
export interface ColumnType {
  physical: string;
  logical: string;
  scale: number;
  unit: string;
  length: number;
  unsigned: boolean;
}

/** The runs of a window, in the order of their bytes; the first and the last may go beyond it. */
export interface Structure {
  runs: Header;
  kinds: string[];
  paths: string[];
  abouts: string[];
  types: ColumnType[];
}
