// Written by tools/wire_types.py from pqexplore/lake/panels/doctor.py; change it there.

import type { Card } from "./overview";

/** The findings as cards, and how many are left out; `waiting` files are diagnosed when the button is pressed. */
export interface Picture {
  cards: Card[];
  more: number;
  waiting: number;
}
