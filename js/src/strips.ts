/**
 * Strips of tiles: how wide each tile is drawn. True proportions would hide the four bytes of a magic beside megabytes
 * of pages, so each tile gets a least width by the logarithm of its size, and what is left is shared in proportion.
 */

import { floorIndex } from "./columns";

export interface Strip {
  address: string;
  title: string;
  start: number;
  end: number;
  space: string;
  count: number;
  kinds: string[];
  template: string;
  chosen: number;
  guessed: boolean;
  note: string;
  starts: ArrayLike<number> | null;
  kind: ArrayLike<number> | null;
  labels: { at(i: number): string | null | undefined } | null;
  addresses: { at(i: number): string | null | undefined } | null;
}

const LEAST = 5;
const MOST = 26;
/** Share of the width that least widths may take together. */
const ROOM = 0.6;

/** The left edges of all tiles, and behind them the right edge of the last, in pixels of `[0, width]`. */
export function edges(strip: Strip, width: number): Float64Array {
  const { count, starts, end, chosen } = strip;
  const made = new Float64Array(count + 1);
  if (!starts || !count) return made;
  const total = Math.max(1, end - strip.start);
  const scale = Math.log2(total + 1);
  let sum = 0;
  for (let i = 0; i < count; i++) {
    const size = (i + 1 < count ? starts[i + 1] : end) - starts[i];
    const least = LEAST + (MOST - LEAST) * (Math.log2(size + 1) / scale);
    made[i + 1] = least;
    sum += least;
  }
  const shrink = Math.min(1, (width * ROOM) / sum);
  // in a crowd the tile that is opened stays wide enough to be seen
  const kept = chosen >= 0 && shrink < 1 ? Math.min(8, width / 4) : 0;
  const rest = width - sum * shrink - kept;
  for (let i = 0; i < count; i++) {
    const size = (i + 1 < count ? starts[i + 1] : end) - starts[i];
    made[i + 1] = made[i] + made[i + 1] * shrink + (size / total) * rest + (i === chosen ? kept : 0);
  }
  return made;
}

/** The tile at a pixel. */
export function tileAt(lefts: Float64Array, x: number): number {
  return Math.min(lefts.length - 2, floorIndex(lefts, Math.max(0, x)));
}

export function addressOf(strip: Strip, tile: number): string {
  return strip.template ? strip.template.replace("#", String(tile)) : (strip.addresses?.at(tile) ?? "");
}

export function labelOf(strip: Strip, tile: number): string {
  return strip.template ? `page ${tile}` : (strip.labels?.at(tile) ?? "");
}

export function bytesOf(strip: Strip, tile: number): [start: number, end: number] {
  const { starts, count, end } = strip;
  if (!starts) return [strip.start, end];
  return [starts[tile], tile + 1 < count ? starts[tile + 1] : end];
}

export function kindOf(strip: Strip, tile: number): string {
  return strip.kinds[strip.kind?.[tile] ?? 0] ?? "";
}
