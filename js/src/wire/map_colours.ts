// Written by tools/wire_types.py from pqexplore/widget/map_colours.py; change it there.

import type { Header } from "../columns";

/** The class of each tile of a layout, by one of its properties. */
export interface MapColours {
  by: string;
  title: string;
  unit: string;
  ordered: boolean;
  classes: string[];
  note: string;
  columns: Header;
}
