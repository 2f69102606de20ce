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
  alike: number;
  remedies: Remedy[];
}

/** The findings above a note, and the notes, a card for each rule; `more` and `more_notes` count those without one. */
export interface Cards {
  mend: Card[];
  more: number;
  notes: Card[];
  more_notes: number;
  checked: boolean;
  unseen: string;
}

/** The code that mends a finding, for one writer. */
export interface Remedy {
  writer: string;
  code: string;
}
