/** Boxes of row groups, or one geometry, on a graticule. There is no map below: nothing is fetched from elsewhere. */

import "./board.css";
import "./geospatial.css";
import type { Context, Detail, Span } from "../context";
import { append, h } from "../dom";
import type { Theme } from "../theme";
import { Board, type Painting } from "./board";
import type { Lens, Shown } from "./index";
import { chips } from "./statistics";

/** x from, x to, y from, y to; x from is greater where the box crosses the antimeridian. */
export type Sides = [xmin: number, xmax: number, ymin: number, ymax: number];

interface Boxes {
  kind: "boxes";
  boxes: (Sides | null)[];
  names: string[];
  addresses: (string | null)[];
  spans: (Span | null)[];
  mine: number | null;
  geographic: boolean;
  facts: [string, string][];
}

interface Path {
  kind: "point" | "line" | "ring";
  points: [number, number][];
}

interface Geometry {
  kind: "value";
  paths: Path[];
  around: Sides | null;
  box: Sides | null;
  geographic: boolean;
  text: string;
  facts: [string, string][];
}

const BOX = "#0072B2";
const MINE = "#D55E00";
const EDGE = { left: 58, right: 12, top: 10, bottom: 24 };
const TALL = 330;

/** The rectangles that a box is drawn as: two where it crosses the antimeridian. */
export function rectangles([xmin, xmax, ymin, ymax]: Sides, left = -180, right = 180): Sides[] {
  if (xmin <= xmax) return [[xmin, xmax, ymin, ymax]];
  return [
    [xmin, right, ymin, ymax],
    [left, xmax, ymin, ymax],
  ];
}

/** What has to be seen, with a margin; the whole width where something crosses the antimeridian. */
export function frame(all: Sides[], geographic: boolean): Sides {
  const parts = all.flatMap((sides) =>
    geographic
      ? rectangles(sides)
      : [[Math.min(sides[0], sides[1]), Math.max(sides[0], sides[1]), sides[2], sides[3]] as Sides],
  );
  let [x0, x1, y0, y1] = [Number.MAX_VALUE, -Number.MAX_VALUE, Number.MAX_VALUE, -Number.MAX_VALUE];
  for (const [a, b, c, d] of parts) {
    x0 = Math.min(x0, a);
    x1 = Math.max(x1, b);
    y0 = Math.min(y0, c);
    y1 = Math.max(y1, d);
  }
  if (!parts.length) return geographic ? [-180, 180, -90, 90] : [0, 1, 0, 1];
  const margin = Math.max(x1 - x0, y1 - y0) * 0.08 || Math.max(Math.abs(x0), Math.abs(y0), 1) * 1e-3;
  const wide: Sides = [x0 - margin, x1 + margin, y0 - margin, y1 + margin];
  if (!geographic) return wide;
  return [Math.max(-180, wide[0]), Math.min(180, wide[1]), Math.max(-90, wide[2]), Math.min(90, wide[3])];
}

/** A round distance between lines, so that there are about `most` of them. */
export function stepOf(extent: number, most: number, geographic: boolean): number {
  const rough = extent / most;
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

  /** The height for a width: as wide as high where it fits. */
  fit(width: number): number {
    const [x0, x1, y0, y1] = this.#frame;
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
    return this.#x + (value - this.#frame[0]) * this.#scale;
  }

  y(value: number): number {
    return this.#y + (this.#frame[3] - value) * this.#scale;
  }

  graticule(pen: CanvasRenderingContext2D, width: number, theme: Theme): void {
    const [x0, x1, y0, y1] = this.#frame;
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
  const made: number[] = [];
  if (!(step > 0)) return made;
  const first = Math.ceil(low / step - 1e-9);
  for (let k = first; k * step <= high + step * 1e-9 && made.length < 40; k++)
    made.push(k === 0 ? 0 : k * step);
  return made;
}

class BoxMap implements Painting {
  label: string;
  count: number;
  least = 300;
  first: number | undefined;
  #picture: Boxes;
  #ctx: Context;
  #map: Graticule;

  constructor(picture: Boxes, ctx: Context) {
    this.#picture = picture;
    this.#ctx = ctx;
    this.count = picture.boxes.length;
    this.label = `Bounding boxes of ${this.count} row groups`;
    const known = picture.boxes.filter((box): box is Sides => box !== null);
    this.#map = new Graticule(frame(known, picture.geographic), picture.geographic);
    if (picture.mine !== null) this.first = picture.mine;
  }

  height(width: number): number {
    return this.#map.fit(width);
  }

  draw(pen: CanvasRenderingContext2D, width: number, _height: number, theme: Theme): void {
    this.#map.graticule(pen, width, theme);
    this.#picture.boxes.forEach((box, i) => {
      if (box && i !== this.#picture.mine) this.#box(pen, box, theme.dark ? "#56B4E9" : BOX, 1);
    });
    const { mine } = this.#picture;
    const own = mine === null ? null : this.#picture.boxes[mine];
    if (own) this.#box(pen, own, MINE, 2.5);
  }

  #pixels(box: Sides): [number, number, number, number][] {
    const parts = this.#picture.geographic ? rectangles(box) : rectangles(box, box[1], box[0]).slice(0, 1);
    return parts.map(([a, b, c, d]) => {
      const [x, y] = [this.#map.x(Math.min(a, b)), this.#map.y(d)];
      return [x, y, Math.max(3, this.#map.x(Math.max(a, b)) - x), Math.max(3, this.#map.y(c) - y)];
    });
  }

  #box(pen: CanvasRenderingContext2D, box: Sides, colour: string, width: number): void {
    for (const [x, y, wide, tall] of this.#pixels(box)) {
      pen.fillStyle = colour;
      pen.globalAlpha = 0.14;
      pen.fillRect(x, y, wide, tall);
      pen.globalAlpha = 1;
      pen.strokeStyle = colour;
      pen.lineWidth = width;
      pen.strokeRect(x, y, wide, tall);
    }
  }

  outline(pen: CanvasRenderingContext2D, mark: number, theme: Theme): void {
    const box = this.#picture.boxes[mark];
    if (!box) return;
    pen.strokeStyle = theme.ink;
    pen.lineWidth = 2;
    for (const [x, y, wide, tall] of this.#pixels(box)) pen.strokeRect(x - 1, y - 1, wide + 2, tall + 2);
  }

  /** The smallest box that holds the place. */
  at(x: number, y: number): number {
    let best = -1;
    let least = Number.POSITIVE_INFINITY;
    this.#picture.boxes.forEach((box, i) => {
      if (!box) return;
      const parts = this.#pixels(box);
      const inside = parts.some(
        ([a, b, w, t]) => x >= a - 2 && x <= a + w + 2 && y >= b - 2 && y <= b + t + 2,
      );
      const area = parts.reduce((sum, [, , w, t]) => sum + w * t, 0);
      if (inside && area < least) {
        least = area;
        best = i;
      }
    });
    return best;
  }

  say(mark: number): string {
    const box = this.#picture.boxes[mark];
    const name = this.#picture.names[mark];
    if (!box) return `${name}: no bounding box`;
    return `${name}: ${sidesText(box)}`;
  }

  span(mark: number): Span | null {
    return this.#picture.spans[mark];
  }

  choose(mark: number): void {
    const address = this.#picture.addresses[mark];
    if (address !== null) this.#ctx.select(address);
  }
}

export function sidesText([xmin, xmax, ymin, ymax]: Sides): string {
  const n = (value: number) => String(Number(value.toPrecision(8)));
  const wraps = xmin > xmax ? ", across the antimeridian" : "";
  return `x ${n(xmin)} to ${n(xmax)}${wraps}, y ${n(ymin)} to ${n(ymax)}`;
}

class ShapeMap implements Painting {
  label: string;
  count: number;
  least = 300;
  #picture: Geometry;
  #map: Graticule;

  constructor(picture: Geometry) {
    this.#picture = picture;
    this.count = picture.paths.length;
    this.label = `A geometry of ${this.count} parts`;
    const { box, around } = picture;
    this.#map = new Graticule(
      frame(box ? [box] : around ? [around] : [], picture.geographic),
      picture.geographic,
    );
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
    const colour = theme.dark ? "#56B4E9" : BOX;
    pen.fillStyle = colour;
    pen.globalAlpha = 0.2;
    pen.beginPath();
    for (const path of this.#picture.paths) if (path.kind === "ring") this.#trace(pen, path);
    pen.fill("evenodd");
    pen.globalAlpha = 1;
    for (const path of this.#picture.paths) this.#stroke(pen, path, colour, 1.5);
    pen.restore();
  }

  #trace(pen: CanvasRenderingContext2D, path: Path): void {
    path.points.forEach(([x, y], i) => {
      if (i) pen.lineTo(this.#map.x(x), this.#map.y(y));
      else pen.moveTo(this.#map.x(x), this.#map.y(y));
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
    if (path.points.length > 300) return;
    for (const [x, y] of path.points) {
      pen.beginPath();
      pen.arc(this.#map.x(x), this.#map.y(y), path.kind === "point" ? 5 : 2.5, 0, 7);
      pen.fill();
    }
  }

  outline(pen: CanvasRenderingContext2D, mark: number, theme: Theme): void {
    const path = this.#picture.paths[mark];
    if (path) this.#stroke(pen, path, theme.ink, 2);
  }

  at(x: number, y: number): number {
    let best = -1;
    let least = 400;
    this.#picture.paths.forEach((path, i) => {
      for (const [a, b] of path.points) {
        const far = (this.#map.x(a) - x) ** 2 + (this.#map.y(b) - y) ** 2;
        if (far < least) [least, best] = [far, i];
      }
    });
    return best;
  }

  say(mark: number): string {
    const { kind, points } = this.#picture.paths[mark];
    const first = `(${points[0].map((n) => Number(n.toPrecision(8))).join(" ")})`;
    return points.length === 1 ? `${kind} at ${first}` : `${kind} of ${points.length} points from ${first}`;
  }

  span(): Span | null {
    return null;
  }

  choose(): void {}
}

export const geospatial: Lens = {
  mount(el, payload, ctx, _detail: Detail): Shown {
    const picture = payload as Boxes | Geometry;
    const boxes = picture.kind === "boxes";
    const board = new Board(ctx, boxes ? new BoxMap(picture, ctx) : new ShapeMap(picture));
    append(el, [
      h(
        "div",
        { class: "pqx-geo" },
        chips(picture.facts),
        boxes && picture.mine !== null && picture.boxes.length > 1 && key(),
        board.el,
        !boxes && h("p", { class: "pqx-mono pqx-wkt" }, picture.text),
      ),
    ]);
    return { dispose: () => board.dispose() };
  },
};

function key(): HTMLElement {
  const item = (kind: string, text: string) => h("li", {}, h("i", { class: `pqx-key-${kind}` }), text);
  return h(
    "ul",
    { class: "pqx-keys", "aria-label": "Legend" },
    item("own", "this row group (thick)"),
    item("box", "others"),
  );
}
