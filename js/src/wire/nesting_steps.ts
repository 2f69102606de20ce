// Written by tools/wire_types.py from pqexplore/insight/lenses/nesting_steps.py; change it there.

/** A line of the row. `new` if the last entry made it. */
export interface Line {
  indent: number;
  text: string;
  new: boolean;
}

/** What one entry added: its levels and value, a sentence, and the lines of the row after it. */
export interface Step {
  entry: number;
  row: number;
  repetition: number;
  definition: number;
  value: string | null;
  sentence: string;
  lines: Line[];
}
