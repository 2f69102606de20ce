// Written by tools/wire_types.py from pqexplore/widget/headline.py; change it there.

/** The first sentence of the overview, and the severity of the worst finding; "" if there is nothing to mend. */
export interface Headline {
  sentence: string;
  severity: string;
}
