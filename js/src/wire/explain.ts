// Written by tools/wire_types.py from pqexplore/engine/format/explain.py; change it there.

/** Bits `[start, end)` of a part: what they say, and as what. */
export interface Group {
  start: number;
  end: number;
  label: string;
  role: string;
  value: number | null;
}

/** Some bytes of a step. */
export interface Part {
  name: string;
  start: number;
  end: number;
  at: number;
  shown: number[];
  groups: Group[];
  says: string[];
  form: "bits" | "bytes" | "text";
  order: "lsb" | "msb";
  value: number | null;
  places: number[];
}
