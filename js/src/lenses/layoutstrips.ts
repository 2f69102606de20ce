/**
 * Strips of tiles: the width of each tile. True proportions would hide the four bytes of a magic beside megabytes of
 * pages, so each tile has a min width by the logarithm of its size, and the remaining width is shared in proportion.
 */

import { floorIndex } from "../columns";
import type { StripPicture } from "../wire/layout";

type Tiles = "starts" | "kind" | "labels" | "addresses";

/** A strip; its tiles are null until they are fetched. */
export interface Strip extends Omit<StripPicture, Tiles> {
  starts: ArrayLike<number> | null;
  kind: ArrayLike<number> | null;
  labels: { at(i: number): string | null | undefined } | null;
  addresses: { at(i: number): string | null | undefined } | null;
}

const MIN = 5;
const MAX = 26;
/** Share of the width that the min widths may take together. */
const ROOM = 0.6;

/** The left edges of all tiles, and after them the right edge of the last, in pixels of `[0, width]`. */
export function edges(strip: Strip, width: number): Float64Array {
  const { count, starts, end, chosen } = strip;
  const lefts = new Float64Array(count + 1);
  if (!starts || !count) return lefts;
  const total = Math.max(1, end - strip.start);
  const scale = Math.log2(total + 1);
  let sum = 0;
  for (let i = 0; i < count; i++) {
    const size = (i + 1 < count ? starts[i + 1] : end) - starts[i];
    const min = MIN + (MAX - MIN) * (Math.log2(size + 1) / scale);
    lefts[i + 1] = min;
    sum += min;
  }
  const shrink = Math.min(1, (width * ROOM) / sum);
  // among many tiles, the opened one stays wide enough to be seen
  const kept = chosen >= 0 && shrink < 1 ? Math.min(8, width / 4) : 0;
  const rest = width - sum * shrink - kept;
  for (let i = 0; i < count; i++) {
    const size = (i + 1 < count ? starts[i + 1] : end) - starts[i];
    lefts[i + 1] = lefts[i] + lefts[i + 1] * shrink + (size / total) * rest + (i === chosen ? kept : 0);
  }
  return lefts;
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
