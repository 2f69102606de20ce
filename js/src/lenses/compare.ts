/** A column across the row groups: bytes, ratio and range, a bar a row group. */

import { ACCENTS } from "../accents";
import type { Context, Span } from "../context";
import { append, h } from "../dom";
import { count, size, visible } from "../text";
import type { Theme } from "../theme";
import type { Picture } from "../wire/compare";
import { Board, drawText, hatch, type Painting } from "./board";
import type { Lens, Shown } from "./lens";

const AXIS = 18;
const TITLE = 16;
const APART = 8;
const RIGHT = 8;
/** The maximum width of a row group's bars, and of the gutter. */
const WIDEST = 56;
const GUTTER = 116;
const ODD = ACCENTS.wrong;

/** A part of the picture: its title, its height, its ticks from 0 (bottom) to 1, and what it draws of a row group. */
interface Panel {
  title: string;
  height: number;
  ticks: { at: number; text: string }[];
  bars(group: number): [from: number, to: number] | null;
  /** A second bar around the first. */
  outer?(group: number): number;
}

/** The step between the numbers of an axis, so that they are `room` pixels apart. */
export function stepOf(each: number, room = 44): number {
  let step = 1;
  for (let i = 0; step * each < room && i < 30; i++) step *= [2, 2.5, 2][i % 3];
  return step;
}

export class ComparePainting implements Painting {
  readonly label: string;
  readonly count: number;
  readonly first: number | undefined;
  #picture: Picture;
  #go: (address: string) => void;
  #panels: Panel[];
  #left = 0;
  #each = 1;

  constructor(picture: Picture, ctx: Pick<Context, "select">) {
    this.#picture = picture;
    this.count = picture.text.length;
    this.#go = ctx.select;
    this.first = picture.here ?? undefined;
    this.#panels = panelsOf(picture);
    const range = picture.axis ? " and range" : "";
    this.label = `Bytes, ratio${range} of the column in each of ${count(this.count)} row groups`;
  }

  height(): number {
    return this.#panels.reduce((sum, panel) => sum + TITLE + panel.height + APART, AXIS);
  }

  draw(pen: CanvasRenderingContext2D, width: number, height: number, theme: Theme): void {
    const texts = this.#panels.flatMap((panel) => panel.ticks.map((tick) => visible(tick.text)));
    const widest = Math.max(24, ...texts.map((text) => pen.measureText(text).width)) + 8;
    this.#left = Math.ceil(Math.min(GUTTER, width / 3, widest));
    this.#each = Math.min(WIDEST, (width - this.#left - RIGHT) / Math.max(1, this.count));
    const { here, outlier } = this.#picture;
    let top = 0;
    for (const panel of this.#panels) {
      pen.fillStyle = theme.muted;
      drawText(pen, panel.title, this.#left, top + TITLE / 2, width - this.#left - RIGHT);
      top += TITLE;
      if (here !== null) {
        pen.fillStyle = "rgba(128,128,128,.2)";
        pen.fillRect(this.#x(here), top, Math.max(2, this.#each), panel.height);
      }
      this.#ticks(pen, panel, top, width, theme);
      for (let i = 0; i < this.count; i++) if (i !== outlier) this.#bar(pen, panel, i, top, theme);
      if (outlier !== null) this.#bar(pen, panel, outlier, top, theme);
      top += panel.height + APART;
    }
    pen.fillStyle = theme.muted;
    pen.textAlign = "center";
    const step = stepOf(this.#each);
    for (let i = 0; i < this.count; i += step)
      pen.fillText(count(i), this.#x(i) + this.#each / 2, height - AXIS / 2);
  }

  #ticks(pen: CanvasRenderingContext2D, panel: Panel, top: number, width: number, theme: Theme): void {
    let free = Number.POSITIVE_INFINITY;
    for (const { at, text } of panel.ticks) {
      const y = top + (1 - at) * panel.height;
      pen.fillStyle = theme.dark ? "rgba(255,255,255,.16)" : "rgba(0,0,0,.12)";
      pen.fillRect(this.#left, Math.round(y), width - this.#left - RIGHT, 1);
      if (y > free) continue;
      pen.fillStyle = theme.muted;
      drawText(pen, text, this.#left - 6, y, this.#left - 8, "right");
      free = y - 13;
    }
  }

  #bar(pen: CanvasRenderingContext2D, panel: Panel, group: number, top: number, theme: Theme): void {
    const found = panel.bars(group);
    const odd = group === this.#picture.outlier;
    const x = this.#x(group);
    const wide = Math.max(odd ? 3 : 1, this.#each > 4 ? this.#each * 0.82 : this.#each);
    if (!found) {
      if (this.#picture.compressed[group] === null) hatch(pen, x, top, wide, panel.height, theme.muted);
      return;
    }
    const y = (at: number) => top + (1 - at) * panel.height;
    const plain = ACCENTS.amount;
    const outer = panel.outer?.(group);
    if (outer !== undefined) {
      pen.globalAlpha = 0.25;
      pen.fillStyle = plain;
      pen.fillRect(x, y(outer), wide, outer * panel.height);
      pen.globalAlpha = 1;
    }
    const [from, to] = found;
    const tall = Math.max(2, (to - from) * panel.height);
    const upper = Math.min(y(to), top + panel.height - tall);
    pen.fillStyle = odd ? ODD : plain;
    pen.fillRect(x, upper, wide, tall);
    if (odd) hatch(pen, x, upper, wide, tall, "rgba(0,0,0,.55)");
  }

  outline(pen: CanvasRenderingContext2D, mark: number, theme: Theme): void {
    pen.strokeStyle = theme.ink;
    pen.lineWidth = 1.5;
    const wide = Math.max(3, this.#each > 4 ? this.#each * 0.82 : this.#each);
    let top = 0;
    for (const { height } of this.#panels) {
      pen.strokeRect(this.#x(mark) - 1.5, top + TITLE - 1, wide + 3, height + 2); // the titles stay free
      top += TITLE + height + APART;
    }
  }

  at(x: number): number {
    const group = Math.floor((x - this.#left) / this.#each);
    return group >= 0 && group < this.count ? group : -1;
  }

  say(mark: number): string {
    return this.#picture.text[mark];
  }

  span(mark: number): Span | null {
    const start = this.#picture.start[mark];
    const bytes = this.#picture.compressed[mark];
    return start < 0 || bytes === null ? null : { start, end: start + bytes, space: "file" };
  }

  choose(mark: number): void {
    this.#go(`row_groups/${mark}/columns/${this.#picture.column}`);
  }

  #x(group: number): number {
    return this.#left + group * this.#each;
  }
}

/** Bytes, ratio, and the range if the column has bounds. */
export function panelsOf(picture: Picture): Panel[] {
  const { compressed, uncompressed, low, high, axis } = picture;
  const ratios = compressed.map((bytes, i) => (bytes ? uncompressed[i] / bytes : 0));
  const most = Math.max(1, ...uncompressed, ...compressed.map((bytes) => bytes ?? 0));
  const steepest = Math.max(1, ...ratios);
  const panels: Panel[] = [
    {
      title: "bytes in the file; pale: before compression",
      height: 48,
      ticks: [
        { at: 0, text: "0" },
        { at: 1, text: size(most) },
      ],
      bars: (i) => (compressed[i] === null ? null : [0, (compressed[i] ?? 0) / most]),
      outer: (i) => uncompressed[i] / most,
    },
    {
      title: "compression ratio",
      height: 32,
      ticks: [
        { at: 0, text: "0" },
        { at: 1, text: `${steepest.toFixed(steepest < 9.95 ? 1 : 0)} ×` },
      ],
      bars: (i) => (ratios[i] ? [0, ratios[i] / steepest] : null),
    },
  ];
  if (axis)
    panels.push({
      title: "minimum to maximum",
      height: 48,
      ticks: axis.ticks,
      bars: (i) => {
        const [from, to] = [low[i], high[i]];
        return from === null || to === null ? null : [Math.min(from, to), Math.max(from, to)];
      },
    });
  return panels;
}

export const compare: Lens = {
  mount(el, picture: Picture, ctx): Shown {
    const range = picture.axis ? ` Minimum to maximum: ${picture.axis.label}.` : "";
    const below = `Row groups, from the first to the last.${range}`;
    const board = new Board(ctx, new ComparePainting(picture, ctx), below);
    append(el, [
      board.el,
      picture.groups > picture.text.length &&
        h(
          "p",
          { class: "pqx-muted" },
          `The first ${count(picture.text.length)} of ${count(picture.groups)} row groups.`,
        ),
    ]);
    return { dispose: () => board.dispose() };
  },
};
