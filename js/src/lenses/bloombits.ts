/** One block of a Bloom filter, bit by bit, and the steps of the filter's answer about a value. */

import { ACCENTS, most } from "../accents";
import type { Context, Span } from "../context";
import { h } from "../dom";
import { count } from "../text";
import type { Theme } from "../theme";
import type { Bit, Picture, Probe } from "../wire/bloom";
import { BLOCK, FULL } from "./bloomblocks";
import type { Painting } from "./board";

const BIT = 15;
const LEFT = 22;

/** A block: eight words of 32 bits, each bit a cell; those that the last probe tested have a frame. */
export class Bits implements Painting {
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
    const asked = new Map(this.#asked.map((one) => [one.word * 32 + one.bit, one.set]));
    for (let word = 0; word < 8; word++) {
      const y = 16 + word * this.#side;
      pen.fillStyle = theme.muted;
      pen.textAlign = "right";
      pen.fillText(`${word}`, LEFT - 6, y + this.#side / 2);
      for (let bit = 0; bit < 32; bit++) {
        const x = LEFT + bit * this.#side;
        const set = (this.#words[word] >>> bit) & 1;
        pen.fillStyle = set ? (theme.dark ? most(theme) : ACCENTS.amount) : theme.dark ? "#333" : "#ddd";
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
    return `word ${word}, bit ${bit}: ${set ? "set" : "not set"}; byte ${count((this.span(mark) as Span).start)}, its bit ${bit % 8}`;
  }

  span(mark: number): Span | null {
    const at = this.#start + 4 * Math.floor(mark / 32) + Math.floor((mark % 32) / 8);
    return { start: at, end: at + 1, space: this.#space };
  }

  choose(): void {}

  across(): number {
    return 32;
  }
}

/** The answer about a value, and below it the steps that lead to it. */
export function derivation(answer: Probe, ctx: Context): HTMLElement {
  const bits = answer.bits.map(({ word, bit, set, byte }) => {
    const at = answer.span.start - answer.block * BLOCK + byte;
    const span: Span = { start: at, end: at + 1, space: answer.span.space };
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
      { class: "pqx-facts-line" },
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
