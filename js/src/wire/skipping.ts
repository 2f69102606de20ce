// Written by tools/wire_types.py from pqexplore/lake/panels/skipping.py; change it there.

/** An object with rows that may match, which xskipper would skip, and why. */
export interface Loss {
  name: string;
  why: string;
}

/** A condition, and the verdict for each object. `counts` are the objects by verdict; empty without a condition. */
export interface Picture {
  condition: string;
  mode: string;
  counts: number[];
  verdicts: Verdict[];
  may_lose: Loss[];
}

/** An object, and the index of its verdict in `VERDICTS`. */
export interface Verdict {
  name: string;
  verdict: number;
}
