// Written by tools/wire_types.py from pqexplore/insight/wire.py; change it there.

/** A short fact: its name and its value, as texts. */
export interface Chip {
  name: string;
  value: string;
}
