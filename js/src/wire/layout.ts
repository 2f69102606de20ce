// Written by tools/wire_types.py from pqexplore/insight/lenses/layout.py; change it there.

import type { Header } from "../columns";

/** The strips from the file down to the node, and below it. */
export interface Picture {
  strips: StripPicture[];
}

/** A strip (`strip.Strip`) of `count` tiles. */
export interface StripPicture {
  address: string;
  title: string;
  start: number;
  end: number;
  space: string;
  count: number;
  kinds: string[];
  template: string;
  chosen: number;
  guessed: boolean;
  note: string;
  starts: number[] | null;
  kind: number[] | null;
  labels: string[] | null;
  addresses: string[] | null;
}

/** The tiles of a strip: columns `start` and `kind`, and without a template `label` and `address`. */
export interface Tiles {
  columns: Header;
}
