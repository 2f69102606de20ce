// Written by tools/wire_types.py from pqexplore/insight/lenses/rows_summaries.py; change it there.

/** The range of some row groups on the column's axis, from 0 to 1. */
export interface Bar {
  low: number;
  high: number;
}

/** The summaries of the columns from the one at `column` on. */
export interface Summaries {
  column: number;
  columns: Summary[];
}

/** A column in its statistics. What is not known is "" (`low`, `high`, `distinct`) or null (`nulls`, a share of 1). */
export interface Summary {
  low: string;
  high: string;
  nulls: number | null;
  distinct: string;
  bars: Bar[];
  counts: number[];
}
