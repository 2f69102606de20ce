/** The small mark in front of a node: the colour and pattern of its kind. */

import type { Brief } from "./context";
import { h } from "./dom";
import { CORRUPT, FAMILIES, type Family, familyOf, GROUPING, LOCKED } from "./kinds";

export function chip(node: Brief): HTMLElement | null {
  if (GROUPING.has(node.kind) && node.state === "ok") return null;
  return swatch(
    FAMILIES[{ ok: familyOf(node.kind), locked: LOCKED, corrupt: CORRUPT }[node.state]],
    "pqx-chip",
  );
}

export function swatch(family: Family, className: string): HTMLElement {
  const style = `--colour: ${family.colour}`;
  return h("span", { class: className, "data-pattern": family.pattern, style, "aria-hidden": "true" });
}
