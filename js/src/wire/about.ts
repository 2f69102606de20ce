// Written by tools/wire_types.py from pqexplore/lake/panels/about.py; change it there.

/** The name of a lake or of a Metadatastore, where it is, facts about the run or the store, and the panels. */
export interface About {
  name: string;
  source: string;
  root: string;
  facts: string[];
  panels: Tab[];
}

/** A panel: its name, and the text of its tab. */
export interface Tab {
  name: string;
  title: string;
}
