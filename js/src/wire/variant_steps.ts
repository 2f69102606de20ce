// Written by tools/wire_types.py from pqexplore/insight/lenses/variant_steps.py; change it there.

/** One group of the shredding in this row. */
export interface Step {
  path: string;
  source: "typed" | "binary" | "both" | "mixed" | "none";
  sentence: string;
  result: string;
  column: string;
  address: string | null;
  error: string;
}
