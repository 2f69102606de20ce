// Written by tools/wire_types.py from pqexplore/insight/lenses/query_plan.py; change it there.

import type { Header } from "../columns";
import type { Example, Slider } from "./question";

/** Why the query reads more than it needs, what would mend it, and how many bytes that saves (0: not known). */
export interface Advice {
  name: string;
  sentence: string;
  fix: string;
  code: CodeSample[];
  saves: number;
  addresses: string[];
}

/** A plan as it is drawn: lost rows first, then the stages, the row groups, and one of them in detail. */
export interface Asked {
  danger: Danger[];
  remarks: string[];
  stages: Stage[];
  groups: Groups;
  focus: Focus | null;
}

/** An engine: the name by which it is chosen, and its title. */
export interface Choice {
  name: string;
  title: string;
}

/** Code that mends a cause, with one writer. */
export interface CodeSample {
  writer: string;
  code: string;
}

/** Rows that the engine skips without proof: by what reason, why a careful reader does not, the first row groups. */
export interface Danger {
  rows: number;
  why: string;
  instead: string;
  row_groups: number[];
  more: number;
}

/** One row group in detail: its verdict in a sentence, its pages by clause, the rows `[first, end)` that are decoded. */
export interface Focus {
  group: number;
  rows: number;
  sentence: string;
  lanes: PageLane[];
  first: number[];
  end: number[];
  clipped: number;
}

/** The row groups in the order of the file: lists of one length. */
export interface Groups {
  names: string[];
  by: number[];
  rows: number[];
  read: number[];
  start: number[];
  end: number[];
  reasons: string[] | null;
  total: number;
}

/** The answer while a slider moves: without table and advice. `error` says why it cannot be asked. */
export interface Live {
  sentence: string;
  asked: Asked | null;
  error: string;
}

/** What the page index says of one clause in a row group: rows `[first, end)` of each page, and whether it may match. */
export interface PageLane {
  clause: string;
  column: string;
  first: number[];
  end: number[];
  possible: boolean[];
  text: string[];
  address: (string | null)[];
  start: number[];
  stop: number[];
}

/** A condition and an engine, and what the query reads. */
export interface Picture {
  where: string;
  engine: string;
  engines: Choice[];
  error: string;
  examples: Example[];
  asked: Asked | null;
  sliders: Slider[];
  after: string;
  advice: Advice[];
}

/** Why `BLOCK` row groups from `start` are read or skipped. */
export interface Reasons {
  start: number;
  reasons: string[];
}

/** What a query reads, for the other views: bytes as columns `start` and `end`, sorted, and verdicts of row groups. */
export interface Skips {
  columns: Header;
  names: string[];
  by: number[];
  error: string;
}

/** One kind of evidence: how many row groups and rows it got and left, and why it did no more ("" if not known). */
export interface Stage {
  name: string;
  groups_in: number;
  groups_out: number;
  rows_in: number;
  rows_out: number;
  why: string;
}
