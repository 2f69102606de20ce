// Written by tools/wire_types.py from pqexplore/insight/lenses/what_if_trials.py; change it there.

/** The new file: its name, its bytes, and a sentence about it. */
export interface Written {
  name: string;
  size: number;
  sentence: string;
}
