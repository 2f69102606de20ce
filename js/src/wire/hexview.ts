// Written by tools/wire_types.py from pqexplore/widget/hexview.py; change it there.

/** Where a search found something: offsets and lengths, in order; `end` is where it stopped, `size` that of the space. */
export interface Found {
  starts: number[];
  lengths: number[];
  end: number;
  size: number;
  more: boolean;
}
