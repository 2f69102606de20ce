// Written by tools/wire_types.py from pqexplore/insight/lenses/encryption_aad.py; change it there.

/** A part of an AAD. `hex` and `bytes` (their number) are None if they are not in the file, or not known. */
export interface AadPart {
  name: string;
  hex: string | null;
  bytes: number | null;
  value: string;
  meaning: string;
}
