/** What the statistics say of a column, under its name: the ranges of its row groups, its bounds, nulls and distinct values. */

import { h } from "../dom";
import type { Summary } from "../wire/rows_summaries";

const SVG = "http://www.w3.org/2000/svg";

export function summaryView(summary: Summary): HTMLElement {
  const { low, high, nulls, distinct, bars } = summary;
  const range = low === "" && high === "" ? "bounds not known" : `${low} – ${high}`;
  const share = nulls === null ? "nulls not known" : nulls === 0 ? "no nulls" : `${percent(nulls)} null`;
  const more = distinct === "" ? share : `${share}, ${distinct.replace("at most ", "≤ ")}`;
  const spoken = `${range}; ${share}; ${distinct || "distinct values not known"}, by the statistics`;
  return h(
    "div",
    { class: "pqx-rows-summary", title: spoken },
    bars.length > 1 ? picture(summary) : h("i", {}),
    h("small", {}, range),
    h("small", {}, more),
  );
}

function percent(share: number): string {
  const value = share * 100;
  return value < 0.1
    ? "< 0.1 %"
    : value > 99.9 && share < 1
      ? "> 99.9 %"
      : `${value.toFixed(value < 10 ? 1 : 0)} %`;
}

/** A bar for each row group, from its minimum to its maximum: bottom to top. */
function picture({ bars }: Summary): SVGSVGElement {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", `0 0 ${bars.length} 1`);
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("aria-hidden", "true");
  bars.forEach(({ low, high }, i) => {
    const bar = document.createElementNS(SVG, "rect");
    const tall = Math.max(0.08, high - low);
    const place = { x: i + 0.1, width: 0.8, y: Math.max(0, Math.min(1 - tall, 1 - high)), height: tall };
    for (const [name, value] of Object.entries(place)) bar.setAttribute(name, String(value));
    svg.append(bar);
  });
  return svg;
}
