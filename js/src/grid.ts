/**
 * A table of any length and width: only visible cells exist, and their contents are fetched shortly before they are
 * shown. Arrow keys move, Enter goes to the cell's node.
 */

import type { Span } from "./context";
import { h, uniqueId } from "./dom";
import { standsFor } from "./glow";
import { nextFrame } from "./rest";
import { VirtualRows } from "./virtual";

interface GridColumn {
  title: string;
  note?: string;
  width: number;
  align?: "left" | "right";
  /** Stays at the left edge; only the first columns can. */
  fixed?: boolean;
  /** Takes the remaining room; `width` is its minimum. Only one column may. */
  grow?: boolean;
  /** Takes six tenths of the room at most. */
  gives?: boolean;
}

export interface GridCell {
  text: string;
  /** Class names: absent, error, mono, … */
  class?: string;
  title?: string;
  /** Something beside the text. */
  extra?: Node;
}

interface GridOptions {
  label: string;
  columns: GridColumn[];
  count: number;
  /** The contents of a cell; undefined if they are not here yet, in which case they are requested. */
  cell(row: number, column: number): GridCell | undefined;
  choose?(row: number, column: number): void;
  rowClass?(row: number): string;
  /** The bytes that a row stands for. */
  span?(row: number): Span | null | undefined;
  /** What stands under the title and the note of a column, in the head; null for nothing. */
  summary?(column: number): Node | null;
  /** A click on a column's title; without it titles are no buttons. */
  pick?(column: number): void;
  /** How the rows are sorted by a column. */
  sorted?(column: number): "ascending" | "descending" | null;
  point?(row: number | null): void;
}

const ROW = 24;
const HEAD = 24;
const HEAD_WITH_NOTE = 40;
const HEAD_WITH_SUMMARY = 64;

export class Grid {
  readonly el: HTMLElement;
  #options: GridOptions;
  #list: VirtualRows;
  #head: HTMLElement;
  #lefts: number[] = [];
  #widths: number[] = [];
  #width = 0;
  #from = 0;
  #to = 0;
  #row = 0;
  #column = 0;
  #id = uniqueId("grid");
  #fixed: number;

  constructor(options: GridOptions) {
    this.#options = options;
    this.#fixed = options.columns.filter((column) => column.fixed).length;
    const noted = options.columns.some((column) => column.note) ? HEAD_WITH_NOTE : HEAD;
    const tall = options.summary ? HEAD_WITH_SUMMARY : noted;
    this.#head = h("div", { class: "pqx-head", role: "row", "aria-rowindex": 1, style: `height: ${tall}px` });
    this.el = h(
      "div",
      {
        class: "pqx-grid",
        role: "grid",
        tabindex: 0,
        "aria-label": options.label,
        "aria-rowcount": options.count + 1,
        "aria-colcount": options.columns.length,
        onkeydown: (event: KeyboardEvent) => this.#key(event),
        onclick: (event: MouseEvent) => this.#click(event),
        onscroll: () => this.#sideways(),
        onpointerover: (event: PointerEvent) => this.#point(event),
        onpointerleave: () => options.point?.(null),
        onfocus: () => this.#mark(),
      },
      this.#head,
    );
    this.#measure();
    this.#window();
    this.#list = new VirtualRows(
      this.el,
      { rowHeight: ROW, count: options.count, row: (i) => this.#make(i) },
      () => tall,
    );
    this.#list.body.setAttribute("role", "rowgroup");
    this.#drawHead();
    new ResizeObserver(() => this.#resized()).observe(this.el);
  }

  /** Draw the rows again, after cells were fetched. */
  refresh(): void {
    this.#list.refresh();
    this.#mark();
  }

  /** Draw the head again, after summaries were fetched or rows sorted. */
  refreshHead(): void {
    this.#drawHead();
  }

  /** Show so many rows, from the first one on. */
  resize(count: number): void {
    this.#options.count = count;
    this.el.setAttribute("aria-rowcount", String(count + 1));
    this.#row = 0;
    this.#drawHead();
    this.#list.resize(count);
    this.#list.goTo(0);
    this.#mark();
  }

  /** The first row that is shown, the one after the last that is shown whole, and how many fit. */
  get window(): { first: number; end: number; fits: number } {
    return { first: this.#list.top, end: this.#list.end, fits: this.#list.visible };
  }

  /** Scroll so that a row is the first one shown, and make it the active one. */
  startAt(row: number): void {
    this.#row = Math.max(0, Math.min(this.#options.count - 1, row));
    this.#list.goTo(this.#row);
    this.#mark();
  }

  /** Show a row and make it the active one. */
  goTo(row: number): void {
    this.#row = row;
    this.#list.goTo(Math.max(0, row - Math.floor(this.#list.visible / 3)));
    this.#mark();
  }

  dispose(): void {
    this.#list.dispose();
  }

  /** Where the columns begin. */
  #measure(): boolean {
    const { columns } = this.#options;
    const room = this.el.clientWidth || Number.POSITIVE_INFINITY;
    const widths = columns.map(({ width, gives }) =>
      gives ? Math.min(width, Math.max(100, room * 0.6)) : width,
    );
    const natural = widths.reduce((sum, width) => sum + width, 0);
    const spare = Number.isFinite(room) ? Math.max(0, room - natural) : 0;
    const before = this.#width;
    this.#widths = columns.map((column, i) => widths[i] + (column.grow ? spare : 0));
    this.#width = 0;
    this.#lefts = this.#widths.map((width) => {
      this.#width += width;
      return this.#width - width;
    });
    return this.#width !== before;
  }

  #resized(): void {
    const moved = this.#measure();
    if (this.#window() || moved) {
      this.#drawHead();
      this.refresh();
    }
  }

  #window(): boolean {
    const left = this.el.scrollLeft;
    const right = left + (this.el.clientWidth || 1200);
    let from = this.#fixed;
    while (from < this.#lefts.length - 1 && this.#lefts[from + 1] < left) from++;
    let to = from;
    while (to < this.#lefts.length && this.#lefts[to] < right) to++;
    const changed = from !== this.#from || to !== this.#to;
    [this.#from, this.#to] = [from, to];
    return changed;
  }

  #sideways(): void {
    if (!this.#window()) return;
    this.#drawHead();
    this.refresh();
  }

  *#columns(): Generator<[number, GridColumn]> {
    for (let i = 0; i < this.#fixed; i++) yield [i, this.#options.columns[i]];
    for (let i = this.#from; i < this.#to; i++) yield [i, this.#options.columns[i]];
  }

  #place(i: number, column: GridColumn): string {
    const at = column.fixed ? "" : `transform: translateX(${this.#lefts[i]}px); `;
    return `${at}width: ${this.#widths[i]}px`;
  }

  #classes(column: GridColumn, more = ""): string {
    return `pqx-cell${column.align === "right" ? " pqx-right" : ""}${column.fixed ? " pqx-fixed" : ""}${more ? ` ${more}` : ""}`;
  }

  #drawHead(): void {
    for (const el of [this.#list.body, this.#head]) el.style.width = `${this.#width}px`;
    this.#head.replaceChildren();
    for (const [i, column] of this.#columns()) {
      this.#head.append(
        h(
          "div",
          {
            class: this.#classes(column),
            role: "columnheader",
            "aria-colindex": i + 1,
            "aria-sort": this.#options.sorted?.(i) ?? null,
            style: this.#place(i, column),
            title: column.note ? `${column.title}: ${column.note}` : column.title,
          },
          this.#options.summary && !column.fixed
            ? h("div", { class: "pqx-head-line" }, ...this.#title(i, column))
            : this.#title(i, column)[0],
          !this.#options.summary && column.note && h("small", {}, column.note),
          this.#options.summary?.(i),
        ),
      );
    }
  }

  /** The title of a column, a button if it can be picked, and its note. */
  #title(i: number, column: GridColumn): HTMLElement[] {
    const { pick, sorted } = this.#options;
    const arrow = { ascending: " ▲", descending: " ▼", none: "" }[sorted?.(i) ?? "none"];
    const title =
      pick && !column.fixed
        ? h("button", { class: "pqx-pick", onclick: () => pick(i) }, column.title + arrow)
        : h("span", {}, column.title);
    return column.note ? [title, h("small", {}, column.note)] : [title];
  }

  #make(row: number): HTMLElement {
    const line = h("div", {
      class: `pqx-row ${this.#options.rowClass?.(row) ?? ""}`,
      role: "row",
      "aria-rowindex": row + 2,
      "data-row": row,
      "data-bytes": standsFor(this.#options.span?.(row)),
      style: `width: ${this.#width}px`,
    });
    for (const [i, column] of this.#columns()) {
      const cell = this.#options.cell(row, i);
      const active = row === this.#row && i === this.#column;
      line.append(
        h(
          "div",
          {
            class: this.#classes(
              column,
              `${cell?.class ?? (cell ? "" : "pqx-muted")}${active ? " pqx-active" : ""}`,
            ),
            role: "gridcell",
            id: `${this.#id}-${row}-${i}`,
            "aria-colindex": i + 1,
            "data-column": i,
            style: this.#place(i, column),
            title: cell?.title ?? (cell && cell.text.length > 14 ? cell.text : null),
          },
          cell?.extra,
          cell ? cell.text : "…",
        ),
      );
    }
    return line;
  }

  #mark(): void {
    this.el.setAttribute("aria-activedescendant", `${this.#id}-${this.#row}-${this.#column}`);
    for (const old of this.el.querySelectorAll(".pqx-cell.pqx-active")) old.classList.remove("pqx-active");
    this.el
      .querySelector(`[data-row="${this.#row}"] > [data-column="${this.#column}"]`)
      ?.classList.add("pqx-active");
  }

  #hit(event: Event): [number, number] | null {
    const cell = (event.target as Element).closest<HTMLElement>("[data-column]");
    const row = cell?.closest<HTMLElement>("[data-row]");
    return cell && row ? [Number(row.dataset.row), Number(cell.dataset.column)] : null;
  }

  #point(event: PointerEvent): void {
    const hit = this.#hit(event);
    this.#options.point?.(hit ? hit[0] : null);
  }

  #click(event: MouseEvent): void {
    const hit = this.#hit(event);
    if (!hit) return;
    [this.#row, this.#column] = hit;
    this.#mark();
    this.#options.choose?.(...hit);
  }

  #key(event: KeyboardEvent): void {
    if (event.altKey || event.metaKey || (event.target as Element).closest("button")) return;
    const last = this.#options.count - 1;
    const right = this.#options.columns.length - 1;
    const page = this.#list.visible;
    const moves: Record<string, [number, number]> = {
      ArrowDown: [1, 0],
      ArrowUp: [-1, 0],
      ArrowRight: [0, 1],
      ArrowLeft: [0, -1],
      PageDown: [page, 0],
      PageUp: [-page, 0],
      Home: event.ctrlKey ? [-last, -right] : [0, -right],
      End: event.ctrlKey ? [last, right] : [0, right],
    };
    const move = moves[event.key];
    if (!move && event.key !== "Enter") return;
    event.preventDefault();
    event.stopPropagation();
    if (!move) {
      this.#options.choose?.(this.#row, this.#column);
      return;
    }
    this.#row = Math.max(0, Math.min(last, this.#row + move[0]));
    this.#column = Math.max(0, Math.min(right, this.#column + move[1]));
    this.#list.reveal(this.#row);
    this.#revealColumn();
    this.#list.refresh();
    nextFrame(() => this.#mark());
  }

  #revealColumn(): void {
    const column = this.#options.columns[this.#column];
    if (column.fixed) return;
    const pinned = this.#fixed ? this.#lefts[this.#fixed] : 0;
    const [left, width] = [this.#lefts[this.#column], this.#widths[this.#column]];
    if (left - pinned < this.el.scrollLeft) this.el.scrollLeft = left - pinned;
    else if (left + width > this.el.scrollLeft + this.el.clientWidth)
      this.el.scrollLeft = left + width - this.el.clientWidth;
  }
}
