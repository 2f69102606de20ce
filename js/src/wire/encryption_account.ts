// Written by tools/wire_types.py from pqexplore/insight/lenses/encryption_account.py; change it there.

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
