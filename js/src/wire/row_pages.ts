// Written by tools/wire_types.py from pqexplore/insight/row_pages.py; change it there.

import type { Span } from "./span";

/** One leaf of one row: its page, the bytes of the page in the file, and the row's entries in the page. */
export interface Location {
  column: number;
  name: string;
  page: string;
  span: Span | null;
  address: string;
  first: number;
  entries: number;
  values: number;
  trouble: string;
}
