// Written by tools/wire_types.py from pqexplore/lake/panels/asked.py; change it there.

/** The selected view, and all views. */
export interface Picture {
  view: string;
  views: View[];
}

/** A view and the question that it answers. */
export interface View {
  name: string;
  question: string;
}
