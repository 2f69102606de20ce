/** The map of two files: a line for each column, a slot for each row group, and in each a bar of both files. */

import { ACCENTS, CLASSES } from "../accents";
import type { Span } from "../context";
import { FAMILIES, familyOf } from "../kinds";
import { mix, rgb } from "../paint";
import { abridge, abridgeMiddle, count, plural, size, words } from "../text";
import { luminance, type Theme } from "../theme";
import type { FilesMap as Both, MapLine, MapSlot } from "../wire/diff";
import { drawText, hatch, type Painting } from "./board";

type State = MapLine["state"];

/** How a change is marked; sign and word repeat the colour. */
export const CHANGES: Record<State, { sign: string; word: string; colour: string }> = {
  grown: { sign: "▲", word: "larger", colour: CLASSES[6] },
  shrunk: { sign: "▼", word: "smaller", colour: CLASSES[4] },
  added: { sign: "+", word: "new", colour: CLASSES[2] },
  gone: { sign: "×", word: "gone", colour: CLASSES[3] },
  unknown: { sign: "?", word: "not known", colour: ACCENTS.unknown },
  same: { sign: "=", word: "as large", colour: ACCENTS.unknown },
  absent: { sign: "", word: "in neither file", colour: ACCENTS.unknown },
};

const HEAD = 18;
const TITLE = 17;
const BAR = 9;
const LINE = TITLE + 2 * BAR + 1 + 9;
const LEFT = 16;
const GAP = 4;
const NARROWEST = 12;
/** Slots at least so wide have signs. */
const SIGNED = 56;
const SIGN = 13;

/** How much larger or smaller: "1.4 × larger", "31 % smaller"; "" if that cannot be said. */
export function change(one: number, two: number): string {
  if (!one || one === two) return "";
  const ratio = two / one;
  if (ratio >= 1.1) return `${ratio.toFixed(ratio >= 9.95 ? 0 : 1)} × larger`;
  const share = Math.abs(ratio - 1) * 100;
  const shown = share < 0.1 ? "< 0.1" : share.toFixed(share >= 9.95 ? 0 : 1);
  return `${shown} % ${ratio > 1 ? "larger" : "smaller"}`;
}

/** What became of a line's bytes: "▲ 10.2 kB → 21.8 kB, 2.1 × larger". */
export function changeText(line: MapLine): string {
  const [one, two] = line.bytes;
  const { sign, word } = CHANGES[line.state];
  if (line.state === "gone" || line.state === "added") {
    const bytes = line.state === "gone" ? one : two;
    return `${sign} ${word}${bytes === null ? "" : `, ${size(bytes)}`}`;
  }
  if (one === null || two === null) return `${sign} ${word}`;
  if (one === two) return `${sign} ${size(one)}`;
  const more = change(one, two);
  return `${sign} ${size(one)} → ${size(two)}${more && `, ${more}`}`;
}

/** Row groups from the first up to the one after the last: "row group 3", "row groups 0 to 3"; "" for none. */
export function groupsText([start, end]: number[]): string {
  if (end <= start) return "";
  return end - start === 1 ? `row group ${count(start)}` : `row groups ${count(start)} to ${count(end - 1)}`;
}

export function slotText({ first, second }: MapSlot): string {
  const [one, two] = [groupsText(first), groupsText(second)];
  if (one === two) return one;
  if (!one || !two) return `${one || two} of ${one ? "A" : "B"}`;
  return `${one} of A beside ${two} of B`;
}

interface Cell {
  x: number;
  y: number;
  wide: number;
}

export class DiffPainting implements Painting {
  label = "Both files, a line for each column and a slot for each row group";
  minWidth: number;
  #map: Both;
  #goes: (first: string | null, second: string | null) => void;
  #width = 0;

  /** `goes` gets the addresses of a mark in both files, null where a file has no such place. */
  constructor(map: Both, goes: (first: string | null, second: string | null) => void) {
    this.#map = map;
    this.#goes = goes;
    this.minWidth = LEFT + map.slots.length * NARROWEST;
  }

  get count(): number {
    return this.#map.lines.length * this.#map.slots.length;
  }

  /** The mark of the selected place; -1 if it is the file. */
  get first(): number {
    const [line, slot] = this.#map.chosen;
    return line < 0 ? -1 : line * this.#map.slots.length + Math.max(0, slot);
  }

  /** Another answer about the same files. */
  update(map: Both): void {
    this.#map = map;
  }

  height(): number {
    return HEAD + this.#map.lines.length * LINE;
  }

  across(): number {
    return this.#map.slots.length;
  }

  rows(mark: number): [number, number] {
    const top = HEAD + this.#place(mark)[0] * LINE;
    return [top < HEAD + LINE ? 0 : top, top + LINE];
  }

  at(x: number, y: number): number {
    const { slots, lines } = this.#map;
    const line = Math.floor((y - HEAD) / LINE);
    if (line < 0 || line >= lines.length || x < 0) return -1;
    const slot = Math.floor(((x - LEFT) / (this.#width - LEFT)) * slots.length);
    return line * slots.length + Math.max(0, Math.min(slots.length - 1, slot));
  }

  say(mark: number): string {
    const [line, slot] = this.#place(mark);
    const { names } = this.#map;
    const groups = slotText(this.#map.slots[slot]);
    const what = `${this.#map.lines[line].label}, ${groups}`;
    const state = this.#map.states[mark];
    const [one, two] = [this.#parts(0, mark), this.#parts(1, mark)];
    const [a, b] = [sum(one), sum(two)];
    if (state === "absent") return `${what}: in neither file`;
    if (state === "unknown") return `${what}: the bytes are not known in both files`;
    if (state === "gone") return `${what}: × ${a < 0 ? "" : `${size(a)}, `}only in A, ${names[0]}`;
    if (state === "added") return `${what}: + ${b < 0 ? "" : `${size(b)}, `}only in B, ${names[1]}`;
    if (a === b) return `${what}: = ${size(a)} in both files`;
    const parts = this.#map.kinds
      .map((kind, i) => ({ kind, a: one[i], b: two[i] }))
      .filter((part) => part.a !== part.b)
      .map((part) => `${kindText(part.kind)} ${size(part.a)} → ${size(part.b)}`);
    const more = change(a, b);
    return `${what}: ${CHANGES[state].sign} ${size(a)} → ${size(b)}${more && `, ${more}`}: ${parts.join(", ")}`;
  }

  span(mark: number): Span | null {
    const start = this.#map.starts[mark];
    if (start < 0) return null;
    const [dictionary, data] = this.#parts(0, mark);
    return { start, end: start + Math.max(0, dictionary) + Math.max(0, data), space: "file" };
  }

  choose(mark: number): void {
    const [line, slot] = this.#place(mark);
    const { first, second } = this.#map.lines[line];
    const all = this.#map.lines[line].kind !== "column";
    const { slots } = this.#map;
    const address = ([start, end]: number[], leaf: number | null) => {
      if (end <= start || (!all && leaf === null)) return null;
      return `row_groups/${start}${all ? "" : `/columns/${leaf}`}`;
    };
    this.#goes(address(slots[slot].first, first), address(slots[slot].second, second));
  }

  outline(pen: CanvasRenderingContext2D, mark: number, theme: Theme): void {
    const { x, y, wide } = this.#cell(mark);
    pen.strokeStyle = theme.accent;
    pen.lineWidth = 2;
    pen.strokeRect(x - 2, y + TITLE - 2, wide + 1, 2 * BAR + 5);
  }

  draw(pen: CanvasRenderingContext2D, width: number, _height: number, theme: Theme): void {
    this.#width = width;
    const { lines, slots } = this.#map;
    this.#drawHead(pen, theme);
    const tops = this.#tops();
    lines.forEach((line, at) => {
      const y = HEAD + at * LINE;
      this.#drawTitle(pen, line, y, width, theme);
      pen.fillStyle = theme.muted;
      drawText(pen, "A", 2, y + TITLE + BAR / 2, LEFT);
      drawText(pen, "B", 2, y + TITLE + BAR * 1.5 + 1, LEFT);
      for (let slot = 0; slot < slots.length; slot++)
        this.#drawCell(pen, at * slots.length + slot, tops[at], theme);
    });
  }

  #place(mark: number): [line: number, slot: number] {
    const across = this.#map.slots.length;
    return [Math.floor(mark / across), mark % across];
  }

  #cell(mark: number): Cell {
    const [line, slot] = this.#place(mark);
    const each = (this.#width - LEFT) / this.#map.slots.length;
    return { x: LEFT + slot * each + 2, y: HEAD + line * LINE, wide: each - GAP };
  }

  #parts(side: number, mark: number): number[] {
    const { kinds, first, second } = this.#map;
    return (side ? second : first).slice(mark * kinds.length, (mark + 1) * kinds.length);
  }

  /** The bytes that fill a slot, by line: all columns together have a scale of their own. */
  #tops(): number[] {
    const across = this.#map.slots.length;
    const largest = this.#map.lines.map((_, line) => {
      let top = 1;
      for (let mark = line * across; mark < (line + 1) * across; mark++)
        top = Math.max(top, sum(this.#parts(0, mark)), sum(this.#parts(1, mark)));
      return top;
    });
    const columns = largest.filter((_, i) => this.#map.lines[i].kind === "column");
    const top = Math.max(1, ...columns);
    return largest.map((own, i) => (this.#map.lines[i].kind === "column" ? top : own));
  }

  #drawHead(pen: CanvasRenderingContext2D, theme: Theme): void {
    pen.fillStyle = theme.muted;
    const { slots } = this.#map;
    let free = 0;
    slots.forEach((slot, i) => {
      const { x, wide } = this.#cell(i);
      if (x < free) return;
      const short = [slot.first, slot.second].map(range);
      const [a, b] = [slot.first, slot.second].map(([start, end]) => end > start);
      const only = a ? `A ${short[0]}` : `B ${short[1]}`;
      const brief = short[0] === short[1] ? short[0] : a && b ? `${short[0]} | ${short[1]}` : only;
      const long = slotText(slot);
      const text = pen.measureText(long).width <= wide ? long : brief;
      const taken = pen.measureText(text).width;
      if (x + taken > this.#width) return;
      pen.textAlign = "left";
      pen.fillText(text, x, HEAD / 2); // over its neighbours' room, if they then have no number
      free = x + taken + 10;
    });
  }

  #drawTitle(pen: CanvasRenderingContext2D, line: MapLine, y: number, width: number, theme: Theme): void {
    const measure = (text: string) => pen.measureText(text).width;
    const said = abridge(changeText(line), width * 0.62, measure);
    const { colour, sign } = CHANGES[line.state];
    const middle = y + TITLE / 2;
    const right = width - measure(said.slice(sign.length)) - 2;
    if (sign && said) drawSign(pen, line.state, right - SIGN - 1, middle - SIGN / 2, colour);
    pen.fillStyle = line.state === "same" ? theme.muted : theme.ink;
    drawText(pen, said.slice(sign.length), right, middle, width);
    const notes = line.differences ? ` · ${plural(line.differences, "difference")}` : "";
    const room = right - SIGN - 14;
    pen.fillStyle = theme.ink;
    const label = abridgeMiddle(line.label, room, measure) || abridge(line.label.slice(0, 4), 999, measure);
    drawText(pen, label, 0, middle, room);
    if (measure(label + notes) > room) return;
    pen.fillStyle = theme.muted;
    drawText(pen, notes, measure(label), middle, room);
  }

  #drawCell(pen: CanvasRenderingContext2D, mark: number, top: number, theme: Theme): void {
    const { x, y, wide } = this.#cell(mark);
    const state = this.#map.states[mark];
    const [a, b] = [y + TITLE, y + TITLE + BAR + 1];
    pen.fillStyle = rgb(mix(theme.background, theme.ink, 0.06));
    pen.fillRect(x, a, wide, 2 * BAR + 1);
    if (state === "absent") return;
    const one = this.#drawBar(pen, 0, mark, x, a, wide, top, theme);
    const two = this.#drawBar(pen, 1, mark, x, b, wide, top, theme);
    pen.strokeStyle = theme.ink;
    pen.lineWidth = 1.2;
    if (state === "gone" || state === "added") {
      pen.setLineDash([3, 2]);
      const long = Math.max(6, state === "gone" ? one : two);
      pen.strokeRect(x + 0.5, (state === "gone" ? b : a) + 0.5, Math.min(long, wide) - 1, BAR - 1);
      pen.setLineDash([]);
    } else if (Math.abs(two - one) >= 2) {
      // the bytes that only one file has there
      const [from, to] = [Math.min(one, two), Math.max(one, two)];
      if (two < one) pen.setLineDash([3, 2]);
      else hatch(pen, x + from, b, to - from, BAR, theme.ink, 4);
      pen.strokeRect(x + from + 0.5, b + 0.5, Math.max(1, to - from - 1), BAR - 1);
      pen.setLineDash([]);
    }
    if (state === "same" || wide < SIGNED) return;
    const left = Math.min(x + wide - SIGN, x + Math.max(one, two) + 4);
    drawSign(pen, state, left, a + BAR - SIGN / 2, CHANGES[state].colour);
  }

  /** The parts of a chunk as a bar. Returns its length. */
  #drawBar(
    pen: CanvasRenderingContext2D,
    side: number,
    mark: number,
    x: number,
    y: number,
    wide: number,
    top: number,
    theme: Theme,
  ): number {
    const parts = this.#parts(side, mark);
    const total = sum(parts);
    if (total <= 0) return 0;
    const length = Math.max(2, (total / top) * wide);
    let left = x;
    parts.forEach((bytes, i) => {
      const family = FAMILIES[familyOf(this.#map.kinds[i])];
      const part = (bytes / total) * length;
      if (part <= 0) return;
      pen.fillStyle = rgb(mix(family.colour, theme.background, theme.dark ? 0.14 : 0.02));
      pen.fillRect(left, y, part, BAR);
      if (family.pattern !== "solid" && part >= 6) hatch(pen, left, y, part, BAR, "rgba(0, 0, 0, .35)");
      left += part;
    });
    return length;
  }
}

function drawSign(pen: CanvasRenderingContext2D, state: State, x: number, y: number, colour: string): void {
  const { sign } = CHANGES[state];
  pen.save();
  pen.fillStyle = colour;
  pen.fillRect(x, y, SIGN, SIGN);
  pen.fillStyle = luminance(colour) < 0.18 ? "#fff" : "#000";
  pen.textAlign = "center";
  pen.fillText(sign, x + SIGN / 2, y + SIGN / 2 + 0.5);
  pen.restore();
}

function kindText(kind: string): string {
  return { data_page: "data pages", bloom_filter: "Bloom filter" }[kind] ?? words(kind);
}

function range([start, end]: number[]): string {
  return end <= start ? "–" : end - start === 1 ? String(start) : `${start}–${end - 1}`;
}

/** The bytes of all parts; negative if they are not known. */
function sum(parts: number[]): number {
  return parts.reduce((a, b) => a + b, 0);
}
