/** The texts on the map: offsets beside the lines, names on column chunks, letters on tiles. */

import type { Colouring } from "./colouring";
import { FAMILIES } from "./kinds";
import type { Block, Layout } from "./layout";
import { type Palette, writeOn } from "./paint";
import { abridge, count, size } from "./text";
import type { Theme } from "./theme";
import { type Drawing, GAP, LINE, type Mark, type Wrap } from "./wrap";

/** More names than this would not be readable, so there are only colours. */
const READABLE = 500;
const NARROWEST_NAME = 28;
const NARROWEST_LETTER = 22;
const MIDDLE = (LINE - GAP) / 2 + 0.5;

export interface Sheet extends Drawing {
  palette: Palette;
  colouring: Colouring;
}

/** The first byte of each line. */
export function drawOffsets({ pen, wrap, theme }: Sheet): void {
  if (!wrap.gutter) return;
  pen.font = `11px ${theme.font}`;
  pen.textAlign = "right";
  pen.textBaseline = "middle";
  pen.fillStyle = theme.muted;
  for (let line = 0; line < wrap.lines; line++) {
    const byte = Math.floor(wrap.low + line * wrap.perLine);
    pen.fillText(byte < 1e9 ? count(byte) : size(byte), wrap.gutter - 8, line * LINE + MIDDLE);
  }
}

/** The letter of its kind at the right end of each tile that has room for it beside the names. */
export function drawLetters(
  { pen, wrap, theme, palette, colouring }: Sheet,
  layout: Layout,
  names: Mark[],
): void {
  const first = layout.at(wrap.low);
  const last = layout.at(wrap.high - 1);
  if (last - first > READABLE) return;
  write(pen, theme);
  for (let tile = first; tile <= last; tile++) {
    const mark = wrap.marks(layout.start[tile], layout.end(tile)).at(-1);
    if (!mark || mark.width < NARROWEST_LETTER) continue;
    const code = colouring.code[tile];
    const x = mark.x + mark.width - 13;
    if (names.some((name) => name.y === mark.y && x < name.x + name.width && x + 13 > name.x)) continue;
    writeOn(pen, colouring.looks[code].letter, palette.plain[code], x, mark.y + MIDDLE, LINE - GAP);
  }
}

/** Draw the name of each block, and a line where a row group begins. Returns the rectangles of the names. */
export function drawNames(
  { pen, wrap, theme, palette, colouring }: Sheet,
  layout: Layout,
  columns: string[],
): Mark[] {
  const drawn: Mark[] = [];
  const shown = blocksIn(layout.blocks(), wrap);
  if (!shown) return drawn;
  write(pen, theme);
  let group = 0;
  for (const block of shown) {
    const marks = wrap.marks(block.start, block.end);
    if (!marks.length) continue;
    if (block.group !== group && block.group >= 0) {
      pen.fillStyle = theme.ink;
      pen.fillRect(marks[0].x - 1, marks[0].y - 1, 2, LINE - GAP + 2);
    }
    if (block.group >= 0) group = block.group;
    const widest = marks.reduce((a, b) => (b.width > a.width + 1 ? b : a));
    if (widest.width < NARROWEST_NAME) continue;
    const name =
      block.column < 0 ? FAMILIES[block.family].name : (columns[block.column] ?? `${block.column}`);
    const text = abridge(name, widest.width - 10, (t) => pen.measureText(t).width);
    // the name stands on the colour of the tile below it; by kind, on that of the chunk's data
    const below = colouring.code[layout.at(wrap.byteAt(widest.x + 5, widest.y))];
    const code = colouring.by === "kind" ? block.family : below;
    writeOn(pen, text, palette.plain[code], widest.x + 5, widest.y + MIDDLE, LINE - GAP);
    drawn.push({ x: widest.x, y: widest.y, width: text ? pen.measureText(text).width + 10 : 0 });
  }
  return drawn;
}

function write(pen: CanvasRenderingContext2D, theme: Theme): void {
  pen.font = `600 11px ${theme.font}`;
  pen.textAlign = "left";
  pen.textBaseline = "middle";
}

/** The blocks that are shown; null if they are too many. */
function blocksIn(blocks: Block[], wrap: Wrap): Block[] | null {
  let [low, high] = [0, blocks.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (blocks[middle].start <= wrap.low) low = middle;
    else high = middle - 1;
  }
  const shown: Block[] = [];
  for (let i = low; i < blocks.length && blocks[i].start < wrap.high; i++) {
    if (shown.length >= READABLE) return null;
    shown.push(blocks[i]);
  }
  return shown;
}
