/** Draws tiles as pixels, one scan line at a time: the time depends on the pixels, not on the number of tiles. */

import { CORRUPT, FAMILIES, type Pattern } from "./kinds";
import type { Layout } from "./layout";
import { channels, luminance, type Theme } from "./theme";

/** A horizontal run of pixels, and the bytes that it stands for. */
export interface Row {
  x0: number;
  x1: number;
  y0: number;
  y1: number;
  byte: number;
  perPixel: number;
}

export interface Palette {
  /** Per family: two tints, the pattern's colour, and the colour of the line between tiles. */
  colours: Uint32Array;
  patterns: Pattern[];
  /** The first tint of each family, for CSS. */
  plain: string[];
  scale: number;
}

const SHADES = 4;

export function palette(theme: Theme, scale: number): Palette {
  const colours = new Uint32Array(FAMILIES.length * SHADES);
  const plain: string[] = [];
  FAMILIES.forEach((family, i) => {
    const base = mix(family.colour, theme.background, theme.dark ? 0.14 : 0.02);
    plain.push(rgb(base));
    colours[i * SHADES] = pack(base);
    colours[i * SHADES + 1] = pack(mix(rgb(base), theme.background, theme.dark ? 0.2 : 0.22));
    colours[i * SHADES + 2] = pack(mix(rgb(base), "#000000", 0.28));
    colours[i * SHADES + 3] = pack(mix(rgb(base), theme.background, 0.72));
  });
  return { colours, patterns: FAMILIES.map((f) => f.pattern), plain, scale };
}

/** Draw one row into the pixels of an image `width` pixels wide. */
export function paintRow(pixels: Uint32Array, width: number, row: Row, layout: Layout, look: Palette): void {
  const { x0, x1, y0, y1, byte, perPixel } = row;
  const last = layout.length - 1;
  let tile = layout.at(byte);
  for (let x = x0; x < x1; x++) {
    const at = byte + (x - x0) * perPixel;
    const before = tile;
    while (tile < last && layout.start[tile + 1] <= at) tile++;
    const family = layout.family[tile];
    const base = family * SHADES;
    const wide = (layout.end(tile) - layout.start[tile]) / perPixel;
    const edge = tile !== before && wide >= 4 * look.scale;
    let plain = look.colours[base + (edge ? 3 : layout.tint[tile])];
    if (!edge && tile < last && layout.start[tile + 1] < at + perPixel)
      plain = blend(layout, look, tile, at, at + perPixel);
    const drawn = look.colours[base + 2];
    const pattern = look.patterns[family];
    if (edge || pattern === "solid" || wide < 5 * look.scale) {
      for (let y = y0; y < y1; y++) pixels[y * width + x] = plain;
    } else {
      for (let y = y0; y < y1; y++)
        pixels[y * width + x] = inPattern(pattern, x, y, look.scale) ? drawn : plain;
    }
  }
}

/** The colour of a pixel that several tiles share, each by its bytes; damage is never averaged away. */
function blend(layout: Layout, look: Palette, first: number, from: number, to: number): number {
  let [red, green, blue, weight] = [0, 0, 0, 0];
  for (let tile = first; tile < layout.length && layout.start[tile] < to; tile++) {
    const family = layout.family[tile];
    const colour = look.colours[family * SHADES + layout.tint[tile]];
    if (family === CORRUPT) return colour;
    const bytes = Math.min(to, layout.end(tile)) - Math.max(from, layout.start[tile]);
    red += (colour & 255) * bytes;
    green += ((colour >> 8) & 255) * bytes;
    blue += ((colour >> 16) & 255) * bytes;
    weight += bytes;
  }
  if (!weight) return look.colours[layout.family[first] * SHADES];
  return pack([Math.round(red / weight), Math.round(green / weight), Math.round(blue / weight)]);
}

export function inPattern(pattern: Pattern, x: number, y: number, s: number): boolean {
  switch (pattern) {
    case "rising":
      return (x + y) % (6 * s) < 1.5 * s;
    case "falling":
      return (x - y + 6000 * s) % (6 * s) < 1.5 * s;
    case "lines":
      return y % (4 * s) < 1.2 * s;
    case "dots":
      return x % (4 * s) < 1.6 * s && y % (4 * s) < 1.6 * s;
    case "sparse":
      return (x + y) % (9 * s) < 1.5 * s;
    case "cross":
      return (x + y) % (7 * s) < 1.6 * s || (x - y + 7000 * s) % (7 * s) < 1.6 * s;
    default:
      return false;
  }
}

/** A label on tiles, on a background of their colour, so that no pattern crosses the letters. */
export function writeOn(
  pen: CanvasRenderingContext2D,
  text: string,
  colour: string,
  x: number,
  y: number,
  height: number,
): void {
  if (!text) return;
  pen.fillStyle = colour;
  pen.fillRect(x - 3, y - height / 2 - 0.5, pen.measureText(text).width + 6, height);
  pen.fillStyle = luminance(colour) < 0.18 ? "#fff" : "#000";
  pen.fillText(text, x, y + 0.5);
}

type Channels = [number, number, number];

export function mix(colour: string, other: string, share: number): Channels {
  const a = channels(colour);
  const b = channels(other);
  return [0, 1, 2].map((i) => Math.round(a[i] * (1 - share) + b[i] * share)) as Channels;
}

export function rgb([r, g, b]: Channels): string {
  return `rgb(${r}, ${g}, ${b})`;
}

function pack([r, g, b]: Channels): number {
  return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0; // little-endian RGBA
}
