// Written by tools/wire_types.py from pqexplore/insight/features.py; change it there.

/** One optional part of the format. */
export interface Feature {
  name: string;
  state: string;
  count: number;
  of: number;
  unit: string;
  meaning: string;
}
