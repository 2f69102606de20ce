// Written by tools/wire_types.py from pqexplore/insight/lenses/column_pages.py; change it there.

/** Pages in file order, as columns; `encoding` is an index into `names`, -1 without one. */
export interface Strip {
  names: string[];
  indexed: boolean[];
  encoding: number[];
  dictionary: boolean[];
  address: string[];
  start: number[];
  end: number[];
  values: number[];
  fallbacks: number[];
  note: string;
}
