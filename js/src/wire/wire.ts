// Written by tools/wire_types.py from pqexplore/insight/wire.py; change it there.

import type { Span } from "./span";

/** A short fact: its name and its value, as texts. */
export interface Chip {
  name: string;
  value: string;
}

/** A plotly figure. If a trace's `customdata` are `Mark`s, its marks lead to their nodes. */
export interface Figure {
  data: Record<string, unknown>[];
  layout: Record<string, unknown>;
}

/** An entry of a trace's `customdata`: the node that the mark leads to, its text, and its bytes in the file. */
export interface Mark {
  address: string | null;
  text: string;
  span: Span | null;
}
