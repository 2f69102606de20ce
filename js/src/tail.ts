/**
 * The bytes after the pages: indexes, Bloom filters, footer, magic. At the scale of the whole file they are too
 * small to see, so they have a strip of their own, where each part is wide enough to click.
 */

import type { Colouring } from "./colouring";
import { h } from "./dom";
import { FAMILIES } from "./kinds";
import type { Block, Layout } from "./layout";
import { type Palette, paintRow, writeOn } from "./paint";
import { abridge, plural, size } from "./text";
import type { Theme } from "./theme";

const HEIGHT = 20;
const NARROWEST = 22;
const MAX_PARTS = 40;

interface Part extends Block {
  x: number;
  width: number;
}

export class Tail {
  readonly el: HTMLElement;
  #stage: HTMLElement;
  #title = h("span", { class: "pqx-muted pqx-tail-title" });
  #canvas = h("canvas", { "aria-hidden": "true" });
  #over = h("canvas", { "aria-hidden": "true" });
  /** The first byte after the last page. */
  #begin = 0;
  #layout: Layout | null = null;
  #parts: Part[] = [];
  #place: [number, number] | null = null;
  #look: { theme: Theme; palette: Palette; colouring: Colouring } | null = null;
  #choose: (index: number) => void;

  constructor(choose: (index: number) => void, hint: (index: number, x: number, y: number) => void) {
    this.#choose = choose;
    this.#stage = h(
      "div",
      {
        class: "pqx-tail-stage",
        onpointermove: (event: PointerEvent) => {
          if (event.pointerType !== "touch") hint(this.#at(event), event.clientX, event.clientY);
        },
        onpointerleave: () => hint(-1, 0, 0),
        onclick: (event: MouseEvent) => {
          const index = this.#at(event);
          if (index >= 0) this.#choose(index);
        },
      },
      this.#canvas,
      this.#over,
    );
    this.el = h("div", { class: "pqx-tail" }, this.#title, this.#stage);
  }

  show(layout: Layout): void {
    this.#layout = layout;
    this.#begin = layout.tail();
    const bytes = layout.size - this.#begin;
    this.el.hidden = bytes <= 0;
    this.#title.textContent = `end, ${size(bytes)}`;
    this.#title.title = `The last ${plural(bytes, "byte")} of the file, magnified`;
  }

  select(place: [number, number] | null): void {
    this.#place = place;
    this.#mark();
  }

  draw(theme: Theme, palette: Palette, colouring: Colouring): void {
    this.#look = { theme, palette, colouring };
    const layout = this.#layout;
    const width = this.#stage.clientWidth;
    const pen = this.#canvas.getContext("2d");
    if (!layout || !width || !pen) return;
    this.#placeParts(layout, width);
    const s = palette.scale;
    const [w, tall] = [Math.round(width * s), Math.round(HEIGHT * s)];
    for (const canvas of [this.#canvas, this.#over]) {
      canvas.width = w;
      canvas.height = tall;
    }
    const image = pen.createImageData(w, tall);
    const pixels = new Uint32Array(image.data.buffer);
    for (const part of this.#parts) {
      const [x0, x1] = [Math.round(part.x * s), Math.round((part.x + part.width) * s) - Math.round(s)];
      if (x1 <= x0) continue;
      const perPixel = (part.end - part.start) / (x1 - x0);
      paintRow(
        pixels,
        w,
        { x0, x1, y0: 0, y1: tall, byte: part.start, perPixel },
        layout,
        colouring,
        palette,
      );
    }
    pen.putImageData(image, 0, 0);
    pen.scale(s, s);
    pen.font = `600 11px ${theme.font}`;
    pen.textBaseline = "middle";
    for (const part of this.#parts) this.#label(pen, part);
    this.#mark();
  }

  dispose(): void {
    this.#look = null;
  }

  #label(pen: CanvasRenderingContext2D, part: Part): void {
    const family = FAMILIES[part.family];
    const measure = (t: string) => pen.measureText(t).width;
    const room = part.width - 9;
    const long = `${family.name} ${size(part.end - part.start)}`;
    const text =
      measure(long) <= room ? long : abridge(family.name, room, measure) || (room > 6 ? family.letter : "");
    if (!this.#look) return;
    const { palette, colouring } = this.#look;
    const code = this.#layout ? colouring.code[this.#layout.at(part.start)] : 0;
    writeOn(pen, text, palette.plain[code], part.x + 5, HEIGHT / 2 + 0.5, HEIGHT);
  }

  /** Draw the selected bytes, over the parts. */
  #mark(): void {
    const place = this.#place;
    const pen = this.#over.getContext("2d");
    if (!pen || !this.#layout || !this.#look) return;
    const { theme, palette } = this.#look;
    pen.setTransform(palette.scale, 0, 0, palette.scale, 0, 0);
    pen.clearRect(0, 0, this.#over.width, this.#over.height);
    if (!place || place[1] - place[0] >= this.#layout.size) return;
    for (const part of this.#parts) {
      const [a, b] = [Math.max(place[0], part.start), Math.min(place[1], part.end)];
      if (a >= b) continue;
      const perByte = (part.width - 1) / (part.end - part.start);
      pen.strokeStyle = theme.ink;
      pen.lineWidth = 2;
      pen.strokeRect(
        part.x + (a - part.start) * perByte + 1,
        1,
        Math.max(2, (b - a) * perByte - 2),
        HEIGHT - 2,
      );
    }
  }

  /** Widths in proportion, but none too narrow to click; the wide parts give up the width that this takes. */
  #placeParts(layout: Layout, width: number): void {
    const blocks = layout.blocks().filter((block) => block.start >= this.#begin);
    const total = Math.max(1, layout.size - this.#begin);
    const min = blocks.length <= MAX_PARTS ? Math.min(NARROWEST, width / Math.max(1, blocks.length)) : 0;
    const natural = blocks.map((block) => ((block.end - block.start) / total) * width);
    const lacking = natural.reduce((sum, w) => sum + Math.max(0, min - w), 0);
    const spare = natural.reduce((sum, w) => sum + Math.max(0, w - min), 0);
    let x = 0;
    this.#parts = blocks.map((block, i) => {
      const w = natural[i] <= min ? min : min + (natural[i] - min) * (1 - lacking / Math.max(1e-9, spare));
      const part = { ...block, x, width: w };
      x += w;
      return part;
    });
  }

  #at(event: MouseEvent): number {
    const x = event.clientX - this.#stage.getBoundingClientRect().left;
    const part = this.#parts.find((p) => x >= p.x && x < p.x + p.width);
    if (!part || !this.#layout) return -1;
    const byte = part.start + ((x - part.x) / part.width) * (part.end - part.start);
    return this.#layout.at(Math.min(part.end - 1, byte));
  }
}
