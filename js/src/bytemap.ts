/** The file on one canvas, wrapped into rows of bytes like text; above it the whole file as a strip, below it its tail. */

import { ColourBy } from "./colourby";
import { type Context, FILE, type Span } from "./context";
import { fill, h } from "./dom";
import { flagItems, SEVERITIES } from "./flags";
import { Gestures } from "./gestures";
import type { Layout } from "./layout";
import { Legend, legendItems } from "./legend";
import { MapCanvas, type Outlined } from "./mapcanvas";
import { PANS, tileFor, ZOOMS } from "./mapkeys";
import { Minimap } from "./minimap";
import { type Palette, palette } from "./paint";
import { Soon } from "./rest";
import { skippedItem } from "./skipped";
import { Tail } from "./tail";
import { count, visible } from "./text";
import { type Theme, themeOf } from "./theme";
import { TileNote } from "./tilenote";
import { GAP, LINE, Wrap, Zooms } from "./wrap";

/** Pixels of the wheel that move the map by a line. */
const WHEEL_LINE = 60;

export class ByteMap {
  readonly el: HTMLElement;
  #stage: HTMLElement;
  #canvas = new MapCanvas();
  #range = h("span", { class: "pqx-muted" });
  #legend = new Legend();
  #by: ColourBy;
  #mini: Minimap;
  #gestures: Gestures;
  #zooms = new Zooms();
  /** The byte that a drag holds. */
  #held = 0;
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
  /** The class, by its number, or the severity whose tiles are shown alone; "" for all. */
  #only = "";
  /** The colours and the legend are of an earlier layout, theme or choice. */
  #stale = true;
  #select = "";
  #tile = -1;
  #wrap = new Wrap();
  #frame = new Soon();
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
        ondblclick: (event: MouseEvent) => {
          const tile = this.#tileAt(event);
          if (this.#layout) this.#zoomTo(this.#layout.start[tile], this.#layout.end(tile));
        },
        onpointerleave: () => this.#unpoint(),
        onclick: (event: MouseEvent) => this.#click(event),
        onkeydown: (event: KeyboardEvent) => this.#press(event),
        onblur: () => this.#unpoint(),
      },
      this.#canvas.base,
      this.#canvas.over,
    );
    this.#gestures = new Gestures(this.#stage, {
      grab: (x, y) => {
        this.#held = this.#wrap.byteAt(x, y);
      },
      drag: (x, y) => {
        this.#wrap.hold(this.#held, x, y);
        this.#unpoint();
        this.#schedule();
      },
      zoom: (factor, x, y) => this.#zoom(factor, this.#wrap.byteAt(x, y)),
      pinch: (factor, from, to) => {
        const byte = this.#wrap.byteAt(...from);
        this.#zoom(factor, byte);
        this.#wrap.hold(byte, ...to);
      },
      wheel: (dx, dy) => this.#wheel(dx, dy),
    });
    this.#by = new ColourBy(ctx, () => {
      this.#only = "";
      this.redraw();
    });
    this.#mini = new Minimap(this.#wrap, {
      show: ([low, high]) => {
        this.#zooms.note(this.#wrap, performance.now());
        this.#wrap.show(low, high);
        this.#schedule();
      },
      choose: (byte) => this.#layout && this.#choose(this.#layout.at(byte)),
      zoom: (factor, byte) => this.#zoom(factor, byte),
      wheel: (dx, dy) => this.#wheel(dx, dy),
      released: () => this.#stage.focus({ preventScroll: true }),
      hint: (byte, event) =>
        this.#hint(byte < 0 ? -1 : (this.#layout?.at(byte) ?? -1), event.clientX, event.clientY),
    });
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
      {
        class: "pqx-map",
        "aria-label": "Where the bytes are",
        onkeydown: (event: KeyboardEvent) => this.#back(event),
      },
      h(
        "div",
        { class: "pqx-bar" },
        this.#range,
        this.#note,
        this.#finer,
        h("span", { class: "pqx-space" }),
        this.#by.el,
        zoom("Zoom out", "−", 2),
        zoom("Zoom in", "+", 0.5),
        zoom("Show the whole file", "whole file", Number.POSITIVE_INFINITY),
      ),
      this.#mini.el,
      this.#stage,
      this.#tail.el,
      this.#legend.el,
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
    this.#by.show(layout);
    this.redraw();
  }

  /** Show again what the query does not read, after that changed. */
  dim(): void {
    this.#by.renew();
    this.redraw();
  }

  /** Take the colours of the theme and of the choice, and say in the legend what they mean. */
  #restyle(layout: Layout): void {
    this.#stale = false;
    const { colouring } = this.#by;
    if (Number(this.#only) >= colouring.looks.length) this.#only = ""; // a class that is no more
    const only = this.#only === "" ? -1 : Number(this.#only);
    this.#theme = themeOf(this.el);
    this.#palette = palette(this.#theme, this.#scale, colouring, Number.isNaN(only) ? -1 : only);
    const toggle = (key: string) => {
      this.#only = this.#only === key ? "" : key;
      this.redraw();
    };
    const flags = flagItems(layout, this.#only, toggle);
    const classes = legendItems(layout, colouring, palette(this.#theme, 1, colouring), this.#only, toggle);
    this.#legend.show([...classes, ...flags, skippedItem(this.#ctx)], colouring.ordered);
    this.#stage.dataset.by = colouring.by;
    const by = colouring.by === "kind" ? "" : `, coloured by ${this.#by.title}`;
    this.#stage.setAttribute("aria-label", `Byte map: the file from its first byte to its last${by}`);
    this.#speak();
    this.#mini.paint(layout, colouring, this.#palette);
    this.#tail.draw(this.#theme, this.#palette, colouring);
  }

  /** Say the selection, and what its colour means. */
  #speak(): void {
    const says = this.#tile >= 0 && this.#layout && !this.#atFile ? this.#by.colouring.says(this.#tile) : "";
    const text = visible(says ? `${this.#select}, ${says}` : this.#select);
    this.#stage.setAttribute("aria-valuetext", text);
    this.#stage.setAttribute("aria-valuenow", String(Math.max(0, this.#tile)));
  }

  /** Mark the bytes of the selected node; null marks nothing. */
  select(address: string, place: [number, number] | null, text: string): void {
    this.#place = place;
    this.#tail.select(place);
    if (this.#layout && place) {
      // a page has two tiles, header and body: keep the chosen one
      if (this.#tile < 0 || this.#layout.address(this.#tile) !== address)
        this.#tile = this.#layout.at(place[0]);
      const { low, high } = this.#wrap;
      if (place[0] < low || place[0] >= high) {
        this.#wrap.move((place[0] + place[1]) / 2 - (high - low) / 2);
        this.#schedule();
      }
    }
    this.#select = text;
    this.#speak();
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

  /** Draw again, after the theme or the colours changed. */
  redraw(): void {
    this.#stale = true;
    this.#schedule();
  }

  /** Draw at the next frame, once. */
  #schedule(): void {
    this.#frame.frame(() => this.#draw());
  }

  dispose(): void {
    this.#frame.drop();
    this.#by.dispose();
    this.#observer.disconnect();
    this.#tail.dispose();
  }

  get #scale(): number {
    return devicePixelRatio || 1;
  }

  #draw(): void {
    const layout = this.#layout;
    if (!layout || !this.el.clientWidth) return;
    if (this.#stale) this.#restyle(layout);
    const width = this.#stage.clientWidth;
    const wrap = this.#wrap;
    if (width) {
      wrap.width = width;
      wrap.lines = Math.max(1, Math.floor((this.#stage.clientHeight + GAP) / LINE));
      const marks = { skips: this.#ctx.query.skips, only: this.#only in SEVERITIES ? this.#only : "" };
      const look = { wrap, theme: this.#theme, palette: this.#palette, colouring: this.#by.colouring };
      const drawn = this.#canvas.drawBytes(layout, look, marks, this.#ctx.identity.column_names);
      Object.assign(this.#stage.dataset, drawn);
    }
    const shown = `bytes ${count(Math.floor(wrap.low))} to ${count(Math.ceil(wrap.high))}`;
    const bytes = count(layout.size);
    fill(this.#range, wrap.isWhole ? `the whole file, ${bytes} bytes` : `${shown} of ${bytes}`);
    this.#stage.dataset.zoomed = String(!wrap.isWhole);
    this.#drawOver();
    this.#stage.dataset.drawn = String(Number(this.#stage.dataset.drawn ?? 0) + 1);
  }

  #drawOver(): void {
    const layout = this.#layout;
    if (!layout || !this.#theme) return;
    this.#mini.mark(this.#place, this.#theme, this.#scale);
    const outlined: Outlined[] = this.#lit.map((bytes) => ({ bytes, colour: this.#theme.accent, width: 2 }));
    if (this.#hot) outlined.push({ bytes: this.#hot, colour: this.#theme.accent, width: 2 });
    if (this.#hover >= 0) {
      const bytes: [number, number] = [layout.start[this.#hover], layout.end(this.#hover)];
      outlined.push({ bytes, colour: this.#theme.ink, width: 1.5 });
    }
    this.#canvas.drawOver(this.#wrap, this.#theme, this.#atFile ? null : this.#place, outlined);
  }

  #point(event: PointerEvent): void {
    if (!this.#layout || event.pointerType === "touch" || this.#gestures.dragging) return;
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
    if (this.#hover < 0) return;
    this.#hint(-1, 0, 0);
    this.#hover = -1;
    this.#drawOver();
  }

  #hint(index: number, x: number, y: number): void {
    this.#tip.show(this.#layout, index, x, y, index < 0 ? "" : this.#by.colouring.says(index));
  }

  #click(event: MouseEvent): void {
    if (!this.#layout || this.#gestures.moved) return;
    this.#choose(this.#tileAt(event));
  }

  /** The tile below the pointer. */
  #tileAt(event: MouseEvent): number {
    return this.#layout?.at(this.#wrap.byteAt(...this.#gestures.at(event))) ?? -1;
  }

  /** Show bytes large. */
  #zoomTo(start: number, end: number): void {
    this.#zooms.note(this.#wrap, performance.now());
    this.#wrap.fit(start, end);
    this.#schedule();
  }

  #choose(index: number): void {
    if (!this.#layout) return;
    this.#tile = index;
    this.#ctx.select(this.#layout.address(index));
  }

  /** Move by lines. Returns whether the map moved, or would catch the wheel because it has the focus. */
  #pan(lines: number): boolean {
    if (this.#wrap.isWhole) return false;
    const moved = this.#wrap.pan(lines);
    if (moved) this.#schedule();
    return moved || this.#stage.matches(":focus");
  }

  #wheel(dx: number, dy: number): boolean {
    return this.#pan(dy / WHEEL_LINE + dx / Math.max(1, this.#wrap.width - this.#wrap.gutter));
  }

  #zoom(factor: number, around?: number): void {
    const middle = (this.#wrap.low + this.#wrap.high) / 2;
    this.#zooms.note(this.#wrap, performance.now());
    this.#wrap.zoom(factor, around ?? (this.#place && !this.#atFile ? this.#place[0] : middle));
    this.#schedule();
  }

  /** Whether the whole file is selected, or nothing. */
  get #atFile(): boolean {
    return !this.#place || this.#place[1] - this.#place[0] >= this.#wrap.size;
  }

  #press(event: KeyboardEvent): void {
    const layout = this.#layout;
    if (!layout || event.altKey || event.metaKey || event.ctrlKey) return;
    const { key } = event;
    const to = tileFor(key, this.#atFile ? -1 : this.#tile, layout, this.#wrap.perLine);
    let action: (() => unknown) | undefined = to === null ? undefined : () => this.#choose(to);
    if (key in ZOOMS) action = () => this.#zoom(ZOOMS[key]);
    if (event.shiftKey && key in PANS) action = () => this.#pan(PANS[key]);
    const place = this.#atFile ? null : this.#place;
    if (key === "Enter" && place) action = () => this.#zoomTo(...place);
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  }

  /** Escape anywhere in the map shows what was shown before the last zoom; without one, the explorer handles it. */
  #back(event: KeyboardEvent): void {
    if (event.key !== "Escape" || !this.#zooms.back(this.#wrap)) return;
    event.preventDefault();
    event.stopPropagation();
    this.#schedule();
  }
}
