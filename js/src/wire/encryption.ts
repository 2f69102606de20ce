// Written by tools/wire_types.py from pqexplore/insight/lenses/encryption.py; change it there.

import type { AadPart } from "./encryption_aad";
import type { KeyUse } from "./encryption_account";
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

/** Modules from number `first` of `total` on, and the keys. `selected` is an index into `modules`. */
export interface Picture {
  algorithm: string;
  first: number;
  total: number;
  selected: number;
  keys: KeyUse[];
  modules: Block[];
}
