// Written by tools/wire_types.py from pqexplore/insight/lenses/diff.py; change it there.

import type { Beside } from "./diff_beside";
import type { FilesMap } from "./diff_map";

/** After the values were compared: how many differences there are. */
export interface Compared {
  differences: number;
}

/** Both files as a map, null without columns or row groups; the place of the second file that matches the selected one. */
export interface Picture {
  map: FilesMap | null;
  beside: Beside;
  level: string;
}
