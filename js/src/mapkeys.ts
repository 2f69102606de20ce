/** What the keys do on the map: arrows go from tile to tile, with Shift they move the window, others zoom. */

import type { Layout } from "./layout";

const A_PAGE = 25;

/** How many times as many bytes a key shows. */
export const ZOOMS: Record<string, number> = { "+": 0.5, "=": 0.5, "-": 2, "0": Number.POSITIVE_INFINITY };
/** By how many lines a key with Shift moves the window. */
export const PANS: Record<string, number> = {
  ArrowRight: 0.25,
  ArrowLeft: -0.25,
  ArrowDown: 1,
  ArrowUp: -1,
};

/** The tile to which a key leads from tile `at`, which is -1 at the file; null if it leads to none. */
export function tileFor(key: string, at: number, layout: Layout, perLine: number): number | null {
  const byLine = (sign: number) => {
    const to = layout.at((at < 0 ? 0 : layout.start[at]) + sign * perLine);
    return to === at ? at + sign : to;
  };
  const last = layout.length - 1;
  const targets: Record<string, () => number> = {
    ArrowRight: () => at + 1,
    ArrowLeft: () => at - 1,
    ArrowDown: () => byLine(1),
    ArrowUp: () => byLine(-1),
    PageDown: () => at + A_PAGE,
    PageUp: () => at - A_PAGE,
    Home: () => 0,
    End: () => last,
  };
  return key in targets ? Math.max(0, Math.min(last, targets[key]())) : null;
}
