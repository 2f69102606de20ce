/**
 * A canvas with marks, for the pointer and the keyboard: arrow keys move from mark to mark, Enter goes to the node, and a
 * line of text below describes the current mark. The table below the picture has the same figures.
 */

import type { Context, Span } from "../context";
import { fill, h } from "../dom";
import { knowsMarks, learnMarks } from "../kept";
import { Soon } from "../rest";
import { visible } from "../text";
import { onThemeChange, type Theme, themeOf } from "../theme";

export interface Painting {
  label: string;
  count: number;
  /** Height in pixels for a width. */
  height(width: number): number;
  draw(pen: CanvasRenderingContext2D, width: number, height: number, theme: Theme): void;
  /** Draw an outline around the current mark, on a layer of its own. */
  outline(pen: CanvasRenderingContext2D, mark: number, theme: Theme): void;
  /** The mark at a point; -1 if there is none. */
  at(x: number, y: number): number;
  say(mark: number): string;
  span(mark: number): Span | null;
  choose(mark: number): void;
  /** Marks that ArrowUp and ArrowDown move by; 1 if absent. */
  across?(): number;
  /** The mark that a key leads to, if the marks are no line; null if the key has no meaning of its own. */
  beside?(mark: number, key: string): number | null;
  /** Where a mark is, from top to bottom, in a picture that may be higher than its room: the keys scroll to it. */
  rows?(mark: number): [top: number, bottom: number];
  /** The minimum width of the picture; in less room it scrolls. */
  minWidth?: number;
  first?: number;
}

export class Board {
  readonly el: HTMLElement;
  #ctx: Context;
  #painting: Painting;
  #stage: HTMLElement;
  #base = h("canvas", { "aria-hidden": "true" });
  #over = h("canvas", { "aria-hidden": "true" });
  #readout = h("p", { class: "pqx-readout" });
  #room: HTMLElement;
  #mark: number;
  #frame = new Soon();
  #theme!: Theme;
  #stops: (() => void)[];

  /** `below` is a line of text below the picture: the meaning of its axis. */
  constructor(ctx: Context, painting: Painting, below = "") {
    this.#ctx = ctx;
    this.#painting = painting;
    this.#mark = painting.first ?? -1;
    this.#stage = h(
      "div",
      {
        class: "pqx-board-stage",
        tabindex: 0,
        role: "slider",
        "aria-label": painting.label,
        "aria-valuemin": 0,
        "aria-valuemax": Math.max(0, painting.count - 1),
        "aria-valuenow": Math.max(0, this.#mark),
        "aria-valuetext": this.#mark < 0 ? "no mark chosen" : painting.say(this.#mark),
        "data-marks": painting.count,
        onpointermove: (event: PointerEvent) => this.#point(this.#hit(event)),
        onpointerleave: () => this.#leave(),
        onclick: (event: MouseEvent) => this.#click(event),
        onkeydown: (event: KeyboardEvent) => this.#key(event),
        onfocus: () => this.#point(Math.max(0, this.#mark)),
        onblur: () => this.#leave(),
      },
      this.#base,
      this.#over,
    );
    // nothing below moves when the picture appears
    this.#stage.style.height = `${painting.height(900)}px`;
    this.#room = h("div", { class: "pqx-board-room" }, this.#stage);
    this.el = h(
      "div",
      { class: "pqx-board" },
      this.#room,
      below && h("p", { class: "pqx-axis" }, below),
      this.#readout,
    );
    const observer = new ResizeObserver(() => this.redraw());
    observer.observe(this.el);
    this.#stops = [onThemeChange(() => this.redraw()), () => observer.disconnect()];
    this.tell();
  }

  redraw(): void {
    this.#frame.frame(() => this.#draw());
  }

  /** Make a mark the current one. */
  show(mark: number): void {
    this.#mark = mark;
    this.tell();
    this.#drawOver();
  }

  /** Scroll to the current mark. */
  reveal(): void {
    const rows = this.#mark < 0 ? undefined : this.#painting.rows?.(this.#mark);
    if (!rows) return;
    const { scrollTop, clientHeight } = this.#room;
    if (rows[0] < scrollTop) this.#room.scrollTop = rows[0];
    else if (rows[1] > scrollTop + clientHeight) this.#room.scrollTop = rows[1] - clientHeight;
  }

  dispose(): void {
    this.#frame.drop();
    for (const stop of this.#stops) stop();
  }

  #draw(): void {
    const width = Math.max(this.#painting.minWidth ?? 0, this.el.clientWidth);
    if (!this.el.clientWidth) return;
    const height = this.#painting.height(width);
    const began = performance.now();
    const scale = devicePixelRatio || 1;
    this.#theme = themeOf(this.el);
    for (const canvas of [this.#base, this.#over]) {
      canvas.width = Math.round(width * scale);
      canvas.height = Math.round(height * scale);
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
    }
    this.#stage.style.width = `${width}px`;
    this.#stage.style.height = `${height}px`;
    const pen = this.#base.getContext("2d");
    if (!pen) return;
    pen.scale(scale, scale);
    pen.font = `11px ${this.#theme.font}`;
    pen.textBaseline = "middle";
    this.#painting.draw(pen, width, height, this.#theme);
    this.#drawOver();
    if (this.#stage.dataset.drawn === undefined) this.reveal();
    this.#stage.dataset.drawn = (performance.now() - began).toFixed(1);
  }

  #drawOver(): void {
    const pen = this.#over.getContext("2d");
    if (!pen || !this.#theme) return;
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, this.#over.width, this.#over.height);
    const scale = devicePixelRatio || 1;
    pen.scale(scale, scale);
    if (this.#mark >= 0) this.#painting.outline(pen, this.#mark, this.#theme);
  }

  #hit(event: MouseEvent): number {
    const box = this.#base.getBoundingClientRect();
    return this.#painting.at(event.clientX - box.left, event.clientY - box.top);
  }

  #point(mark: number): void {
    if (mark < 0 || mark >= this.#painting.count) return;
    if (mark !== this.#mark) {
      this.show(mark);
      if (!knowsMarks()) learnMarks();
    }
    this.#ctx.hot.emit(this.#painting.span(mark));
  }

  #leave(): void {
    this.#ctx.hot.emit(null);
  }

  #click(event: MouseEvent): void {
    const mark = this.#hit(event);
    if (mark < 0 || mark >= this.#painting.count) return;
    this.#point(mark);
    this.#painting.choose(mark);
  }

  /** Describe the current mark again, after more of it is known. */
  tell(): void {
    if (this.#mark < 0) {
      const hint = knowsMarks() ? "" : "Point at a mark, or use the arrow keys.";
      fill(this.#readout, h("span", { class: "pqx-muted" }, hint));
      return;
    }
    const text = this.#painting.say(this.#mark);
    fill(this.#readout, text);
    this.#stage.setAttribute("aria-valuenow", String(this.#mark));
    this.#stage.setAttribute("aria-valuetext", visible(text));
  }

  #key(event: KeyboardEvent): void {
    if (event.altKey || event.metaKey || event.ctrlKey) return;
    const { count } = this.#painting;
    const line = this.#painting.across?.() ?? 1;
    const at = this.#mark;
    const to: Record<string, number> = {
      ArrowRight: at + 1,
      ArrowLeft: at - 1,
      ArrowDown: at + line,
      ArrowUp: at - line,
      PageDown: at + Math.max(10, line),
      PageUp: at - Math.max(10, line),
      Home: 0,
      End: count - 1,
      Enter: at,
    };
    if (!(event.key in to) || !count) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === "Enter") {
      if (at >= 0) this.#painting.choose(at);
      return;
    }
    const next = this.#painting.beside?.(Math.max(0, at), event.key) ?? to[event.key];
    this.#point(Math.max(0, Math.min(count - 1, next)));
    this.reveal();
  }
}

/** Diagonal lines over a rectangle: a second cue beside the colour. */
export function hatch(
  pen: CanvasRenderingContext2D,
  x: number,
  y: number,
  width: number,
  height: number,
  colour: string,
  step = 5,
): void {
  pen.save();
  pen.beginPath();
  pen.rect(x, y, width, height);
  pen.clip();
  pen.strokeStyle = colour;
  pen.lineWidth = 1.2;
  pen.beginPath();
  for (let at = x - height; at < x + width; at += step) {
    pen.moveTo(at, y + height);
    pen.lineTo(at + height, y);
  }
  pen.stroke();
  pen.restore();
}

/** Draw a text of at most `width` pixels, shortened at its end. */
export function drawText(
  pen: CanvasRenderingContext2D,
  text: string,
  x: number,
  y: number,
  width: number,
  align: CanvasTextAlign = "left",
): void {
  let shown = visible(text);
  while (shown.length > 1 && pen.measureText(shown).width > width)
    shown = `${[...shown].slice(0, -2).join("")}…`;
  pen.textAlign = align;
  pen.fillText(shown, x, y);
}
