// Written by tools/wire_types.py from pqexplore/insight/lenses/bloom.py; change it there.

import type { Header } from "../columns";
import type { Span } from "./span";
import type { Chip } from "./wire";

/** One of the eight bits that decide: its word and place in the word, whether it is set, its byte in the bitset. */
export interface Bit {
  word: number;
  bit: number;
  set: boolean;
  byte: number;
}

/** The eight words of a block. */
export interface Block {
  block: number;
  words: number[];
}

/** The set bits of each block, 0 to 256, in the column `bits`; the mean of `per_cell` blocks if these share a cell. */
export interface Blocks {
  columns: Header;
  per_cell: number;
}

/** The filter as a whole. */
export interface Picture {
  verdict: string;
  chunk: string;
  blocks: number;
  size: number;
  bits_set: number;
  bits: number;
  ndv: number;
  fpp: number;
  saturated: number;
  start: number;
  space: string;
  selectable: boolean;
  type: string;
  facts: Chip[];
  block: number | null;
  per_cell: number;
  cells: number[] | null;
}

/** The answer of a filter for one value, and how it came about. */
export interface Probe {
  value: string;
  hit: boolean;
  verdict: string;
  sentence: string;
  note: string;
  plain: string;
  hash: string;
  block: number;
  words: number[];
  bits: Bit[];
  span: Span;
}
