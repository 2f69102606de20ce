// Written by tools/wire_types.py from pqexplore/insight/trouble.py; change it there.

/** An error: its type, its message, and the address and byte offset where it was raised (null if unknown). */
export interface Trouble {
  type: string;
  message: string;
  address: string | null;
  offset: number | null;
}
