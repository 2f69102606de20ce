// Written by tools/wire_types.py from pqexplore/insight/lenses/diff_beside.py; change it there.

import type { Span } from "./span";

/** Two places beside each other: the facts that differ, how many are equal, and the second place's first bytes. */
export interface Beside {
  sides: Side[];
  facts: BothFacts[];
  equal: number;
  rows: HexRow[];
  note: string;
}

/** A fact of both nodes; null where a node has no such fact. */
export interface BothFacts {
  name: string;
  meaning: string;
  first: string | null;
  second: string | null;
}

/** Some bytes of the second file: the offset of the first, their digits, and their characters. */
export interface HexRow {
  offset: number;
  digits: string;
  characters: string;
}

/** A node of one file: its address, null if the file has no such place; its bytes, and how many. */
export interface Side {
  name: string;
  address: string | null;
  label: string;
  span: Span | null;
  size: number | null;
}
