/** The state and the actions that the parts of one explorer share, and the types of Python's replies. */

import type { Commands } from "./nav/commands";
import type { Query } from "./query";
import type { Rpc } from "./rpc";
import type { Signal } from "./signal";
import type { Span } from "./wire/span";
import type * as tree from "./wire/tree";
import type { Trouble } from "./wire/trouble";

export type { Brief, Fact } from "./wire/tree";
export type { Span, Trouble };

export const FILE = "file";

/** A node, and the payload of its lens. */
export interface Detail extends tree.Detail {
  payload: Payload | null;
}

/** The answer of a lens (pqexplore/widget/lens.py). */
export interface Payload {
  answer?: string;
  /** Why there is no picture. */
  empty?: string;
  picture?: unknown;
  table?: Sheet | null;
  code?: string;
  /** The picture would take long: the person has to ask for it. */
  ask?: { bytes: number; seconds: number };
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
  /** The rows that can be requested; `total` is the number of all rows. */
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
  severity: string;
  address: string;
  sentence: string;
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
  /** The file was opened with keys: what they open is shown, and would be in a saved page. */
  decrypts: boolean;
  /** Reading costs no round trips: all bytes are looked at without being asked. */
  local: boolean;
}

export interface Context {
  rpc: Rpc;
  /** The condition that is set, and what it skips. */
  query: Query;
  identity: Identity;
  /** What can be done by name or key; each part adds its own. */
  commands: Commands;
  /** Go to an address, in every view of this explorer. */
  select(address: string): void;
  /** Choose this lens for the nodes that follow, if it applies. */
  prefer(lens: string): void;
  /** Show the present view although it takes long. */
  insist(): void;
  /** Look at all bytes of the file from here on, and show again what is known then. */
  check(): Promise<void>;
  /** The bytes under the pointer, in any view. */
  hot: Signal<Span | null>;
  /** Bytes that belong together but are apart, such as those of a row. They stay marked until others are marked. */
  lit: Signal<Span[]>;
  /** Bytes to go to: the view of the bytes shows them and marks them, until another place is shown. */
  reveal: Signal<Span>;
  /** Announce a text to screen readers. */
  announce(text: string): void;
}
