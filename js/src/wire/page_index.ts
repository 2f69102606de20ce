// Written by tools/wire_types.py from pqexplore/insight/lenses/page_index.py; change it there.

import type { Header } from "../columns";
import type { Scale } from "./axis";
import type { Chip } from "./wire";

/** Which of the two indexes there are. */
export interface Has {
  column_index: boolean;
  offset_index: boolean;
}

/** The pages of a chunk (`Pages.columns`). */
export interface Indexed {
  columns: Header;
}

/** The columns of `Pages.columns` as lists. */
export interface Lists {
  first_row: number[];
  rows: number[];
  offset: number[];
  size: number[];
  low: number[];
  high: number[];
  nulls: number[];
  null_page: number[];
}

/** The pages of a chunk on its rows, its bytes `[start, end)` and the axis of its values. */
export interface Picture {
  pages: number;
  ahead: number | null;
  num_rows: number;
  start: number;
  end: number;
  chunk: string;
  has: Has;
  boundary_order: string | null;
  null_pages: number;
  axis: Scale;
  facts: Chip[];
  columns: Lists | null;
  texts: string[] | null;
}

/** The ranges of `BLOCK` pages from page `start`, as texts. */
export interface Texts {
  start: number;
  texts: string[];
}
