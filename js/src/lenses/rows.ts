/** The rows, a column for each leaf. A cell leads to the bytes that hold it. */

import { type Header, type Table, unpack } from "../columns";
import type { Context, Trouble } from "../context";
import { append, fill, h } from "../dom";
import { Grid, type GridCell } from "../grid";
import { count } from "../text";
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

interface Block {
  table: Table;
  errors: Record<string, Trouble>;
}

export const rows: Lens = {
  mount: (el, payload, ctx) => new RowsView(el, payload, ctx),
};

class RowsView implements Shown {
  #payload: Payload;
  #ctx: Context;
  #grid: Grid;
  #blocks = new Map<string, Block | null>();
  #message = h("div");

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
        payload.count === 0 && h("p", { class: "pqx-muted" }, "There are no rows."),
        this.#message,
        this.#grid.el,
      ),
    ]);
  }

  dispose(): void {
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
    if (column === 0) return { text: count(at), class: "pqx-muted" };
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
    if (column === 0) return;
    const args = { row: this.#payload.first + row, column: column - 1 };
    try {
      const { result } = await this.#ctx.rpc.call<{ address: string }>("cell", args);
      this.#message.replaceChildren();
      this.#ctx.select(result.address);
    } catch (error) {
      fill(this.#message, troubleBox(this.#ctx, troubleOf(error)));
    }
  }
}
