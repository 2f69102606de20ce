/** The columns of a file, each with two bars: its bytes today as a frame, and in the best choice, filled. */

import type { Context, Span } from "../context";
import { count, plural, size } from "../text";
import type { Theme } from "../theme";
import type { Row, Whole } from "../wire/what_if";
import { drawText, type Painting } from "./board";
import { BEST, ratio } from "./what_if_matrix";

const ROW = 34;
const WIDE = 560;
const FIGURES = 180;

/** The sum of the columns that were tried. */
export function total(rows: Row[], columns: number): Row {
  const tried = rows.filter((row) => row.bytes >= 0);
  const sum = (of: (row: Row) => number) => tried.reduce((all, row) => all + of(row), 0);
  const column = tried.length < columns ? plural(tried.length, "column") : "all columns";
  const error = tried.some((row) => row.error) ? "an estimate" : "";
  return {
    column,
    address: "",
    today: sum((row) => row.today),
    bytes: sum((row) => row.bytes),
    error,
    choice: "",
  };
}

export class ColumnsPainting implements Painting {
  label = "Bytes of each column today and in the best choice, the largest saving first";
  count: number;
  minWidth = 300;
  #rows: Row[];
  #max: number;
  #ctx: Context;
  #width = 0;

  constructor({ rows, columns }: Whole, ctx: Context) {
    this.#ctx = ctx;
    this.#rows = [total(rows, columns), ...rows];
    this.#max = Math.max(1, ...rows.map((row) => Math.max(row.today, row.bytes)));
    this.count = this.#rows.length;
  }

  height(): number {
    return this.#rows.length * ROW + 4;
  }

  draw(pen: CanvasRenderingContext2D, width: number, _height: number, theme: Theme): void {
    this.#width = width;
    this.#rows.forEach((row, i) => {
      this.#row(pen, row, i, theme);
    });
  }

  #row(pen: CanvasRenderingContext2D, row: Row, at: number, theme: Theme): void {
    const y = at * ROW;
    const width = this.#width - 8;
    const font = pen.font;
    const narrow = width < WIDE;
    const tried = row.bytes >= 0;
    if (at === 0) pen.font = `bold ${font}`;
    pen.fillStyle = theme.ink;
    drawText(pen, row.column, 4, y + 10, narrow ? width - FIGURES : width * 0.34);
    const change = tried
      ? `${size(row.today)} → ${row.error ? "~" : ""}${size(row.bytes)}, ${ratio(row.bytes, row.today)}`
      : `${size(row.today)}, not tried`;
    drawText(pen, change, width, y + 10, FIGURES, "right");
    pen.font = font;
    if (!narrow) {
      pen.fillStyle = theme.muted;
      drawText(pen, row.choice, 4 + width * 0.36, y + 10, width * 0.62 - FIGURES);
    }
    const scale = (width - 4) / (at === 0 ? Math.max(1, row.today, row.bytes) : this.#max);
    if (tried) {
      pen.fillStyle = BEST;
      pen.fillRect(4, y + 18, Math.max(1, row.bytes * scale), 9);
    }
    pen.strokeStyle = theme.ink;
    pen.lineWidth = 1;
    pen.strokeRect(4.5, y + 17.5, Math.max(1, row.today * scale), 10);
    if (at) return;
    pen.strokeStyle = theme.muted;
    pen.strokeRect(0, y + ROW - 1.5, width + 4, 0.5);
  }

  outline(pen: CanvasRenderingContext2D, mark: number, theme: Theme): void {
    pen.strokeStyle = theme.accent;
    pen.lineWidth = 2;
    pen.strokeRect(1, mark * ROW + 1, this.#width - 2, ROW - 3);
  }

  at(_x: number, y: number): number {
    return y < 0 ? -1 : Math.floor(y / ROW);
  }

  say(mark: number): string {
    const row = this.#rows[mark];
    if (row.bytes < 0) return `${row.column}: ${count(row.today)} B today, not tried: ${row.choice}`;
    return [
      `${row.column}: ${count(row.today)} B today, ${count(row.bytes)} B in the best choice`,
      `${ratio(row.bytes, row.today)}`,
      row.choice,
      row.error && (row.error.startsWith("an") ? row.error : `an estimate, ${row.error}`),
    ]
      .filter(Boolean)
      .join(", ");
  }

  span(): Span | null {
    return null;
  }

  choose(mark: number): void {
    const { address } = this.#rows[mark];
    if (address) this.#ctx.select(address);
  }
}
