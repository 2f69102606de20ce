/** The rows, a column for each leaf. A cell leads to its bytes, a row's number to the pages of the whole row. */

import "./rows.css";
import { type Table, unpack } from "../columns";
import type { Context } from "../context";
import { append, fill, h } from "../dom";
import { Grid, type GridCell } from "../grid";
import { count, plural, size } from "../text";
import { troubleBox, troubleOf } from "../trouble";
import type { Block, CellAddress, Picture, RowLocations } from "../wire/rows";
import type { Location } from "../wire/rows_pages";
import type { Trouble } from "../wire/trouble";
import type { Lens, Shown } from "./lens";

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
  #row = h(
    "div",
    { class: "pqx-row-places", role: "group", "aria-label": "Places of a row", tabindex: 0 },
    h(
      "p",
      { class: "pqx-muted" },
      "Click a row's number to mark the pages that hold the row, in every column.",
    ),
  );
  #lit = -1;

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
      rowClass: (row) => (row === this.#lit ? "pqx-chosen" : ""),
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
        this.#message,
        this.#grid.el,
        this.#row,
      ),
    ]);
  }

  dispose(): void {
    if (this.#lit >= 0) this.#ctx.lit.emit([]);
    this.#ctx.hot.emit(null);
    this.#grid.dispose();
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
    this.#blocks.set(key, null);
    this.#ctx.rpc.call<Block>("rows", { start, column }).then(
      ({ result, buffers }) => {
        this.#blocks.set(key, { table: unpack(result.columns, buffers), errors: result.errors });
        this.#grid.refresh();
      },
      (error) => fill(this.#message, troubleBox(this.#ctx, troubleOf(error))),
    );
  }

  #cell(row: number, column: number): GridCell | undefined {
    const at = this.#picture.first + row;
    if (column === 0)
      return {
        text: count(at),
        class: "pqx-muted pqx-goes",
        title: "Mark this row's pages in every column",
      };
    const leaf = column - 1;
    const block = this.#block(at, leaf);
    if (!block) return undefined;
    const i = at % ROWS;
    const text = block.table.texts[leaf]?.at(i) ?? "";
    const trouble = block.errors[leaf];
    if (trouble && text === "") return { text: "not readable", class: "pqx-error", title: trouble.message };
    const absent = block.table.numbers[`${leaf}?`]?.[i];
    return { text, class: absent ? "pqx-absent" : "pqx-mono pqx-goes" };
  }

  async #choose(row: number, column: number): Promise<void> {
    if (column === 0) {
      await this.#light(row);
      return;
    }
    const args = { row: this.#picture.first + row, column: column - 1 };
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
    const at = this.#picture.first + row;
    try {
      const { result } = await this.#ctx.rpc.call<RowLocations>("row", { row: at });
      this.#message.replaceChildren();
      this.#lit = row;
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
