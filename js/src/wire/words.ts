// Written by tools/wire_types.py from pqexplore/widget/words.py; change it there.

import type { Term } from "./term";

/** All terms. */
export interface Glossary {
  terms: Term[];
}
