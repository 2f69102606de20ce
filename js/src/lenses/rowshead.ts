/** What the statistics say of a column, under its name: the ranges of its row groups, its bounds, nulls and distinct values. */

import { h } from "../dom";
import type { Bar, Summary } from "../wire/rows";

const SVG = "http://www.w3.org/2000/svg";

export function summaryView(summary: Summary): HTMLElement {
  const { low, high, nulls, distinct, bars, counts } = summary;
  const range = low === "" && high === "" ? "bounds not known" : `${low} – ${high}`;
  const share = nulls === null ? "nulls not known" : nulls === 0 ? "no nulls" : `${percent(nulls)} null`;
  const more = distinct === "" ? share : `${share}, ${distinct.replace("at most ", "≤ ")}`;
  const spoken = `${range}; ${share}; ${distinct || "distinct values not known"}, by the statistics${counts.length ? "; a histogram of all values" : bars.length > 1 ? "; the range of each row group" : ""}`;
  return h(
    "div",
    { class: "pqx-rows-summary", title: spoken },
    counts.length ? picture(heights(counts)) : bars.length > 1 ? picture(bars) : h("i", {}),
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

/** The counts of a histogram as bars that stand on the line below; each that is not empty is seen. */
function heights(counts: number[]): (Bar | null)[] {
  const most = Math.max(1, ...counts);
  return counts.map((one) => (one ? { low: 0, high: one / most } : null));
}

/** Bars side by side, each from `low` to `high`: of a histogram, or of row groups from their minimum to their maximum. */
function picture(bars: (Bar | null)[]): SVGSVGElement {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", `0 0 ${bars.length} 1`);
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("aria-hidden", "true");
  bars.forEach((one, i) => {
    if (!one) return;
    const { low, high } = one;
    const bar = document.createElementNS(SVG, "rect");
    const tall = Math.max(0.08, high - low);
    const place = { x: i + 0.1, width: 0.8, y: Math.max(0, Math.min(1 - tall, 1 - high)), height: tall };
    for (const [name, value] of Object.entries(place)) bar.setAttribute(name, String(value));
    svg.append(bar);
  });
  return svg;
}
