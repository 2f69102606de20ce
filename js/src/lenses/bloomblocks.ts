/** The blocks of a Bloom filter as cells. A fuller block is darker. */

import { ACCENTS, most } from "../accents";
import type { Numbers } from "../columns";
import type { Span } from "../context";
import { h } from "../dom";
import { count } from "../text";
import { channels, type Theme } from "../theme";
import type { Picture } from "../wire/bloom";
import type { Painting } from "./board";

/** Bytes of a block. */
export const BLOCK = 32;
/** The colour of a full block, and of a bit that a value needs and that is not set. */
export const FULL = ACCENTS.wrong;
const ROOM = 240;
const MAX_SIDE = 20;

/** The side of a cell so that all cells fit into a width and a height. */
export function cellSide(cells: number, width: number, room = ROOM): number {
  let side = MAX_SIDE;
  while (side > 1 && Math.ceil(cells / Math.max(1, Math.floor(width / side))) * side > room) side--;
  return side;
}

export class Heat implements Painting {
  label: string;
  count: number;
  first: number | undefined;
  #picture: Picture;
  #bits: Numbers | number[];
  #choose: (block: number) => void;
  #side = 1;
  #columns = 1;
  #asked = -1;

  constructor(picture: Picture, bits: Numbers | number[], choose: (block: number) => void) {
    this.#picture = picture;
    this.#bits = bits;
    this.#choose = choose;
    this.count = bits.length;
    this.label = `${count(picture.blocks)} blocks of the Bloom filter, by their set bits`;
    if (picture.block !== null) this.first = Math.floor(picture.block / picture.per_cell);
  }

  /** Mark the block of the last probe. */
  ask(block: number): void {
    this.#asked = Math.floor(block / this.#picture.per_cell);
  }

  height(width: number): number {
    this.#side = cellSide(this.count, width);
    this.#columns = Math.max(1, Math.floor(width / this.#side));
    return Math.ceil(this.count / this.#columns) * this.#side + 1;
  }

  draw(pen: CanvasRenderingContext2D, _width: number, _height: number, theme: Theme): void {
    const [columns, side] = [this.#columns, this.#side];
    const rows = Math.ceil(this.count / columns);
    const image = new ImageData(columns, rows);
    const pixels = new Uint32Array(image.data.buffer);
    const shades = ramp(theme);
    for (let i = 0; i < this.count; i++) pixels[i] = shades[this.#bits[i]];
    const small = document.createElement("canvas");
    small.width = columns;
    small.height = rows;
    small.getContext("2d")?.putImageData(image, 0, 0);
    pen.imageSmoothingEnabled = false;
    pen.drawImage(small, 0, 0, columns * side, rows * side);
    if (side < 5) return;
    pen.fillStyle = theme.background;
    for (let x = 0; x <= columns; x++) pen.fillRect(x * side, 0, 1, rows * side);
    for (let y = 0; y <= rows; y++) pen.fillRect(0, y * side, columns * side, 1);
    // a full block rules nothing out: a cross shows it without colour
    pen.strokeStyle = theme.background;
    for (let i = 0; i < this.count; i++)
      if (this.#bits[i] === 256) {
        const [x, y] = this.#corner(i);
        pen.beginPath();
        pen.moveTo(x + 3, y + 3);
        pen.lineTo(x + side - 2, y + side - 2);
        pen.moveTo(x + side - 2, y + 3);
        pen.lineTo(x + 3, y + side - 2);
        pen.stroke();
      }
  }

  #corner(cell: number): [number, number] {
    return [(cell % this.#columns) * this.#side, Math.floor(cell / this.#columns) * this.#side];
  }

  outline(pen: CanvasRenderingContext2D, mark: number, theme: Theme): void {
    const around = (cell: number, colour: string, more: number) => {
      const [x, y] = this.#corner(cell);
      const side = Math.max(this.#side, 5) + more;
      pen.strokeStyle = colour;
      pen.lineWidth = 2;
      pen.strokeRect(x - more / 2, y - more / 2, side, side);
    };
    if (this.#asked >= 0) around(this.#asked, theme.accent, 4);
    around(mark, theme.ink, 0);
  }

  at(x: number, y: number): number {
    const column = Math.floor(x / this.#side);
    const cell = Math.floor(y / this.#side) * this.#columns + column;
    return column < this.#columns && cell < this.count ? cell : -1;
  }

  say(mark: number): string {
    const [bits, each] = [this.#bits[mark], this.#picture.per_cell];
    const what =
      each > 1
        ? `blocks ${count(mark * each)} to ${count((mark + 1) * each - 1)}, on average`
        : `block ${count(mark)}:`;
    return `${what} ${bits} of 256 bits set, ${((bits / 256) * 100).toFixed(0)} %`;
  }

  span(mark: number): Span | null {
    const { start, space, per_cell } = this.#picture;
    return {
      start: start + mark * per_cell * BLOCK,
      end: start + (mark + 1) * per_cell * BLOCK,
      space: space,
    };
  }

  choose(mark: number): void {
    this.#choose(mark * this.#picture.per_cell);
  }

  across(): number {
    return this.#columns;
  }
}

/** Colours for 0 to 256 bits: from the background to blue; 256 is orange, because a full block rules nothing out. */
function ramp(theme: Theme): Uint32Array {
  const from = channels(theme.background);
  const to = channels(most(theme));
  const pack = (rgb: number[]) => (255 << 24) | (rgb[2] << 16) | (rgb[1] << 8) | rgb[0];
  const shades = Uint32Array.from({ length: 257 }, (_, bits) => {
    const share = 0.06 + 0.94 * (bits / 256) ** 0.8;
    return pack(from.map((c, i) => Math.round(c + (to[i] - c) * share)));
  });
  shades[256] = pack(channels(FULL));
  return shades;
}

/** What the shades mean. */
export function key(): HTMLElement {
  const item = (kind: string, text: string) => h("li", {}, h("i", { class: `pqx-key-${kind}` }), text);
  return h(
    "ul",
    { class: "pqx-keys", "aria-label": "Legend" },
    item("bits", "blocks, from no bit set to all"),
    item("full", "a full block rules nothing out"),
  );
}
