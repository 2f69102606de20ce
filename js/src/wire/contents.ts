// Written by tools/wire_types.py from pqexplore/insight/lenses/contents.py; change it there.

import type { Differences } from "./group_differences";
import type { Span } from "./span";

/** A child: its label, its bytes (None if they are not known), and how many rows or characters it has. */
export interface Child {
  label: string;
  kind: string;
  address: string;
  bytes: number | null;
  amount: number | null;
  span: Span | null;
  trouble: string;
  ratio: number | null;
}

/** The children as bars. `whole` are the bytes of the `listed` ones; `total` counts all; `unit` is what `amount` counts. */
export interface Picture {
  children: Child[];
  listed: number;
  total: number;
  whole: number;
  unit: string;
  differences: Differences | null;
}
