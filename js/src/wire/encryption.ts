// Written by tools/wire_types.py from pqexplore/insight/lenses/encryption.py; change it there.

import type { AadPart } from "./encryption_aad";
import type { Bytes } from "./encryption_modules";
import type { Span } from "./span";

/** A module. `key` is an index into the picture's keys; `repeated` says that another module has the same nonce. */
export interface Block {
  name: string;
  address: string;
  span: Span;
  parts: Bytes[];
  nonce: string;
  repeated: boolean;
  group: string;
  key: number;
  locked: boolean;
  aad: AadPart[];
}

/** A field of the key metadata. */
export interface KeyFact {
  name: string;
  value: string;
  meaning: string;
}

/** A key by its purpose: what its metadata asks for, whether the reader has it, and how much it encrypts. */
export interface KeyUse {
  name: string;
  asks_for: string;
  at_hand: boolean;
  reason: string;
  modules: number;
  bytes: number;
  columns: string[];
  facts: KeyFact[];
}

/** Modules from number `first` of `total` on, and the keys. `selected` is an index into `modules`. */
export interface Picture {
  algorithm: string;
  first: number;
  total: number;
  selected: number;
  keys: KeyUse[];
  modules: Block[];
}
