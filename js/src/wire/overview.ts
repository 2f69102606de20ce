// Written by tools/wire_types.py from pqexplore/insight/lenses/overview.py; change it there.

import type { Feature } from "./features";
import type { Cards } from "./overview_cards";
import type { Tile } from "./overview_icicle";

/** An encoding of data pages: how many pages have it (or column chunks, by `unit`), and how many columns. */
export interface EncodingUse {
  name: string;
  pages: number;
  unit: string;
  columns: number;
}

/** A column and its sizes in bytes; `ratio` is uncompressed to compressed, `share` its part of the file. */
export interface LargeColumn {
  name: string;
  address: string;
  type: string;
  compressed: number;
  uncompressed: number;
  ratio: number | null;
  codecs: string[];
  share: number | null;
}

/** The columns of one codec, or of one mix of codecs, with their sizes in bytes. */
export interface Packing {
  codec: string;
  columns: number;
  compressed: number;
  uncompressed: number;
  ratio: number | null;
}

/** What to mend, the file's bytes as the tiles of an icicle, its largest columns, codecs and encodings, and its features. */
export interface Picture {
  cards: Cards;
  size: number;
  tiles: Tile[];
  largest: LargeColumn[];
  packing: Packing[];
  encodings: EncodingUse[];
  features: Feature[];
}
