// Written by tools/wire_types.py from pqexplore/insight/lenses/value_bits.py; change it there.

import type { Part } from "./explain";
import type { Span } from "./span";

/** Where a number in the text of a stage leads: to a node, by a lens ("" for its first), or to bytes. */
export interface Link {
  text: string;
  address: string | null;
  lens: string;
  span: Span | null;
  row: number | null;
}

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
  links: Link[];
}
