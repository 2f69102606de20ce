/**
 * Files by size and rows, on two logarithmic axes: a darker square has more files. A brush over the squares keeps
 * the files under it; the boxes below do the same without a pointer.
 */

import { ACCENTS } from "../accents";
import { append, h } from "../dom";
import type { Lens, Shown } from "../lenses/lens";
import { count, plural, size } from "../text";
import { onThemeChange, themeOf } from "../theme";
import type { Picture } from "../wire/fleet";
import type { LakeContext } from "./context";

const HEIGHT = 260;
const [LEFT, BOTTOM, TOP, RIGHT] = [64, 34, 8, 10];

export const fleet: Lens = {
  mount: (el, picture: Picture, ctx) => new Fleet(el, picture, ctx as LakeContext),
};

class Fleet implements Shown {
  #picture: Picture;
  #ctx: LakeContext;
  #canvas = h("canvas", { "aria-hidden": "true" });
  #stage: HTMLElement;
  /** Whether the rows of any file are known. */
  #counted: boolean;
  #tip = h("div", { class: "pqx-tip", hidden: true });
  #from: [number, number] | null = null;
  #to: [number, number] = [0, 0];
  #low: [number, number];
  #high: [number, number];
  #stops: (() => void)[] = [];

  constructor(el: HTMLElement, picture: Picture, ctx: LakeContext) {
    this.#picture = picture;
    this.#ctx = ctx;
    const known = picture.squares.filter(({ rows }) => rows >= 0);
    const unread = known.length < picture.squares.length;
    this.#counted = known.length > 0;
    const span = (values: number[]): [number, number] =>
      values.length ? [Math.min(...values) - 2, Math.max(...values) + 3] : [0, 8];
    const x = span(picture.squares.map((square) => square.size));
    const y = span(known.map((square) => square.rows));
    [this.#low, this.#high] = [
      [x[0], y[0]],
      [x[1], y[1]],
    ];
    this.#stage = h(
      "div",
      {
        class: "pqx-fleet",
        role: "img",
        "aria-label": `${plural(picture.squares.length, "square")} of files by size and rows; the boxes below filter without a pointer`,
        "data-squares": JSON.stringify(picture.squares.map(({ size, rows, files }) => [size, rows, files])),
        onpointerdown: (event: PointerEvent) => this.#begin(event),
        onpointermove: (event: PointerEvent) => this.#move(event),
        onpointerup: () => this.#end(),
        onpointerleave: () => {
          this.#tip.hidden = true;
        },
      },
      this.#canvas,
      this.#tip,
    );
    if (!picture.squares.length) {
      append(el, [this.#boxes()]);
      return;
    }
    append(el, [
      this.#stage,
      h(
        "p",
        { class: "pqx-muted" },
        `Stronger colour: more files. ${unread ? "✗: files whose rows are not known, at the bottom. " : ""}Drag over the squares to look at those files alone.`,
      ),
      this.#boxes(),
    ]);
    const observer = new ResizeObserver(() => this.#draw());
    observer.observe(this.#stage);
    this.#stops = [() => observer.disconnect(), onThemeChange(() => this.#draw())];
  }

  dispose(): void {
    for (const stop of this.#stops) stop();
  }

  #boxes(): HTMLElement {
    const box = (name: "size" | "rows", end: 0 | 1) => {
      const range = this.#ctx.conditions[name];
      const value = Array.isArray(range) ? range[end] : null;
      const input = h("input", {
        class: "pqx-input",
        type: "number",
        min: 0,
        value: value === null ? "" : Math.round(value),
        "aria-label": `${name} ${end ? "to" : "from"}`,
        placeholder: end ? "to" : "from",
        onchange: () => {
          const given = Array.isArray(range) ? [...range] : [null, null];
          given[end] = input.value === "" ? null : Number(input.value);
          const empty = given[0] === null && given[1] === null;
          this.#ctx.narrow({ [name]: empty ? null : (given as [number | null, number | null]) });
        },
      });
      return input;
    };
    const status = h(
      "select",
      {
        class: "pqx-input",
        "aria-label": "status",
        onchange: () => this.#ctx.narrow({ status: status.value || null }),
      },
      ...["", "ok", "error", "vanished", "not-read"].map((name) =>
        h(
          "option",
          { value: name, selected: (this.#ctx.conditions.status ?? "") === name },
          name || "any status",
        ),
      ),
    );
    return h(
      "div",
      { class: "pqx-boxes" },
      h("span", { class: "pqx-from-to" }, "bytes", box("size", 0), box("size", 1)),
      h("span", { class: "pqx-from-to" }, "rows", box("rows", 0), box("rows", 1)),
      status,
    );
  }

  #plane(): { width: number; x(at: number): number; y(at: number): number } {
    const width = this.#stage.clientWidth || 600;
    const [w, t] = [width - LEFT - RIGHT, HEIGHT - TOP - BOTTOM];
    return {
      width,
      x: (at) => LEFT + ((at - this.#low[0]) / (this.#high[0] - this.#low[0])) * w,
      y: (at) => TOP + t - ((at - this.#low[1]) / (this.#high[1] - this.#low[1])) * t,
    };
  }

  #draw(): void {
    const theme = themeOf(this.#stage);
    const scale = devicePixelRatio || 1;
    const { width, x, y } = this.#plane();
    this.#canvas.width = width * scale;
    this.#canvas.height = HEIGHT * scale;
    this.#canvas.style.cssText = `width: ${width}px; height: ${HEIGHT}px`;
    const pen = this.#canvas.getContext("2d");
    if (!pen) return;
    pen.scale(scale, scale);
    pen.font = `11px ${theme.font}`;
    pen.strokeStyle = theme.dark ? "rgba(255,255,255,.16)" : "rgba(0,0,0,.12)";
    pen.fillStyle = theme.muted;
    const { bins } = this.#picture;
    pen.textAlign = "center";
    for (const value of ticks(this.#low[0] / bins, this.#high[0] / bins)) {
      const at = x(Math.log10(value) * bins);
      line(pen, at, TOP, at, HEIGHT - BOTTOM);
      const label = size(value);
      pen.fillText(label, Math.min(at, width - pen.measureText(label).width / 2), HEIGHT - BOTTOM + 14);
    }
    pen.fillText("bytes of a file", (LEFT + width) / 2, HEIGHT - 4);
    pen.textAlign = "right";
    for (const value of this.#counted ? ticks(this.#low[1] / bins, this.#high[1] / bins) : []) {
      const at = y(Math.log10(value) * bins);
      line(pen, LEFT, at, width - RIGHT, at);
      if (value >= 1) pen.fillText(count(value), LEFT - 6, at + 4);
    }
    pen.save();
    pen.translate(11, (HEIGHT - BOTTOM) / 2);
    pen.rotate(-Math.PI / 2);
    pen.textAlign = "center";
    pen.fillText(this.#counted ? "rows" : "rows not known", 0, 0);
    pen.restore();
    const max = Math.max(1, ...this.#picture.squares.map(({ files }) => files));
    for (const { size: sx, rows: sy, files } of this.#picture.squares) {
      const known = sy >= 0;
      const [x0, x1] = [x(sx), x(sx + 1)];
      const [y0, y1] = known ? [y(sy + 1), y(sy)] : [HEIGHT - BOTTOM - 8, HEIGHT - BOTTOM];
      pen.globalAlpha = 0.35 + 0.65 * (Math.log1p(files) / Math.log1p(max));
      pen.fillStyle = known ? ACCENTS.amount : ACCENTS.wrong;
      pen.fillRect(x0, y0, Math.max(3, x1 - x0 - 1), Math.max(3, y1 - y0 - 1));
      pen.globalAlpha = 1;
      if (!known) {
        pen.fillStyle = theme.ink;
        pen.textAlign = "center";
        pen.fillText("✗", (x0 + x1) / 2, y0 - 2);
      }
    }
    if (this.#from) {
      const [[fx, fy], [tx, ty]] = [this.#from, this.#to];
      pen.strokeStyle = theme.ink;
      pen.setLineDash([4, 3]);
      pen.strokeRect(Math.min(fx, tx), Math.min(fy, ty), Math.abs(tx - fx), Math.abs(ty - fy));
      pen.setLineDash([]);
    }
  }

  #at(event: PointerEvent): [number, number] {
    const box = this.#stage.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  /** The size and the rows at a place of the picture. */
  #values([px, py]: [number, number]): [number, number] {
    const { width } = this.#plane();
    const sx = this.#low[0] + ((px - LEFT) / (width - LEFT - RIGHT)) * (this.#high[0] - this.#low[0]);
    const sy =
      this.#low[1] + ((HEIGHT - BOTTOM - py) / (HEIGHT - TOP - BOTTOM)) * (this.#high[1] - this.#low[1]);
    return [10 ** (sx / this.#picture.bins), 10 ** (sy / this.#picture.bins)];
  }

  #begin(event: PointerEvent): void {
    this.#from = this.#to = this.#at(event);
    this.#stage.setPointerCapture(event.pointerId);
  }

  #move(event: PointerEvent): void {
    const at = this.#at(event);
    if (this.#from) {
      this.#to = at;
      this.#draw();
      return;
    }
    const { x, y } = this.#plane();
    const hit = this.#picture.squares.find(
      ({ size: sx, rows: sy }) =>
        at[0] >= x(sx) &&
        at[0] < x(sx + 1) &&
        (sy < 0 ? at[1] > HEIGHT - BOTTOM - 10 : at[1] > y(sy + 1) && at[1] <= y(sy)),
    );
    this.#tip.hidden = !hit;
    if (!hit) return;
    const { bins } = this.#picture;
    const rows =
      hit.rows < 0 ? "rows not known" : `about ${count(Math.round(10 ** ((hit.rows + 0.5) / bins)))} rows`;
    this.#tip.replaceChildren(
      `${plural(hit.files, "file")}, about ${size(10 ** ((hit.size + 0.5) / bins))}, ${rows}`,
    );
    this.#tip.style.left = `${Math.min(at[0] + 12, this.#stage.clientWidth - 230)}px`;
    this.#tip.style.top = `${at[1] + 16}px`;
  }

  #end(): void {
    const from = this.#from;
    this.#from = null;
    if (!from || Math.hypot(from[0] - this.#to[0], from[1] - this.#to[1]) < 6) {
      this.#draw();
      return;
    }
    const [[ax, ay], [bx, by]] = [this.#values(from), this.#values(this.#to)];
    const known = this.#picture.squares.some(({ rows }) => rows >= 0);
    this.#ctx.narrow({
      size: [Math.floor(Math.min(ax, bx)), Math.ceil(Math.max(ax, bx))],
      ...(known && { rows: [Math.floor(Math.min(ay, by)), Math.ceil(Math.max(ay, by))] }),
    });
  }
}

/** The powers of ten on an axis from 10^low to 10^high; their double and fivefold too where that has few of them. */
export function ticks(low: number, high: number): number[] {
  const found = (steps: number[]) => {
    const values: number[] = [];
    for (let power = Math.floor(low); power <= high; power++)
      for (const step of steps) {
        const value = step * 10 ** power;
        if (Math.log10(value) >= low && Math.log10(value) <= high) values.push(value);
      }
    return values;
  };
  const powers = found([1]);
  return powers.length < 3 ? found([1, 2, 5]) : powers;
}

function line(pen: CanvasRenderingContext2D, x0: number, y0: number, x1: number, y1: number): void {
  pen.beginPath();
  pen.moveTo(Math.round(x0) + 0.5, Math.round(y0) + 0.5);
  pen.lineTo(Math.round(x1) + 0.5, Math.round(y1) + 0.5);
  pen.stroke();
}
