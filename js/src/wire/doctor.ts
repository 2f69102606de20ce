// Written by tools/wire_types.py from pqexplore/lake/panels/doctor.py; change it there.

import type { Card } from "./overview_cards";

/** A finding about so many `files`: its card, their writers, and the addresses of the first files (`PATH#ADDRESS`). */
export interface Finding {
  card: Card;
  files: number;
  writers: Writer[];
  places: string[];
  listed: boolean;
  see: string;
  panel: string;
  filters: string;
}

/** The findings below their `title`, the worst first, and how many are left out; `waiting` files are diagnosed when the button is pressed. */
export interface Picture {
  title: string;
  findings: Finding[];
  more: number;
  waiting: number;
  rule: string;
}

/** A writer, and how many of its files have a finding, of how many. */
export interface Writer {
  name: string;
  files: number;
  of: number;
}
