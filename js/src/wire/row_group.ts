// Written by tools/wire_types.py from pqexplore/insight/lenses/row_group.py; change it there.

import type { Differences } from "./group_differences";

/** A column of the row group: bytes, bytes a row here, and their median elsewhere (None if there is nothing elsewhere). */
export interface Part {
  name: string;
  address: string;
  compressed: number;
  uncompressed: number;
  each: number;
  usual: number | null;
  start: number;
  end: number;
}

/** The row groups from `first` on, as columns, and the columns of row group `mine`, the largest first. */
export interface Picture {
  mine: number;
  first: number;
  total: number;
  compressed: number[];
  uncompressed: number[];
  rows: number[];
  start: number[];
  end: number[];
  parts: Part[];
  columns: number;
  differences: Differences | null;
}
