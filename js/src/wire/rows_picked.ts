// Written by tools/wire_types.py from pqexplore/insight/lenses/rows_picked.py; change it there.

/** Numbers of rows in the file, in the order in which they are shown. */
export interface Picked {
  rows: number[];
  sentence: string;
  next: number | null;
  ask: string;
  error: string;
}
