// Written by tools/wire_types.py from pqexplore/widget/headline.py; change it there.

/** How the overview's sentence begins, and the severity of the finding that it is about; "" if it is about none. */
export interface Headline {
  sentence: string;
  severity: string;
}
