/** The whole file on one canvas, wrapped into rows of bytes like text, and its tail a second time, magnified. */

import { swatch } from "./chip";
import type { Context } from "./context";
import { fill, h } from "./dom";
import { FAMILIES, sentence } from "./kinds";
import type { Block, Layout } from "./layout";
import { type Palette, paintRow, palette, writeOn } from "./paint";
import { Tail } from "./tail";
import { abridge, count, plural, size, words } from "./text";
import { type Theme, themeOf } from "./theme";

const LINE = 20;
const LINES = 9;
const GAP = 3;
const GUTTER = 76;
const LABELLED = 500;
const CLOSEST = 144;

/** What a tile is, for people: its kind, and whose it is. */
export function tileTitle(layout: Layout, index: number, columns: string[]): string {
  const [group, column] = layout.owner(index);
  const kind = words(layout.kind(index));
  if (group < 0) return kind;
  return `${kind} of ${columns[column] ?? `column ${column}`}, row group ${group}`;
}

export class ByteMap {
  readonly el: HTMLElement;
  #stage: HTMLElement;
  #base = h("canvas", { "aria-hidden": "true" });
  #over = h("canvas", { "aria-hidden": "true" });
  #range = h("span", { class: "pqx-muted" });
  #legend = h("ul", { class: "pqx-legend", "aria-label": "Legend" });
  #tip = h("div", { class: "pqx-tip", hidden: true });
  #note = h("span", { class: "pqx-muted" });
  #finer = h("button", { class: "pqx-button", hidden: true }, "show single pages");
  #tail: Tail;
  #ctx: Context;
  #layout: Layout | null = null;
  #place: [number, number] | null = null;
  #hot: [number, number] | null = null;
  #hover = -1;
  #tile = -1;
  #low = 0;
  #high = 1;
  #frame = 0;
  #theme!: Theme;
  #palette!: Palette;
  #observer: ResizeObserver;

  constructor(ctx: Context, finer: () => void) {
    this.#ctx = ctx;
    this.#stage = h(
      "div",
      {
        class: "pqx-stage",
        tabindex: 0,
        role: "slider",
        "aria-label": "Byte map: the file from its first byte to its last",
        "aria-valuemin": 0,
        "aria-valuemax": 0,
        "aria-valuenow": 0,
        "aria-valuetext": "the file",
        onpointermove: (event: PointerEvent) => this.#point(event),
        onpointerleave: () => this.#unpoint(),
        onclick: (event: MouseEvent) => this.#click(event),
        onwheel: (event: WheelEvent) => this.#wheel(event),
        onkeydown: (event: KeyboardEvent) => this.#key(event),
        onblur: () => this.#unpoint(),
      },
      this.#base,
      this.#over,
    );
    this.#tail = new Tail(
      (index) => this.#choose(index),
      (index, x, y) => this.#hint(index, x, y),
    );
    this.#finer.addEventListener("click", () => {
      this.#finer.hidden = true;
      finer();
    });
    const zoom = (label: string, sign: string, factor: number) =>
      h(
        "button",
        { class: "pqx-button", "aria-label": label, title: label, onclick: () => this.#zoom(factor) },
        sign,
      );
    this.el = h(
      "section",
      { class: "pqx-map", "aria-label": "Where the bytes are" },
      h(
        "div",
        { class: "pqx-bar" },
        this.#range,
        this.#note,
        this.#finer,
        h("span", { class: "pqx-space" }),
        zoom("Zoom out", "−", 2),
        zoom("Zoom in", "+", 0.5),
        zoom("Show the whole file", "whole file", Number.POSITIVE_INFINITY),
      ),
      this.#stage,
      this.#tail.el,
      this.#legend,
      this.#tip,
    );
    this.#observer = new ResizeObserver(() => this.redraw());
    this.#observer.observe(this.#stage);
  }

  /** Show a layout; a finer one may follow a coarser one. `more` offers to fetch a finer one. */
  show(layout: Layout, more: boolean): void {
    const first = this.#layout === null;
    this.#layout = layout;
    this.#tile = this.#place ? layout.at(this.#place[0]) : -1;
    if (first) [this.#low, this.#high] = [0, Math.max(1, layout.size)];
    this.#finer.hidden = !more;
    fill(this.#note, layout.level === "chunks" && more ? "one tile for each column chunk" : "");
    this.#stage.setAttribute("aria-valuemax", String(layout.length - 1));
    this.#stage.dataset.tiles = String(layout.length);
    this.#tail.show(layout);
    this.#drawLegend(layout);
    this.redraw();
  }

  /** Mark the bytes of what is selected; null marks nothing. */
  select(address: string, place: [number, number] | null, text: string): void {
    this.#place = place;
    this.#tail.select(place);
    if (this.#layout && place) {
      // a page has two tiles, header and body: the one that was chosen stays
      if (this.#tile < 0 || this.#layout.address(this.#tile) !== address)
        this.#tile = this.#layout.at(place[0]);
      this.#stage.setAttribute("aria-valuenow", String(this.#tile));
      const outside = place[0] < this.#low || place[0] >= this.#high;
      if (outside) this.#move((place[0] + place[1]) / 2 - (this.#high - this.#low) / 2);
    }
    this.#stage.setAttribute("aria-valuetext", text);
    this.#drawOver();
  }

  /** Mark the bytes that are pointed at elsewhere. */
  point(bytes: [number, number] | null): void {
    this.#hot = bytes;
    this.#drawOver();
  }

  /** Draw anew: the size or the theme changed. */
  redraw(): void {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.#draw();
    });
  }

  dispose(): void {
    cancelAnimationFrame(this.#frame);
    this.#observer.disconnect();
    this.#tail.dispose();
  }

  get #scale(): number {
    return devicePixelRatio || 1;
  }

  get #gutter(): number {
    return this.#stage.clientWidth < 560 ? 0 : GUTTER;
  }

  get #perLine(): number {
    return (this.#high - this.#low) / LINES;
  }

  #byteAt(x: number, y: number): number {
    const line = Math.max(0, Math.min(LINES - 1, Math.floor(y / LINE)));
    const across = (x - this.#gutter) / Math.max(1, this.#stage.clientWidth - this.#gutter);
    return this.#low + (line + Math.max(0, Math.min(0.999999, across))) * this.#perLine;
  }

  /** The rectangles, in CSS pixels, of a range of bytes; one a line. */
  #rectangles(start: number, end: number): { x: number; y: number; width: number }[] {
    const found = [];
    const width = this.#stage.clientWidth - this.#gutter;
    const low = Math.max(start, this.#low);
    const high = Math.min(Math.max(end, start), this.#high);
    const first = Math.floor((low - this.#low) / this.#perLine);
    for (let line = first; line < LINES; line++) {
      const begin = this.#low + line * this.#perLine;
      if (begin >= high && line > first) break;
      if (start >= this.#high || end < this.#low) break;
      const a = Math.max(low, begin);
      const b = Math.min(high, begin + this.#perLine);
      const x = ((a - begin) / this.#perLine) * width;
      found.push({ x: this.#gutter + x, y: line * LINE, width: ((b - a) / this.#perLine) * width });
    }
    return found;
  }

  #draw(): void {
    const layout = this.#layout;
    const width = this.#stage.clientWidth;
    if (!layout || !width) return;
    const s = this.#scale;
    this.#theme = themeOf(this.el);
    this.#palette = palette(this.#theme, s);
    const [w, tall] = [Math.round(width * s), Math.round(LINE * LINES * s)];
    for (const canvas of [this.#base, this.#over]) {
      canvas.width = w;
      canvas.height = tall;
    }
    const pen = this.#base.getContext("2d");
    if (!pen) return;
    const image = pen.createImageData(w, tall);
    const pixels = new Uint32Array(image.data.buffer);
    const x0 = Math.round(this.#gutter * s);
    for (let line = 0; line < LINES; line++) {
      const row = {
        x0,
        x1: w,
        y0: Math.round(line * LINE * s),
        y1: Math.round((line * LINE + LINE - GAP) * s),
      };
      const byte = this.#low + line * this.#perLine;
      paintRow(pixels, w, { ...row, byte, perPixel: this.#perLine / (w - x0) }, layout, this.#palette);
    }
    pen.putImageData(image, 0, 0);
    pen.scale(s, s);
    this.#drawGutter(pen);
    this.#drawLabels(pen, layout);
    const whole = this.#low <= 0 && this.#high >= layout.size;
    const shown = `bytes ${count(Math.floor(this.#low))} to ${count(Math.ceil(this.#high))}`;
    fill(
      this.#range,
      whole ? `the whole file, ${count(layout.size)} bytes` : `${shown} of ${count(layout.size)}`,
    );
    this.#drawOver();
    this.#tail.draw(this.#theme, this.#palette);
    this.#stage.dataset.drawn = String(Number(this.#stage.dataset.drawn ?? 0) + 1);
  }

  #drawGutter(pen: CanvasRenderingContext2D): void {
    if (!this.#gutter) return;
    pen.font = `10px ${this.#theme.font}`;
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    pen.fillStyle = this.#theme.muted;
    for (let line = 0; line < LINES; line++) {
      const byte = Math.floor(this.#low + line * this.#perLine);
      pen.fillText(byte < 1e9 ? count(byte) : size(byte), GUTTER - 8, line * LINE + (LINE - GAP) / 2 + 0.5);
    }
  }

  #drawLabels(pen: CanvasRenderingContext2D, layout: Layout): void {
    const blocks = layout.blocks();
    const first = this.#firstBlock(blocks);
    const shown: Block[] = [];
    for (let i = first; i < blocks.length && blocks[i].start < this.#high; i++) {
      if (shown.length >= LABELLED) return; // too many to read; the colours speak
      shown.push(blocks[i]);
    }
    pen.font = `600 11px ${this.#theme.font}`;
    pen.textAlign = "left";
    pen.textBaseline = "middle";
    let group = 0;
    for (const block of shown) {
      const rectangles = this.#rectangles(block.start, block.end);
      if (block.group !== group && block.group >= 0 && rectangles[0]) {
        pen.fillStyle = this.#theme.ink;
        pen.fillRect(rectangles[0].x - 1, rectangles[0].y - 1, 2, LINE - GAP + 2);
      }
      if (block.group >= 0) group = block.group;
      const widest = rectangles.reduce((a, b) => (b.width > a.width + 1 ? b : a), rectangles[0]);
      if (!widest || widest.width < 28) continue;
      const family = FAMILIES[block.family];
      const name =
        block.column < 0 ? family.name : (this.#ctx.identity.column_names[block.column] ?? `${block.column}`);
      const text = abridge(name, widest.width - 10, (t) => pen.measureText(t).width);
      const y = widest.y + (LINE - GAP) / 2 + 0.5;
      writeOn(pen, text, this.#palette.plain[block.family], widest.x + 5, y, LINE - GAP);
    }
  }

  #firstBlock(blocks: Block[]): number {
    let [low, high] = [0, blocks.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (blocks[middle].start <= this.#low) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #drawOver(): void {
    const pen = this.#over.getContext("2d");
    const layout = this.#layout;
    if (!pen || !layout || !this.#theme) return;
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, this.#over.width, this.#over.height);
    pen.scale(this.#scale, this.#scale);
    const place = this.#place;
    const whole = !place || (place[0] <= 0 && place[1] >= layout.size);
    if (place && !whole) {
      const marks = this.#rectangles(place[0], place[1]);
      pen.fillStyle = this.#theme.background;
      pen.globalAlpha = 0.26;
      pen.fillRect(this.#gutter, 0, this.#stage.clientWidth, LINE * LINES);
      pen.globalAlpha = 1;
      for (const { x, y, width } of marks) pen.clearRect(x, y, Math.max(2, width), LINE - GAP);
      this.#outline(pen, marks, this.#theme.ink, 2);
    }
    if (this.#hot) this.#outline(pen, this.#rectangles(...this.#hot), this.#theme.accent, 2);
    if (this.#hover >= 0) {
      const [a, b] = [layout.start[this.#hover], layout.end(this.#hover)];
      this.#outline(pen, this.#rectangles(a, b), this.#theme.ink, 1.5);
    }
  }

  #outline(
    pen: CanvasRenderingContext2D,
    marks: { x: number; y: number; width: number }[],
    colour: string,
    width: number,
  ): void {
    pen.strokeStyle = colour;
    pen.lineWidth = width;
    for (const mark of marks) {
      if (marks.length > 1 || mark.width >= 5) {
        pen.strokeRect(mark.x, mark.y + 0.5, Math.max(2, mark.width), LINE - GAP - 1);
        continue;
      }
      // too narrow to see: a needle with a head
      const x = mark.x + mark.width / 2;
      pen.fillStyle = colour;
      pen.fillRect(x - 1, mark.y - 1, 2, LINE - GAP + 2);
      pen.beginPath();
      pen.arc(x, mark.y + (LINE - GAP) / 2, 4, 0, 7);
      pen.fill();
    }
  }

  #drawLegend(layout: Layout): void {
    const { bytes, tiles } = layout.totals();
    const items = FAMILIES.map((family, i) => {
      if (!tiles[i]) return null;
      const share = ((bytes[i] / Math.max(1, layout.size)) * 100).toFixed(
        bytes[i] / layout.size < 0.0995 ? 1 : 0,
      );
      return h(
        "li",
        { title: `${count(tiles[i])} of them, ${count(bytes[i])} bytes` },
        swatch(family, "pqx-swatch"),
        `${i === 0 && layout.level === "chunks" ? "column chunks" : family.name} `,
        h("span", { class: "pqx-muted" }, `${size(bytes[i])}, ${share} %`),
      );
    });
    fill(this.#legend, ...items);
  }

  #point(event: PointerEvent): void {
    if (!this.#layout || event.pointerType === "touch") return;
    const box = this.#stage.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    if (x < this.#gutter) {
      this.#unpoint();
      return;
    }
    const index = this.#layout.at(this.#byteAt(x, y));
    this.#hint(index, event.clientX, event.clientY);
    if (index !== this.#hover) {
      this.#hover = index;
      this.#drawOver();
    }
  }

  #unpoint(): void {
    this.#hint(-1, 0, 0);
    this.#hover = -1;
    this.#drawOver();
  }

  /** The note beside the pointer: what, where, how long, and a sentence. */
  #hint(index: number, x: number, y: number): void {
    const layout = this.#layout;
    this.#tip.hidden = index < 0 || !layout;
    if (!layout || index < 0) return;
    if (this.#tip.dataset.tile !== String(index)) {
      this.#tip.dataset.tile = String(index);
      const [start, end] = [layout.start[index], layout.end(index)];
      fill(
        this.#tip,
        h("strong", {}, tileTitle(layout, index, this.#ctx.identity.column_names)),
        h("code", {}, layout.address(index)),
        h("span", {}, `${plural(end - start, "byte")}, ${count(start)} to ${count(end)}`),
        h("span", { class: "pqx-muted" }, sentence(layout.kind(index))),
      );
    }
    const box = this.el.getBoundingClientRect();
    const most = box.width - this.#tip.offsetWidth - 4;
    this.#tip.style.left = `${Math.max(4, Math.min(most, x - box.left + 14))}px`;
    this.#tip.style.top = `${y - box.top + 20}px`;
  }

  #click(event: MouseEvent): void {
    if (!this.#layout) return;
    const box = this.#stage.getBoundingClientRect();
    this.#choose(this.#layout.at(this.#byteAt(event.clientX - box.left, event.clientY - box.top)));
  }

  #choose(index: number): void {
    if (!this.#layout) return;
    this.#tile = index;
    this.#ctx.select(this.#layout.address(index));
  }

  #wheel(event: WheelEvent): void {
    if (!event.ctrlKey || !this.#layout) return;
    event.preventDefault();
    const box = this.#stage.getBoundingClientRect();
    const byte = this.#byteAt(event.clientX - box.left, event.clientY - box.top);
    this.#zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY * 0.004))), byte);
  }

  #zoom(factor: number, around?: number): void {
    const layout = this.#layout;
    if (!layout) return;
    const before = this.#high - this.#low;
    const at = around ?? (this.#place && !this.#isWhole() ? this.#place[0] : (this.#low + this.#high) / 2);
    const shown = Math.min(Math.max(1, layout.size), Math.max(CLOSEST, before * factor));
    const share = Math.max(0, Math.min(1, (at - this.#low) / before));
    this.#high = this.#low + shown;
    this.#move(at - share * shown);
  }

  #isWhole(): boolean {
    return !this.#place || this.#place[1] - this.#place[0] >= (this.#layout?.size ?? 0);
  }

  #move(low: number): void {
    const shown = this.#high - this.#low;
    this.#low = Math.max(0, Math.min((this.#layout?.size ?? 0) - shown, low));
    this.#high = this.#low + shown;
    this.redraw();
  }

  #key(event: KeyboardEvent): void {
    const layout = this.#layout;
    if (!layout || event.altKey || event.metaKey || event.ctrlKey) return;
    const at = this.#isWhole() ? -1 : this.#tile;
    const last = layout.length - 1;
    const byLine = (sign: number) => {
      const to = layout.at((at < 0 ? 0 : layout.start[at]) + sign * this.#perLine);
      return to === at ? at + sign : to;
    };
    const go = (index: number) => this.#choose(Math.max(0, Math.min(last, index)));
    const actions: Record<string, () => void> = {
      ArrowRight: () => go(at + 1),
      ArrowLeft: () => go(at - 1),
      ArrowDown: () => go(byLine(1)),
      ArrowUp: () => go(byLine(-1)),
      PageDown: () => go(at + 25),
      PageUp: () => go(at - 25),
      Home: () => go(0),
      End: () => go(last),
      "+": () => this.#zoom(0.5),
      "=": () => this.#zoom(0.5),
      "-": () => this.#zoom(2),
      "0": () => this.#zoom(Number.POSITIVE_INFINITY),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  }
}
