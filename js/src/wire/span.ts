// Written by tools/wire_types.py from pqexplore/engine/span.py; change it there.

/** The bytes `[start, end)` of a space. */
export interface Span {
  start: number;
  end: number;
  space: string;
}
