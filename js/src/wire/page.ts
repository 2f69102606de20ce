// Written by tools/wire_types.py from pqexplore/insight/lenses/page.py; change it there.

import type { Header } from "../columns";
import type { Span } from "./span";

/** The entry of the dictionary that a value refers to. */
export interface DictionaryEntry {
  label: string;
  address: string;
}

/** Entries from the one at `start`, as columns. */
export interface Entries {
  start: number;
  columns: Header;
}

/** One form of a value, such as its bytes, and its text. */
export interface Form {
  name: string;
  text: string;
}

/** The header, the body as it is in the file, and the sections that are in the body, in bytes. */
export interface Parts {
  header: number;
  header_address: string;
  header_span: Span;
  stored: number;
  stored_span: Span;
  opened: number;
  codec: string;
  encrypted: boolean;
  checksum: "right" | "wrong" | "none";
  sections: Section[];
}

/** The page, the meaning of each of its levels, and the selected entry (null if none is selected). */
export interface Picture {
  page: string;
  kind: string;
  column: string;
  entries: number;
  present: number;
  max_definition_level: number;
  max_repetition_level: number;
  definitions: string[];
  repetitions: string[];
  parts: Parts;
  selected: number | null;
  value: Value | null;
}

/** A section of the page, or bytes of it that are left over. */
export interface Section {
  name: string;
  address: string;
  bytes: number;
  encoding: string;
  direct: boolean;
  span: Span;
}

/** An entry of the page in all its forms. `entry` is null if the page has no dictionary indexes. */
export interface Value {
  title: string;
  forms: Form[];
  note: string;
  entry: DictionaryEntry | null;
}
