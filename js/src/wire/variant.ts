// Written by tools/wire_types.py from pqexplore/insight/lenses/variant.py; change it there.

import type { Stored } from "./variant_parts";
import type { Step } from "./variant_steps";

/** The Variants of a row group, opened at one row. */
export interface Picture {
  address: string;
  column: string;
  possible: boolean;
  shredded: boolean;
  nested: boolean;
  row_group: number;
  row_groups: number;
  before: string | null;
  after: string | null;
  rows: number;
  row: Row;
  problems: Problem[];
  more_problems: boolean;
}

/** A broken rule of the specification. `row` is None if the schema breaks it. */
export interface Problem {
  rule: string;
  row: number | null;
  path: string;
  message: string;
  specification: string;
}

/** One Variant: its JSON (None if it is null or cannot be read), its stored bytes, and how it is put together. */
export interface Row {
  row: number;
  null: boolean;
  sentence: string;
  problem: string;
  json: string | null;
  stored: Stored[];
  steps: Step[];
}
