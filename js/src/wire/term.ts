// Written by tools/wire_types.py from pqexplore/insight/glossary/term.py; change it there.

/** A word of the specification: two sentences, a picture of three lines of text, and where it is specified. */
export interface Term {
  name: string;
  meaning: string;
  picture: string;
  link: string;
  also: string[];
}
