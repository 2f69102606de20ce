// Written by tools/wire_types.py from pqexplore/insight/lenses/column_groups.py; change it there.

/** The row groups as columns of equal length. */
export interface Groups {
  compressed: number[];
  uncompressed: number[];
  low: number[];
  high: number[];
  state: number[];
  nulls: number[];
  start: number[];
  end: number[];
  text: string[];
}
