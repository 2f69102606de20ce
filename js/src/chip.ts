/** The small mark of a kind: its colour, its pattern, and its letter if there is room. */

import type { Brief } from "./context";
import { h } from "./dom";
import { CORRUPT, FAMILIES, type Family, familyOf, GROUPING, isUnknown, LOCKED, UNKNOWN } from "./kinds";
import { luminance } from "./theme";

export function chip(node: Brief): HTMLElement | null {
  if (GROUPING.has(node.kind) && node.state === "ok") return null;
  return swatch(
    FAMILIES[
      { ok: familyOf(node.kind), locked: isUnknown(node) ? UNKNOWN : LOCKED, corrupt: CORRUPT }[node.state]
    ],
    "pqx-chip",
  );
}

/** The mark of a class of the map, in the colour that the map has. */
export function paletteSwatch(look: Family, colour: string): HTMLElement {
  return swatch({ ...look, colour }, "pqx-swatch", look.letter);
}

export function swatch(family: Family, className: string, letter = ""): HTMLElement {
  const ink = luminance(family.colour) < 0.18 ? "#fff" : "#000";
  const style = `--colour: ${family.colour}; color: ${ink}`;
  const mark = letter && h("span", { style: `background: ${family.colour}` }, letter);
  return h(
    "span",
    { class: className, "data-pattern": family.pattern, style, "aria-hidden": "true" },
    mark || null,
  );
}
