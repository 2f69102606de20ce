// Written by tools/wire_types.py from pqexplore/insight/lenses/encoding_step.py; change it there.

import type { Part } from "./explain";

/** A value that a step yields: its bits, how they became the value, and its forms. */
export interface Row {
  index: number;
  bits: string;
  how: string;
  address: string | null;
  entry: string | null;
  value: string | null;
  logical: string | null;
  hex: string | null;
  note: string | null;
}

/** A step: number `number` of its section, its bytes in the section's space, and its values. */
export interface Step {
  number: number;
  kind: number;
  label: string;
  start: number;
  end: number;
  bytes: number;
  yields: string;
  first: number;
  count: number;
  focus: number;
  address: string;
  parts: Part[];
  rows: Row[];
}
