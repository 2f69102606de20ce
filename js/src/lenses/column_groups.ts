/** A column over its row groups: bytes, range and nulls, one above the other on one axis of row groups. */

import { ACCENTS } from "../accents";
import type { Table } from "../columns";
import type { Context, Span } from "../context";
import { isSkipped, veil } from "../skipped";
import { count, size } from "../text";
import type { Theme } from "../theme";
import type { Scale } from "../wire/axis";
import type { Groups } from "../wire/group_chunks";
import { drawText, hatch, type Painting } from "./board";

const STORED = ACCENTS.amount;
const RANGE = ACCENTS.amount;
const DOUBT = ACCENTS.wrong;
const NULLS = ACCENTS.nulls;
const GUTTER = 118;
const WIDEST = 90;
/** Height of each lane, and the room between two. */
const BYTES = 48;
const RANGES = 46;
const NULL = 16;
const GAP = 7;
const AXIS = 15;

/** The state of bounds that may be used: the first of `STATES` in insight/lenses/statistics.py. */
const USABLE = 0;

type Numbers = ArrayLike<number>;

/** The row groups, as they travel with the picture or as columns. */
export interface Lanes {
  compressed: Numbers;
  uncompressed: Numbers;
  low: Numbers;
  high: Numbers;
  state: Numbers;
  nulls: Numbers;
  start: Numbers;
  end: Numbers;
  text(i: number): string;
}

/** What is drawn: `count` row groups from `first` on, with the selected one, and which lanes there are. */
export interface Shape {
  first: number;
  count: number;
  mine: number | null;
  /** The axis of the ranges; null without a lane of ranges. */
  axis: Scale | null;
  nullable: boolean;
  addressOf(group: number): string;
}

export function lanesOf(groups: Groups): Lanes {
  return { ...groups, text: (i) => groups.text[i] };
}

export function lanesOfTable({ numbers, texts }: Table): Lanes {
  return { ...(numbers as unknown as Omit<Lanes, "text">), text: (i) => texts.text.at(i) ?? "" };
}

export class GroupsPainting implements Painting {
  label: string;
  count: number;
  minWidth = 240;
  first: number | undefined;
  #shape: Shape;
  #lanes: Lanes;
  #ctx: Context;
  #step = 1;
  #most: number;

  constructor(shape: Shape, lanes: Lanes, ctx: Context) {
    this.#shape = shape;
    this.#lanes = lanes;
    this.#ctx = ctx;
    this.count = shape.count;
    this.label = `Bytes${shape.axis ? ", ranges" : ""}${shape.nullable ? ", nulls" : ""} of ${count(shape.count)} row groups`;
    this.first = shape.mine === null ? undefined : shape.mine - shape.first;
    this.#most = 1;
    for (let i = 0; i < this.count; i++)
      this.#most = Math.max(this.#most, lanes.compressed[i], lanes.uncompressed[i]);
  }

  height(): number {
    const { axis, nullable } = this.#shape;
    return BYTES + (axis ? RANGES + GAP : 0) + (nullable ? NULL + GAP : 0) + AXIS;
  }

  draw(pen: CanvasRenderingContext2D, width: number, height: number, theme: Theme): void {
    this.#step = Math.min(WIDEST, (width - GUTTER - 4) / Math.max(1, this.count));
    const mine = this.first;
    const { axis, nullable } = this.#shape;
    const bottom = height - AXIS;
    if (mine !== undefined && mine < this.count) {
      pen.fillStyle = theme.dark ? "rgba(255,255,255,.13)" : "rgba(0,0,0,.08)";
      pen.fillRect(this.#x(mine), 0, Math.max(2, this.#step), bottom);
    }
    const ranges = BYTES + GAP;
    const nulls = axis ? ranges + RANGES + GAP : ranges;
    this.#ground(pen, theme, 0, BYTES, "bytes", [size(this.#most), "0"]);
    if (axis) {
      this.#ground(pen, theme, ranges, RANGES, "range", []);
      this.#ticks(pen, theme, ranges, axis);
    }
    if (nullable) this.#ground(pen, theme, nulls, NULL, "null", []);
    for (let i = 0; i < this.count; i++) {
      this.#bytes(pen, i, theme);
      if (axis) this.#range(pen, i, ranges, theme);
      if (nullable) this.#nulls(pen, i, nulls, theme);
    }
    this.#numbers(pen, bottom, theme);
  }

  outline(pen: CanvasRenderingContext2D, mark: number, theme: Theme): void {
    pen.strokeStyle = theme.ink;
    pen.lineWidth = 1.5;
    pen.strokeRect(this.#x(mark), 1, Math.max(3, this.#step), this.height() - AXIS - 1);
  }

  at(x: number): number {
    const group = Math.floor((x - GUTTER) / this.#step);
    return group >= 0 && group < this.count ? group : -1;
  }

  say(mark: number): string {
    const { compressed, uncompressed, nulls, text } = this.#lanes;
    const name = `row group ${count(mark + this.#shape.first)}`;
    if (compressed[mark] < 0) return `${name}: ${text(mark)}`;
    const share = nulls[mark];
    const missing = !this.#shape.nullable
      ? ""
      : share < 0
        ? "; nulls not counted"
        : `; ${percent(share)} null`;
    const skipped = isSkipped(this.#ctx.query, this.span(mark)) ? ", not read by the query" : "";
    const sizes = `${size(compressed[mark])} (${size(Math.max(0, uncompressed[mark]))} uncompressed)`;
    return `${name}: ${sizes}; ${text(mark)}${missing}${skipped}`;
  }

  span(mark: number): Span | null {
    const { start, end } = this.#lanes;
    return start[mark] < 0 ? null : { start: start[mark], end: end[mark], space: "file" };
  }

  choose(mark: number): void {
    this.#ctx.select(this.#shape.addressOf(mark + this.#shape.first));
  }

  #x(group: number): number {
    return GUTTER + group * this.#step;
  }

  #bar(): number {
    return Math.max(1, this.#step > 4 ? this.#step - 2 : this.#step);
  }

  /** The name of a lane, the texts of its two ends, and the line that its bars stand on. */
  #ground(
    pen: CanvasRenderingContext2D,
    theme: Theme,
    top: number,
    tall: number,
    name: string,
    ends: string[],
  ): void {
    pen.fillStyle = theme.dark ? "rgba(255,255,255,.25)" : "rgba(0,0,0,.2)";
    pen.fillRect(GUTTER, top + tall, this.#step * this.count, 1);
    pen.fillStyle = theme.ink;
    drawText(pen, name, 0, top + tall / 2, 40);
    pen.fillStyle = theme.muted;
    if (ends.length) drawText(pen, ends[0], GUTTER - 6, top + 6, GUTTER - 8, "right");
    if (ends.length) drawText(pen, ends[1], GUTTER - 6, top + tall - 5, GUTTER - 8, "right");
    pen.textAlign = "left";
  }

  /** The highest and the lowest tick of the ranges, at their places. */
  #ticks(pen: CanvasRenderingContext2D, theme: Theme, top: number, { ticks }: Scale): void {
    if (!ticks.length) return;
    pen.fillStyle = theme.muted;
    for (const { at, text } of new Set([ticks[0], ticks[ticks.length - 1]])) {
      const y = top + (1 - at) * (RANGES - 3) + 1;
      drawText(pen, middle(text, 13), GUTTER - 6, clamp(y, top + 5, top + RANGES - 4), GUTTER - 8, "right");
    }
    pen.textAlign = "left";
  }

  #bytes(pen: CanvasRenderingContext2D, i: number, theme: Theme): void {
    const { compressed, uncompressed } = this.#lanes;
    const [x, wide] = [this.#x(i), this.#bar()];
    if (compressed[i] < 0) {
      hatch(pen, x, 0, wide, BYTES, theme.muted);
      return;
    }
    const tall = (bytes: number) => (Math.max(0, bytes) / this.#most) * (BYTES - 2);
    const [inner, outer] = [tall(compressed[i]), tall(uncompressed[i])];
    pen.fillStyle = STORED;
    pen.fillRect(x, BYTES - inner, wide, Math.max(1, inner));
    if (wide < 4) {
      pen.globalAlpha = 0.3;
      pen.fillRect(x, BYTES - outer, wide, Math.max(0, outer - inner));
      pen.globalAlpha = 1;
    } else {
      pen.strokeStyle = STORED;
      pen.lineWidth = 1;
      pen.strokeRect(x + 0.5, BYTES - outer + 0.5, wide - 1, Math.max(1, outer - 1));
    }
    if (isSkipped(this.#ctx.query, this.span(i))) veil(pen, x, 0, wide, BYTES, theme);
  }

  #range(pen: CanvasRenderingContext2D, i: number, top: number, theme: Theme): void {
    const { low, high, state } = this.#lanes;
    const [x, wide] = [this.#x(i), this.#bar()];
    if (low[i] < 0 || high[i] < 0) {
      pen.fillStyle = theme.muted;
      if (wide > 12) drawText(pen, "none", x + 1, top + RANGES / 2, wide);
      return;
    }
    const y = (at: number) => top + (1 - at) * (RANGES - 3);
    const [from, to] = [y(Math.max(low[i], high[i])), y(Math.min(low[i], high[i])) + 3];
    if (state[i] === USABLE) {
      pen.fillStyle = RANGE;
      pen.fillRect(x, from, wide, to - from);
      return;
    }
    if (wide >= 4) hatch(pen, x, from, wide, to - from, DOUBT);
    pen.strokeStyle = DOUBT;
    pen.strokeRect(x + 0.5, from + 0.5, Math.max(0.5, wide - 1), Math.max(1, to - from - 1));
  }

  #nulls(pen: CanvasRenderingContext2D, i: number, top: number, theme: Theme): void {
    const share = this.#lanes.nulls[i];
    const [x, wide] = [this.#x(i), this.#bar()];
    pen.fillStyle = theme.muted;
    if (share < 0) {
      if (wide > 8) drawText(pen, "?", x + wide / 2, top + NULL / 2, wide, "center");
      return;
    }
    const tall = share * NULL;
    if (wide > 34)
      drawText(
        pen,
        percent(share),
        x + wide / 2,
        top + NULL - tall - 6 + (tall > 9 ? 14 : 0),
        wide,
        "center",
      );
    pen.fillStyle = NULLS;
    pen.globalAlpha = wide > 34 ? 0.55 : 1;
    if (share > 0) pen.fillRect(x, top + NULL - tall, wide, Math.max(1, tall));
    pen.globalAlpha = 1;
  }

  /** The numbers of row groups below the bars, as many as there is room for. */
  #numbers(pen: CanvasRenderingContext2D, bottom: number, theme: Theme): void {
    pen.fillStyle = theme.muted;
    drawText(pen, "row group", 0, bottom + 9, GUTTER - 8);
    const wide = pen.measureText(count(this.#shape.first + this.count)).width + 14;
    const every = Math.max(1, Math.ceil(wide / this.#step));
    for (let i = 0; i < this.count; i += every)
      drawText(pen, count(i + this.#shape.first), this.#x(i) + this.#bar() / 2, bottom + 9, 60, "center");
    pen.textAlign = "left";
  }
}

function clamp(x: number, low: number, high: number): number {
  return Math.max(low, Math.min(high, x));
}

/** A text of at most `most` characters that keeps its beginning and its end. */
export function middle(text: string, most: number): string {
  if (text.length <= most) return text;
  const half = (most - 1) >> 1;
  return `${text.slice(0, most - 1 - half)}…${text.slice(-half)}`;
}

/** A share as a text: "0 %", "< 1 %", "37 %", "100 %" only if it is all. */
export function percent(share: number): string {
  if (share > 0 && share < 0.01) return "< 1 %";
  if (share < 1 && share > 0.99) return "> 99 %";
  return `${Math.round(share * 100)} %`;
}
