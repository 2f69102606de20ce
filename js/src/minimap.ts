/** The whole file on a strip: the window of it that the map shows, to drag and to stretch, and the selected bytes. */

import { brushOf, dragged, type Grip, gripAt, type Range, sorted } from "./brush";
import type { Colouring } from "./colouring";
import { h } from "./dom";
import { onWheel } from "./gestures";
import type { Layout } from "./layout";
import { type Palette, paintRow } from "./paint";
import type { Theme } from "./theme";
import type { Wrap } from "./wrap";

const A_DRAG = 3;

interface MinimapMoves {
  /** Show a range of the file. */
  show(range: Range): void;
  choose(byte: number): void;
  /** Show `factor` times as many bytes around a byte. */
  zoom(factor: number, byte: number): void;
  /** Move by pixels of the wheel. Returns whether the wheel is used up by that. */
  wheel(dx: number, dy: number): boolean;
  /** The pointer lets go: the keys are for the map. */
  released(): void;
  hint(byte: number, event: PointerEvent): void;
}

export class Minimap {
  readonly el: HTMLElement;
  #base = h("canvas", { "aria-hidden": "true" });
  #over = h("canvas", { "aria-hidden": "true" });
  #moves: MinimapMoves;
  #wrap: Wrap;
  #held: { grip: Grip; range: Range; x: number; moved: boolean } | null = null;

  constructor(wrap: Wrap, moves: MinimapMoves) {
    this.#wrap = wrap;
    this.#moves = moves;
    this.el = h(
      "div",
      {
        class: "pqx-mini",
        title: "The whole file: drag the window or its edges, or click where to move it",
        onpointerdown: (event: PointerEvent) => this.#press(event),
        onpointermove: (event: PointerEvent) => this.#move(event),
        onpointerup: (event: PointerEvent) => this.#release(event),
        onpointercancel: () => {
          this.#held = null;
        },
        onpointerleave: (event: PointerEvent) => this.#moves.hint(-1, event),
      },
      this.#base,
      this.#over,
    );
    onWheel(this.el, { zoom: (factor, x) => moves.zoom(factor, this.#byte(x)), wheel: moves.wheel });
  }

  /** Draw the bytes of the file. */
  paint(layout: Layout, colouring: Colouring, look: Palette): void {
    const { clientWidth: width, clientHeight: height } = this.el;
    const pen = this.#base.getContext("2d");
    if (!width || !height || !pen) return;
    const [w, tall] = [Math.round(width * look.scale), Math.round(height * look.scale)];
    for (const canvas of [this.#base, this.#over]) {
      canvas.width = w;
      canvas.height = tall;
    }
    const image = pen.createImageData(w, tall);
    const row = { x0: 0, x1: w, y0: 0, y1: tall, byte: 0, perPixel: layout.size / w };
    paintRow(new Uint32Array(image.data.buffer), w, row, layout, colouring, look);
    pen.putImageData(image, 0, 0);
  }

  /** Draw the window and the selected bytes. */
  mark(place: Range | null, theme: Theme, scale: number): void {
    const pen = this.#over.getContext("2d");
    if (!pen) return;
    const [width, height] = [this.#over.width / scale, this.#over.height / scale];
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clearRect(0, 0, width, height);
    const { low, high, size, isWhole } = this.#wrap;
    if (!isWhole) {
      const { x, width: wide } = brushOf([low, high], size, width);
      pen.fillStyle = theme.background;
      pen.globalAlpha = 0.62;
      pen.fillRect(0, 0, x, height);
      pen.fillRect(x + wide, 0, width - x - wide, height);
      pen.globalAlpha = 1;
      pen.strokeStyle = theme.accent;
      pen.lineWidth = 2;
      pen.strokeRect(x + 1, 1, wide - 2, height - 2);
    }
    if (place && place[1] - place[0] < size) {
      const x = (place[0] / size) * width;
      pen.fillStyle = theme.ink;
      pen.fillRect(Math.min(width - 2, x), 0, Math.max(2, ((place[1] - place[0]) / size) * width), 2);
      pen.fillRect(
        Math.min(width - 2, x),
        height - 2,
        Math.max(2, ((place[1] - place[0]) / size) * width),
        2,
      );
    }
  }

  #x(event: PointerEvent): number {
    return event.clientX - this.el.getBoundingClientRect().left;
  }

  #byte(x: number): number {
    const share = Math.max(0, Math.min(0.999999, x / Math.max(1, this.el.clientWidth)));
    return share * this.#wrap.size;
  }

  #grip(x: number): Grip {
    const { low, high, size } = this.#wrap;
    const strip = this.el.clientWidth;
    return gripAt(x, brushOf([low, high], size, strip), strip);
  }

  #press(event: PointerEvent): void {
    if (event.button !== 0) return;
    const x = this.#x(event);
    const grip = this.#grip(x);
    const { low, high, isWhole } = this.#wrap;
    this.el.setPointerCapture(event.pointerId);
    this.#held = { grip, range: [low, high], x, moved: false };
    if (grip !== "outside" || isWhole) return;
    const middle = this.#byte(x);
    const range = dragged("inside", [low, high], middle - (low + high) / 2, this.#wrap.size);
    this.#moves.show(range);
    this.#held = { grip: "inside", range, x, moved: false };
  }

  #move(event: PointerEvent): void {
    const x = this.#x(event);
    const held = this.#held;
    if (!held) {
      if (event.pointerType !== "touch") this.#moves.hint(this.#byte(x), event);
      this.el.dataset.grip = this.#grip(x);
      return;
    }
    if (!held.moved && Math.abs(x - held.x) < A_DRAG) return;
    held.moved = true;
    const { size } = this.#wrap;
    // a drag beside the window, or over the whole file, makes a new window
    if (held.grip === "outside") this.#moves.show(sorted(this.#byte(held.x), this.#byte(x)));
    else {
      const bytes = ((x - held.x) / Math.max(1, this.el.clientWidth)) * size;
      this.#moves.show(dragged(held.grip, held.range, bytes, size));
    }
  }

  #release(event: PointerEvent): void {
    const held = this.#held;
    this.#held = null;
    if (held) this.#moves.released();
    if (held && !held.moved && this.#wrap.isWhole) this.#moves.choose(this.#byte(this.#x(event)));
  }
}
