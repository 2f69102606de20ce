// Written by tools/wire_types.py from pqexplore/insight/lenses/dictionary.py; change it there.

/** An entry of the dictionary, and how many values point at it. */
export interface Entry {
  index: number;
  value: string;
  uses: number;
  address: string;
}

/** The data pages by row, as columns. `encoding` is an index into `names`; `total` counts all pages. */
export interface Pages {
  names: string[];
  indexed: boolean[];
  encoding: number[];
  start: number[];
  end: number[];
  address: string[];
  first_byte: number[];
  last_byte: number[];
  total: number;
}

/** What the dictionary costs beside PLAIN, its most used entries, and the pages with and without it. */
export interface Picture {
  chunk: string;
  dictionary: string;
  entries: number;
  values: number;
  dictionary_bytes: number;
  index_bytes: number;
  plain_bytes: number;
  other_bytes: number;
  unused: number;
  top: Entry[];
  rest: number;
  pages: Pages;
}
