// Written by tools/wire_types.py from pqexplore/lake/panels/columns.py; change it there.

/** A column, the bytes of its chunks, and the address of its largest chunk. */
export interface Bar {
  column: string;
  compressed_bytes: number;
  uncompressed_bytes: number;
  address: string | null;
}

/** The largest columns, the largest first. */
export interface Picture {
  bars: Bar[];
}
