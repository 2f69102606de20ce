/** One row group in detail: a lane of pages for each part of the condition, and a lane of the rows that are decoded. */

import { floorIndex } from "../columns";
import type { Context, Span } from "../context";
import { h } from "../dom";
import { count } from "../text";
import type { Theme } from "../theme";
import type { Focus, PageLane } from "../wire/query";
import { drawText, type Painting } from "./board";
import { lookOf, paint, READ, swatch } from "./querylook";

const LANE = 22;
const STEP = 28;
const GUTTER = 132;
const NARROW = 96;
const DECODED = "rows decoded";

/** The lane and the item in it of the mark at an index: first all pages, lane by lane, then the ranges of rows. */
export function placeOf(sizes: number[], mark: number): [lane: number, item: number] {
  let lane = 0;
  let item = mark;
  while (lane < sizes.length - 1 && item >= sizes[lane]) item -= sizes[lane++];
  return [lane, item];
}

export class PagesPainting implements Painting {
  label: string;
  count: number;
  minWidth = 260;
  #focus: Focus;
  #ctx: Context;
  #sizes: number[];
  #width = 0;

  constructor(focus: Focus, ctx: Context) {
    this.#focus = focus;
    this.#ctx = ctx;
    this.#sizes = [...focus.lanes.map((lane) => lane.first.length), focus.first.length];
    this.count = this.#sizes.reduce((sum, n) => sum + n, 0);
    this.label = `Pages of row group ${count(focus.group)} by the page index, and the rows that are decoded`;
  }

  legend(): HTMLElement {
    const pages = this.#focus.lanes.flatMap((lane) => lane.possible);
    return h(
      "ul",
      { class: "pqx-keys", "aria-label": "Legend" },
      pages.includes(true) && h("li", {}, swatch(READ), "a page that may have matching rows"),
      pages.includes(false) &&
        h("li", {}, swatch(lookOf("page index")), "a page that the page index rules out"),
      this.#focus.first.length > 0 &&
        h("li", {}, h("i", { class: "pqx-query-rows" }), "rows that are decoded"),
    );
  }

  height(): number {
    return this.#sizes.length * STEP + 20;
  }

  draw(pen: CanvasRenderingContext2D, width: number, height: number, theme: Theme): void {
    this.#width = width;
    const { lanes, rows } = this.#focus;
    lanes.forEach((lane, i) => {
      this.#name(pen, lane.clause, i, theme);
      for (let page = 0; page < lane.first.length; page++) {
        const [a, b] = [this.#x(lane.first[page]), this.#x(lane.end[page])];
        const wide = Math.max(1, b - a - (b - a > 4 ? 1 : 0));
        paint(pen, lane.possible[page] ? READ : lookOf("page index"), a, i * STEP + 3, wide, LANE);
      }
    });
    const last = lanes.length;
    this.#name(pen, DECODED, last, theme);
    pen.strokeStyle = theme.muted;
    pen.strokeRect(this.#x(0) + 0.5, last * STEP + 7.5, this.#x(rows) - this.#x(0) - 1, LANE - 9);
    pen.fillStyle = theme.ink;
    this.#focus.first.forEach((first, i) => {
      const a = this.#x(first);
      pen.fillRect(a, last * STEP + 7, Math.max(1.5, this.#x(this.#focus.end[i]) - a), LANE - 8);
    });
    pen.fillStyle = theme.muted;
    drawText(pen, "row 0", this.#x(0), height - 8, 80);
    drawText(pen, count(rows), this.#x(rows), height - 8, 120, "right");
  }

  get #gutter(): number {
    return this.#width < 480 ? NARROW : GUTTER;
  }

  #x(row: number): number {
    const share = row / Math.max(1, this.#focus.rows);
    return this.#gutter + share * (this.#width - this.#gutter - 6);
  }

  #name(pen: CanvasRenderingContext2D, text: string, lane: number, theme: Theme): void {
    pen.fillStyle = theme.ink;
    drawText(pen, text, 2, lane * STEP + 3 + LANE / 2, this.#gutter - 8);
  }

  #place(mark: number): { lane: PageLane | null; item: number; at: number } {
    const [at, item] = placeOf(this.#sizes, mark);
    return { lane: this.#focus.lanes[at] ?? null, item, at };
  }

  outline(pen: CanvasRenderingContext2D, mark: number, theme: Theme): void {
    const { lane, item, at } = this.#place(mark);
    const { first, end } = lane ?? this.#focus;
    const a = this.#x(first[item]);
    pen.strokeStyle = lane ? theme.ink : theme.accent;
    pen.lineWidth = 2;
    pen.strokeRect(a - 0.5, at * STEP + 2, Math.max(3, this.#x(end[item]) - a), LANE + 2);
  }

  at(x: number, y: number): number {
    const lane = Math.floor(y / STEP);
    const { lanes, rows } = this.#focus;
    if (lane < 0 || lane > lanes.length || x < this.#gutter - 2) return -1;
    const row = ((x - this.#gutter) / Math.max(1, this.#width - this.#gutter - 6)) * rows;
    const { first, end } = lanes[lane] ?? this.#focus;
    if (!first.length) return -1;
    const item = floorIndex(first, Math.max(0, row));
    if (lane === lanes.length && row >= end[item]) return -1;
    return this.#sizes.slice(0, lane).reduce((sum, n) => sum + n, 0) + item;
  }

  say(mark: number): string {
    const { lane, item } = this.#place(mark);
    const { first, end } = lane ?? this.#focus;
    const rows = `rows ${count(first[item])} to ${count(Math.max(first[item], end[item] - 1))}`;
    if (!lane) return `${rows} of row group ${count(this.#focus.group)} are decoded`;
    const verdict = lane.possible[item] ? "may match" : "ruled out by the page index";
    return `page ${count(item)} of ${lane.column}, ${rows}: ${verdict} for ${lane.clause}: ${lane.text[item]}`;
  }

  span(mark: number): Span | null {
    const { lane, item } = this.#place(mark);
    if (!lane || lane.start[item] < 0) return null;
    return { start: lane.start[item], end: lane.stop[item], space: "file" };
  }

  choose(mark: number): void {
    const { lane, item } = this.#place(mark);
    const address = lane?.address[item];
    this.#ctx.select(address ?? `row_groups/${this.#focus.group}`);
  }
}
