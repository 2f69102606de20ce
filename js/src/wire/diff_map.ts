// Written by tools/wire_types.py from pqexplore/insight/lenses/diff_map.py; change it there.

/** Both files, line by line and slot by slot. */
export interface FilesMap {
  names: string[];
  kinds: string[];
  lines: MapLine[];
  slots: MapSlot[];
  first: number[];
  second: number[];
  states: ("same" | "grown" | "shrunk" | "added" | "gone" | "absent" | "unknown")[];
  starts: number[];
  sizes: number[];
  rest: number[];
  chosen: number[];
  columns: number;
  groups: number[];
}

/** A line: the column's name and its leaf in each file, null if it is not there; and what became of its bytes. */
export interface MapLine {
  label: string;
  kind: "all" | "column" | "others";
  columns: number;
  first: number | null;
  second: number | null;
  state: "same" | "grown" | "shrunk" | "added" | "gone" | "absent" | "unknown";
  bytes: (number | null)[];
  differences: number;
}

/** The row groups of a slot in both files: the first, and the one after the last. */
export interface MapSlot {
  first: number[];
  second: number[];
}
