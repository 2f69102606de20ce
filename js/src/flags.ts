/** How the tree, the map and the lenses show that a finding is about a place: a sign and a colour for each severity. */

import { ACCENTS, CLASSES } from "./accents";
import "./flags.css";
import { h } from "./dom";
import type { Layout } from "./layout";
import { veil } from "./skipped";
import { plural } from "./text";
import type { Flag } from "./wire/headline";
import { type Drawing, GAP, LINE } from "./wrap";

interface Look {
  sign: string;
  colour: string;
  /** The dashes of its line on the map: drawn and left out, in pixels. */
  dashes: number[];
}

/** The worst first. The colours are Okabe and Ito's; sign and dashes repeat the information. */
export const SEVERITIES: Record<string, Look> = {
  damage: { sign: "✗", colour: ACCENTS.wrong, dashes: [] },
  "wrong answer possible": { sign: "≠", colour: ACCENTS.wrong, dashes: [10, 2] },
  slow: { sign: "◷", colour: CLASSES[1], dashes: [6, 2] },
  wasteful: { sign: "▧", colour: CLASSES[3], dashes: [3, 2] },
  portability: { sign: "⇄", colour: CLASSES[4], dashes: [1, 2] },
  note: { sign: "i", colour: ACCENTS.unknown, dashes: [1, 5] },
};

/** The sign of a severity on its colour; without a `name` it repeats a text beside it. */
export function severitySign(severity: string, name = ""): HTMLElement {
  const attributes = name ? { role: "img", "aria-label": name, title: name } : { "aria-hidden": "true" };
  const { sign, colour } = SEVERITIES[severity] ?? SEVERITIES.note;
  return h(
    "span",
    { class: "pqx-flag", "data-severity": severity, style: `--flag: ${colour}`, ...attributes },
    sign,
  );
}

/** The flag of a node; null without one. */
export function flagSign(flag: Flag | null): HTMLElement | null {
  return flag && severitySign(flag.severity, flagText(flag));
}

export function flagText({ severity, sentence, more }: Flag): string {
  return `${severity}: ${sentence}${more ? ` And ${plural(more, "more finding")} here.` : ""}`;
}

/**
 * Tiles that follow each other and have findings of one severity, the worst of each tile: first byte, end, severity.
 * With `only`, the tiles that have a finding of this severity, whatever else they have.
 */
export function flaggedRuns(
  layout: Layout,
  low: number,
  high: number,
  only = "",
): [number, number, string][] {
  const rank = Object.keys(SEVERITIES).indexOf(only);
  const runs: [number, number, string][] = [];
  if (!layout.flags.length) return runs;
  for (let tile = layout.at(low); tile < layout.length && layout.start[tile] < high; tile++) {
    const severity = !only ? layout.flagOf(tile)?.severity : layout.hasSeverity(tile, rank) ? only : "";
    if (!severity) continue;
    const last = runs.at(-1);
    if (last?.[2] === severity && last[1] === layout.start[tile]) last[1] = layout.end(tile);
    else runs.push([layout.start[tile], layout.end(tile), severity]);
  }
  return runs;
}

/** Runs of one severity with less than `gap` bytes between them are one. */
function joined(runs: [number, number, string][], gap: number): [number, number, string][] {
  const made: [number, number, string][] = [];
  for (const run of runs) {
    const last = made.at(-1);
    if (last?.[2] === run[2] && run[0] - last[1] < gap) last[1] = run[1];
    else made.push(run);
  }
  return made;
}

/** Underline the tiles that have a flag; if `only` is a severity, veil all others. Returns how many runs are underlined. */
export function drawFlags({ pen, wrap, theme }: Drawing, layout: Layout, only: string): number {
  const pixel = wrap.perLine / Math.max(1, wrap.width - wrap.gutter);
  const runs = joined(flaggedRuns(layout, wrap.low, wrap.high, only), pixel / 2);
  if (only) {
    let from = wrap.low;
    for (const [start, end] of [...runs, [wrap.high, wrap.high]] as [number, number][]) {
      if (start - from > pixel / 2)
        for (const { x, y, width } of wrap.marks(from, start)) veil(pen, x, y, width, LINE - GAP, theme);
      from = Math.max(from, end);
    }
  }
  pen.lineWidth = GAP;
  for (const [start, end, severity] of runs) {
    const { colour, dashes } = SEVERITIES[severity] ?? SEVERITIES.note;
    pen.beginPath();
    for (const { x, y, width } of wrap.marks(start, end)) {
      pen.moveTo(x, y + LINE - GAP / 2);
      pen.lineTo(x + Math.max(2, width), y + LINE - GAP / 2);
    }
    // on ink, the dashes stand out from tiles of any colour
    pen.setLineDash([]);
    pen.strokeStyle = theme.ink;
    pen.stroke();
    pen.setLineDash(dashes);
    pen.strokeStyle = colour;
    pen.stroke();
  }
  pen.setLineDash([]);
  return runs.length;
}

/** The legend's entries: a button for each severity on the map, which shows only its tiles while it is pressed. */
export function flagItems(layout: Layout, only: string, show: (severity: string) => void): HTMLElement[] {
  const known = Object.keys(SEVERITIES).filter((one) => layout.flags.some((flag) => flag.severity === one));
  return known.map((severity) => {
    const flags = layout.flags.filter((flag) => flag.severity === severity);
    return h(
      "li",
      {},
      h(
        "button",
        {
          class: "pqx-button pqx-flag-filter",
          "data-key": severity,
          "aria-pressed": String(only === severity),
          title: flags.map((flag) => flag.sentence).join("\n"),
          onclick: () => show(only === severity ? "" : severity),
        },
        severitySign(severity),
        ` ${severity}: ${plural(
          flags.reduce((sum, flag) => sum + flag.stands_for, 0),
          "finding",
        )}`,
      ),
    );
  });
}
