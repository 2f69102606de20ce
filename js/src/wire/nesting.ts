// Written by tools/wire_types.py from pqexplore/insight/lenses/nesting.py; change it there.

import type { AssemblyStep } from "./nesting_steps";

/** The path to the leaf, the meaning of its levels, and the page to step through (null if there is none). */
export interface Picture {
  column: string;
  ladder: Rung[];
  max_definition_level: number;
  max_repetition_level: number;
  definitions: string[];
  repetitions: string[];
  walk: Walk | null;
}

/** A field on the path to the leaf, with its maximum levels. */
export interface Rung {
  name: string;
  repetition: "required" | "optional" | "repeated";
  kind: string;
  definition_level: number;
  repetition_level: number;
  address: string;
}

/** Steps through a page from the entry at `start`. */
export interface StepBlock {
  start: number;
  steps: AssemblyStep[];
}

/** The page to step through, `step` entries a reply, from the entry `selected`; `pages` has its neighbours too. */
export interface Walk {
  page: string;
  entries: number;
  step: number;
  selected: number;
  pages: string[];
  first: StepBlock;
}
