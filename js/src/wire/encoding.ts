// Written by tools/wire_types.py from pqexplore/insight/lenses/encoding.py; change it there.

import type { Step } from "./encoding_step";

/** The cells of a strip as columns: each is `[start, end)`, with its kind (an index) and the step it stands for. */
export interface Cells {
  start: number[];
  end: number[];
  kind: number[];
  step: number[];
}

/** A kind of step: how many there are, their bytes, and the values that they yield. */
export interface Kind {
  name: string;
  meaning: string;
  yields: string;
  steps: number;
  bytes: number;
  values: number;
}

/** A section in proportion, by bytes and by values, and one step in full. */
export interface Picture {
  section: string;
  name: string;
  space: string;
  base: number;
  size: number;
  sections: Section[];
  kinds: Kind[];
  total: number;
  listed: number;
  bytes: Cells;
  values: Cells;
  problem: string;
  step: Step;
}

/** A section of the page: its name, its bytes and its encoding, "" if it has none. */
export interface Section {
  name: string;
  address: string;
  bytes: number;
  encoding: string;
}
