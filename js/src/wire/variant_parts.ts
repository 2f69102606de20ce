// Written by tools/wire_types.py from pqexplore/insight/lenses/variant_parts.py; change it there.

import type { Span } from "./span";

/** A group of bits of a header byte. `digits` are its binary digits, the highest first. */
export interface Bits {
  name: string;
  digits: string;
  value: number;
  meaning: string;
}

/** Bytes of a stored Variant. `kind` is that of `engine.format.variant.parts.VariantPart`, or "more" for a note. */
export interface Part {
  kind: string;
  label: string;
  depth: number;
  hex: string;
  meaning: string;
  bits: Bits[];
  error: string;
  address: string | null;
  span: Span | null;
}

/** One of the two byte strings of a Variant, `metadata` or `value`. */
export interface Stored {
  name: string;
  bytes: number;
  address: string | null;
  why: string;
  parts: Part[];
  left: number;
}
