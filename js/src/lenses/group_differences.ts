/** What differs between row groups, a row for each column; what is the same everywhere is counted below. */

import "./group_differences.css";
import type { Context } from "../context";
import { append, type Child, fill, h } from "../dom";
import { count, plural } from "../text";
import type { Compared, Differences, Property } from "../wire/group_differences";

/** Row groups that a person can choose from; of more, those are the first ones. */
const CHOICES = 2_000;
/** Up to so many row groups, a saved page has the comparison of any two (`PAIRED` in contents.py). */
const PAIRED = 4;

const SIGNS: Record<string, string> = { same: "=", differs: "≠", unknown: "?" };

export class DifferencesView {
  readonly el: HTMLElement;
  #ctx: Context;
  #all: Differences;
  #said = h("p", { class: "pqx-apart-said", "aria-live": "polite" });
  #body = h("div");
  #request: AbortController | null = null;

  /** `said` is whether the sentence above the picture says already what `first` says. */
  constructor(ctx: Context, first: Differences, said = false) {
    this.#ctx = ctx;
    this.#all = first;
    this.el = h("section", { class: "pqx-apart", "aria-label": "What differs between row groups" });
    append(this.el, [this.#choice(first), this.#said, this.#body]);
    this.#show(first);
    if (said) fill(this.#said);
  }

  dispose(): void {
    this.#request?.abort();
  }

  /** The heading, with a choice of two row groups where there are more. */
  #choice({ total, groups }: Differences): HTMLElement {
    const head = h("h2", {}, "What differs, by row group");
    const { saved } = this.#ctx.query;
    if (total < 3 || (saved && (total > PAIRED || groups.length === 2))) return head;
    const numbers = [...Array(Math.min(total, CHOICES)).keys()];
    const choose = (label: string, every: string, value: number | null) => {
      const select = h(
        "select",
        { "aria-label": label, onchange: () => void this.#pick(one.value, other.value) },
        every && h("option", { value: "" }, every),
        ...numbers.map((i) => h("option", { value: i }, `row group ${count(i)}`)),
      );
      select.value = value === null ? "" : String(value);
      return select;
    };
    const pair = groups.length === 2 ? groups : [null, null];
    const every =
      pair[0] === null
        ? groups.length < total
          ? `the first ${count(groups.length)}`
          : "all row groups"
        : "";
    const one = choose("Compare", every, pair[0]);
    const other = choose("Compare with", pair[0] === null ? "each other" : "", pair[1]);
    return h(
      "div",
      { class: "pqx-bar" },
      head,
      h("label", {}, "compare ", one),
      h("label", {}, "with ", other),
    );
  }

  /** Compare two row groups; as long as only one of them is chosen, with the one beside it. */
  async #pick(first: string, second: string): Promise<void> {
    this.#request?.abort();
    const [one, other] = this.el.querySelectorAll("select");
    if (!first && !second) return this.#show(this.#all);
    const beside = (number: string) => (number === "0" ? "1" : String(Number(number) - 1));
    one.value = first || beside(second);
    other.value = second && second !== first ? second : beside(one.value);
    const request = new AbortController();
    this.#request = request;
    const args = { groups: [Number(one.value), Number(other.value)].sort((a, b) => a - b) };
    try {
      const { result } = await this.#ctx.rpc.call<Differences>("group_differences", args, request.signal);
      this.#show(result);
    } catch (error) {
      if (!request.signal.aborted) fill(this.#said, (error as Error).message);
    }
  }

  #show(found: Differences): void {
    const { columns, same, compared, of, differing, unknown } = found;
    fill(this.#said, found.said);
    const rest = [
      differing + unknown > columns.length &&
        `${plural(differing + unknown - columns.length, "more column")} that differ`,
      same > 0 && `${plural(same, "column")} the same in all of this`,
      compared < of && `${plural(of - compared, "column")} not compared`,
    ].filter(Boolean);
    const titles = columns[0]?.properties.map((one) => one.name) ?? [];
    fill(
      this.#body,
      columns.length > 0 &&
        h(
          "table",
          { class: "pqx-apart-table" },
          h(
            "thead",
            {},
            h("tr", {}, ...["column", ...titles].map((title) => h("th", { scope: "col" }, title))),
          ),
          h("tbody", {}, ...columns.map((one) => this.#row(one, found.groups))),
        ),
      rest.length > 0 && h("p", { class: "pqx-muted" }, `${rest.join("; ")}.`),
    );
  }

  #row(column: Compared, groups: number[]): HTMLElement {
    return h(
      "tr",
      { "data-column": column.name },
      h("td", {}, this.#link(column.name, column.address, "pqx-apart-name")),
      ...column.properties.map((one) =>
        h(
          "td",
          { "data-property": one.name, "data-state": one.state },
          h("b", { "aria-label": one.state }, SIGNS[one.state]),
          h("div", {}, ...this.#says(one, column, groups)),
        ),
      ),
    );
  }

  #says(one: Property, column: Compared, groups: number[]): Child[] {
    const texts: Child[] = one.text ? [h("span", {}, one.text)] : [];
    if (one.name === "range" && one.state === "differs" && column.low.length)
      texts.push(strip(column, groups));
    for (const { groups, text, address } of one.variants)
      texts.push(
        h(
          "span",
          { class: "pqx-apart-form" },
          groups && h("small", {}, this.#link(groups, address, "", `Row groups ${groups}`)),
          h("span", {}, text),
        ),
      );
    return texts;
  }

  #link(text: string, address: string, kind: string, label?: string): HTMLElement {
    return h(
      "button",
      {
        class: `pqx-link ${kind}`,
        title: text,
        "aria-label": label,
        onclick: () => this.#ctx.select(address),
      },
      text,
    );
  }
}

/** The ranges below each other on one axis: a line a row group. */
function strip({ low, high }: Compared, groups: number[]): HTMLElement {
  const lines = groups.map((_, i) => {
    const [from, to] = [low[i], high[i]];
    if (from === null || to === null) return h("i", { "data-none": true });
    const [left, wide] = [from * 100, (to - from) * 100];
    return h("i", { style: `margin-left: ${left.toFixed(2)}%; width: max(2px, ${wide.toFixed(2)}%)` });
  });
  return h("div", { class: "pqx-apart-strip", "aria-hidden": "true" }, ...lines);
}
