// Written by tools/wire_types.py from pqexplore/insight/lenses/thrift.py; change it there.

import type { Part } from "./explain";
import type { Span } from "./span";

/** A field of the struct, or an element of the list. */
export interface Item {
  name: string;
  address: string;
  id: number | null;
  type: string;
  value: string;
  meaning: string;
  note: string;
  unknown: boolean;
  span: Span;
  header: number[];
  body: number[];
  rest: number;
  opens: boolean;
  parts: Part[];
}

/** A struct or list at `struct`: its first fields, their bits, and the stop byte. */
export interface Picture {
  struct: string;
  name: string;
  span: Span;
  items: Item[];
  total: number;
  head: Part[];
  stop: Span | null;
  selected: number | null;
}
