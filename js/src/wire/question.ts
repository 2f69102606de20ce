// Written by tools/wire_types.py from pqexplore/insight/ask/question.py; change it there.

/** A condition to begin with, and what it asks for. */
export interface Example {
  where: string;
  why: string;
}

/** The literals that may replace one of a condition, in order: `stops[at]` is the present one. */
export interface Slider {
  before: string;
  column: string;
  at: number;
  stops: string[];
}
