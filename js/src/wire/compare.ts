// Written by tools/wire_types.py from pqexplore/insight/lenses/compare.py; change it there.

import type { Scale } from "./axis";

/** A column in each row group: each list has an entry a row group, from the first one on, at most 2,000. */
export interface Picture {
  column: number;
  compressed: (number | null)[];
  uncompressed: number[];
  text: string[];
  start: number[];
  low: (number | null)[];
  high: (number | null)[];
  axis: Scale | null;
  groups: number;
  outlier: number | null;
  here: number | null;
}
