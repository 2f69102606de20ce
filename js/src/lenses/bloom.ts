/**
 * A Bloom filter: each block as a cell, darker with more set bits; the opened block, bit by bit; and a field for a value,
 * whose answer shows the hash, the block and the eight bits that decide.
 */

import "./board.css";
import "./bloom.css";
import { type Numbers, unpack } from "../columns";
import type { Context, Detail } from "../context";
import { append, fill, h, uniqueId } from "../dom";
import { skippedLegend } from "../skipped";
import { count } from "../text";
import { troubleBox, troubleOf } from "../trouble";
import type { Block, Blocks, Picture, Probe } from "../wire/bloom";
import { Bits, derivation } from "./bloombits";
import { Heat, key } from "./bloomblocks";
import { Board } from "./board";
import { chips } from "./chips";
import type { Lens, Shown } from "./lens";

class BloomView implements Shown {
  #picture: Picture;
  #ctx: Context;
  #heat: Heat | null = null;
  #board: Board | null = null;
  #bits: Board | null = null;
  #map = h("div", { class: "pqx-bloom-map" });
  #block = h("div", { class: "pqx-bloom-block" });
  #answer = h("div", { class: "pqx-bloom-answer", "aria-live": "polite" });
  #asked: Probe | null = null;
  #verdict = h("p", { class: "pqx-bloom-query" });
  #legend: ReturnType<typeof skippedLegend>;

  constructor(el: HTMLElement, picture: Picture, ctx: Context) {
    this.#picture = picture;
    this.#ctx = ctx;
    this.#legend = skippedLegend(ctx, () => this.#judge());
    this.#judge();
    append(el, [
      h(
        "div",
        { class: "pqx-bloom", "data-verdict": picture.verdict },
        chips(picture.facts),
        this.#legend.el,
        this.#verdict,
        this.#form(),
        this.#answer,
        this.#block,
        this.#map,
      ),
    ]);
    void this.#load();
    if (picture.block !== null) void this.#open(picture.block);
  }

  follow(detail: Detail, next: Picture | null): boolean {
    if (!next || next.chunk !== this.#picture.chunk) return false;
    this.#picture = { ...this.#picture, block: next.block };
    if (next.block !== null && detail.kind === "bloom_filter_block") {
      this.#board?.show(Math.floor(next.block / next.per_cell));
      void this.#open(next.block);
    }
    return true;
  }

  dispose(): void {
    this.#legend.dispose();
    this.#board?.dispose();
    this.#bits?.dispose();
  }

  /** What the query makes of this row group. */
  #judge(): void {
    const { skips } = this.#ctx.query;
    const group = Number(/^row_groups\/(\d+)/.exec(this.#picture.chunk)?.[1] ?? -1);
    const by = skips?.by(group);
    this.#verdict.hidden = skips?.error !== "";
    this.#verdict.textContent = by
      ? `The query skips row group ${count(group)} by ${by}.`
      : `The query reads row group ${count(group)}, or pages of it.`;
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
    const { result, buffers } = await this.#ctx.rpc.call<Blocks>("bloom_blocks", args);
    return unpack(result.columns, buffers).numbers.bits;
  }

  #choose(block: number): void {
    if (this.#picture.selectable) this.#ctx.select(`${this.#picture.chunk}/bloom_filter/bitset/${block}`);
    else void this.#open(block);
  }

  async #ask(value: string): Promise<void> {
    try {
      const args = { address: this.#picture.chunk, value };
      const { result } = await this.#ctx.rpc.call<Probe>("bloom_probe", args);
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
      const { result } = await this.#ctx.rpc.call<Block>("bloom_words", args);
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

export const bloom: Lens = {
  mount: (el, picture, ctx) => new BloomView(el, picture, ctx),
};
