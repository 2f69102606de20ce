/** What Python tells of an encoded section (pqexplore/insight/encoding.py): its steps, and one of them in full. */

import type { Part } from "./bits";
import type { Cells } from "./strip";

export interface Kind {
  name: string;
  meaning: string;
  yields: string;
  steps: number;
  bytes: number;
  values: number;
}

export interface Row {
  index: number;
  bits: string;
  how: string;
  address: string | null;
  /** The address of the dictionary's entry. */
  entry: string | null;
  /** The integer that the bits are: an index, a level, a length. */
  value: string | null;
  logical?: string;
  physical?: string;
  hex?: string;
  note?: string;
}

export interface Look {
  step: number;
  kind: number;
  label: string;
  start: number;
  end: number;
  /** Its own bytes: those between start and end, but where they lie apart. */
  bytes: number;
  yields: string;
  first: number;
  count: number;
  focus: number;
  address: string;
  parts: Part[];
  rows: Row[];
}

export interface Picture {
  section: string;
  name: string;
  space: string;
  base: number;
  size: number;
  sections: { name: string; address: string; bytes: number; encoding: string }[];
  kinds: Kind[];
  total: number;
  listed: number;
  bytes: Cells;
  values: Cells;
  problem: string;
  look: Look;
}
