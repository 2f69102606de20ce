// Written by tools/wire_types.py from pqexplore/insight/axis.py; change it there.

/** An axis as a picture needs it; `measured` says whether distances have a meaning. */
export interface Scale {
  label: string;
  measured: boolean;
  ticks: Tick[];
}

/** A tick of an axis: its place from 0 to 1, and its text. */
export interface Tick {
  at: number;
  text: string;
}
