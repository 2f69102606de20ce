/** The facts of a node, each with its meaning, and its children. */

import { chip } from "../chip";
import type { Brief, Context, Detail, Fact, Span } from "../context";
import { append, h } from "../dom";
import { standsFor } from "../glow";
import { Grid } from "../grid";
import { sentence } from "../kinds";
import { showMore } from "../more";
import { roveRows } from "../rove";
import { count, plural, size, words } from "../text";
import { troubleBox, troubleOf } from "../trouble";
import type { Children } from "../wire/tree";
import type { Lens, Shown } from "./lens";

const PAGE = 200;

export const facts: Lens = {
  fills: true,
  mount(el, _picture, ctx, detail): Shown {
    const list = factList(ctx, detail);
    const contents = detail.children ? new Contents(ctx, detail) : null;
    const pane = h(
      "div",
      { class: "pqx-facts-pane", tabindex: 0, role: "region", "aria-label": "Facts" },
      ...list,
    );
    const stop = showMore(pane);
    append(el, [h("div", { class: `pqx-facts-lens${contents ? "" : " pqx-alone"}` }, pane, contents?.el)]);
    return {
      dispose: () => {
        stop();
        contents?.dispose();
      },
    };
  },
};

function factList(ctx: Context, detail: Detail): HTMLElement[] {
  const about = sentence(detail.kind);
  const top: HTMLElement[] = [
    h(
      "p",
      { class: "pqx-about" },
      h("strong", {}, words(detail.kind)),
      about && ` – ${about}`,
      detail.span &&
        h(
          "span",
          { class: "pqx-muted" },
          ` ${plural(detail.span.end - detail.span.start, "byte")}, ${count(detail.span.start)} to ${count(detail.span.end)}${
            detail.span.space === "file"
              ? ""
              : ` of the ${/:(\w+)$/.exec(detail.span.space)?.[1] ?? "other"} bytes`
          }.`,
        ),
    ),
  ];
  if (detail.state !== "ok" && detail.reason)
    top.push(
      h(
        "p",
        { class: "pqx-trouble" },
        h("strong", {}, detail.state === "locked" ? "Encrypted" : "Corrupt"),
        detail.reason,
      ),
    );
  if (detail.damage) top.push(troubleBox(ctx, detail.damage));
  const items = detail.facts.map((fact, i) => factItem(ctx, fact, i === 0));
  const list = h(
    "ul",
    { class: "pqx-facts", onkeydown: (event: KeyboardEvent) => roveRows(event, ".pqx-fact") },
    ...items,
  );
  if (detail.more_facts > 0)
    list.append(h("li", { class: "pqx-muted" }, `and ${count(detail.more_facts)} more`));
  return items.length ? [...top, list] : top;
}

function factItem(ctx: Context, fact: Fact, first: boolean): HTMLElement {
  const { address, span, value } = fact;
  const shown = value.type === "none" ? h("span", { class: "pqx-absent" }, value.text) : value.text;
  const point = () => ctx.hot.emit(span);
  const leave = () => ctx.hot.emit(null);
  return h(
    "li",
    {
      class: "pqx-fact",
      "data-bytes": standsFor(span),
      tabindex: first ? 0 : -1,
      onpointerenter: point,
      onpointerleave: leave,
      onfocusin: point,
      onfocusout: leave,
    },
    h("span", { class: "pqx-fact-name" }, words(fact.name)),
    h(
      "span",
      { class: `pqx-fact-value pqx-${value.type}` },
      address ? h("button", { class: "pqx-link", onclick: () => ctx.select(address) }, shown) : shown,
    ),
    h("span", { class: "pqx-fact-meaning" }, fact.meaning),
  );
}

/** The children of a node as a table: label, first byte, size, and share of the node's bytes. */
class Contents {
  readonly el: HTMLElement;
  #grid: Grid;
  #ctx: Context;
  #address: string;
  #whole: Span | null;
  #pages = new Map<number, Brief[] | null>();

  constructor(ctx: Context, detail: Detail) {
    this.#ctx = ctx;
    this.#address = detail.address;
    this.#whole = detail.span;
    this.#grid = new Grid({
      label: `Contents of ${detail.label}`,
      count: detail.children,
      columns: [
        { title: plural(detail.children, "part"), width: 130, grow: true },
        { title: "begins at", width: 92, align: "right" },
        { title: "bytes", width: 84, align: "right" },
        { title: "share", width: 76 },
      ],
      cell: (row, column) => this.#cell(row, column),
      choose: (row) => {
        const child = this.#child(row);
        if (child) ctx.select(child.address);
      },
      span: (row) => this.#child(row)?.span,
      point: (row) => ctx.hot.emit((row !== null && this.#child(row)?.span) || null),
    });
    this.el = h("div", { class: "pqx-contents" }, this.#grid.el);
  }

  dispose(): void {
    this.#grid.dispose();
  }

  #child(row: number): Brief | undefined {
    const page = Math.floor(row / PAGE);
    const known = this.#pages.get(page);
    if (known === undefined) this.#fetch(page);
    return known?.[row % PAGE];
  }

  #fetch(page: number): void {
    this.#pages.set(page, null);
    const args = { address: this.#address, start: page * PAGE };
    this.#ctx.rpc.call<Children>("children", args).then(
      ({ result }) => {
        this.#pages.set(page, result.items);
        this.#grid.refresh();
      },
      (error) => this.el.prepend(troubleBox(this.#ctx, troubleOf(error))),
    );
  }

  #cell(row: number, column: number) {
    const child = this.#child(row);
    if (!child) return undefined;
    const bytes = child.span ? child.span.end - child.span.start : 0;
    if (column === 0) {
      const text = child.state === "ok" ? child.label : `${child.label} (${child.state})`;
      return { text, title: child.reason || child.label, extra: chip(child) ?? undefined, class: "pqx-goes" };
    }
    if (!child.span) return { text: "" };
    if (column === 1) return { text: count(child.span.start) };
    if (column === 2) return { text: count(bytes), title: size(bytes) };
    // an index belongs to its chunk but is elsewhere in the file: it has no share of the chunk's bytes
    const [whole, span] = [this.#whole, child.span];
    const inside = whole && span.start >= whole.start && span.end <= whole.end && span.space === whole.space;
    if (!inside) return { text: "–", class: "pqx-absent", title: "lies elsewhere in the file" };
    const share = bytes / Math.max(1, whole.end - whole.start);
    const bar = h("span", {
      class: "pqx-share",
      style: `--share: ${(share * 100).toFixed(2)}%`,
      "aria-hidden": "true",
    });
    return { text: `${(share * 100).toFixed(1)} %`, extra: bar };
  }
}
