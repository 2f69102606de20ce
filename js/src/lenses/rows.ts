/** The rows, a column for each leaf. A cell leads to the bytes that hold it, a row's number to those of the whole row. */

import "./rows.css";
import { type Header, type Table, unpack } from "../columns";
import type { Context, Span, Trouble } from "../context";
import { append, fill, h } from "../dom";
import { Grid, type GridCell } from "../grid";
import { count, plural, size } from "../text";
import { troubleBox, troubleOf } from "../trouble";
import type { Lens, Shown } from "./index";

const ROWS = 50;
const COLUMNS = 16;

interface Payload {
  columns: { name: string; type: string; align: "left" | "right"; width: number }[];
  all_columns: number;
  first: number;
  count: number;
}

interface Place {
  name: string;
  page: string;
  span: Span | null;
  address: string;
  first: number;
  entries: number;
  values: number;
  trouble: string;
}

interface Block {
  table: Table;
  errors: Record<string, Trouble>;
}

export const rows: Lens = {
  fills: true,
  mount: (el, payload, ctx) => new RowsView(el, payload, ctx),
};

class RowsView implements Shown {
  #payload: Payload;
  #ctx: Context;
  #grid: Grid;
  #blocks = new Map<string, Block | null>();
  #message = h("div");
  #row = h(
    "div",
    { class: "pqx-row-places", role: "group", "aria-label": "Places of a row", tabindex: 0 },
    h("p", { class: "pqx-muted" }, "A row's number lights the pages that hold the row, in every column."),
  );
  #lit = -1;

  constructor(el: HTMLElement, payload: Payload, ctx: Context) {
    this.#payload = payload;
    this.#ctx = ctx;
    this.#grid = new Grid({
      label: "Rows of the file",
      count: payload.count,
      columns: [
        { title: "row", width: 64, align: "right", fixed: true },
        ...payload.columns.map((column) => ({
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
    const hidden = payload.all_columns - payload.columns.length;
    append(el, [
      h(
        "div",
        { class: "pqx-rows-lens" },
        hidden > 0 &&
          h(
            "p",
            { class: "pqx-muted" },
            `The first ${count(payload.columns.length)} of ${count(payload.all_columns)} columns.`,
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

  #block(row: number, column: number): Block | null {
    const start = Math.floor(row / ROWS) * ROWS;
    const first = Math.floor(column / COLUMNS) * COLUMNS;
    const key = `${start}/${first}`;
    const known = this.#blocks.get(key);
    if (known === undefined) this.#fetch(key, start, first);
    return known ?? null;
  }

  #fetch(key: string, start: number, column: number): void {
    this.#blocks.set(key, null);
    this.#ctx.rpc.call<{ columns: Header; errors: Record<string, Trouble> }>("rows", { start, column }).then(
      ({ result, buffers }) => {
        this.#blocks.set(key, { table: unpack(result.columns, buffers), errors: result.errors });
        this.#grid.refresh();
      },
      (error) => fill(this.#message, troubleBox(this.#ctx, troubleOf(error))),
    );
  }

  #cell(row: number, column: number): GridCell | undefined {
    const at = this.#payload.first + row;
    if (column === 0)
      return {
        text: count(at),
        class: "pqx-muted pqx-goes",
        title: "Light this row's pages in every column",
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
    const args = { row: this.#payload.first + row, column: column - 1 };
    try {
      const { result } = await this.#ctx.rpc.call<{ address: string }>("cell", args);
      this.#message.replaceChildren();
      this.#ctx.select(result.address);
    } catch (error) {
      fill(this.#message, troubleBox(this.#ctx, troubleOf(error)));
    }
  }

  /** Mark the pages that hold a row, in every column at once, and list them. */
  async #light(row: number): Promise<void> {
    const at = this.#payload.first + row;
    try {
      const { result } = await this.#ctx.rpc.call<{ columns: number; places: Place[] }>("row", { row: at });
      this.#message.replaceChildren();
      this.#lit = row;
      this.#grid.refresh();
      const spans = result.places.flatMap((place) => (place.span ? [place.span] : []));
      this.#ctx.lit.emit(spans);
      const bytes = spans.reduce((sum, [start, end]) => sum + end - start, 0);
      const told = `Row ${count(at)} lies in ${plural(spans.length, "page")}, ${size(bytes)} together.`;
      const hidden = result.columns - result.places.length;
      fill(
        this.#row,
        h(
          "p",
          {},
          told,
          hidden > 0 && ` The first ${count(result.places.length)} of ${count(result.columns)} columns.`,
        ),
        h(
          "ul",
          { "aria-label": `Places of row ${count(at)}` },
          ...result.places.map((one) => this.#place(one)),
        ),
      );
      this.#ctx.announce(told);
    } catch (error) {
      fill(this.#message, troubleBox(this.#ctx, troubleOf(error)));
    }
  }

  #place(place: Place): HTMLElement {
    const { span } = place;
    if (!span)
      return h("li", {}, h("strong", {}, place.name), h("span", { class: "pqx-error" }, ` ${place.trouble}`));
    const page = place.page.split("/").at(-1);
    const entries =
      place.entries === 1
        ? `entry ${count(place.first)}`
        : `${count(place.entries)} entries from ${count(place.first)} on`;
    return h(
      "li",
      { "data-page": place.page },
      h(
        "button",
        {
          class: "pqx-link",
          onclick: () => this.#ctx.select(place.address),
          onpointerenter: () => this.#ctx.hot.emit(span),
          onpointerleave: () => this.#ctx.hot.emit(null),
          onfocus: () => this.#ctx.hot.emit(span),
          onblur: () => this.#ctx.hot.emit(null),
        },
        place.name,
      ),
      h(
        "span",
        { class: "pqx-muted" },
        ` page ${page}, ${size(span[1] - span[0])} at ${count(span[0])}; ${entries}${place.values ? "" : ", no value"}`,
      ),
    );
  }
}
