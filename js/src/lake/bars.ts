/** Bars, one for each line, with their numbers: bytes of columns, findings by rule. */

import { append, fill, h } from "../dom";
import type { Lens } from "../lenses/lens";
import { pathName } from "../pathname";
import { count, plural, size } from "../text";
import type { Picture as Columns } from "../wire/columns";
import type { Picture as Health } from "../wire/health";

interface Bar {
  label: string;
  /** The label is the path of a column; `type` tells it from others of the same path. */
  column?: boolean;
  type?: string;
  /** The length of the bar, from 0 to 1 (the longest bar). */
  part: number;
  text: string;
  kind?: string;
  address: string | null;
}

/** Bars that are drawn at once; more wait for a button, so that what is below them is seen. */
const FIRST = 10;

export function barList(bars: Bar[], label: string, choose: (address: string) => void): HTMLElement {
  const lines = bars.map((bar) =>
    h(
      "li",
      { "data-value": bar.text },
      bar.address === null
        ? h("span", { class: "pqx-bar-name" }, named(bar))
        : h(
            "button",
            {
              class: "pqx-link pqx-bar-name",
              title: bar.type ? `${bar.label} ${bar.type}` : bar.label,
              onclick: () => choose(bar.address as string),
            },
            named(bar),
            bar.type && h("span", { class: "pqx-muted" }, ` ${bar.type}`),
          ),
      h(
        "span",
        { class: `pqx-bar-room${bar.kind ? ` pqx-bar-${bar.kind}` : ""}`, "aria-hidden": "true" },
        h("i", { style: `width: ${Math.max(0.4, bar.part * 100).toFixed(2)}%` }),
      ),
      h("span", { class: "pqx-bar-text" }, bar.text),
    ),
  );
  const rest = lines.slice(FIRST + 1).length ? lines.slice(FIRST) : [];
  const list = h("ol", { class: "pqx-bars", "aria-label": label }, ...lines);
  if (!rest.length) return list;
  const all = h(
    "button",
    {
      class: "pqx-button",
      "aria-expanded": "false",
      onclick: () => {
        const open = all.getAttribute("aria-expanded") !== "true";
        all.setAttribute("aria-expanded", String(open));
        for (const line of rest) line.hidden = !open;
        fill(all, open ? `show the first ${FIRST} only` : `show ${count(rest.length)} more`);
      },
    },
    `show ${count(rest.length)} more`,
  );
  for (const line of rest) line.hidden = true;
  return h("div", { class: "pqx-bars-some" }, list, all);
}

function named({ label, column }: Bar): HTMLElement | string {
  return column ? pathName(label, ".") : label;
}

export const columns: Lens = {
  mount(el, picture: Columns, ctx) {
    const max = Math.max(1, ...picture.bars.map((bar) => bar.compressed_bytes));
    const bars = picture.bars.map((bar) => ({
      label: bar.column,
      column: true,
      part: bar.compressed_bytes / max,
      text: `${size(bar.compressed_bytes)}, ${size(bar.uncompressed_bytes)} before compression`,
      address: bar.address,
    }));
    append(el, [barList(bars, "Bytes of columns", (address) => ctx.select(address))]);
    return { dispose: () => {} };
  },
};

const MARKS: Record<string, string> = { unreadable: "✗", error: "✗", warning: "!", note: "i" };

export const health: Lens = {
  mount(el, picture: Health, ctx) {
    const max = Math.max(1, ...picture.bars.map((bar) => bar.places));
    const bars = picture.bars.map(({ severity, rule, places, files }) => ({
      label: `${MARKS[severity] ?? ""} ${rule}`,
      part: places / max,
      kind: severity,
      text:
        severity === "unreadable" ? plural(files, "file") : `${count(places)} in ${plural(files, "file")}`,
      address: null,
    }));
    append(el, [barList(bars, "Findings, by rule", (address) => ctx.select(address))]);
    return { dispose: () => {} };
  },
};
