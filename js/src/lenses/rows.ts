/**
 * The rows, a column for each leaf. A cell leads to the life of its value, a row's number to the pages of the whole row.
 * The head says what statistics say of each column; a click on a name sorts by it, a condition leaves only some rows.
 */

import "./rows.css";
import { type Table, unpack } from "../columns";
import type { Context } from "../context";
import { append, fill, h } from "../dom";
import { Grid, type GridCell } from "../grid";
import { nextFrame } from "../rest";
import { count, plural, size } from "../text";
import { troubleBox, troubleOf } from "../trouble";
import type { Location } from "../wire/row_pages";
import type { Block, CellAddress, Picked, Picture, RowLocations, Summaries, Summary } from "../wire/rows";
import type { Trouble } from "../wire/trouble";
import { takeGoal } from "./goals";
import type { Lens, Shown } from "./lens";
import { RowsBar } from "./rowsbar";
import { summaryView } from "./rowshead";

const ROWS = 50;
const COLUMNS = 16;

/** A block of rows in memory: its columns unpacked. */
interface Kept {
  table: Table;
  errors: Record<string, Trouble>;
}

export const rows: Lens = {
  fills: true,
  mount: (el, picture, ctx) => new RowsView(el, picture, ctx),
};

class RowsView implements Shown {
  #picture: Picture;
  #ctx: Context;
  #grid: Grid;
  #blocks = new Map<string, Kept | null>();
  #message = h("div");
  #row = h("div", { class: "pqx-row-places", role: "group", "aria-label": "Places of a row", tabindex: 0 });
  #lit = -1;
  #bar: RowsBar;
  #summaries = new Map<number, Summary[] | null>();
  /** The numbers of the rows that are shown, in their order; null for all rows. */
  #picked: number[] | null = null;
  /** The column that sorts, and whether its largest values come first. */
  #sorted: { column: number; largest: boolean } | null = null;
  #filtered = false;
  #request: AbortController | null = null;
  #stop: () => void;

  constructor(el: HTMLElement, picture: Picture, ctx: Context) {
    this.#picture = picture;
    this.#ctx = ctx;
    this.#grid = new Grid({
      label: "Rows of the file",
      count: picture.count,
      columns: [
        { title: "row", width: 64, align: "right", fixed: true },
        ...picture.columns.map((column) => ({
          title: column.name,
          note: column.type,
          align: column.align,
          width: Math.max(
            72,
            Math.min(260, 20 + 7.3 * Math.max(column.name.length, column.type.length * 0.85, column.width)),
          ),
        })),
      ],
      cell: (row, column) => this.#cell(row, column),
      choose: (row, column) => void this.#choose(row, column),
      rowClass: (row) => (this.#at(row) === this.#lit ? "pqx-chosen" : ""),
      summary: (column) => this.#summary(column),
      sorted: (column) =>
        this.#sorted?.column !== column - 1 ? null : this.#sorted.largest ? "descending" : "ascending",
      ...(ctx.query.saved ? {} : { pick: (column: number) => this.#sort(column - 1) }),
    });
    const last = picture.first + picture.count - 1;
    this.#bar = new RowsBar(
      {
        turn: (to) => this.#turn(to),
        go: (row) => this.#go(row),
        filter: (where) => {
          ctx.query.ask(where);
          this.#filter(where);
        },
      },
      picture.first,
      last,
      ctx.query.where,
      ctx.query.saved,
    );
    this.#grid.el.addEventListener("scroll", () => this.#showWindow());
    this.#stop = ctx.query.changed.on(() => {
      const { where } = ctx.query;
      this.#bar.where = where;
      if (this.#filtered && !where) this.#all();
    });
    const goal = takeGoal(ctx);
    nextFrame(() => {
      if (goal === null) this.#showWindow();
      else this.#begin(goal);
    });
    const hidden = picture.all_columns - picture.columns.length;
    append(el, [
      h(
        "div",
        { class: "pqx-rows-lens" },
        hidden > 0 &&
          h(
            "p",
            { class: "pqx-muted" },
            `The first ${count(picture.columns.length)} of ${count(picture.all_columns)} columns.`,
          ),
        this.#bar.el,
        this.#message,
        this.#grid.el,
        this.#row,
      ),
    ]);
  }

  dispose(): void {
    this.#stop();
    this.#request?.abort();
    if (this.#lit >= 0) this.#ctx.lit.emit([]);
    this.#ctx.hot.emit(null);
    this.#grid.dispose();
  }

  /** The number in the file of a row of the grid. */
  #at(row: number): number {
    return this.#picked ? this.#picked[row] : this.#picture.first + row;
  }

  #summary(column: number): Node | null {
    if (column === 0) return null;
    const first = Math.floor((column - 1) / COLUMNS) * COLUMNS;
    const known = this.#summaries.get(first);
    if (known === undefined) {
      this.#summaries.set(first, null);
      const args = { column: first, group: this.#picture.group };
      this.#ctx.rpc.call<Summaries>("row_summaries", args).then(
        ({ result }) => {
          this.#summaries.set(first, result.columns);
          this.#grid.refreshHead();
        },
        () => {}, // a saved page has those of its first columns; the rows are there without them
      );
    }
    const summary = known?.[column - 1 - first];
    return summary ? summaryView(summary) : null;
  }

  /** Show the page before (-1) or after (1), the first (-2) or the last one (2). */
  #turn(to: number): void {
    const { first, fits } = this.#grid.window;
    this.#grid.startAt(to === -2 ? 0 : to === 2 ? this.#count - 1 : first + to * fits);
    nextFrame(() => this.#showWindow());
  }

  #go(row: number): void {
    this.#all();
    this.#grid.startAt(row - this.#picture.first);
    nextFrame(() => this.#showWindow());
  }

  /** Begin with a row that another lens led to. */
  #begin(row: number): void {
    this.#lit = row;
    this.#go(row);
    if (!this.#ctx.query.saved) void this.#light(row - this.#picture.first); // a saved page does not know its pages
  }

  get #count(): number {
    return this.#picked ? this.#picked.length : this.#picture.count;
  }

  #showWindow(): void {
    const { first: top, end } = this.#grid.window;
    const last = Math.max(top, end - 1);
    // rows are numbered from 0, as in the file; the places in a list of some rows from 1
    const from = this.#picked ? 1 : this.#picture.first;
    const word = this.#picked ? "" : "rows ";
    this.#bar.shown = this.#count
      ? `${word}${count(from + top)} to ${count(from + last)} of ${count(this.#count)}`
      : "no rows";
  }

  #filter(where: string): void {
    this.#sorted = null;
    this.#filtered = where !== "";
    if (where) void this.#pick("match_rows", { where }, "Matching rows");
    else this.#all();
  }

  /** Sort by a column: first the smallest values, then the largest, then the file's order. */
  #sort(column: number): void {
    if (PQX_PAGE) return;
    const again = this.#sorted?.column === column;
    if (again && this.#sorted?.largest) {
      this.#all();
      return;
    }
    this.#filtered = false;
    this.#sorted = { column, largest: again };
    void this.#pick("sort_rows", { ...this.#sorted }, "Sorted rows");
  }

  /** All rows again, in the order of the file. */
  #all(): void {
    this.#request?.abort();
    this.#sorted = null;
    this.#filtered = false;
    if (this.#picked) this.#show(null);
    this.#bar.say();
    this.#message.replaceChildren();
  }

  #show(rows: number[] | null): void {
    this.#picked = rows;
    this.#blocks.clear();
    this.#grid.resize(this.#count);
    nextFrame(() => this.#showWindow());
  }

  /** Ask for the rows to show; `before` are those that come first, and `more` goes on after them. */
  async #pick(op: string, args: object, what: string, before: number[] = [], more = {}): Promise<void> {
    if (PQX_PAGE) return; // which has some rows only
    this.#request?.abort();
    const request = new AbortController();
    this.#request = request;
    const { first, count: rows } = this.#picture;
    const button = (text: string, press: () => void) =>
      h("button", { class: "pqx-button", onclick: press }, text);
    this.#bar.say(
      `${what} … `,
      button("stop", () => this.#all()),
    );
    try {
      const range = { start: first, stop: first + rows, ...more };
      const { result } = await this.#ctx.rpc.call<Picked>(op, { ...args, ...range }, request.signal);
      this.#message.replaceChildren();
      if (result.ask) {
        const agree = () => void this.#pick(op, args, what, before, { sure: true });
        this.#bar.say(
          `${result.ask} `,
          button("read", agree),
          " ",
          button("all rows", () => this.#all()),
        );
        return;
      }
      if (result.error) {
        this.#all();
        this.#bar.say(h("span", { class: "pqx-error" }, result.error));
        return;
      }
      const all = [...before, ...result.rows];
      const { next } = result;
      const top = this.#grid.window.first;
      this.#show(all);
      if (before.length) this.#grid.startAt(top);
      const onward = () => void this.#pick(op, args, what, all, { start: next });
      const sum = before.length ? `${count(all.length)} rows in all. ` : "";
      this.#bar.say(
        `${sum}${result.sentence} `,
        next !== null && button("more", onward),
        next !== null && " ",
        button("all rows", () => this.#all()),
      );
      this.#ctx.announce(result.sentence);
    } catch (error) {
      if (request.signal.aborted) return;
      this.#all();
      fill(this.#message, troubleBox(this.#ctx, troubleOf(error)));
    }
  }

  #block(row: number, column: number): Kept | null {
    const start = Math.floor(row / ROWS) * ROWS;
    const first = Math.floor(column / COLUMNS) * COLUMNS;
    const key = `${start}/${first}`;
    const known = this.#blocks.get(key);
    if (known === undefined) this.#fetch(key, start, first);
    return known ?? null;
  }

  #fetch(key: string, start: number, column: number): void {
    const blocks = this.#blocks;
    const picked = this.#picked;
    blocks.set(key, null);
    const [op, args] = picked
      ? ["rows_these", { rows: picked.slice(start, start + ROWS), column }]
      : ["rows", { start, column }];
    this.#ctx.rpc.call<Block>(op as string, args as object).then(
      ({ result, buffers }) => {
        if (picked !== this.#picked) return;
        blocks.set(key, { table: unpack(result.columns, buffers), errors: result.errors });
        this.#grid.refresh();
      },
      (error) => fill(this.#message, troubleBox(this.#ctx, troubleOf(error))),
    );
  }

  #cell(row: number, column: number): GridCell | undefined {
    const at = this.#at(row);
    if (column === 0)
      return {
        text: count(at),
        class: "pqx-muted pqx-goes",
        title: "Mark this row's pages in every column",
      };
    const leaf = column - 1;
    const place = this.#picked ? row : at;
    const block = this.#block(place, leaf);
    if (!block) return undefined;
    const i = place % ROWS;
    const text = block.table.texts[leaf]?.at(i) ?? "";
    const trouble = block.errors[leaf];
    const absent = block.table.numbers[`${leaf}?`]?.[i];
    if (trouble && absent && text === "")
      return { text: "not readable", class: "pqx-error", title: trouble.message };
    if (!absent && text === "") return { text: "(empty)", class: "pqx-absent pqx-goes" };
    return { text, class: absent ? "pqx-absent" : "pqx-mono pqx-goes" };
  }

  async #choose(row: number, column: number): Promise<void> {
    if (column === 0) {
      await this.#light(row);
      return;
    }
    const args = { row: this.#at(row), column: column - 1 };
    try {
      const { result } = await this.#ctx.rpc.call<CellAddress>("cell", args);
      this.#message.replaceChildren();
      this.#ctx.select(result.address);
    } catch (error) {
      fill(this.#message, troubleBox(this.#ctx, troubleOf(error)));
    }
  }

  /** Mark the pages that hold a row, in every column at once, and list them. */
  async #light(row: number): Promise<void> {
    const at = this.#at(row);
    try {
      const { result } = await this.#ctx.rpc.call<RowLocations>("row", { row: at });
      this.#message.replaceChildren();
      this.#lit = at;
      this.#grid.refresh();
      const spans = result.locations.flatMap((one) => (one.span ? [one.span] : []));
      this.#ctx.lit.emit(spans);
      const bytes = spans.reduce((sum, { start, end }) => sum + end - start, 0);
      const sentence = `Row ${count(at)} lies in ${plural(spans.length, "page")}, ${size(bytes)} together.`;
      const hidden = result.columns - result.locations.length;
      fill(
        this.#row,
        h(
          "p",
          {},
          sentence,
          hidden > 0 && ` The first ${count(result.locations.length)} of ${count(result.columns)} columns.`,
        ),
        h(
          "ul",
          { "aria-label": `Places of row ${count(at)}` },
          ...result.locations.map((one) => this.#location(one)),
        ),
      );
      this.#ctx.announce(sentence);
    } catch (error) {
      fill(this.#message, troubleBox(this.#ctx, troubleOf(error)));
    }
  }

  #location(location: Location): HTMLElement {
    const { span } = location;
    if (!span)
      return h(
        "li",
        {},
        h("strong", {}, location.name),
        h("span", { class: "pqx-error" }, ` ${location.trouble}`),
      );
    const page = location.page.split("/").at(-1);
    const entries =
      location.entries === 1
        ? `entry ${count(location.first)}`
        : `${count(location.entries)} entries from ${count(location.first)} on`;
    return h(
      "li",
      { "data-page": location.page },
      h(
        "button",
        {
          class: "pqx-link",
          onclick: () => this.#ctx.select(location.address),
          onpointerenter: () => this.#ctx.hot.emit(span),
          onpointerleave: () => this.#ctx.hot.emit(null),
          onfocus: () => this.#ctx.hot.emit(span),
          onblur: () => this.#ctx.hot.emit(null),
        },
        location.name,
      ),
      h(
        "span",
        { class: "pqx-muted" },
        ` page ${page}, ${size(span.end - span.start)} at ${count(span.start)}; ${entries}${location.values ? "" : ", no value"}`,
      ),
    );
  }
}
