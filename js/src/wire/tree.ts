// Written by tools/wire_types.py from pqexplore/widget/tree.py; change it there.

import type { Flag } from "./flags";
import type { Span } from "./span";
import type { Trouble } from "./trouble";

/** A node as lists show it. `leaf` if an outline shows nothing below it; `flag` is the worst finding there. */
export interface Brief {
  address: string;
  kind: string;
  label: string;
  span: Span | null;
  state: "ok" | "locked" | "corrupt";
  reason: string;
  leaf: boolean;
  flag: Flag | null;
}

/** Children of a node from the one at `start`; `total` counts all. */
export interface Children {
  total: number;
  start: number;
  items: Brief[];
}

/** A node with its facts, the path to it, its lenses, and the payload of one of them. */
export interface Detail {
  address: string;
  kind: string;
  label: string;
  span: Span | null;
  state: "ok" | "locked" | "corrupt";
  reason: string;
  leaf: boolean;
  flag: Flag | null;
  facts: Fact[];
  more_facts: number;
  path: PathStep[];
  extent: Span | null;
  spaces: string[];
  children: number;
  damage: Trouble | null;
  lenses: Tab[];
  lens: string;
  payload: unknown;
  trouble: Trouble | null;
}

/** A fact of a node: its bytes, and the address of the node that the value refers to, each null if there is none. */
export interface Fact {
  name: string;
  value: Value;
  meaning: string;
  span: Span | null;
  address: string | null;
}

/** The address of the node that owns a byte. */
export interface Located {
  address: string;
}

/** A node on the path from the file to the selected one. */
export interface PathStep {
  address: string;
  label: string;
  kind: string;
}

/** A lens that applies to the node; `empty` says why it has nothing to show of it, "" if it may have something. */
export interface Tab {
  name: string;
  title: string;
  empty: string;
}

/** The value of a fact as text, and its type. */
export interface Value {
  text: string;
  type: "none" | "boolean" | "number" | "text" | "bytes" | "list";
}
