// Written by tools/wire_types.py from pqexplore/insight/lenses/compare.py; change it there.

import type { Figure } from "./wire";

/** Bars over the row groups, the first `drawn` of `groups`; `outlier` is the row group that stands out, or None. */
export interface Picture {
  figure: Figure;
  drawn: number;
  groups: number;
  outlier: number | null;
}
