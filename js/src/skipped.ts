/** How the map and the lenses show what a query does not read: paler, and crossed by lines. */

import "./skipped.css";
import type { Context } from "./context";
import { fill, h } from "./dom";
import { hatch } from "./lenses/board";
import type { Query, Skips } from "./query";
import type { Theme } from "./theme";
import { type Drawing, GAP, LINE } from "./wrap";

/** What the map says of bytes that the query skips. */
export const UNREAD = "not read by the query";

const PALER = 0.68;
const SHOWN = 60;

/** Make a rectangle paler, and draw lines across it. */
export function veil(
  pen: CanvasRenderingContext2D,
  x: number,
  y: number,
  width: number,
  height: number,
  theme: Theme,
): void {
  pen.globalAlpha = PALER;
  pen.fillStyle = theme.background;
  pen.fillRect(x, y, width, height);
  pen.globalAlpha = 1;
  if (width >= 3 && height >= 4) hatch(pen, x, y, width, height, theme.muted, 6);
}

/** Veil the bytes of the map that the query does not read. Returns how many ranges are veiled. */
export function drawSkipped({ pen, wrap, theme }: Drawing, skips: Skips): number {
  const pixel = wrap.perLine / Math.max(1, wrap.width - wrap.gutter);
  const ranges = skips.unread(wrap.low, wrap.high, pixel / 2);
  for (const [start, end] of ranges)
    for (const { x, y, width } of wrap.marks(start, end))
      veil(pen, x, y, Math.max(0.5, width), LINE - GAP, theme);
  return ranges.length;
}

function shortened(text: string): string {
  return text.length <= SHOWN ? text : `${text.slice(0, SHOWN - 1)}…`;
}

function swatch(): HTMLElement {
  return h("i", { class: "pqx-skipped-swatch", "aria-hidden": "true" });
}

/** The entry of the map's legend: the condition, and buttons that show and clear it; null without a condition. */
export function skippedItem(ctx: Context): HTMLElement | null {
  const { query } = ctx;
  const { skips } = query;
  if (!skips) return null;
  const text = skips.error ? "cannot be asked:" : UNREAD;
  return h(
    "li",
    { class: "pqx-skipped-item", title: skips.error || query.where },
    !skips.error && swatch(),
    `${text} `,
    h("code", {}, shortened(query.where)),
    h(
      "button",
      { class: "pqx-link", title: "Show what the query reads, and why", onclick: () => ctx.prefer("query") },
      "why",
    ),
    !query.saved &&
      h("button", { class: "pqx-link", title: "Clear the condition", onclick: () => query.ask("") }, "clear"),
  );
}

/** A legend for a lens, kept up to date; it is empty without a condition. `changed` is called when it changes. */
export function skippedLegend(ctx: Context, changed: () => void): { el: HTMLElement; dispose(): void } {
  const el = h("ul", { class: "pqx-keys", "aria-label": "Query" });
  const show = () => fill(el, skippedItem(ctx));
  show();
  const stop = ctx.query.changed.on(() => {
    show();
    changed();
  });
  return { el, dispose: stop };
}

/** Whether the query skips these bytes of the file; false without a condition. */
export function isSkipped(query: Query, span: { start: number; end: number } | null): boolean {
  return span !== null && query.skips !== null && !query.skips.reads(span.start, span.end);
}
