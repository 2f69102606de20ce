// Written by tools/wire_types.py from pqexplore/insight/bits.py; change it there.

import type { Group } from "./explain";

/** A part of a step. `start`, `end`, `at` and `places` are positions in the space of the part's bytes. */
export interface Part {
  name: string;
  start: number;
  end: number;
  at: number;
  shown: number[];
  groups: Group[];
  says: string[];
  form: "bits" | "bytes" | "text";
  order: "lsb" | "msb";
  value: number | null;
  places: number[];
}
