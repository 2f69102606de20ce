// Written by tools/wire_types.py from pqexplore/insight/lenses/rows.py; change it there.

import type { Header } from "../columns";
import type { Location } from "./row_pages";
import type { Trouble } from "./trouble";

/** Rows from the one at `start` as texts, by the position of the column in the file. */
export interface Block {
  start: number;
  count: number;
  columns: Header;
  errors: Record<string, Trouble>;
}

/** The address of a cell's first value, or of its first definition level if it has none. */
export interface CellAddress {
  address: string;
}

/** A column of the grid: a leaf's path and type, and how wide its values usually are, in characters. */
export interface ColumnHead {
  name: string;
  type: string;
  align: "left" | "right";
  width: number;
}

/** The first columns of `all_columns`, and the rows to page through: the first one in the file, and how many. */
export interface Picture {
  columns: ColumnHead[];
  all_columns: number;
  first: number;
  count: number;
  group: number | null;
}

/** The locations of a row in the first of `columns` columns. */
export interface RowLocations {
  row: number;
  columns: number;
  locations: Location[];
}
