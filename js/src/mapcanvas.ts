/** The two canvases of the map: the bytes with their names and marks, and over them what is selected or pointed at. */

import { h } from "./dom";
import { drawFlags } from "./flags";
import type { Layout } from "./layout";
import { drawLetters, drawNames, drawOffsets, type Sheet } from "./maplabels";
import { paintRow } from "./paint";
import type { Skips } from "./query";
import { drawSkipped } from "./skipped";
import type { Theme } from "./theme";
import { GAP, LINE, type Mark, type Wrap } from "./wrap";

/** Bytes with a line around them. */
export interface Outlined {
  bytes: [number, number];
  colour: string;
  width: number;
}

export class MapCanvas {
  readonly base = h("canvas", { "aria-hidden": "true" });
  readonly over = h("canvas", { "aria-hidden": "true" });
  #image: ImageData | null = null;
  #scale = 1;
  /** Where names are drawn. */
  #names: Mark[] = [];

  /** Draw the bytes of the window. Returns how many ranges are skipped by the query, and how many runs are flagged. */
  drawBytes(
    layout: Layout,
    look: Omit<Sheet, "pen">,
    { skips, only }: { skips: Skips | null; only: string },
    names: string[],
  ): { skipped: string; flagged: string } {
    const { wrap, palette } = look;
    const { scale } = palette;
    const pen = this.base.getContext("2d");
    if (!pen) return { skipped: "0", flagged: "0" };
    const [w, tall] = [Math.round(wrap.width * scale), Math.round(LINE * wrap.lines * scale)];
    if (this.base.width !== w || this.base.height !== tall || !this.#image) {
      for (const canvas of [this.base, this.over]) {
        canvas.width = w;
        canvas.height = tall;
        canvas.style.height = `${LINE * wrap.lines}px`;
      }
      this.#image = pen.createImageData(w, tall);
    }
    this.#scale = scale;
    const pixels = new Uint32Array(this.#image.data.buffer);
    const x0 = Math.round(wrap.gutter * scale);
    const row = { x0, x1: w, y0: 0, y1: 0, byte: 0, perPixel: wrap.perLine / (w - x0) };
    for (let line = 0; line < wrap.lines; line++) {
      row.y0 = Math.round(line * LINE * scale);
      row.y1 = Math.round((line * LINE + LINE - GAP) * scale);
      row.byte = wrap.low + line * wrap.perLine;
      paintRow(pixels, w, row, layout, look.colouring, palette);
    }
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.putImageData(this.#image, 0, 0);
    pen.scale(scale, scale);
    const sheet = { pen, ...look };
    const skipped = skips ? drawSkipped(sheet, skips) : 0;
    const flagged = drawFlags(sheet, layout, only);
    drawOffsets(sheet);
    this.#names = drawNames(sheet, layout, names);
    drawLetters(sheet, layout, this.#names);
    return { skipped: String(skipped), flagged: String(flagged) };
  }

  /** Draw what is selected, and what is outlined, in the colours of the moment. */
  drawOver(wrap: Wrap, theme: Theme, selected: [number, number] | null, outlined: Outlined[]): void {
    const pen = this.over.getContext("2d");
    if (!pen) return;
    pen.setTransform(this.#scale, 0, 0, this.#scale, 0, 0);
    pen.clearRect(0, 0, wrap.width, LINE * wrap.lines);
    if (selected) {
      const marks = wrap.marks(...selected);
      pen.save();
      spare(
        pen,
        wrap,
        this.#names.filter((name) => marks.some((mark) => crosses(mark, name))),
      );
      pen.fillStyle = theme.background;
      pen.globalAlpha = 0.26;
      pen.fillRect(wrap.gutter, 0, wrap.width, LINE * wrap.lines);
      pen.globalAlpha = 1;
      for (const { x, y, width } of marks) pen.clearRect(x, y, Math.max(2, width), LINE - GAP);
      outline(pen, marks, theme.ink, 2);
      pen.restore();
    }
    for (const { bytes, colour, width } of outlined) outline(pen, wrap.marks(...bytes), colour, width);
  }
}

/** Whether the border of a mark runs through a name. */
function crosses(mark: Mark, name: Mark): boolean {
  const [left, right] = [name.x, name.x + name.width];
  const cuts = (x: number) => x > left + 1 && x < right - 1;
  return mark.y === name.y && (cuts(mark.x) || cuts(mark.x + mark.width));
}

/** Draw on everything but these names. */
function spare(pen: CanvasRenderingContext2D, wrap: Wrap, names: Mark[]): void {
  const all = new Path2D();
  all.rect(0, 0, wrap.width, LINE * wrap.lines);
  for (const { x, y, width } of names) all.rect(x, y + 2, width, LINE - GAP - 4);
  pen.clip(all, "evenodd");
}

function outline(pen: CanvasRenderingContext2D, marks: Mark[], colour: string, width: number): void {
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
