// Written by tools/wire_types.py from pqexplore/insight/lenses/what_if_picture.py; change it there.

import type { Span } from "./span";

/** The bytes of a file by row group and column, in the order of the schema; `rest` are the other bytes. */
export interface Bytes {
  size: number;
  groups: number[][];
  rest: number;
  row_groups: number;
}

/** One choice: its bytes, `error` as a text ("" if exact), the engines that do not read it. */
export interface Cell {
  bytes: number;
  error: string;
  unread_by: string[];
}

/** A saving: another change than encoding and codec, the bytes with it and `without` it, and a sentence. */
export interface Change {
  kind: string;
  column: string;
  choice: string;
  without: number;
  bytes: number;
  error: string;
  sentence: string;
  sort: string[];
}

/** What is chosen beside the encodings: `page_rows` and `row_group_rows`, and the columns that the rows are sorted by. */
export interface Chosen {
  page_rows: number;
  row_group_rows: number;
  sort: string[];
}

/** Code that writes the file anew: by whom, what it leaves out. */
export interface Code {
  writer: string;
  code: string;
  bytes: number;
  left_out: string[];
}

/** The choices of a column: a row for each codec, a column for each encoding, `cells` row by row. */
export interface Matrix {
  column: string;
  address: string;
  span: Span | null;
  today: number;
  codecs: string[];
  encodings: string[];
  cells: (Cell | null)[];
  best: number;
}

/** A matrix for a column, the whole for a file. */
export interface Picture {
  matrix: Matrix | null;
  whole: Whole | null;
}

/** The file with the best choices, and what is chosen beside them; `layout` is None if that cannot be written. */
export interface Predicted {
  chosen: Chosen;
  layout: Bytes | null;
  error: string;
  sentence: string;
  trouble: string;
  code: Code[];
}

/** A column of the file today, and in its best choice; `bytes` is -1 if it was not tried, and `choice` says why. */
export interface Row {
  column: string;
  address: string;
  today: number;
  bytes: number;
  error: string;
  choice: string;
}

/** All columns of a file, the largest saving first; the layout today and predicted, and what can be chosen. */
export interface Whole {
  rows: Row[];
  columns: number;
  changes: Change[];
  no_changes: string;
  names: string[];
  addresses: string[];
  today: Bytes;
  predicted: Predicted;
  pages: number[];
  row_groups: number[];
  orders: string[][];
  target: string;
  no_target: string;
}
