/** The values of a column: the entries of its dictionary, or counts after a person asked for them. */

import type { Context } from "../context";
import { fill, h } from "../dom";
import { pathName } from "../pathname";
import { count } from "../text";
import { troubleBox, troubleOf } from "../trouble";
import type { Entry, Histogram, Values } from "../wire/column";

export function valuesPart(
  ctx: Context,
  first: Values,
  address: string,
): { el: HTMLElement; dispose(): void } {
  const el = h("div", { class: "pqx-column-values", role: "group", "aria-label": "Values" });
  const abort = new AbortController();
  const show = (values: Values) => fill(el, ...contents(ctx, values, ask));
  const ask = (button: HTMLButtonElement) => {
    button.disabled = true;
    button.textContent = "counting …";
    ctx.rpc.call<Values>("count_values", { address }, abort.signal).then(
      ({ result }) => {
        show(result);
        ctx.announce(result.title);
      },
      (error) => {
        if (!abort.signal.aborted) fill(el, troubleBox(ctx, troubleOf(error)));
      },
    );
  };
  show(first);
  return { el, dispose: () => abort.abort() };
}

function contents(ctx: Context, values: Values, ask: (button: HTMLButtonElement) => void) {
  const button = h("button", { class: "pqx-button", onclick: () => ask(button) }, "count values");
  return [
    h("div", { class: "pqx-bar" }, h("h2", {}, "Values"), values.countable && !ctx.query.saved && button),
    values.title !== "" && h("p", { class: "pqx-muted" }, values.title),
    values.histogram && histogram(values.histogram),
    values.entries.length > 0 && !values.histogram && list(ctx, values.entries),
  ];
}

function list(ctx: Context, entries: Entry[]): HTMLElement {
  const counted = entries[0].count !== null;
  const most = Math.max(1, ...entries.map((one) => one.count ?? 0));
  const item = ({ value, address, count: n }: Entry) => {
    const text = value || "(empty)";
    const shown = address
      ? h(
          "button",
          { class: "pqx-link", title: text, onclick: () => ctx.select(address) },
          pathName(text, ""),
        )
      : h("span", { title: text }, pathName(text, ""));
    if (n === null) return h("li", {}, shown);
    const bar = h("i", { style: `width: ${((n / most) * 100).toFixed(2)}%`, "aria-hidden": "true" });
    return h(
      "li",
      { "data-count": n },
      shown,
      h("span", { class: "pqx-column-bar" }, bar),
      h("span", {}, count(n)),
    );
  };
  return h("ol", { class: counted ? "pqx-column-counts" : "pqx-column-entries" }, ...entries.map(item));
}

function histogram({ axis, counts }: Histogram): HTMLElement {
  const most = Math.max(1, ...counts);
  const ticks = axis.ticks.filter((_, i) => i === 0 || i === axis.ticks.length - 1);
  return h(
    "div",
    {
      class: "pqx-column-histogram",
      role: "img",
      "aria-label": `Histogram of ${counts.length} bars, ${axis.label}`,
    },
    h(
      "div",
      {},
      ...counts.map((n) =>
        h("i", { style: `height: ${((n / most) * 100).toFixed(1)}%`, title: count(n), "data-count": n }),
      ),
    ),
    h("p", { class: "pqx-muted" }, ...ticks.map((tick) => h("span", {}, tick.text))),
  );
}
