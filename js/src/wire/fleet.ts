// Written by tools/wire_types.py from pqexplore/lake/panels/fleet.py; change it there.

/** Files by size and rows, on logarithmic axes with `bins` steps for each power of ten. */
export interface Picture {
  bins: number;
  squares: Square[];
}

/** A square of the picture: its step of size, its step of rows (-1 if unknown), and how many files are in it. */
export interface Square {
  size: number;
  rows: number;
  files: number;
}
