/** Boxes of row groups, or one geometry, on a graticule. There is no background map: nothing is fetched. */

import { ACCENTS } from "../accents";
import "./board.css";
import "./geospatial.css";
import type { Context, Span } from "../context";
import { append, h } from "../dom";
import { count } from "../text";
import type { Theme } from "../theme";
import type { Boxes, Geometry, Path, Picture, Sides } from "../wire/geospatial";
import { Board, type Painting } from "./board";
import { chips } from "./chips";
import type { Lens, Shown } from "./lens";

const BOX = ACCENTS.amount;

const EDGE = { left: 58, right: 12, top: 10, bottom: 24 };
const TALL = 330;

/** The rectangles of a box on the globe: two if it crosses the antimeridian. */
export function rectangles(box: Sides): Sides[] {
  if (box.xmin <= box.xmax) return [box];
  return [
    { ...box, xmax: 180 },
    { ...box, xmin: -180 },
  ];
}

/** The rectangle of a box on a plane, where nothing wraps. */
function rectangle(box: Sides): Sides {
  return { ...box, xmin: Math.min(box.xmin, box.xmax), xmax: Math.max(box.xmin, box.xmax) };
}

/** The sides of the map: all boxes with a margin; the whole width if one crosses the antimeridian. */
export function frame(all: Sides[], geographic: boolean): Sides {
  const parts = all.flatMap((box) => (geographic ? rectangles(box) : [rectangle(box)]));
  if (!parts.length)
    return geographic
      ? { xmin: -180, xmax: 180, ymin: -90, ymax: 90 }
      : { xmin: 0, xmax: 1, ymin: 0, ymax: 1 };
  const held = { ...parts[0] };
  for (const { xmin, xmax, ymin, ymax } of parts) {
    held.xmin = Math.min(held.xmin, xmin);
    held.xmax = Math.max(held.xmax, xmax);
    held.ymin = Math.min(held.ymin, ymin);
    held.ymax = Math.max(held.ymax, ymax);
  }
  const { xmin, xmax, ymin, ymax } = held;
  const margin =
    Math.max(xmax - xmin, ymax - ymin) * 0.08 || Math.max(Math.abs(xmin), Math.abs(ymin), 1) * 1e-3;
  const wide = { xmin: xmin - margin, xmax: xmax + margin, ymin: ymin - margin, ymax: ymax + margin };
  if (!geographic) return wide;
  return {
    xmin: Math.max(-180, wide.xmin),
    xmax: Math.min(180, wide.xmax),
    ymin: Math.max(-90, wide.ymin),
    ymax: Math.min(90, wide.ymax),
  };
}

/** A round distance between lines, for about `lines` of them. */
export function stepOf(extent: number, lines: number, geographic: boolean): number {
  const rough = extent / lines;
  if (geographic && rough > 1) return [2, 5, 10, 15, 30, 45, 90].find((n) => n >= rough) ?? 90;
  const magnitude = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((n) => n * magnitude).find((n) => n >= rough) ?? rough;
}

/** Coordinates to pixels, equally scaled in both directions. */
class Graticule {
  #frame: Sides;
  #geographic: boolean;
  #scale = 1;
  #x = 0;
  #y = 0;
  height = TALL;

  constructor(shown: Sides, geographic: boolean) {
    this.#frame = shown;
    this.#geographic = geographic;
  }

  /** The height for a width. */
  fit(width: number): number {
    const { xmin: x0, xmax: x1, ymin: y0, ymax: y1 } = this.#frame;
    const room = width - EDGE.left - EDGE.right;
    const tall = TALL - EDGE.top - EDGE.bottom;
    this.#scale = Math.min(room / (x1 - x0), tall / (y1 - y0));
    const high = Math.max(120, (y1 - y0) * this.#scale);
    this.#x = EDGE.left + (room - (x1 - x0) * this.#scale) / 2;
    this.#y = EDGE.top + (high - (y1 - y0) * this.#scale) / 2;
    this.height = EDGE.top + high + EDGE.bottom;
    return this.height;
  }

  x(value: number): number {
    return this.#x + (value - this.#frame.xmin) * this.#scale;
  }

  y(value: number): number {
    return this.#y + (this.#frame.ymax - value) * this.#scale;
  }

  graticule(pen: CanvasRenderingContext2D, width: number, theme: Theme): void {
    const { xmin: x0, xmax: x1, ymin: y0, ymax: y1 } = this.#frame;
    const line = theme.dark ? "rgba(255,255,255,.22)" : "rgba(0,0,0,.16)";
    pen.lineWidth = 1;
    const across = stepOf(x1 - x0, Math.max(3, width / 110), this.#geographic);
    const down = stepOf(y1 - y0, 5, this.#geographic);
    let free = 0;
    for (const at of lines(x0, x1, across)) {
      pen.fillStyle = at === 0 && this.#geographic ? theme.muted : line;
      pen.fillRect(Math.round(this.x(at)), this.y(y1), 1, this.y(y0) - this.y(y1));
      const text = this.#label(at, "E", "W");
      const wide = pen.measureText(text).width;
      const left = Math.max(0, Math.min(width - wide, this.x(at) - wide / 2));
      if (left < free) continue;
      pen.fillStyle = theme.muted;
      pen.textAlign = "left";
      pen.fillText(text, left, this.y(y0) + 12);
      free = left + wide + 8;
    }
    for (const at of lines(y0, y1, down)) {
      pen.fillStyle = at === 0 && this.#geographic ? theme.muted : line;
      pen.fillRect(this.x(x0), Math.round(this.y(at)), this.x(x1) - this.x(x0), 1);
      pen.fillStyle = theme.muted;
      pen.textAlign = "right";
      pen.fillText(this.#label(at, "N", "S"), Math.max(EDGE.left - 6, this.x(x0) - 6), this.y(at));
    }
    pen.strokeStyle = theme.muted;
    pen.strokeRect(this.x(x0), this.y(y1), this.x(x1) - this.x(x0), this.y(y0) - this.y(y1));
  }

  #label(value: number, more: string, less: string): string {
    const text = Math.abs(value) >= 1e6 ? value.toExponential(2) : String(Number(value.toPrecision(8)));
    if (!this.#geographic) return text;
    return value === 0
      ? "0°"
      : `${String(Number(Math.abs(value).toPrecision(8)))}° ${value > 0 ? more : less}`;
  }
}

function lines(low: number, high: number, step: number): number[] {
  const places: number[] = [];
  if (!(step > 0)) return places;
  const first = Math.ceil(low / step - 1e-9);
  for (let k = first; k * step <= high + step * 1e-9 && places.length < 40; k++)
    places.push(k === 0 ? 0 : k * step);
  return places;
}

class BoxMap implements Painting {
  label: string;
  count: number;
  minWidth = 300;
  first: number | undefined;
  #boxes: (Sides | null)[];
  #own: number;
  #picture: Boxes;
  #geographic: boolean;
  #ctx: Context;
  #map: Graticule;

  constructor(picture: Boxes, geographic: boolean, ctx: Context) {
    this.#picture = picture;
    this.#geographic = geographic;
    this.#ctx = ctx;
    this.#boxes = picture.address.map((_, i) => boxOf(picture, i));
    this.count = this.#boxes.length;
    this.label = `Bounding boxes of ${this.count} row groups`;
    const known = this.#boxes.filter((box) => box !== null);
    this.#map = new Graticule(frame(known, geographic), geographic);
    this.#own = picture.own === null ? -1 : picture.own - picture.first;
    if (this.#own >= 0 && this.#own < this.count) this.first = this.#own;
  }

  height(width: number): number {
    return this.#map.fit(width);
  }

  draw(pen: CanvasRenderingContext2D, width: number, _height: number, theme: Theme): void {
    this.#map.graticule(pen, width, theme);
    this.#boxes.forEach((box, i) => {
      if (box && i !== this.#own) this.#box(pen, box, BOX, 1);
    });
    const own = this.#boxes[this.#own];
    if (own) this.#box(pen, own, theme.ink, 2.5);
  }

  #pixels(box: Sides): [number, number, number, number][] {
    const parts = this.#geographic ? rectangles(box) : [rectangle(box)];
    return parts.map(({ xmin, xmax, ymin, ymax }) => {
      const [x, y] = [this.#map.x(xmin), this.#map.y(ymax)];
      return [x, y, Math.max(3, this.#map.x(xmax) - x), Math.max(3, this.#map.y(ymin) - y)];
    });
  }

  #box(pen: CanvasRenderingContext2D, box: Sides, colour: string, width: number): void {
    for (const [x, y, wide, tall] of this.#pixels(box)) {
      pen.fillStyle = colour;
      pen.globalAlpha = Math.max(0.03, Math.min(0.14, 1 / this.count)); // many over each other stay pale
      pen.fillRect(x, y, wide, tall);
      pen.globalAlpha = 1;
      pen.strokeStyle = colour;
      pen.lineWidth = width;
      pen.strokeRect(x, y, wide, tall);
    }
  }

  outline(pen: CanvasRenderingContext2D, mark: number, theme: Theme): void {
    const box = this.#boxes[mark];
    if (!box) return;
    pen.strokeStyle = theme.ink;
    pen.lineWidth = 2;
    for (const [x, y, wide, tall] of this.#pixels(box)) pen.strokeRect(x - 1, y - 1, wide + 2, tall + 2);
  }

  /** The smallest box that contains the point. */
  at(x: number, y: number): number {
    let best = -1;
    let smallest = Number.POSITIVE_INFINITY;
    this.#boxes.forEach((box, i) => {
      if (!box) return;
      const parts = this.#pixels(box);
      const inside = parts.some(
        ([a, b, w, t]) => x >= a - 2 && x <= a + w + 2 && y >= b - 2 && y <= b + t + 2,
      );
      const area = parts.reduce((sum, [, , w, t]) => sum + w * t, 0);
      if (inside && area < smallest) {
        smallest = area;
        best = i;
      }
    });
    return best;
  }

  say(mark: number): string {
    const box = this.#boxes[mark];
    const name = `row group ${count(this.#picture.first + mark)}`;
    if (!box) return `${name}: no bounding box`;
    return `${name}: ${sidesText(box)}`;
  }

  span(mark: number): Span | null {
    const { start, end } = this.#picture;
    const [from, to] = [start[mark], end[mark]];
    return from === null || to === null ? null : { start: from, end: to, space: "file" };
  }

  choose(mark: number): void {
    this.#ctx.select(this.#picture.address[mark]);
  }
}

function boxOf(boxes: Boxes, i: number): Sides | null {
  const [xmin, xmax, ymin, ymax] = [boxes.xmin[i], boxes.xmax[i], boxes.ymin[i], boxes.ymax[i]];
  if (xmin === null || xmax === null || ymin === null || ymax === null) return null;
  return { xmin, xmax, ymin, ymax };
}

export function sidesText({ xmin, xmax, ymin, ymax }: Sides): string {
  const n = (value: number) => String(Number(value.toPrecision(8)));
  const wraps = xmin > xmax ? ", across the antimeridian" : "";
  return `x ${n(xmin)} to ${n(xmax)}${wraps}, y ${n(ymin)} to ${n(ymax)}`;
}

class ShapeMap implements Painting {
  label: string;
  count: number;
  minWidth = 300;
  #picture: Geometry;
  #map: Graticule;

  constructor(picture: Geometry, geographic: boolean) {
    this.#picture = picture;
    this.count = picture.paths.length;
    this.label = `A geometry of ${this.count} parts`;
    const { box, around } = picture;
    this.#map = new Graticule(frame(box ? [box] : around ? [around] : [], geographic), geographic);
  }

  height(width: number): number {
    return this.#map.fit(width);
  }

  draw(pen: CanvasRenderingContext2D, width: number, height: number, theme: Theme): void {
    this.#map.graticule(pen, width, theme);
    pen.save();
    pen.beginPath();
    pen.rect(EDGE.left, EDGE.top, width - EDGE.left - EDGE.right, height - EDGE.top - EDGE.bottom);
    pen.clip();
    pen.fillStyle = BOX;
    pen.globalAlpha = 0.2;
    pen.beginPath();
    for (const path of this.#picture.paths) if (path.kind === "ring") this.#trace(pen, path);
    pen.fill("evenodd");
    pen.globalAlpha = 1;
    for (const path of this.#picture.paths) this.#stroke(pen, path, BOX, 1.5);
    pen.restore();
  }

  #trace(pen: CanvasRenderingContext2D, path: Path): void {
    path.x.forEach((x, i) => {
      if (i) pen.lineTo(this.#map.x(x), this.#map.y(path.y[i]));
      else pen.moveTo(this.#map.x(x), this.#map.y(path.y[i]));
    });
  }

  #stroke(pen: CanvasRenderingContext2D, path: Path, colour: string, width: number): void {
    pen.strokeStyle = colour;
    pen.fillStyle = colour;
    pen.lineWidth = width;
    if (path.kind !== "point") {
      pen.beginPath();
      this.#trace(pen, path);
      pen.stroke();
    }
    if (path.x.length > 300) return;
    for (const [i, x] of path.x.entries()) {
      pen.beginPath();
      pen.arc(this.#map.x(x), this.#map.y(path.y[i]), path.kind === "point" ? 5 : 2.5, 0, 7);
      pen.fill();
    }
  }

  outline(pen: CanvasRenderingContext2D, mark: number, theme: Theme): void {
    const path = this.#picture.paths[mark];
    if (path) this.#stroke(pen, path, theme.ink, 2);
  }

  at(x: number, y: number): number {
    let best = -1;
    let nearest = 400;
    this.#picture.paths.forEach((path, i) => {
      path.x.forEach((a, at) => {
        const far = (this.#map.x(a) - x) ** 2 + (this.#map.y(path.y[at]) - y) ** 2;
        if (far < nearest) [nearest, best] = [far, i];
      });
    });
    return best;
  }

  say(mark: number): string {
    const { kind, x, y } = this.#picture.paths[mark];
    const first = `(${[x[0], y[0]].map((n) => Number(n.toPrecision(8))).join(" ")})`;
    return x.length === 1 ? `${kind} at ${first}` : `${kind} of ${x.length} points from ${first}`;
  }

  span(): Span | null {
    return null;
  }

  choose(): void {}
}

export const geospatial: Lens = {
  mount(el, picture: Picture, ctx): Shown {
    const { boxes, geometry, geographic } = picture;
    const painting = boxes
      ? new BoxMap(boxes, geographic, ctx)
      : geometry && new ShapeMap(geometry, geographic);
    const board = painting && new Board(ctx, painting);
    append(el, [
      h(
        "div",
        { class: "pqx-geospatial" },
        chips(picture.facts),
        boxes && boxes.own !== null && boxes.total > 1 && key(),
        board?.el,
        boxes && boxes.total > boxes.address.length && h("p", { class: "pqx-muted" }, drawn(boxes)),
        geometry && h("p", { class: "pqx-mono pqx-wkt" }, geometry.text),
      ),
    ]);
    return { dispose: () => board?.dispose() };
  },
};

function drawn({ first, total, address }: Boxes): string {
  return `Row groups ${count(first)} to ${count(first + address.length - 1)} of ${count(total)} are drawn; the table has all.`;
}

function key(): HTMLElement {
  const item = (kind: string, text: string) => h("li", {}, h("i", { class: `pqx-key-${kind}` }), text);
  return h(
    "ul",
    { class: "pqx-keys", "aria-label": "Legend" },
    item("own", "this row group (thick)"),
    item("box", "others"),
  );
}
