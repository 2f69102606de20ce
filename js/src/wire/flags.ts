// Written by tools/wire_types.py from pqexplore/widget/flags.py; change it there.

/** The worst finding at a place: its severity and its sentence, and how many others there are. */
export interface Flag {
  severity: string;
  sentence: string;
  more: number;
  stands_for: number;
}
