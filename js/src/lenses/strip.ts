/** A section in proportion: a cell for each step, or for each bucket of steps. A frame marks the magnified part. */

import { ACCENTS, CLASSES } from "../accents";
import { h } from "../dom";
import { channels, onThemeChange, type Theme, themeOf } from "../theme";
import type { Cells } from "../wire/encoding";

export interface Style {
  colour: string;
  /** A second cue beside the colour. */
  shape: "full" | "hatched" | "low" | "dotted";
}

/** How steps of a kind look, by the kind's name. */
export function styleOf(kind: string): Style {
  if (/^(lengths|suffix lengths): (block|first)/.test(kind)) return { colour: CLASSES[4], shape: "hatched" };
  if (/^prefix lengths: (block|first)/.test(kind)) return { colour: CLASSES[3], shape: "hatched" };
  if (/rle run|implied/.test(kind)) return { colour: CLASSES[1], shape: "full" };
  if (/bit-packed run|packed values|block/.test(kind)) return { colour: CLASSES[0], shape: "hatched" };
  if (/vector/.test(kind)) return { colour: CLASSES[2], shape: "hatched" };
  if (/stream/.test(kind)) return { colour: CLASSES[2], shape: "dotted" };
  if (/value|bits/.test(kind) && !/first|width/.test(kind)) return { colour: CLASSES[0], shape: "full" };
  return { colour: ACCENTS.frame, shape: "low" };
}

const HEIGHT = 22;

export class Strip {
  readonly el: HTMLElement;
  #canvas = h("canvas", { role: "img" });
  #cells: Cells;
  #styles: Style[];
  #from: number;
  #to: number;
  #marked: [number, number] | null = null;
  #observer: ResizeObserver;
  #stop: () => void;

  /** `choose` gets the clicked position (a byte, a value), `point` the cell under the pointer. */
  constructor(
    cells: Cells,
    styles: Style[],
    options: {
      title: string;
      label: string;
      choose: (at: number) => void;
      point: (cell: [start: number, end: number] | null) => void;
    },
  ) {
    this.#cells = cells;
    this.#styles = styles;
    this.#from = cells.start[0] ?? 0;
    this.#to = cells.end.reduce((max, end) => Math.max(max, end), this.#from + 1);
    this.#canvas.setAttribute("aria-label", options.label);
    this.#canvas.dataset.cells = String(cells.start.length);
    this.#canvas.addEventListener("click", (event) => options.choose(this.#at(event)));
    this.#canvas.addEventListener("pointermove", (event) => {
      const cell = this.#cell(this.#at(event));
      options.point(cell < 0 ? null : [cells.start[cell], cells.end[cell]]);
    });
    this.#canvas.addEventListener("pointerleave", () => options.point(null));
    this.el = h(
      "div",
      { class: "pqx-strip" },
      h("span", { class: "pqx-muted", "aria-hidden": "true" }, options.title),
      this.#canvas,
    );
    this.#observer = new ResizeObserver(() => this.#draw());
    this.#observer.observe(this.#canvas);
    this.#stop = onThemeChange(() => this.#draw());
  }

  /** Frame `[start, end)`, or nothing. */
  mark(marked: [start: number, end: number] | null): void {
    this.#marked = marked;
    this.#canvas.dataset.marked = marked?.join(" ") ?? "";
    this.#draw();
  }

  dispose(): void {
    this.#observer.disconnect();
    this.#stop();
  }

  #at(event: MouseEvent): number {
    const box = this.#canvas.getBoundingClientRect();
    const share = Math.min(0.999999, Math.max(0, (event.clientX - box.left) / Math.max(1, box.width)));
    return Math.floor(this.#from + share * (this.#to - this.#from));
  }

  #cell(at: number): number {
    const { start, end } = this.#cells;
    let [low, high] = [0, start.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (start[middle] <= at) low = middle + 1;
      else high = middle;
    }
    return low > 0 && at < end[low - 1] ? low - 1 : -1;
  }

  #draw(): void {
    const { clientWidth: width } = this.#canvas;
    const pen = this.#canvas.getContext("2d");
    if (!width || !pen) return;
    const ratio = window.devicePixelRatio || 1;
    this.#canvas.width = Math.round(width * ratio);
    this.#canvas.height = Math.round(HEIGHT * ratio);
    pen.scale(ratio, ratio);
    const theme = themeOf(this.#canvas);
    const scale = width / (this.#to - this.#from);
    const { start, end, kind } = this.#cells;
    let odd = false;
    for (let i = 0; i < start.length; i++) {
      odd = kind[i] === kind[i - 1] && !odd;
      const left = (start[i] - this.#from) * scale;
      const right = Math.max(left + 0.6, (end[i] - this.#from) * scale);
      paint(pen, this.#styles[kind[i]], left, right, odd, theme);
    }
    if (!this.#marked) return;
    const left = (this.#marked[0] - this.#from) * scale;
    const wide = Math.max(4, (this.#marked[1] - this.#marked[0]) * scale);
    pen.strokeStyle = theme.ink;
    pen.lineWidth = 2;
    pen.strokeRect(Math.min(Math.max(1, left), width - 4), 1, Math.min(wide, width - 2), HEIGHT - 2);
  }
}

function paint(
  pen: CanvasRenderingContext2D,
  style: Style,
  left: number,
  right: number,
  odd: boolean,
  theme: Theme,
): void {
  const top = style.shape === "low" ? 11 : 3;
  const bottom = HEIGHT - 3;
  const gap = right - left > 4 ? 1 : 0;
  const [r, g, b] = channels(style.colour);
  const wide = right - left - gap;
  pen.fillStyle = `rgba(${r}, ${g}, ${b}, ${odd && right - left > 2 ? 0.72 : 1})`;
  pen.fillRect(left, top, wide, bottom - top);
  if (wide < 6 || style.shape === "full" || style.shape === "low") return;
  pen.save();
  pen.beginPath();
  pen.rect(left, top, wide, bottom - top);
  pen.clip();
  pen.strokeStyle = theme.background;
  pen.globalAlpha = 0.55;
  pen.lineWidth = style.shape === "dotted" ? 2 : 1;
  if (style.shape === "dotted") pen.setLineDash([2, 3]);
  const step = 6;
  pen.beginPath();
  for (let x = Math.floor(left / step) * step - 20; x < right; x += step) {
    pen.moveTo(x, bottom);
    pen.lineTo(style.shape === "dotted" ? x : x + 16, top);
  }
  pen.stroke();
  pen.restore();
}
