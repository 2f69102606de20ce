/** The table below a picture: a row leads to its node and marks its bytes. */

import type { Context, Sheet, SheetPart } from "./context";
import { h, said } from "./dom";
import { Grid, type GridCell } from "./grid";
import { pathName } from "./pathname";
import { count } from "./text";

const CHARACTER = 8.2;
const ROW = 24;
const MOST_ROWS = 14;
/** The maximum width of a column in characters; Python shortens longer texts. */
const CAPPED = 48;
/** Shorter names are not cut. */
const SHORT = 16;
/** Columns of names that keep their end: paths of columns, with dots between the parts, and paths of files. */
const KEEPS_END: Record<string, "." | "/"> = {
  column: ".",
  column_name: ".",
  path: "/",
  file: "/",
  example: "/",
  first_path: "/",
  object: "/",
};

export class SheetView {
  readonly el: HTMLElement;
  #ctx: Context;
  #sheet: Sheet;
  #from: { address: string; lens: string };
  #grid: Grid;
  #parts = new Map<number, SheetPart | null>();
  #step: number;

  constructor(ctx: Context, sheet: Sheet, from: { address: string; lens: string }) {
    this.#ctx = ctx;
    this.#sheet = sheet;
    this.#from = from;
    this.#step = Math.max(1, sheet.rows.length);
    this.#parts.set(0, sheet);
    const cut = sheet.columns.findIndex((column, i) => column.kind === "text" && sheet.width[i] >= CAPPED);
    const grows = cut < 0 ? sheet.columns.length - 1 : cut;
    this.#grid = new Grid({
      label: sheet.caption || "Table",
      count: sheet.listed,
      columns: sheet.columns.map((column, i) => ({
        title: column.title,
        width: 20 + Math.max(column.kind === "share" ? 84 : 36, sheet.width[i] * CHARACTER),
        align: column.kind === "number" || column.kind === "bytes" ? "right" : "left",
        grow: i === grows && column.kind === "text",
        gives: column.kind === "text" || column.kind === "code",
      })),
      cell: (row, column) => this.#cell(row, column),
      choose: (row) => {
        const address = this.#row(row)?.address;
        if (address !== null && address !== undefined) ctx.select(address);
      },
      span: (row) => this.#row(row)?.span,
      point: (row) => ctx.hot.emit((row !== null && this.#row(row)?.span) || null),
    });
    this.#grid.el.style.height = `${(Math.min(sheet.listed, MOST_ROWS) + 1) * ROW + 18}px`;
    const clipped = sheet.total - sheet.listed;
    this.el = h(
      "figure",
      { class: "pqx-sheet" },
      (sheet.caption || clipped > 0) &&
        h(
          "figcaption",
          {},
          ...said(sheet.caption),
          clipped > 0 &&
            h("span", { class: "pqx-muted" }, ` the first ${count(sheet.listed)} of ${count(sheet.total)}`),
        ),
      this.#grid.el,
    );
  }

  dispose(): void {
    this.#grid.dispose();
  }

  #row(row: number) {
    const start = Math.floor(row / this.#step) * this.#step;
    const part = this.#parts.get(start);
    if (part === undefined) this.#fetch(start);
    const at = row - start;
    return part && { cells: part.rows[at], address: part.addresses[at], span: part.spans[at] };
  }

  #fetch(start: number): void {
    this.#parts.set(start, null);
    this.#ctx.rpc.call<SheetPart>("table", { ...this.#from, start }).then(
      ({ result }) => {
        this.#parts.set(start, result);
        this.#grid.refresh();
      },
      (error: Error) => this.#ctx.announce(error.message),
    );
  }

  #cell(row: number, column: number): GridCell | undefined {
    const line = this.#row(row);
    if (!line) return undefined;
    const value = line.cells[column];
    const { kind } = this.#sheet.columns[column];
    if (value === null) return { text: "–", class: "pqx-absent" };
    if (kind === "share" && typeof value === "number") {
      const bar = h("span", {
        class: "pqx-share",
        style: `--share: ${(value * 100).toFixed(2)}%`,
        "aria-hidden": "true",
      });
      return { text: `${(value * 100).toFixed(1)} %`, extra: bar };
    }
    const goes = column === 0 && line.address !== null ? "pqx-goes" : "";
    const set = kind === "text" || kind === "flag" ? "" : "pqx-mono";
    const text = String(value);
    const style = `${goes} ${set}`.trim();
    const keeps = KEEPS_END[this.#sheet.columns[column].name];
    if (keeps && text.length > SHORT)
      return { text: "", title: text, class: style, extra: pathName(text, keeps) };
    return { text, class: style };
  }
}
