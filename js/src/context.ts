/** What the parts of one explorer share, and the shapes of what Python tells them. */

import type { Rpc } from "./rpc";
import type { Signal } from "./signal";

/** `[start, end)` of a space: "file", or the address of a page and what was done to its bytes. */
export type Span = [start: number, end: number, space: string];

export const FILE = "file";

export interface Value {
  text: string;
  type: "none" | "boolean" | "number" | "text" | "bytes" | "list";
}

export interface Fact {
  name: string;
  value: Value;
  meaning: string;
  span: Span | null;
  address: string | null;
}

/** A node as lists show it. */
export interface Brief {
  address: string;
  kind: string;
  label: string;
  span: Span | null;
  state: "ok" | "locked" | "corrupt";
  reason: string;
  leaf: boolean;
}

export interface Trouble {
  type: string;
  message: string;
  address: string | null;
  offset: number | null;
}

export interface Step {
  address: string;
  label: string;
  kind: string;
}

export interface Detail extends Brief {
  facts: Fact[];
  more_facts: number;
  path: Step[];
  /** The innermost bytes of the file that have it. */
  place: [start: number, end: number] | null;
  spaces: string[];
  children: number;
  damage: Trouble | null;
  lenses: { name: string; title: string }[];
  lens: string;
  payload: Payload | null;
  trouble: Trouble | null;
}

/** What a lens answers (pqexplore/widget/lenses/__init__.py). */
export interface Payload {
  answer?: string;
  /** Why there is no picture. */
  empty?: string;
  picture?: unknown;
  table?: Sheet | null;
  code?: string;
  /** It would cost much: ask first. */
  ask?: { bytes: number };
}

interface SheetColumn {
  name: string;
  title: string;
  kind: "text" | "number" | "bytes" | "share" | "flag" | "code";
  meaning: string;
}

export interface SheetPart {
  start: number;
  rows: (string | number | null)[][];
  addresses: (string | null)[];
  spans: (Span | null)[];
}

export interface Sheet extends SheetPart {
  caption: string;
  columns: SheetColumn[];
  width: number[];
  /** Rows that can be asked for; `total` is how many there are. */
  listed: number;
  total: number;
}

export interface Badge {
  name: string;
  has: "all" | "some" | "none" | "unknown";
  note: string;
}

interface Finding {
  rule: string;
  severity: "error" | "warning" | "note";
  address: string;
  message: string;
  specification: string;
}

export interface Identity {
  name: string;
  source: string;
  size: number;
  rows: number | null;
  row_groups: number | null;
  columns: number | null;
  created_by: string | null;
  badges: Badge[];
  column_names: string[];
  findings: Finding[];
}

export interface Context {
  rpc: Rpc;
  identity: Identity;
  /** Go to an address, in every view of this explorer. */
  select(address: string): void;
  /** Prefer a lens from now on. */
  prefer(lens: string): void;
  /** Show the present view although it costs much. */
  insist(): void;
  /** The bytes that are pointed at, wherever the pointer is. */
  hot: Signal<Span | null>;
  /** Bytes that belong together and lie apart, as those of a row do; they stay marked until others are. */
  lit: Signal<Span[]>;
  /** Tell it to those who listen rather than look. */
  announce(text: string): void;
}
