// Written by tools/wire_types.py from pqexplore/insight/lenses/nesting_steps.py; change it there.

/** What one entry added: its levels and value, a sentence, and the lines of the row after it. */
export interface AssemblyStep {
  entry: number;
  row: number;
  repetition: number;
  definition: number;
  value: string | null;
  sentence: string;
  lines: Line[];
}

/** A line of the row. `new` if the last entry made it. */
export interface Line {
  indent: number;
  text: string;
  new: boolean;
}
