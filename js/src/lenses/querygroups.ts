/** A cell for each row group, in the order of the file: read, read in part, or skipped, and by what. */

import type { Context, Span } from "../context";
import { count } from "../text";
import { luminance, type Theme } from "../theme";
import type { Groups, Reasons } from "../wire/query";
import { drawText, type Painting } from "./board";
import { lookOf, paint, READ } from "./querylook";

const BLOCK = 200;
const NARROWEST = 9;
const WIDEST = 64;
const LABEL = 22;

/** Cells in one line, their width and the height of a line, for so many row groups in `width` pixels. */
export function lattice(groups: number, width: number): { across: number; wide: number; tall: number } {
  const one = Math.min(WIDEST, Math.max(NARROWEST, width / Math.max(1, groups)));
  const across = Math.max(1, Math.min(Math.max(1, groups), Math.floor(width / one)));
  const wide = Math.min(WIDEST, width / across);
  return { across, wide, tall: groups > 1_000 ? 14 : groups > 200 ? 20 : 34 };
}

interface Question {
  where: string;
  engine: string;
}

export class GroupsPainting implements Painting {
  label = "";
  count = 0;
  minWidth = 240;
  onText: () => void = () => {};
  #groups!: Groups;
  #focused = -1;
  #question!: Question;
  #ctx: Context;
  #width = 0;
  #reasons = new Map<number, string[] | null>();

  constructor(groups: Groups, focused: number, question: Question, ctx: Context) {
    this.#ctx = ctx;
    this.update(groups, focused, question);
  }

  /** Another answer for the same row groups. */
  update(groups: Groups, focused: number, question: Question): void {
    this.#groups = groups;
    this.#focused = focused;
    this.#question = question;
    this.#reasons.clear();
    this.count = groups.by.length;
    this.label = "Row groups in the order of the file: read or skipped";
  }

  height(width: number): number {
    const { across, tall } = lattice(this.count, width);
    return Math.ceil(this.count / across) * (tall + 2) + 2;
  }

  across(): number {
    return lattice(this.count, this.#width).across;
  }

  draw(pen: CanvasRenderingContext2D, width: number, _height: number, theme: Theme): void {
    this.#width = width;
    const { by, rows, read, names } = this.#groups;
    for (let i = 0; i < this.count; i++) {
      const { x, y, wide, tall } = this.#cell(i);
      const inner = Math.max(1, wide - (wide > 5 ? 1.5 : 0.5));
      if (by[i] >= 0) paint(pen, lookOf(names[by[i]]), x, y, inner, tall);
      else {
        const share = rows[i] > 0 ? Math.min(1, read[i] / rows[i]) : 1;
        const part = share < 1 ? Math.min(tall - 4, Math.max(3, tall * share)) : tall;
        if (part < tall) paint(pen, lookOf("page index"), x, y, inner, tall - part);
        paint(pen, READ, x, y + tall - part, inner, part);
      }
      if (wide >= LABEL && tall > 20) this.#number(pen, i, x, y, inner, tall, theme);
      if (i === this.#focused && wide >= 6) {
        pen.fillStyle = theme.ink;
        pen.fillRect(x, y + tall - 2, inner, 2);
      }
    }
  }

  /** The number of a row group, on a background of its own: no pattern crosses it. */
  #number(
    pen: CanvasRenderingContext2D,
    group: number,
    x: number,
    y: number,
    wide: number,
    tall: number,
    theme: Theme,
  ): void {
    const { by, rows, read } = this.#groups;
    const text = String(group);
    const solid = by[group] < 0 && read[group] >= rows[group];
    const width = pen.measureText(text).width + 6;
    const middle = y + tall / 2;
    const ground = solid ? READ.colour : theme.background;
    pen.fillStyle = ground;
    pen.fillRect(x + wide / 2 - width / 2, middle - 7, width, 14);
    pen.fillStyle = luminance(ground) < 0.3 ? "#ffffff" : "#000000";
    drawText(pen, text, x + wide / 2, middle + 0.5, wide, "center");
  }

  #cell(mark: number) {
    const { across, wide, tall } = lattice(this.count, this.#width);
    return { x: (mark % across) * wide, y: Math.floor(mark / across) * (tall + 2) + 1, wide, tall };
  }

  outline(pen: CanvasRenderingContext2D, mark: number, theme: Theme): void {
    const { x, y, wide, tall } = this.#cell(mark);
    pen.strokeStyle = theme.ink;
    pen.lineWidth = 2;
    pen.strokeRect(x + 0.5, y, Math.max(3, wide - 2), tall);
  }

  at(x: number, y: number): number {
    const { across, wide, tall } = lattice(this.count, this.#width);
    const column = Math.floor(x / wide);
    if (column < 0 || column >= across) return -1;
    const mark = Math.floor(y / (tall + 2)) * across + column;
    return mark < this.count ? mark : -1;
  }

  say(mark: number): string {
    return `row group ${count(mark)}: ${this.#reason(mark) || this.#verdict(mark)}`;
  }

  #verdict(mark: number): string {
    const by = this.#groups.by[mark];
    return by < 0 ? "read" : `skipped by ${this.#groups.names[by]}`;
  }

  /** Why; of many row groups it is requested, and "" until it comes. */
  #reason(mark: number): string {
    const { reasons } = this.#groups;
    if (reasons) return reasons[mark];
    const block = Math.floor(mark / BLOCK);
    const known = this.#reasons.get(block);
    if (known) return known[mark % BLOCK] ?? "";
    if (known === undefined) {
      const reasonsNow = this.#reasons;
      reasonsNow.set(block, null);
      this.#ctx.rpc.call<Reasons>("ask_reasons", { ...this.#question, start: block * BLOCK }).then(
        ({ result }) => {
          reasonsNow.set(block, result.reasons);
          this.onText();
        },
        (error: Error) => this.#ctx.announce(error.message),
      );
    }
    return "";
  }

  span(mark: number): Span | null {
    const { start, end } = this.#groups;
    return start[mark] < 0 ? null : { start: start[mark], end: end[mark], space: "file" };
  }

  choose(mark: number): void {
    this.#ctx.select(`row_groups/${mark}`);
  }
}
