// Written by tools/wire_types.py from pqexplore/insight/lenses/statistics.py; change it there.

import type { Header } from "../columns";
import type { Scale } from "./axis";
import type { Chip } from "./wire";

/** A level histogram of SizeStatistics, summed over row groups; `of` is the sum of all levels. */
export interface Histogram {
  title: string;
  rows: Level[];
  of: number;
}

/** The parts in the order of the picture, as columns of equal length. */
export interface Lanes {
  low: number[];
  high: number[];
  page: number[];
  state: ("usable" | "distrusted" | "none" | "nulls" | "locked" | "damaged")[];
  name: string[];
  text: string[];
  address: (string | null)[];
  start: number[];
  end: number[];
}

/** A definition or repetition level: what it means, and how many entries have it. */
export interface Level {
  name: string;
  count: number;
}

/** The ranges of a column's row groups and pages. */
export interface Picture {
  verdict: string;
  reads: number;
  groups: number;
  parts: number;
  mine: number | null;
  axis: Scale;
  facts: Chip[];
  levels: Histogram[];
  lanes: Lanes | null;
}

/** The lanes of a column with many parts (`Lanes.columns`). */
export interface Ranges {
  columns: Header;
}
