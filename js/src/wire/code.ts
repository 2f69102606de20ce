// Written by tools/wire_types.py from pqexplore/widget/code.py; change it there.

/** The line of Python that shows a view again. */
export interface Line {
  code: string;
}
