/** Stacked strips: the file, and below each strip the expansion of one of its tiles, joined by a funnel. */

import "./layout.css";
import { floorIndex, unpack } from "../columns";
import type { Context, Detail } from "../context";
import { append, fill, h } from "../dom";
import { FAMILIES, familyOf } from "../kinds";
import { mix, rgb, writeOn } from "../paint";
import { leave, resume } from "../refocus";
import { Soon } from "../rest";
import { abridge, count, plural, size, visible, words } from "../text";
import { onThemeChange, type Theme, themeOf } from "../theme";
import type { Picture, Tiles } from "../wire/layout";
import { addressOf, bytesOf, edges, kindOf, labelOf, type Strip, tileAt } from "./layoutstrips";
import type { Lens, Shown } from "./lens";

const TALL = 26;
const FUNNEL = 16;
/** Narrower tiles are drawn a pixel at a time. */
const DRAWN = 2.5;
const HINT = "Click a tile, or use the keys: ← → along a strip, ↑ ↓ between strips, Enter opens.";

export const layout: Lens = {
  mount: (el, picture: Picture, ctx, detail) => new LayoutView(el, picture, ctx, detail),
};

interface Row {
  strip: Strip;
  el: HTMLElement;
  canvas: HTMLCanvasElement;
  funnel: HTMLCanvasElement;
  lefts: Float64Array;
  cursor: number;
}

class LayoutView implements Shown {
  #ctx: Context;
  #address: string;
  #rows: Row[] = [];
  #list = h("div", { class: "pqx-layout", role: "group", "aria-label": "Strips, from the file down" });
  #note = h("p", { class: "pqx-layout-note" }, HINT);
  #theme: Theme;
  #stop: () => void;
  #observer: ResizeObserver;
  #frame = new Soon();
  #active = 0;

  constructor(el: HTMLElement, picture: Picture, ctx: Context, detail: Detail) {
    this.#ctx = ctx;
    this.#address = detail.address;
    append(el, [this.#list, this.#note]);
    this.#theme = themeOf(el);
    this.#stop = onThemeChange(() => {
      this.#theme = themeOf(this.#list);
      this.#redraw();
    });
    this.#observer = new ResizeObserver(() => this.#redraw());
    this.#observer.observe(this.#list);
    this.#show(picture);
  }

  dispose(): void {
    this.#frame.drop();
    leave(this.#ctx, this.#list);
    this.#stop();
    this.#observer.disconnect();
    this.#ctx.hot.emit(null);
  }

  #show(picture: Picture): void {
    this.#rows = picture.strips.map((strip, i) =>
      this.#row(strip, i, picture.strips[i - 1]?.guessed ?? false),
    );
    fill(this.#list, ...this.#rows.map((row) => row.el));
    const selected = this.#rows.findIndex(({ strip }) => this.#selected(strip) >= 0);
    this.#activate(Math.max(0, selected));
    resume(this.#ctx, this.#rows[this.#active]?.canvas);
    picture.strips.forEach((strip, i) => {
      if (!strip.starts)
        this.#fetch(strip, i).catch((error: Error) => {
          fill(
            this.#note,
            `The ${plural(strip.count, "part")} of ${strip.title} are not here: ${error.message}`,
          );
        });
    });
    this.#draw();
  }

  /** The selected tile; -1 if it is in another strip. */
  #selected(strip: Strip): number {
    const { chosen } = strip;
    return chosen >= 0 && addressOf(strip, chosen) === this.#address ? chosen : -1;
  }

  async #fetch(strip: Strip, at: number): Promise<void> {
    const args = { address: this.#address, at };
    const { result, buffers } = await this.#ctx.rpc.call<Tiles>("strip", args);
    const { numbers, texts } = unpack(result.columns, buffers);
    strip.starts = numbers.start;
    strip.kind = numbers.kind;
    strip.labels = texts.label ?? null;
    strip.addresses = texts.address ?? null;
    this.#redraw();
  }

  /** A strip; `guessed` says that it expands the largest tile and not a selected one. */
  #row(strip: Strip, i: number, guessed: boolean): Row {
    const funnel = h("canvas", { class: "pqx-layout-funnel", "aria-hidden": "true" });
    const canvas = h("canvas", {
      class: "pqx-layout-tiles",
      role: "slider",
      tabindex: -1,
      "aria-label": `Strip ${i + 1}: ${strip.title}, ${plural(strip.count, "part")}`,
      "aria-orientation": "horizontal",
      "aria-valuemin": 0,
      "aria-valuemax": Math.max(0, strip.count - 1),
      "aria-valuenow": Math.max(0, strip.chosen),
      onkeydown: (event: KeyboardEvent) => this.#key(event, i),
      onpointermove: (event: PointerEvent) => this.#point(i, this.#hit(event, i)),
      onpointerleave: () => this.#point(i, -1),
      onclick: (event: MouseEvent) => this.#go(i, this.#hit(event, i)),
      onfocus: () => this.#point(i, Math.max(0, this.#rows[i].cursor, strip.chosen)),
      onblur: () => this.#point(i, -1),
    });
    const el = h(
      "div",
      { class: `pqx-layout-strip${guessed ? " pqx-guessed" : ""}`, "data-strip": strip.address || "file" },
      i > 0 && funnel,
      h(
        "p",
        {},
        h("strong", {}, strip.title),
        h(
          "span",
          { class: "pqx-muted" },
          ` ${size(strip.end - strip.start)}, ${plural(strip.count, "part")}${guessed ? "; the largest" : ""}`,
        ),
      ),
      canvas,
    );
    return { strip, el, canvas, funnel, lefts: new Float64Array(1), cursor: -1 };
  }

  #activate(at: number): void {
    this.#active = at;
    this.#rows.forEach((row, i) => {
      row.canvas.tabIndex = i === at ? 0 : -1;
    });
  }

  #hit(event: MouseEvent, i: number): number {
    const row = this.#rows[i];
    const box = row.canvas.getBoundingClientRect();
    return row.strip.count && row.lefts.length > 1 ? tileAt(row.lefts, event.clientX - box.left) : -1;
  }

  #go(i: number, tile: number): void {
    if (tile < 0) return;
    this.#activate(i);
    this.#ctx.select(addressOf(this.#rows[i].strip, tile));
  }

  /** Describe a tile and highlight its bytes; -1 for none. */
  #point(i: number, tile: number): void {
    const row = this.#rows[i];
    if (!row || row.cursor === tile) return;
    row.cursor = tile;
    this.#drawRow(i);
    if (tile < 0) {
      fill(this.#note, HINT);
      this.#ctx.hot.emit(null);
      return;
    }
    const text = describe(row.strip, tile);
    fill(this.#note, text);
    row.canvas.setAttribute("aria-valuenow", String(tile));
    row.canvas.setAttribute("aria-valuetext", visible(text));
    const [start, end] = bytesOf(row.strip, tile);
    this.#ctx.hot.emit({ start, end, space: row.strip.space });
  }

  #key(event: KeyboardEvent, i: number): void {
    if (event.altKey || event.metaKey || event.ctrlKey) return;
    const row = this.#rows[i];
    const at = Math.max(0, row.cursor);
    const last = row.strip.count - 1;
    const along: Record<string, number> = {
      ArrowRight: at + 1,
      ArrowLeft: at - 1,
      PageDown: at + 20,
      PageUp: at - 20,
      Home: 0,
      End: last,
    };
    if (event.key in along) this.#point(i, Math.max(0, Math.min(last, along[event.key])));
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const to = i + (event.key === "ArrowDown" ? 1 : -1);
      if (!this.#rows[to]) return;
      this.#activate(to);
      this.#rows[to].canvas.focus();
    } else if (event.key === "Enter") this.#go(i, at);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #redraw(): void {
    this.#frame.frame(() => this.#draw());
  }

  #draw(): void {
    const begun = performance.now();
    const width = this.#list.clientWidth;
    if (!width) return;
    for (const row of this.#rows) row.lefts = edges(row.strip, width);
    this.#rows.forEach((_, i) => {
      this.#drawRow(i);
    });
    for (let i = 1; i < this.#rows.length; i++) this.#drawFunnel(i);
    this.#list.dataset.took = (performance.now() - begun).toFixed(1);
    this.#list.dataset.drawn = String(Number(this.#list.dataset.drawn ?? 0) + 1);
  }

  #pen(canvas: HTMLCanvasElement, tall: number): CanvasRenderingContext2D | null {
    const scale = devicePixelRatio || 1;
    const width = this.#list.clientWidth;
    const [w, t] = [Math.round(width * scale), Math.round(tall * scale)];
    if (canvas.width !== w || canvas.height !== t) {
      canvas.width = w;
      canvas.height = t;
    }
    canvas.style.width = `${width}px`;
    canvas.style.height = `${tall}px`;
    const pen = canvas.getContext("2d");
    pen?.setTransform(scale, 0, 0, scale, 0, 0);
    pen?.clearRect(0, 0, width, tall);
    return pen;
  }

  #drawRow(i: number): void {
    const { strip, canvas, lefts, cursor } = this.#rows[i];
    const pen = this.#pen(canvas, TALL);
    if (!pen || !strip.starts || lefts.length < 2) return;
    const colours = strip.kinds.map((kind) => colourOf(kind, this.#theme));
    pen.font = `11px ${this.#theme.font}`;
    pen.textBaseline = "middle";
    let drawnTo = -1;
    for (let tile = 0; tile < strip.count; tile++) {
      const [left, right] = [lefts[tile], lefts[tile + 1]];
      const kind = strip.kind?.[tile] ?? 0;
      if (right - left < DRAWN) {
        // of tiles narrower than a pixel, draw one a pixel
        const pixel = Math.floor(left);
        if (pixel === drawnTo) {
          tile = Math.max(tile, floorIndex(lefts, pixel + 1) - 1);
          continue;
        }
        drawnTo = pixel;
        pen.fillStyle = colours[kind];
        pen.globalAlpha = tile % 2 ? 0.8 : 1;
        pen.fillRect(pixel, 0, Math.max(1, right - pixel), TALL);
        pen.globalAlpha = 1;
        continue;
      }
      pen.fillStyle = colours[kind];
      pen.fillRect(left, 0, Math.max(1, right - left - 1), TALL);
      hatch(pen, strip.kinds[kind], left, right - left - 1);
      if (right - left < 26) continue;
      const label = abridge(labelOf(strip, tile), right - left - 9, (t) => pen.measureText(t).width);
      writeOn(pen, label, colours[kind], left + 4, TALL / 2, 16);
    }
    const outline = (tile: number, colour: string, line: number) => {
      if (tile < 0) return;
      const [left, right] = [lefts[tile], lefts[tile + 1]];
      pen.strokeStyle = colour;
      pen.lineWidth = line;
      pen.strokeRect(left + line / 2, line / 2, Math.max(3, right - left - 1) - line, TALL - line);
    };
    outline(this.#selected(strip), this.#theme.ink, 3);
    outline(cursor, this.#theme.accent, 2);
  }

  /** From the expanded tile to its strip. */
  #drawFunnel(i: number): void {
    const above = this.#rows[i - 1];
    const pen = this.#pen(this.#rows[i].funnel, FUNNEL);
    const { chosen } = above.strip;
    if (!pen || chosen < 0 || above.lefts.length < 2) return;
    const [left, right] = [above.lefts[chosen], above.lefts[chosen + 1]];
    const width = this.#list.clientWidth;
    pen.beginPath();
    pen.moveTo(left, 0);
    pen.lineTo(right, 0);
    pen.bezierCurveTo(right, FUNNEL * 0.7, width, FUNNEL * 0.3, width, FUNNEL);
    pen.lineTo(0, FUNNEL);
    pen.bezierCurveTo(0, FUNNEL * 0.3, left, FUNNEL * 0.7, left, 0);
    pen.fillStyle = rgb(mix(this.#theme.background, this.#theme.ink, above.strip.guessed ? 0.06 : 0.15));
    pen.fill();
  }
}

function colourOf(kind: string, theme: Theme): string {
  if (kind === "row_group" || kind === "column_chunk" || kind === "body")
    return rgb(mix(FAMILIES[0].colour, theme.background, kind === "row_group" ? 0.3 : 0.15));
  return rgb(mix(FAMILIES[familyOf(kind)].colour, theme.background, theme.dark ? 0.14 : 0.02));
}

/** The pattern of a kind's family, so that colour is not the only cue. */
function hatch(pen: CanvasRenderingContext2D, kind: string, left: number, width: number): void {
  const { pattern } = FAMILIES[familyOf(kind)];
  if (pattern === "solid" || width < 6) return;
  pen.save();
  pen.beginPath();
  pen.rect(left, 0, width, TALL);
  pen.clip();
  pen.strokeStyle = "rgba(0, 0, 0, .3)";
  pen.lineWidth = 1;
  pen.beginPath();
  const step = pattern === "sparse" ? 10 : 6;
  if (pattern === "lines") for (let y = 3; y < TALL; y += 5) line(pen, left, y, left + width, y);
  else
    for (let x = left - TALL; x < left + width + TALL; x += step) {
      if (pattern !== "falling") line(pen, x, TALL, x + TALL, 0);
      if (pattern === "falling" || pattern === "cross") line(pen, x, 0, x + TALL, TALL);
    }
  pen.stroke();
  pen.restore();
}

function line(pen: CanvasRenderingContext2D, x0: number, y0: number, x1: number, y1: number): void {
  pen.moveTo(x0, y0);
  pen.lineTo(x1, y1);
}

function describe(strip: Strip, tile: number): string {
  const [start, end] = bytesOf(strip, tile);
  const share = ((end - start) / Math.max(1, strip.end - strip.start)) * 100;
  const label = labelOf(strip, tile);
  const kind = words(kindOf(strip, tile));
  const what = label.includes(kind) ? label : `${label}, ${kind}`;
  const inside = strip.space === "file" ? "" : " of the opened bytes";
  return `${what}: ${plural(end - start, "byte")} from ${count(start)} on${inside}, ${share.toFixed(1)} % of ${strip.title}`;
}
