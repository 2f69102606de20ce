/** Two strips to one scale: the bytes of the file today, and as predicted, by row group and column. */

import { floorIndex } from "../columns";
import type { Context, Span } from "../context";
import { FAMILIES } from "../kinds";
import { mix, rgb, writeOn } from "../paint";
import { count, plural, size } from "../text";
import type { Theme } from "../theme";
import type { Bytes } from "../wire/what_if";
import { drawText, type Painting } from "./board";

const STRIP = 30;
const EACH = 56;
const DATA = 0;
const FOOTER = 6;

export interface Tile {
  /** The byte that it begins with, counted over the strip. */
  start: number;
  bytes: number;
  /** Row group and column; -1 for the bytes that belong to neither. */
  group: number;
  column: number;
}

/** The tiles of a strip, side by side, those without bytes left out. */
export function tiles({ groups, rest }: Bytes): Tile[] {
  const made: Tile[] = [];
  let start = 0;
  const add = (bytes: number, group: number, column: number) => {
    if (bytes > 0) made.push({ start, bytes, group, column });
    start += bytes;
  };
  groups.forEach((columns, group) => {
    columns.forEach((bytes, column) => {
      add(bytes, group, column);
    });
  });
  add(rest, -1, -1);
  return made;
}

export class LayoutPainting implements Painting {
  label = "The bytes of the file by row group and column: today, and as predicted";
  count: number;
  minWidth = 280;
  #strips: { bytes: Bytes; tiles: Tile[]; starts: number[]; name: string }[];
  #names: string[];
  #addresses: string[];
  #ctx: Context;
  #width = 0;

  constructor(today: Bytes, predicted: Bytes, names: string[], addresses: string[], ctx: Context) {
    this.#ctx = ctx;
    this.#names = names;
    this.#addresses = addresses;
    this.#strips = [today, predicted].map((bytes, i) => {
      const made = tiles(bytes);
      return { bytes, tiles: made, starts: made.map((tile) => tile.start), name: i ? "predicted" : "today" };
    });
    this.count = this.#strips[0].tiles.length + this.#strips[1].tiles.length;
  }

  height(): number {
    return 2 * EACH;
  }

  get #scale(): number {
    return (this.#width - 4) / Math.max(1, ...this.#strips.map(({ bytes }) => bytes.size));
  }

  draw(pen: CanvasRenderingContext2D, width: number, _height: number, theme: Theme): void {
    this.#width = width;
    this.#strips.forEach(({ bytes, tiles: made, name }, i) => {
      const y = i * EACH;
      pen.fillStyle = theme.ink;
      const text = `${name}: ${size(bytes.size)} in ${plural(bytes.row_groups, "row group")}`;
      drawText(pen, text, 2, y + 9, width - 4);
      for (const tile of made)
        this.#tile(pen, tile, tile.column < 0 ? this.#rest(i) : this.#name(tile.column), y + 18, theme);
      pen.strokeStyle = theme.ink;
      pen.lineWidth = 1;
      if (i) pen.setLineDash([4, 3]);
      pen.strokeRect(1.5, y + 17.5, Math.max(1, bytes.size * this.#scale), STRIP + 1);
      pen.setLineDash([]);
    });
  }

  #tile(
    pen: CanvasRenderingContext2D,
    { start, bytes, group, column }: Tile,
    name: string,
    y: number,
    theme: Theme,
  ): void {
    const [x, wide] = [2 + start * this.#scale, bytes * this.#scale];
    const colour = colourOf(column, theme);
    pen.fillStyle = colour;
    pen.fillRect(x, y, wide, STRIP);
    if (column === 0 && group > 0) {
      pen.fillStyle = theme.background;
      pen.fillRect(x - 1, y, 2, STRIP);
    }
    if (wide > 34 && pen.measureText(name).width < wide - 8)
      writeOn(pen, name, colour, x + 5, y + STRIP / 2, 14);
  }

  #name(column: number): string {
    return this.#names[column] ?? "";
  }

  /** The bytes after the chunks: those of today's indexes are not a column's, the predicted ones are. */
  #rest(strip: number): string {
    return strip ? "footer" : "footer, indexes";
  }

  #place(mark: number): { strip: number; tile: Tile } {
    const first = this.#strips[0].tiles.length;
    const strip = mark < first ? 0 : 1;
    return { strip, tile: this.#strips[strip].tiles[strip ? mark - first : mark] };
  }

  outline(pen: CanvasRenderingContext2D, mark: number, theme: Theme): void {
    const { strip, tile } = this.#place(mark);
    pen.strokeStyle = theme.accent;
    pen.lineWidth = 2.5;
    const wide = Math.max(3, tile.bytes * this.#scale);
    pen.strokeRect(2 + tile.start * this.#scale, strip * EACH + 16, wide, STRIP + 4);
  }

  at(x: number, y: number): number {
    const strip = Math.floor(y / EACH);
    const known = this.#strips[strip];
    const byte = (x - 2) / this.#scale;
    if (!known?.tiles.length || byte < 0 || byte >= known.bytes.size || y - strip * EACH < 14) return -1;
    return floorIndex(known.starts, byte) + strip * this.#strips[0].tiles.length;
  }

  say(mark: number): string {
    const { strip, tile } = this.#place(mark);
    const { name, bytes } = this.#strips[strip];
    if (tile.column < 0) return `${name}: ${this.#rest(strip)}: ${count(tile.bytes)} B`;
    const where =
      bytes.groups.length < bytes.row_groups ? "all row groups" : `row group ${count(tile.group)}`;
    const indexes = strip ? " with its indexes, by its share of the rows" : "";
    return `${name}: ${this.#name(tile.column)}, ${where}${indexes}: ${count(tile.bytes)} B`;
  }

  span(): Span | null {
    return null;
  }

  choose(mark: number): void {
    const { strip, tile } = this.#place(mark);
    if (tile.column < 0) return;
    const grouped = this.#strips[0].bytes.groups.length === this.#strips[0].bytes.row_groups;
    if (!strip && grouped) this.#ctx.select(`row_groups/${tile.group}/columns/${tile.column}`);
    else this.#ctx.select(this.#addresses[tile.column]);
  }
}

/** The colours of the byte map: data in two tints, so that neighbouring columns differ. */
function colourOf(column: number, theme: Theme): string {
  const base = rgb(
    mix(FAMILIES[column < 0 ? FOOTER : DATA].colour, theme.background, theme.dark ? 0.14 : 0.02),
  );
  return column > 0 && column % 2 ? rgb(mix(base, theme.background, theme.dark ? 0.2 : 0.22)) : base;
}
