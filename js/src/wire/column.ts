// Written by tools/wire_types.py from pqexplore/insight/lenses/column.py; change it there.

import type { Header } from "../columns";
import type { Scale } from "./axis";
import type { Groups } from "./column_groups";
import type { Strip } from "./column_pages";
import type { Question } from "./column_questions";
import type { Values } from "./column_values";

/** The row groups of a column with many (`Groups.columns`). */
export interface GroupColumns {
  columns: Header;
}

/** The card of column `leaf`, by its index. */
export interface Picture {
  leaf: number;
  mine: number | null;
  count: number;
  total: number;
  groups: Groups | null;
  axis: Scale;
  bounded: boolean;
  nullable: boolean;
  questions: Question[];
  pages: Strip;
  pages_text: string;
  values: Values;
  range: string;
}
