// Written by tools/wire_types.py from pqexplore/insight/lenses/overview_icicle.py; change it there.

import type { Span } from "./span";

/** A tile: `size` bytes from `start` on, counted from the left edge of the picture. */
export interface Tile {
  label: string;
  kind: string;
  level: number;
  above: number;
  start: number;
  size: number;
  address: string | null;
  span: Span | null;
  text: string;
}
