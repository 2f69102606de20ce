// Written by tools/wire_types.py from pqexplore/insight/lenses/encryption_modules.py; change it there.

/** A part of a module, in the order of the bytes: length, nonce, ciphertext or tag, and how many bytes it has. */
export interface Bytes {
  name: string;
  bytes: number;
}
