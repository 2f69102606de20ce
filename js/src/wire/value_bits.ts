// Written by tools/wire_types.py from pqexplore/insight/lenses/value_bits.py; change it there.

import type { Part } from "./explain";
import type { Span } from "./span";

/** One stage: what it `gives`, how (`says`), and its bytes. */
export interface Stage {
  kind: string;
  title: string;
  gives: string;
  says: string[];
  address: string | null;
  span: Span | null;
  bits: string;
  parts: Part[];
  focus: number | null;
}
