// Written by tools/wire_types.py from pqexplore/insight/lenses/geospatial.py; change it there.

import type { Chip } from "./wire";

/** The boxes of row groups, from number `first` of `total` on, as columns. */
export interface Boxes {
  first: number;
  total: number;
  xmin: (number | null)[];
  xmax: (number | null)[];
  ymin: (number | null)[];
  ymax: (number | null)[];
  address: string[];
  start: (number | null)[];
  end: (number | null)[];
  own: number | null;
  reads: number;
  wrapping: number;
}

/** One value: what to draw, its WKT, its own box, and that of its row group. */
export interface Geometry {
  paths: Path[];
  text: string;
  box: Sides | null;
  around: Sides | null;
}

/** A point, a line, or a ring that is filled, by its coordinates. */
export interface Path {
  kind: "point" | "line" | "ring";
  x: number[];
  y: number[];
}

/** The boxes of a column, or one geometry. `geographic`: coordinates are longitude and latitude. */
export interface Picture {
  facts: Chip[];
  geographic: boolean;
  boxes: Boxes | null;
  geometry: Geometry | null;
}

/** A bounding box. `xmin` is greater than `xmax` if the box crosses the antimeridian. */
export interface Sides {
  xmin: number;
  xmax: number;
  ymin: number;
  ymax: number;
}
