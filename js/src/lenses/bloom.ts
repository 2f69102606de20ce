/**
 * A Bloom filter: every block as a cell, the darker the fuller; a block opened, bit by bit; and a field to ask for a
 * value, which shows the hash, the block and the eight bits that decide.
 */

import "./board.css";
import "./bloom.css";
import { type Header, type Numbers, unpack } from "../columns";
import type { Context, Detail, Span } from "../context";
import { append, fill, h, uniqueId } from "../dom";
import { count } from "../text";
import { channels, type Theme } from "../theme";
import { troubleBox, troubleOf } from "../trouble";
import { Board, type Painting } from "./board";
import type { Lens, Shown } from "./index";
import { chips } from "./statistics";

interface Picture {
  verdict: string;
  chunk: string;
  blocks: number;
  size: number;
  start: number;
  space: string;
  selectable: boolean;
  type: string;
  facts: [string, string][];
  block: number | null;
  per_cell: number;
  /** Set bits of each block, where there are few blocks. */
  cells: number[] | null;
}

/** Word, bit, whether it is set, byte of the bitset. */
type Bit = [word: number, bit: number, set: boolean, byte: number];

export interface Answer {
  value: string;
  hit: boolean;
  verdict: string;
  sentence: string;
  note: string;
  plain: string;
  hash: string;
  block: number;
  words: number[];
  bits: Bit[];
  span: Span;
}

const BLOCK = 32;
const ROOM = 240;
const MOST = 20;
const FULL = "#D55E00";
const BIT = 15;
const LEFT = 22;

/** The side of a cell so that all cells fit into a width and a height. */
export function cellSide(cells: number, width: number, room = ROOM): number {
  let side = MOST;
  while (side > 1 && Math.ceil(cells / Math.max(1, Math.floor(width / side))) * side > room) side--;
  return side;
}

class Heat implements Painting {
  label: string;
  count: number;
  first: number | undefined;
  #picture: Picture;
  #bits: Numbers | number[];
  #choose: (block: number) => void;
  #side = 1;
  #columns = 1;
  #asked = -1;

  constructor(picture: Picture, bits: Numbers | number[], choose: (block: number) => void) {
    this.#picture = picture;
    this.#bits = bits;
    this.#choose = choose;
    this.count = bits.length;
    this.label = `${count(picture.blocks)} blocks of the Bloom filter, by their set bits`;
    if (picture.block !== null) this.first = Math.floor(picture.block / picture.per_cell);
  }

  /** The block that the present question chose. */
  ask(block: number): void {
    this.#asked = Math.floor(block / this.#picture.per_cell);
  }

  height(width: number): number {
    this.#side = cellSide(this.count, width);
    this.#columns = Math.max(1, Math.floor(width / this.#side));
    return Math.ceil(this.count / this.#columns) * this.#side + 1;
  }

  draw(pen: CanvasRenderingContext2D, _width: number, _height: number, theme: Theme): void {
    const [columns, side] = [this.#columns, this.#side];
    const rows = Math.ceil(this.count / columns);
    const image = new ImageData(columns, rows);
    const pixels = new Uint32Array(image.data.buffer);
    const shades = ramp(theme);
    for (let i = 0; i < this.count; i++) pixels[i] = shades[this.#bits[i]];
    const small = document.createElement("canvas");
    small.width = columns;
    small.height = rows;
    small.getContext("2d")?.putImageData(image, 0, 0);
    pen.imageSmoothingEnabled = false;
    pen.drawImage(small, 0, 0, columns * side, rows * side);
    if (side < 5) return;
    pen.fillStyle = theme.background;
    for (let x = 0; x <= columns; x++) pen.fillRect(x * side, 0, 1, rows * side);
    for (let y = 0; y <= rows; y++) pen.fillRect(0, y * side, columns * side, 1);
    // a full block lets everything through: a cross says it without colour
    pen.strokeStyle = theme.background;
    for (let i = 0; i < this.count; i++)
      if (this.#bits[i] === 256) {
        const [x, y] = this.#corner(i);
        pen.beginPath();
        pen.moveTo(x + 3, y + 3);
        pen.lineTo(x + side - 2, y + side - 2);
        pen.moveTo(x + side - 2, y + 3);
        pen.lineTo(x + 3, y + side - 2);
        pen.stroke();
      }
  }

  #corner(cell: number): [number, number] {
    return [(cell % this.#columns) * this.#side, Math.floor(cell / this.#columns) * this.#side];
  }

  outline(pen: CanvasRenderingContext2D, mark: number, theme: Theme): void {
    const around = (cell: number, colour: string, more: number) => {
      const [x, y] = this.#corner(cell);
      const side = Math.max(this.#side, 5) + more;
      pen.strokeStyle = colour;
      pen.lineWidth = 2;
      pen.strokeRect(x - more / 2, y - more / 2, side, side);
    };
    if (this.#asked >= 0) around(this.#asked, theme.accent, 4);
    around(mark, theme.ink, 0);
  }

  at(x: number, y: number): number {
    const column = Math.floor(x / this.#side);
    const cell = Math.floor(y / this.#side) * this.#columns + column;
    return column < this.#columns && cell < this.count ? cell : -1;
  }

  say(mark: number): string {
    const [bits, each] = [this.#bits[mark], this.#picture.per_cell];
    const what =
      each > 1
        ? `blocks ${count(mark * each)} to ${count((mark + 1) * each - 1)}, on average`
        : `block ${count(mark)}:`;
    return `${what} ${bits} of 256 bits set, ${((bits / 256) * 100).toFixed(0)} %`;
  }

  span(mark: number): Span | null {
    const { start, space, per_cell } = this.#picture;
    return [start + mark * per_cell * BLOCK, start + (mark + 1) * per_cell * BLOCK, space];
  }

  choose(mark: number): void {
    this.#choose(mark * this.#picture.per_cell);
  }

  across(): number {
    return this.#columns;
  }
}

/** Colours for 0 to 256 bits: from the background to blue, and orange where nothing is left to rule out. */
function ramp(theme: Theme): Uint32Array {
  const from = channels(theme.background);
  const to = channels(theme.dark ? "#8fd0ff" : "#003d63");
  const pack = (rgb: number[]) => (255 << 24) | (rgb[2] << 16) | (rgb[1] << 8) | rgb[0];
  const shades = Uint32Array.from({ length: 257 }, (_, bits) => {
    const share = 0.06 + 0.94 * (bits / 256) ** 0.8;
    return pack(from.map((c, i) => Math.round(c + (to[i] - c) * share)));
  });
  shades[256] = pack(channels(FULL));
  return shades;
}

/** A block: eight words of 32 bits, each bit a cell; those that the present question asked for have a frame. */
class Bits implements Painting {
  label: string;
  count = 256;
  #words: number[];
  #start: number;
  #space: string;
  #asked: Bit[];
  #side = BIT;

  constructor(block: number, words: number[], picture: Picture, asked: Bit[]) {
    this.label = `The 256 bits of block ${count(block)}`;
    this.#words = words;
    this.#start = picture.start + block * BLOCK;
    this.#space = picture.space;
    this.#asked = asked;
  }

  height(width: number): number {
    this.#side = Math.min(BIT, (width - LEFT - 2) / 32);
    return 8 * this.#side + 18;
  }

  draw(pen: CanvasRenderingContext2D, _width: number, _height: number, theme: Theme): void {
    pen.fillStyle = theme.muted;
    pen.textAlign = "center";
    for (const bit of [0, 8, 16, 24, 31])
      pen.fillText(String(bit), LEFT + bit * this.#side + this.#side / 2, 8);
    const asked = new Map(this.#asked.map((one) => [one[0] * 32 + one[1], one[2]]));
    for (let word = 0; word < 8; word++) {
      const y = 16 + word * this.#side;
      pen.fillStyle = theme.muted;
      pen.textAlign = "right";
      pen.fillText(`${word}`, LEFT - 6, y + this.#side / 2);
      for (let bit = 0; bit < 32; bit++) {
        const x = LEFT + bit * this.#side;
        const set = (this.#words[word] >>> bit) & 1;
        pen.fillStyle = set ? (theme.dark ? "#8fd0ff" : "#0072B2") : theme.dark ? "#3a3a3a" : "#e4e4e4";
        pen.fillRect(x + 1, y + 1, this.#side - 2, this.#side - 2);
        const verdict = asked.get(word * 32 + bit);
        if (verdict === undefined) continue;
        pen.strokeStyle = verdict ? theme.ink : FULL;
        pen.lineWidth = 2;
        pen.strokeRect(x, y, this.#side, this.#side);
        pen.fillStyle = verdict ? (theme.dark ? "#000" : "#fff") : theme.ink;
        pen.textAlign = "center";
        pen.fillText(verdict ? "✓" : "✗", x + this.#side / 2, y + this.#side / 2 + 0.5);
      }
    }
  }

  outline(pen: CanvasRenderingContext2D, mark: number, theme: Theme): void {
    pen.strokeStyle = theme.accent;
    pen.lineWidth = 2;
    pen.strokeRect(
      LEFT + (mark % 32) * this.#side - 1,
      16 + Math.floor(mark / 32) * this.#side - 1,
      this.#side + 2,
      this.#side + 2,
    );
  }

  at(x: number, y: number): number {
    const [bit, word] = [Math.floor((x - LEFT) / this.#side), Math.floor((y - 16) / this.#side)];
    return bit >= 0 && bit < 32 && word >= 0 && word < 8 ? word * 32 + bit : -1;
  }

  say(mark: number): string {
    const [word, bit] = [Math.floor(mark / 32), mark % 32];
    const set = (this.#words[word] >>> bit) & 1;
    return `word ${word}, bit ${bit}: ${set ? "set" : "not set"}; byte ${count((this.span(mark) as Span)[0])}, its bit ${bit % 8}`;
  }

  span(mark: number): Span | null {
    const at = this.#start + 4 * Math.floor(mark / 32) + Math.floor((mark % 32) / 8);
    return [at, at + 1, this.#space];
  }

  choose(): void {}

  across(): number {
    return 32;
  }
}

class BloomView implements Shown {
  #picture: Picture;
  #ctx: Context;
  #heat: Heat | null = null;
  #board: Board | null = null;
  #bits: Board | null = null;
  #map = h("div", { class: "pqx-bloom-map" });
  #block = h("div", { class: "pqx-bloom-block" });
  #answer = h("div", { class: "pqx-bloom-answer", "aria-live": "polite" });
  #asked: Answer | null = null;

  constructor(el: HTMLElement, picture: Picture, ctx: Context) {
    this.#picture = picture;
    this.#ctx = ctx;
    append(el, [
      h(
        "div",
        { class: "pqx-bloom", "data-verdict": picture.verdict },
        chips(picture.facts),
        this.#form(),
        this.#answer,
        this.#block,
        this.#map,
      ),
    ]);
    void this.#load();
    if (picture.block !== null) void this.#open(picture.block);
  }

  follow(detail: Detail, payload: never): boolean {
    const next = payload as Picture | null;
    if (!next || next.chunk !== this.#picture.chunk) return false;
    this.#picture = { ...this.#picture, block: next.block };
    if (next.block !== null && detail.kind === "bloom_filter_block") {
      this.#board?.show(Math.floor(next.block / next.per_cell));
      void this.#open(next.block);
    }
    return true;
  }

  dispose(): void {
    this.#board?.dispose();
    this.#bits?.dispose();
  }

  #form(): HTMLElement {
    const id = uniqueId("probe");
    const input = h("input", {
      id,
      type: "text",
      class: "pqx-input",
      autocomplete: "off",
      spellcheck: "false",
      maxlength: 4096,
      placeholder: this.#picture.type,
    });
    return h(
      "form",
      {
        class: "pqx-bloom-form",
        onsubmit: (event: Event) => {
          event.preventDefault();
          void this.#ask(input.value);
        },
        onkeydown: (event: KeyboardEvent) => {
          if (event.key !== "Escape") event.stopPropagation();
        },
      },
      h("label", { for: id }, "Is this value there?"),
      input,
      h("button", { class: "pqx-button", type: "submit" }, "ask"),
    );
  }

  async #load(): Promise<void> {
    try {
      const bits = this.#picture.cells ?? (await this.#fetch());
      this.#heat = new Heat(this.#picture, bits, (block) => this.#choose(block));
      this.#board = new Board(this.#ctx, this.#heat);
      fill(this.#map, key(), this.#board.el);
    } catch (error) {
      fill(this.#map, troubleBox(this.#ctx, troubleOf(error)));
    }
  }

  async #fetch(): Promise<Numbers> {
    const args = { address: this.#picture.chunk };
    const { result, buffers } = await this.#ctx.rpc.call<{ columns: Header }>("bloom_blocks", args);
    return unpack(result.columns, buffers).numbers.bits;
  }

  #choose(block: number): void {
    if (this.#picture.selectable) this.#ctx.select(`${this.#picture.chunk}/bloom_filter/bitset/${block}`);
    else void this.#open(block);
  }

  async #ask(value: string): Promise<void> {
    try {
      const args = { address: this.#picture.chunk, value };
      const { result } = await this.#ctx.rpc.call<Answer>("bloom_probe", args);
      this.#asked = result;
      fill(this.#answer, derivation(result, this.#ctx));
      this.#heat?.ask(result.block);
      this.#board?.show(Math.floor(result.block / this.#picture.per_cell));
      this.#show(result.block, result.words);
      this.#ctx.hot.emit(result.span);
    } catch (error) {
      this.#asked = null;
      fill(this.#answer, troubleBox(this.#ctx, troubleOf(error)));
    }
  }

  async #open(block: number): Promise<void> {
    if (this.#asked?.block === block) {
      this.#show(block, this.#asked.words);
      return;
    }
    try {
      const args = { address: this.#picture.chunk, block };
      const { result } = await this.#ctx.rpc.call<{ words: number[] }>("bloom_words", args);
      this.#show(block, result.words);
    } catch (error) {
      fill(this.#block, troubleBox(this.#ctx, troubleOf(error)));
    }
  }

  #show(block: number, words: number[]): void {
    this.#bits?.dispose();
    const asked = this.#asked?.block === block ? this.#asked.bits : [];
    this.#bits = new Board(this.#ctx, new Bits(block, words, this.#picture, asked));
    const go = this.#picture.selectable
      ? h("button", { class: "pqx-link", onclick: () => this.#choose(block) }, `block ${count(block)}`)
      : `block ${count(block)}`;
    fill(
      this.#block,
      h("p", { class: "pqx-bloom-title" }, go, ", eight words of 32 bits, bit 0 at the left:"),
      this.#bits.el,
    );
    this.#block.dataset.block = String(block);
  }
}

/** The answer first, and under it how the filter came to it. */
function derivation(answer: Answer, ctx: Context): HTMLElement {
  const bits = answer.bits.map(([word, bit, set, byte]) => {
    const at = answer.span[0] - answer.block * BLOCK + byte;
    const span: Span = [at, at + 1, answer.span[2]];
    const point = () => ctx.hot.emit(span);
    return h(
      "li",
      {},
      h(
        "button",
        {
          class: `pqx-asked ${set ? "pqx-set" : "pqx-clear"}`,
          title: `byte ${count(at)}`,
          onpointerenter: point,
          onfocus: point,
          onclick: point,
        },
        `${word}:${bit} ${set ? "✓" : "✗"}`,
        h("span", { class: "pqx-hidden" }, set ? " set" : " not set"),
      ),
    );
  });
  return h(
    "div",
    { class: "pqx-bloom-verdict", "data-hit": String(answer.hit) },
    h("p", {}, h("strong", {}, answer.sentence)),
    answer.note && h("p", { class: "pqx-muted" }, answer.note),
    h(
      "dl",
      { class: "pqx-told" },
      ...[
        ["bytes that are hashed", answer.plain || "none"],
        ["XXH64", `${answer.hash.slice(0, 8)} ${answer.hash.slice(8)}`],
        ["block, by the upper half", count(answer.block)],
      ].map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", { class: "pqx-mono" }, value))),
    ),
    h("p", { class: "pqx-muted" }, "one bit in each word, by the lower half:"),
    h("ul", { class: "pqx-eight", "aria-label": "The eight bits" }, ...bits),
  );
}

function key(): HTMLElement {
  const item = (kind: string, text: string) => h("li", {}, h("i", { class: `pqx-key-${kind}` }), text);
  return h(
    "ul",
    { class: "pqx-keys", "aria-label": "Legend" },
    item("bits", "blocks, from no bit set to all"),
    item("full", "a full block rules nothing out"),
  );
}

export const bloom: Lens = {
  mount: (el, payload, ctx) => new BloomView(el, payload, ctx),
};
