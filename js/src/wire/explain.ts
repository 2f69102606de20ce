// Written by tools/wire_types.py from pqexplore/engine/format/explain.py; change it there.

/** Bits `[start, end)` of a part: what they say, and as what. */
export interface Group {
  start: number;
  end: number;
  label: string;
  role: string;
  value: number | null;
}
