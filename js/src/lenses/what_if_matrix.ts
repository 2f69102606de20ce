/** The choices of a column as a matrix of bars: codecs down, encodings across, each against the bytes today. */

import { ACCENTS } from "../accents";
import type { Context, Span } from "../context";
import { h } from "../dom";
import { count } from "../text";
import type { Theme } from "../theme";
import type { Cell, Matrix } from "../wire/what_if";
import { drawText, hatch, type Painting } from "./board";

const ROW = 31;
const GUTTER = 104;
const MIN_CELL = 60;
/** A bar of this many times the bytes today fills its cell; longer ones are cut off. */
const FULL = 1.5;
const LINE = 13;

export const BEST = ACCENTS.good;
const OTHER = ACCENTS.amount;

/** A name in lines of at most `chars` characters, broken after an underscore or a comma, else anywhere. */
export function broken(name: string, chars: number): string[] {
  const lines: string[] = [];
  for (const part of name.match(/[^_, ]+[_, ]*|[_, ]+/g) ?? []) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + part.trimEnd().length <= chars) lines[lines.length - 1] += part;
    else for (let i = 0; i < part.length; i += chars) lines.push(part.slice(i, i + chars));
  }
  return lines;
}

/** A size as a part of today's: "70 %", "14 ×"; "~" before an estimate. */
export function ratio(bytes: number, today: number, estimate = false): string {
  const share = today > 0 ? bytes / today : Number.NaN;
  const about = estimate ? "~" : "";
  if (Number.isNaN(share)) return `${about}${count(bytes)} B`;
  if (share >= 9.995) return `${about}${Math.round(share)} ×`;
  return `${about}${share < 0.0995 ? (share * 100).toFixed(1) : Math.round(share * 100)} %`;
}

export class MatrixPainting implements Painting {
  label: string;
  count: number;
  minWidth: number;
  first?: number;
  #matrix: Matrix;
  #ctx: Context;
  #width = 0;

  constructor(matrix: Matrix, ctx: Context) {
    this.#matrix = matrix;
    this.#ctx = ctx;
    this.count = matrix.cells.length;
    this.minWidth = GUTTER + matrix.encodings.length * MIN_CELL;
    this.label = `Bytes of ${matrix.column} by codec and encoding, against ${count(matrix.today)} bytes today`;
    if (matrix.best >= 0) this.first = matrix.best;
  }

  /** What the marks mean. */
  legend(): HTMLElement {
    const { cells, best, today } = this.#matrix;
    const unread = [...new Set(cells.flatMap((cell) => cell?.unread_by ?? []))];
    const key = (mark: string, text: string) =>
      h("li", {}, h("i", { class: `pqx-whatif-key pqx-whatif-${mark}`, "aria-hidden": "true" }), text);
    return h(
      "ul",
      { class: "pqx-keys", "aria-label": "Legend" },
      best >= 0 && key("best", "★ the best, without those that an engine does not read"),
      key("other", "another choice"),
      key("today", "the bytes today"),
      unread.length > 0 && key("unread", `not read by ${unread.join(", ")}`),
      cells.some((cell) => cell && cell.bytes > FULL * today) && h("li", {}, "cut at its end: longer"),
      cells.some((cell) => cell?.error) && h("li", {}, "~ an estimate from a sample"),
    );
  }

  across(): number {
    return this.#matrix.encodings.length;
  }

  height(width: number): number {
    this.#width = width;
    return this.#head() + this.#matrix.codecs.length * ROW + 4;
  }

  get #cell(): number {
    return (this.#width - GUTTER) / Math.max(1, this.#matrix.encodings.length);
  }

  #names(): string[][] {
    return this.#matrix.encodings.map((name) =>
      broken(name, Math.max(6, Math.floor((this.#cell - 4) / 7.6))),
    );
  }

  #head(): number {
    return Math.max(...this.#names().map((lines) => lines.length), 1) * LINE + 8;
  }

  draw(pen: CanvasRenderingContext2D, width: number, _height: number, theme: Theme): void {
    this.#width = width;
    const { codecs, cells, best, encodings } = this.#matrix;
    const head = this.#head();
    pen.fillStyle = theme.ink;
    this.#names().forEach((lines, column) => {
      lines.forEach((line, i) => {
        drawText(pen, line, this.#x(column), 8 + i * LINE, this.#cell - 4);
      });
    });
    codecs.forEach((codec, row) => {
      pen.fillStyle = theme.ink;
      drawText(pen, codec, 2, head + row * ROW + ROW / 2, GUTTER - 10);
    });
    cells.forEach((cell, mark) => {
      const [column, row] = [mark % encodings.length, Math.floor(mark / encodings.length)];
      this.#bar(pen, cell, mark === best, this.#x(column), head + row * ROW, theme);
    });
  }

  #x(column: number): number {
    return GUTTER + column * this.#cell + 4;
  }

  #bar(
    pen: CanvasRenderingContext2D,
    cell: Cell | null,
    best: boolean,
    x: number,
    y: number,
    theme: Theme,
  ): void {
    const { today } = this.#matrix;
    const room = this.#cell - 12;
    pen.fillStyle = cell ? theme.ink : theme.muted;
    const font = pen.font;
    if (best) pen.font = `bold ${font}`;
    const text = cell ? ratio(cell.bytes, today, cell.error !== "") : "–";
    drawText(pen, `${best ? "★ " : ""}${text}`, x, y + 9, room);
    pen.font = font;
    if (!cell) return;
    const scale = room / Math.max(1, FULL * today);
    const wide = Math.max(2, Math.min(room, cell.bytes * scale));
    pen.fillStyle = best ? BEST : OTHER;
    pen.globalAlpha = cell.unread_by.length ? 0.35 : 1;
    pen.fillRect(x, y + 17, wide, 8);
    pen.globalAlpha = 1;
    if (cell.unread_by.length) hatch(pen, x, y + 17, wide, 8, theme.ink, 4);
    if (cell.bytes * scale > room) {
      pen.fillStyle = theme.background;
      for (const gap of [6, 10]) pen.fillRect(x + room - gap, y + 16, 2, 10);
    }
    pen.strokeStyle = theme.ink;
    pen.lineWidth = 1.5;
    pen.beginPath();
    pen.moveTo(x + today * scale, y + 14);
    pen.lineTo(x + today * scale, y + 28);
    pen.stroke();
    if (best) pen.strokeRect(x - 3, y + 0.5, this.#cell - 4, ROW - 2);
  }

  outline(pen: CanvasRenderingContext2D, mark: number, theme: Theme): void {
    const across = this.#matrix.encodings.length;
    pen.strokeStyle = theme.accent;
    pen.lineWidth = 2;
    pen.strokeRect(
      this.#x(mark % across) - 3,
      this.#head() + Math.floor(mark / across) * ROW + 0.5,
      this.#cell - 4,
      ROW - 2,
    );
  }

  at(x: number, y: number): number {
    const { encodings, codecs } = this.#matrix;
    const column = Math.floor((x - GUTTER) / this.#cell);
    const row = Math.floor((y - this.#head()) / ROW);
    if (column < 0 || column >= encodings.length || row < 0 || row >= codecs.length) return -1;
    return row * encodings.length + column;
  }

  say(mark: number): string {
    const { encodings, codecs, cells, today, best } = this.#matrix;
    const cell = cells[mark];
    const choice = `${encodings[mark % encodings.length]}, ${codecs[Math.floor(mark / encodings.length)]}`;
    if (!cell) return `${choice}: not measured`;
    return [
      `${choice}: ${count(cell.bytes)} B`,
      today > 0 && `${ratio(cell.bytes, today)} of the ${count(today)} B today`,
      cell.error && `an estimate, ${cell.error}`,
      cell.unread_by.length > 0 && `not read by ${cell.unread_by.join(", ")}`,
      mark === best && "the best",
    ]
      .filter(Boolean)
      .join(", ");
  }

  span(): Span | null {
    return this.#matrix.span;
  }

  choose(): void {
    this.#ctx.select(this.#matrix.address);
  }
}
