// Written by tools/wire_types.py from pqexplore/insight/lenses/value.py; change it there.

import type { Link, Stage } from "./value_bits";

/** The stages in order. `before` and `after` are the neighbours in the page, None at its ends; `code` saves a page. */
export interface Picture {
  column: string;
  links: Link[];
  stages: Stage[];
  before: string | null;
  after: string | null;
  code: string;
}
