/**
 * Pages by the page index. At the top the range of values of each page, over the rows; below it the rows of each page and
 * its bytes, with a funnel between the two.
 */

import { ACCENTS } from "../accents";
import "./board.css";
import "./page_index.css";
import { floorIndex, type Numbers, unpack } from "../columns";
import type { Context, Span } from "../context";
import { append, fill, h } from "../dom";
import { isSkipped, skippedLegend, veil } from "../skipped";
import { count, plural, size } from "../text";
import type { Theme } from "../theme";
import { troubleBox, troubleOf } from "../trouble";
import type { Indexed, Picture, Texts } from "../wire/page_index";
import { Board, drawText, hatch, type Painting } from "./board";
import { chips } from "./chips";
import type { Lens, Shown } from "./lens";

type Columns = Record<string, Numbers | number[]>;

const BLOCK = 200;
const PLOT = 130;
const STRIP = 18;
const FUNNEL = 34;
const GUTTER = 104;
const SHADES = [ACCENTS.amount, ACCENTS.second];
const FUNNELS = 400;

/** Where pages begin and end on a strip from 0 to 1; without an offset index all pages have the same width. */
export function edges(starts: ArrayLike<number>, sizes: ArrayLike<number>, from: number, to: number) {
  const n = starts.length;
  const left = new Float64Array(n);
  const right = new Float64Array(n);
  const known = n > 0 && starts[0] >= 0 && to > from;
  for (let i = 0; i < n; i++) {
    left[i] = known && starts[i] >= 0 ? (starts[i] - from) / (to - from) : i / n;
    right[i] = known && starts[i] >= 0 ? left[i] + Math.max(0, sizes[i]) / (to - from) : (i + 1) / n;
  }
  return { left, right };
}

class Strips implements Painting {
  label: string;
  count: number;
  minWidth = 320;
  onText: () => void = () => {};
  #picture: Picture;
  #columns: Columns;
  #ctx: Context;
  #rows: { left: Float64Array; right: Float64Array };
  #bytes: { left: Float64Array; right: Float64Array };
  #texts = new Map<number, string[] | null>();
  #address: string;
  #width = 0;

  constructor(picture: Picture, columns: Columns, ctx: Context, address: string) {
    this.#picture = picture;
    this.#columns = columns;
    this.#ctx = ctx;
    this.#address = address;
    this.count = picture.pages;
    this.label = `${plural(picture.pages, "page")} over rows and bytes`;
    this.#rows = edges(columns.first_row, columns.rows, 0, picture.num_rows);
    this.#bytes = edges(columns.offset, columns.size, picture.start, picture.end);
  }

  get #plot(): number {
    return this.#picture.has.column_index ? PLOT : 0;
  }

  height(): number {
    const places = this.#picture.has.offset_index;
    return 8 + (this.#plot ? this.#plot + 10 : 0) + STRIP + (places ? FUNNEL + STRIP : 0) + 20;
  }

  draw(pen: CanvasRenderingContext2D, width: number, _height: number, theme: Theme): void {
    this.#width = width;
    const top = 8;
    if (this.#plot) this.#drawRanges(pen, top, theme);
    const rows = this.#rowsTop;
    this.#strip(pen, this.#rows, rows, theme);
    this.#veils(pen, theme);
    pen.fillStyle = theme.ink;
    drawText(pen, `${plural(this.#picture.num_rows, "row")}`, 2, rows + STRIP / 2, GUTTER - 8);
    if (!this.#picture.has.offset_index) return;
    const bytes = rows + STRIP + FUNNEL;
    this.#funnels(pen, rows + STRIP, bytes, theme);
    this.#strip(pen, this.#bytes, bytes, theme);
    pen.fillStyle = theme.ink;
    const { start, end } = this.#picture;
    drawText(pen, size(Math.max(0, end - start)), 2, bytes + STRIP / 2, GUTTER - 8);
    pen.fillStyle = theme.muted;
    drawText(pen, `byte ${count(start)}`, this.#x(0), bytes + STRIP + 10, 160);
    drawText(pen, count(end), this.#x(1), bytes + STRIP + 10, 160, "right");
  }

  /** Veil the pages that the query does not read: at most one veil for each pixel. */
  #veils(pen: CanvasRenderingContext2D, theme: Theme): void {
    if (!this.#ctx.query.skips) return;
    const top = this.#plot ? 8 : this.#rowsTop;
    const tall = this.#rowsTop + STRIP - top;
    let drawn = -1;
    for (let i = 0; i < this.count; i++) {
      const [a, b] = [this.#x(this.#rows.left[i]), this.#x(this.#rows.right[i])];
      if ((b - a < 1 && Math.floor(b) === drawn) || !this.skipped(i)) continue;
      drawn = Math.floor(b);
      veil(pen, a, top, Math.max(1, b - a), tall, theme);
    }
  }

  /** Whether the query does not read a page. */
  skipped(mark: number): boolean {
    return isSkipped(this.#ctx.query, this.span(mark));
  }

  get #rowsTop(): number {
    return 8 + (this.#plot ? this.#plot + 10 : 0);
  }

  #x(at: number): number {
    return GUTTER + at * (this.#width - GUTTER - 10);
  }

  #y(at: number): number {
    return 8 + this.#plot - 8 - at * (this.#plot - 16);
  }

  /** Pages as bars; those that share a pixel are drawn once. */
  #strip(
    pen: CanvasRenderingContext2D,
    at: { left: Float64Array; right: Float64Array },
    top: number,
    theme: Theme,
  ): void {
    const nulls = this.#columns.null_page;
    pen.strokeStyle = theme.muted;
    pen.strokeRect(this.#x(0) - 0.5, top - 0.5, this.#x(1) - this.#x(0) + 1, STRIP + 1);
    let drawn = -1;
    for (let i = 0; i < this.count; i++) {
      const [a, b] = [this.#x(at.left[i]), this.#x(at.right[i])];
      if (b - a < 1 && Math.floor(b) === drawn) continue;
      drawn = Math.floor(b);
      const gap = b - a > 5 ? 1 : 0;
      pen.fillStyle = nulls[i] ? theme.background : SHADES[i % 2];
      pen.fillRect(a, top, Math.max(1, b - a - gap), STRIP);
      if (nulls[i] && b - a > 3) hatch(pen, a, top, b - a - gap, STRIP, theme.muted);
      if (b - a > 26) {
        pen.fillStyle = nulls[i] ? theme.ink : i % 2 ? "#000000" : "#ffffff";
        drawText(pen, String(i), (a + b) / 2, top + STRIP / 2 + 0.5, b - a - 4, "center");
      }
    }
  }

  #funnels(pen: CanvasRenderingContext2D, top: number, bottom: number, theme: Theme): void {
    const step = Math.max(1, Math.ceil(this.count / FUNNELS));
    pen.globalAlpha = 0.16;
    for (let i = 0; i < this.count; i += step * 2) {
      const j = Math.min(this.count - 1, i + step - 1);
      pen.fillStyle = theme.accent;
      this.#funnel(pen, i, j, top, bottom);
      pen.fill();
    }
    pen.globalAlpha = 1;
  }

  #funnel(pen: CanvasRenderingContext2D, i: number, j: number, top: number, bottom: number): void {
    const middle = (top + bottom) / 2;
    const [a, b] = [this.#x(this.#rows.left[i]), this.#x(this.#rows.right[j])];
    const [c, d] = [this.#x(this.#bytes.left[i]), this.#x(this.#bytes.right[j])];
    pen.beginPath();
    pen.moveTo(a, top);
    pen.bezierCurveTo(a, middle, c, middle, c, bottom);
    pen.lineTo(d, bottom);
    pen.bezierCurveTo(d, middle, b, middle, b, top);
    pen.closePath();
  }

  #drawRanges(pen: CanvasRenderingContext2D, top: number, theme: Theme): void {
    const { low, high, null_page } = this.#columns;
    const line = theme.dark ? "rgba(255,255,255,.2)" : "rgba(0,0,0,.14)";
    let free = Number.POSITIVE_INFINITY;
    for (const { at, text } of this.#picture.axis.ticks) {
      const y = this.#y(at);
      pen.fillStyle = line;
      pen.fillRect(this.#x(0), Math.round(y), this.#x(1) - this.#x(0), 1);
      if (y > free) continue;
      pen.fillStyle = theme.muted;
      drawText(pen, text, GUTTER - 6, y, GUTTER - 10, "right");
      free = y - 13;
    }
    // one bar for each column of pixels, from the min to the max of the pages in it
    let column = -1;
    let min = 1;
    let max = 0;
    const flush = () => {
      if (column < 0) return;
      pen.fillStyle = SHADES[0];
      pen.fillRect(column, this.#y(max), 1, Math.max(2, this.#y(min) - this.#y(max)));
    };
    for (let i = 0; i < this.count; i++) {
      const [a, b] = [this.#x(this.#rows.left[i]), this.#x(this.#rows.right[i])];
      if (b - a < 1.5) {
        if (low[i] < 0) continue;
        if (Math.floor(a) !== column) {
          flush();
          column = Math.floor(a);
          min = low[i];
          max = high[i];
        }
        min = Math.min(min, low[i]);
        max = Math.max(max, high[i]);
        continue;
      }
      const gap = b - a > 5 ? 1 : 0;
      if (low[i] < 0 || high[i] < 0) {
        hatch(pen, a, top, b - a - gap, this.#plot, theme.muted, null_page[i] ? 6 : 12);
        continue;
      }
      pen.fillStyle = SHADES[i % 2];
      const [y, z] = [this.#y(Math.max(low[i], high[i])), this.#y(Math.min(low[i], high[i]))];
      pen.fillRect(a, y - 1, b - a - gap, Math.max(3, z - y + 2));
    }
    flush();
  }

  outline(pen: CanvasRenderingContext2D, mark: number, theme: Theme): void {
    pen.strokeStyle = theme.ink;
    pen.lineWidth = 1.5;
    const box = (at: { left: Float64Array; right: Float64Array }, top: number, tall: number) => {
      const a = this.#x(at.left[mark]);
      pen.strokeRect(a - 0.5, top, Math.max(3, this.#x(at.right[mark]) - a), tall);
    };
    const rows = this.#rowsTop;
    box(this.#rows, this.#plot ? 8 : rows - 2, (this.#plot ? rows - 8 : 0) + STRIP + 3);
    if (!this.#picture.has.offset_index) return;
    const bytes = rows + STRIP + FUNNEL;
    this.#funnel(pen, mark, mark, rows + STRIP, bytes);
    pen.fillStyle = theme.accent;
    pen.globalAlpha = 0.5;
    pen.fill();
    pen.globalAlpha = 1;
    box(this.#bytes, bytes - 2, STRIP + 4);
  }

  at(x: number, y: number): number {
    const share = (x - GUTTER) / Math.max(1, this.#width - GUTTER - 10);
    if (share < 0 || share > 1) return -1;
    const onBytes = this.#picture.has.offset_index && y > this.#rowsTop + STRIP + FUNNEL / 2;
    const at = onBytes ? this.#bytes : this.#rows;
    const page = floorIndex(at.left, share);
    return share <= at.right[page] || !onBytes ? page : -1;
  }

  say(mark: number): string {
    const { first_row, rows, offset, size: sizes, nulls } = this.#columns;
    const parts = [`page ${count(mark)}`];
    const text = this.#text(mark);
    if (text) parts.push(text);
    if (rows[mark] >= 0)
      parts.push(`rows ${count(first_row[mark])} to ${count(first_row[mark] + rows[mark] - 1)}`);
    if (offset[mark] >= 0) parts.push(`${plural(sizes[mark], "byte")} at ${count(offset[mark])}`);
    if (nulls[mark] > 0) parts.push(plural(nulls[mark], "null"));
    if (this.skipped(mark)) parts.push("not read by the query");
    return parts.join(", ");
  }

  #text(mark: number): string {
    if (!this.#picture.has.column_index) return "";
    if (this.#picture.texts) return this.#picture.texts[mark];
    const block = Math.floor(mark / BLOCK);
    const known = this.#texts.get(block);
    if (known) return known[mark % BLOCK];
    if (known === undefined) {
      this.#texts.set(block, null);
      const args = { address: this.#address, start: block * BLOCK };
      this.#ctx.rpc.call<Texts>("indexed_texts", args).then(
        ({ result }) => {
          this.#texts.set(block, result.texts);
          this.onText();
        },
        (error: Error) => this.#ctx.announce(error.message),
      );
    }
    return "";
  }

  span(mark: number): Span | null {
    const { offset, size: sizes } = this.#columns;
    return offset[mark] < 0
      ? null
      : { start: offset[mark], end: offset[mark] + Math.max(0, sizes[mark]), space: "file" };
  }

  choose(mark: number): void {
    const { ahead, chunk } = this.#picture;
    if (ahead !== null) this.#ctx.select(`${chunk}/pages/${mark + ahead}`);
  }
}

export const pageIndex: Lens = {
  mount(el, picture: Picture, ctx, detail): Shown {
    const place = h("div", { class: "pqx-page-index", "data-boundary": picture.boundary_order ?? "" });
    let board: Board | null = null;
    let gone = false;
    const legend = skippedLegend(ctx, () => {
      board?.redraw();
      board?.tell();
    });
    append(el, [chips(picture.facts), legend.el, place]);
    const draw = (columns: Columns) => {
      const strips = new Strips(picture, columns, ctx, detail.address);
      board = new Board(ctx, strips, picture.has.column_index ? picture.axis.label : "");
      strips.onText = () => board?.tell();
      fill(place, board.el, key(picture));
    };
    if (picture.columns) draw({ ...picture.columns });
    else
      ctx.rpc.call<Indexed>("indexed_pages", { address: picture.chunk }).then(
        ({ result, buffers }) => {
          if (!gone) draw(unpack(result.columns, buffers).numbers);
        },
        (error) => fill(place, troubleBox(ctx, troubleOf(error))),
      );
    return {
      dispose: () => {
        gone = true;
        legend.dispose();
        board?.dispose();
      },
    };
  },
};

function key(picture: Picture): HTMLElement | null {
  if (!picture.null_pages) return null;
  return h(
    "ul",
    { class: "pqx-keys", "aria-label": "Legend" },
    h("li", {}, h("i", { class: "pqx-key-nulls" }), "a page of nulls only"),
  );
}
