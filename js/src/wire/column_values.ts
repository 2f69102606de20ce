// Written by tools/wire_types.py from pqexplore/insight/lenses/column_values.py; change it there.

import type { Scale } from "./axis";

/** A value as a text, how often it occurs (None if that was not counted), and the node that shows it. */
export interface Entry {
  value: string;
  count: number | null;
  address: string | null;
}

/** Counts of values in bars of equal width between the smallest and the largest one. */
export interface Histogram {
  axis: Scale;
  counts: number[];
}

/** What is known of a column's values. */
export interface Values {
  title: string;
  entries: Entry[];
  histogram: Histogram | null;
  countable: boolean;
}
