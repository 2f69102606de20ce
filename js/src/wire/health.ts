// Written by tools/wire_types.py from pqexplore/lake/panels/health.py; change it there.

/** A rule, its severity, and the number of places and files where it fired. */
export interface Bar {
  severity: string;
  rule: string;
  places: number;
  files: number;
}

/** What is wrong, by rule. */
export interface Picture {
  bars: Bar[];
}
