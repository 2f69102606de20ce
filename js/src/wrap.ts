/** A range of bytes wrapped into lines, like text: converts bytes to pixels and back, and holds the shown range. */

import type { Theme } from "./theme";

export const LINE = 20;
/** Pixels between lines. */
export const GAP = 3;

const GUTTER = 76;
/** Narrower than this, there is no room for offsets beside the lines. */
const ROOM_FOR_GUTTER = 560;
/** Bytes shown at the closest zoom. */
const CLOSEST = 144;

/** What the map is drawn on: its canvas, its lines and its colours. */
export interface Drawing {
  pen: CanvasRenderingContext2D;
  wrap: Wrap;
  theme: Theme;
}

/** Where a range of bytes lies in one line, in CSS pixels; `y` is the line's top. */
export interface Mark {
  x: number;
  y: number;
  width: number;
}

export class Wrap {
  low = 0;
  high = 1;
  size = 1;
  width = 0;
  /** Lines shown. */
  lines = 9;

  /** Show the whole of a file. */
  whole(size: number): void {
    this.size = size;
    [this.low, this.high] = [0, Math.max(1, size)];
  }

  get isWhole(): boolean {
    return this.low <= 0 && this.high >= this.size;
  }

  /** Pixels at the left that offsets take. */
  get gutter(): number {
    return this.width < ROOM_FOR_GUTTER || this.lines < 2 ? 0 : GUTTER;
  }

  get perLine(): number {
    return (this.high - this.low) / this.lines;
  }

  byteAt(x: number, y: number): number {
    const line = Math.max(0, Math.min(this.lines - 1, Math.floor(y / LINE)));
    const across = (x - this.gutter) / Math.max(1, this.width - this.gutter);
    return this.low + (line + Math.max(0, Math.min(0.999999, across))) * this.perLine;
  }

  /** The marks of a range of bytes, one for each line; empty if the range is not shown. */
  marks(start: number, end: number): Mark[] {
    if (start >= this.high || end < this.low) return [];
    const marks: Mark[] = [];
    const width = this.width - this.gutter;
    const low = Math.max(start, this.low);
    const high = Math.min(Math.max(end, start), this.high);
    const first = Math.floor((low - this.low) / this.perLine);
    for (let line = first; line < this.lines; line++) {
      const begin = this.low + line * this.perLine;
      if (begin >= high && line > first) break;
      const a = Math.max(low, begin);
      const b = Math.min(high, begin + this.perLine);
      const x = this.gutter + ((a - begin) / this.perLine) * width;
      marks.push({ x, y: line * LINE, width: ((b - a) / this.perLine) * width });
    }
    return marks;
  }

  /** Show `factor` times as many bytes; the byte `around` stays where it is. */
  zoom(factor: number, around: number): void {
    const before = this.high - this.low;
    const shown = Math.min(Math.max(1, this.size), Math.max(CLOSEST, before * factor));
    const share = Math.max(0, Math.min(1, (around - this.low) / before));
    this.high = this.low + shown;
    this.move(around - share * shown);
  }

  /** Show a byte at a point, as far as the file's ends allow it. */
  hold(byte: number, x: number, y: number): void {
    const line = Math.max(0, Math.min(this.lines - 1, Math.floor(y / LINE)));
    const across = (x - this.gutter) / Math.max(1, this.width - this.gutter);
    this.move(byte - (line + Math.max(0, Math.min(1, across))) * this.perLine);
  }

  /** Move by lines, and by a share of a line. Returns whether anything moved. */
  pan(lines: number): boolean {
    const before = this.low;
    this.move(before + lines * this.perLine);
    return this.low !== before;
  }

  /** Show a range of bytes, in the middle of four fifths of the room. */
  fit(start: number, end: number): void {
    this.show((start + end) / 2 - (end - start) * 0.625, (start + end) / 2 + (end - start) * 0.625);
  }

  /** Show a range of bytes, or the closest to it that can be shown. */
  show(low: number, high: number): void {
    const shown = Math.min(Math.max(1, this.size), Math.max(CLOSEST, high - low));
    this.low = 0;
    this.high = shown;
    this.move((low + high - shown) / 2);
  }

  /** Show the same number of bytes from `low` on, within the file. */
  move(low: number): void {
    const shown = this.high - this.low;
    this.low = Math.max(0, Math.min(this.size - shown, low));
    this.high = this.low + shown;
  }
}

const A_GESTURE = 400;
const REMEMBERED = 50;

/** The ranges shown before each zoom, to go back to. Zooms that follow each other at once are one. */
export class Zooms {
  #stack: [number, number][] = [];
  #last = Number.NEGATIVE_INFINITY;

  /** Remember what is shown before a zoom at a time in milliseconds. */
  note({ low, high }: Wrap, now: number): void {
    if (now - this.#last > A_GESTURE) {
      this.#stack.push([low, high]);
      if (this.#stack.length > REMEMBERED) this.#stack.shift();
    }
    this.#last = now;
  }

  /** Show what was shown before the last zoom. Returns whether there was one. */
  back(wrap: Wrap): boolean {
    this.#last = Number.NEGATIVE_INFINITY;
    const before = wrap.isWhole ? undefined : this.#stack.pop();
    if (!before) {
      this.#stack = [];
      return false;
    }
    wrap.show(...before);
    return true;
  }
}
