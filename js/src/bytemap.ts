/** The whole file on one canvas, wrapped into rows of bytes like text; below it the file's tail, magnified. */

import { type Context, FILE, type Span } from "./context";
import { fill, h } from "./dom";
import { drawFlags, flagItems } from "./flags";
import type { Layout } from "./layout";
import { legendItems } from "./legend";
import { drawLetters, drawNames, drawOffsets } from "./maplabels";
import { type Palette, paintRow, palette } from "./paint";
import { drawSkipped, skippedItem } from "./skipped";
import { Tail } from "./tail";
import { count, visible } from "./text";
import { type Theme, themeOf } from "./theme";
import { TileNote } from "./tilenote";
import { GAP, LINE, type Mark, Wrap } from "./wrap";

export class ByteMap {
  readonly el: HTMLElement;
  #stage: HTMLElement;
  #base = h("canvas", { "aria-hidden": "true" });
  #over = h("canvas", { "aria-hidden": "true" });
  #range = h("span", { class: "pqx-muted" });
  #legend = h("ul", { class: "pqx-legend", "aria-label": "Legend" });
  #tip: TileNote;
  #note = h("span", { class: "pqx-muted" });
  #finer = h("button", { class: "pqx-button", hidden: true }, "show single pages");
  #tail: Tail;
  #ctx: Context;
  #layout: Layout | null = null;
  #place: [number, number] | null = null;
  #hot: [number, number] | null = null;
  #lit: [number, number][] = [];
  #hover = -1;
  /** The severity whose tiles are shown alone; "" for all. */
  #only = "";
  #tile = -1;
  #wrap = new Wrap();
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
        onkeydown: (event: KeyboardEvent) => this.#press(event),
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
    );
    this.#tip = new TileNote(this.el, ctx.identity.column_names, ctx.query);
    this.#observer = new ResizeObserver(() => this.redraw());
    this.#observer.observe(this.#stage);
  }

  /** Show a layout; a finer one may follow a coarser one. `more` offers to fetch a finer one. */
  show(layout: Layout, more: boolean): void {
    const first = this.#layout === null;
    this.#layout = layout;
    this.#tile = this.#place ? layout.at(this.#place[0]) : -1;
    if (first) this.#wrap.whole(layout.size);
    this.#finer.hidden = !more;
    fill(this.#note, layout.level === "chunks" && more ? "one tile for each column chunk" : "");
    this.#stage.setAttribute("aria-valuemax", String(layout.length - 1));
    this.#stage.dataset.tiles = String(layout.length);
    this.#tail.show(layout);
    this.#key();
    this.redraw();
  }

  /** Show again what the query does not read, after that changed. */
  dim(): void {
    this.#key();
    this.redraw();
  }

  #key(): void {
    if (!this.#layout) return;
    const flags = flagItems(this.#layout, this.#only, (severity) => {
      this.#only = severity;
      this.dim();
      this.#legend.querySelector<HTMLElement>("[aria-pressed=true]")?.focus();
    });
    fill(this.#legend, ...legendItems(this.#layout), ...flags, skippedItem(this.#ctx));
  }

  /** Mark the bytes of the selected node; null marks nothing. */
  select(address: string, place: [number, number] | null, text: string): void {
    this.#place = place;
    this.#tail.select(place);
    if (this.#layout && place) {
      // a page has two tiles, header and body: keep the chosen one
      if (this.#tile < 0 || this.#layout.address(this.#tile) !== address)
        this.#tile = this.#layout.at(place[0]);
      this.#stage.setAttribute("aria-valuenow", String(this.#tile));
      const { low, high } = this.#wrap;
      if (place[0] < low || place[0] >= high) {
        this.#wrap.move((place[0] + place[1]) / 2 - (high - low) / 2);
        this.redraw();
      }
    }
    this.#stage.setAttribute("aria-valuetext", visible(text));
    this.#drawOver();
  }

  /** Mark the bytes under the pointer in another view. */
  point(bytes: [number, number] | null): void {
    this.#hot = bytes;
    this.#drawOver();
  }

  /** Mark bytes that belong together but are apart. */
  light(spans: Span[]): void {
    this.#lit = spans.filter((span) => span.space === FILE).map(({ start, end }) => [start, end]);
    this.#stage.dataset.lit = String(this.#lit.length);
    this.#drawOver();
  }

  /** Draw again, after the size or the theme changed. */
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

  #draw(): void {
    const layout = this.#layout;
    const width = this.#stage.clientWidth;
    if (!layout || !width) return;
    this.#wrap.width = width;
    this.#wrap.lines = Math.max(1, Math.floor(this.#stage.clientHeight / LINE));
    const s = this.#scale;
    this.#theme = themeOf(this.el);
    this.#palette = palette(this.#theme, s);
    const [w, tall] = [Math.round(width * s), Math.round(LINE * this.#wrap.lines * s)];
    for (const canvas of [this.#base, this.#over]) {
      canvas.width = w;
      canvas.height = tall;
    }
    const pen = this.#base.getContext("2d");
    if (!pen) return;
    const image = pen.createImageData(w, tall);
    const pixels = new Uint32Array(image.data.buffer);
    const x0 = Math.round(this.#wrap.gutter * s);
    for (let line = 0; line < this.#wrap.lines; line++) {
      const row = {
        x0,
        x1: w,
        y0: Math.round(line * LINE * s),
        y1: Math.round((line * LINE + LINE - GAP) * s),
      };
      const byte = this.#wrap.low + line * this.#wrap.perLine;
      paintRow(pixels, w, { ...row, byte, perPixel: this.#wrap.perLine / (w - x0) }, layout, this.#palette);
    }
    pen.putImageData(image, 0, 0);
    pen.scale(s, s);
    const sheet = { pen, wrap: this.#wrap, theme: this.#theme, palette: this.#palette };
    const skips = this.#ctx.query.skips;
    this.#stage.dataset.skipped = String(skips ? drawSkipped(sheet, skips) : 0);
    this.#stage.dataset.flagged = String(drawFlags(sheet, layout, this.#only));
    drawOffsets(sheet);
    drawLetters(sheet, layout, drawNames(sheet, layout, this.#ctx.identity.column_names));
    const shown = `bytes ${count(Math.floor(this.#wrap.low))} to ${count(Math.ceil(this.#wrap.high))}`;
    const bytes = count(layout.size);
    fill(this.#range, this.#wrap.isWhole ? `the whole file, ${bytes} bytes` : `${shown} of ${bytes}`);
    this.#drawOver();
    this.#tail.draw(this.#theme, this.#palette);
    this.#stage.dataset.drawn = String(Number(this.#stage.dataset.drawn ?? 0) + 1);
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
      const marks = this.#wrap.marks(place[0], place[1]);
      pen.fillStyle = this.#theme.background;
      pen.globalAlpha = 0.26;
      pen.fillRect(this.#wrap.gutter, 0, this.#stage.clientWidth, LINE * this.#wrap.lines);
      pen.globalAlpha = 1;
      for (const { x, y, width } of marks) pen.clearRect(x, y, Math.max(2, width), LINE - GAP);
      this.#outline(pen, marks, this.#theme.ink, 2);
    }
    for (const bytes of this.#lit) this.#outline(pen, this.#wrap.marks(...bytes), this.#theme.accent, 2);
    if (this.#hot) this.#outline(pen, this.#wrap.marks(...this.#hot), this.#theme.accent, 2);
    if (this.#hover >= 0) {
      const [a, b] = [layout.start[this.#hover], layout.end(this.#hover)];
      this.#outline(pen, this.#wrap.marks(a, b), this.#theme.ink, 1.5);
    }
  }

  #outline(pen: CanvasRenderingContext2D, marks: Mark[], colour: string, width: number): void {
    pen.strokeStyle = colour;
    pen.lineWidth = width;
    for (const mark of marks) {
      if (marks.length > 1 || mark.width >= 5) {
        pen.strokeRect(mark.x, mark.y + 0.5, Math.max(2, mark.width), LINE - GAP - 1);
        continue;
      }
      // too narrow to see: draw a line with a head
      const x = mark.x + mark.width / 2;
      pen.fillStyle = colour;
      pen.fillRect(x - 1, mark.y - 1, 2, LINE - GAP + 2);
      pen.beginPath();
      pen.arc(x, mark.y + (LINE - GAP) / 2, 4, 0, 7);
      pen.fill();
    }
  }

  #point(event: PointerEvent): void {
    if (!this.#layout || event.pointerType === "touch") return;
    const box = this.#stage.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    if (x < this.#wrap.gutter) {
      this.#unpoint();
      return;
    }
    const index = this.#layout.at(this.#wrap.byteAt(x, y));
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

  #hint(index: number, x: number, y: number): void {
    this.#tip.show(this.#layout, index, x, y);
  }

  #click(event: MouseEvent): void {
    if (!this.#layout) return;
    const box = this.#stage.getBoundingClientRect();
    this.#choose(this.#layout.at(this.#wrap.byteAt(event.clientX - box.left, event.clientY - box.top)));
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
    const byte = this.#wrap.byteAt(event.clientX - box.left, event.clientY - box.top);
    this.#zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY * 0.004))), byte);
  }

  #zoom(factor: number, around?: number): void {
    const middle = (this.#wrap.low + this.#wrap.high) / 2;
    this.#wrap.zoom(factor, around ?? (this.#place && !this.#atFile ? this.#place[0] : middle));
    this.redraw();
  }

  /** Whether the whole file is selected, or nothing. */
  get #atFile(): boolean {
    return !this.#place || this.#place[1] - this.#place[0] >= this.#wrap.size;
  }

  #press(event: KeyboardEvent): void {
    const layout = this.#layout;
    if (!layout || event.altKey || event.metaKey || event.ctrlKey) return;
    const at = this.#atFile ? -1 : this.#tile;
    const last = layout.length - 1;
    const byLine = (sign: number) => {
      const to = layout.at((at < 0 ? 0 : layout.start[at]) + sign * this.#wrap.perLine);
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
