/** Nodes as a list of bars by their bytes: each leads to its node and lights its bytes. */

import "./ranking.css";
import type { Context, Span } from "../context";
import { h } from "../dom";
import { roveRows } from "../rove";

export interface Bar {
  label: string;
  address: string;
  /** The length of the bar, null without one, and a text beside it. */
  bytes: number | null;
  figures: string;
  /** A second text, in a quieter colour. */
  note: string;
  span: Span | null;
  /** Why the node cannot be opened, "" if it can. */
  trouble: string;
}

export function ranking(ctx: Context, label: string, bars: Bar[], more = ""): HTMLElement {
  const most = Math.max(1, ...bars.map((one) => one.bytes ?? 0));
  return h(
    "ol",
    {
      class: "pqx-ranking",
      "aria-label": label,
      onkeydown: (event: KeyboardEvent) => roveRows(event, ".pqx-ranked"),
    },
    ...bars.map((one, i) => row(ctx, one, most, i === 0)),
    more !== "" && h("li", { class: "pqx-muted" }, more),
  );
}

function row(ctx: Context, one: Bar, most: number, first: boolean): HTMLElement {
  const point = () => ctx.hot.emit(one.span);
  const leave = () => ctx.hot.emit(null);
  const wide = `width: ${(((one.bytes ?? 0) / most) * 100).toFixed(2)}%`;
  return h(
    "li",
    {},
    h(
      "button",
      {
        class: "pqx-ranked",
        tabindex: first ? 0 : -1,
        title: one.label,
        "data-address": one.address,
        "data-bytes": one.bytes,
        onclick: () => ctx.select(one.address),
        onpointerenter: point,
        onpointerleave: leave,
        onfocusin: point,
        onfocusout: leave,
      },
      h("span", { class: "pqx-ranked-label" }, one.label),
      h(
        "span",
        { class: "pqx-ranked-room", "aria-hidden": "true" },
        one.bytes !== null && h("i", { style: wide }),
      ),
      h("span", { class: "pqx-ranked-figures" }, one.figures),
      h("span", { class: "pqx-ranked-note" }, one.trouble || one.note),
    ),
  );
}
