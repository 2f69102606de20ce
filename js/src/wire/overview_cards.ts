// Written by tools/wire_types.py from pqexplore/insight/lenses/overview_cards.py; change it there.

/** A finding: how bad it is, the number that matters ("" if none), what it is, what it costs, what to do, where to look. */
export interface Card {
  rule: string;
  severity: string;
  figure: string;
  sentence: string;
  cost: string;
  fix: string;
  address: string;
  lens: string;
  remedies: Remedy[];
}

/** The findings above a note, and the notes; `more` and `more_notes` count those that are left out. */
export interface Cards {
  mend: Card[];
  more: number;
  notes: Card[];
  more_notes: number;
  checked: boolean;
}

/** The code that mends a finding, for one writer. */
export interface Remedy {
  writer: string;
  code: string;
}
