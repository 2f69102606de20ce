/** Bars, one a line, each with its number: bytes of columns, findings by rule. */

import { append, h } from "../dom";
import type { Lens } from "../lenses";
import { count, plural, size } from "../text";

interface Bar {
  label: string;
  /** 0 to 1 of the longest. */
  part: number;
  text: string;
  kind?: string;
  address: string | null;
}

export function barList(bars: Bar[], label: string, choose: (address: string) => void): HTMLElement {
  return h(
    "ol",
    { class: "pqx-bars", "aria-label": label },
    ...bars.map((bar) =>
      h(
        "li",
        { "data-value": bar.text },
        bar.address === null
          ? h("span", { class: "pqx-bar-name" }, bar.label)
          : h(
              "button",
              { class: "pqx-link pqx-bar-name", onclick: () => choose(bar.address as string) },
              bar.label,
            ),
        h(
          "span",
          { class: `pqx-bar-room${bar.kind ? ` pqx-bar-${bar.kind}` : ""}`, "aria-hidden": "true" },
          h("i", { style: `width: ${Math.max(0.4, bar.part * 100).toFixed(2)}%` }),
        ),
        h("span", { class: "pqx-bar-text" }, bar.text),
      ),
    ),
  );
}

export const columns: Lens = {
  mount(el, picture: { bars: [string, number, number, string | null][] }, ctx) {
    const most = Math.max(1, ...picture.bars.map(([, bytes]) => bytes));
    const bars = picture.bars.map(([label, bytes, before, address]) => ({
      label,
      part: bytes / most,
      text: `${size(bytes)}, ${size(before)} before compression`,
      address,
    }));
    append(el, [barList(bars, "Bytes of columns", (address) => ctx.select(address))]);
    return { dispose: () => {} };
  },
};

const MARKS: Record<string, string> = { unreadable: "✗", error: "✗", warning: "!", note: "i" };

export const health: Lens = {
  mount(el, picture: { bars: [string, string, number, number][] }, ctx) {
    const most = Math.max(1, ...picture.bars.map(([, , places]) => places));
    const bars = picture.bars.map(([severity, rule, places, files]) => ({
      label: `${MARKS[severity] ?? ""} ${rule}`,
      part: places / most,
      kind: severity,
      text:
        severity === "unreadable" ? plural(files, "file") : `${count(places)} in ${plural(files, "file")}`,
      address: null,
    }));
    append(el, [barList(bars, "What is wrong, by rule", (address) => ctx.select(address))]);
    return { dispose: () => {} };
  },
};
