/** Draws tiles as pixels, one scan line at a time: the time depends on the pixels, not on the number of tiles. */

import type { Colouring } from "./colouring";
import type { Pattern } from "./kinds";
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
  /** Per class: two tints, the pattern's colour, the line between tiles, and the line around them; 0 for none. */
  colours: Uint32Array;
  patterns: Pattern[];
  /** The first tint of each class, for CSS and for labels. */
  plain: string[];
  scale: number;
}

/** Colours of a class in a palette. */
export const SHADES = 5;
const PALER = 0.8;
/** The contrast with the page from which on a class needs no line around it (WCAG 1.4.11). */
const SEEN = 3;

/** Eight steps of viridis, from dark to light; they differ in lightness, so that they need no colour vision. */
const SCALE = ["#440154", "#46327e", "#365c8d", "#277f8e", "#1fa187", "#4ac16d", "#a0da39", "#fde725"];

/** The colours of the classes. If `only` is one of them, all others are pale and plain. */
export function palette(
  theme: Theme,
  scale: number,
  { looks }: Pick<Colouring, "looks">,
  only = -1,
): Palette {
  const colours = new Uint32Array(looks.length * SHADES);
  const plain: string[] = [];
  looks.forEach(({ colour, step, quiet }, i) => {
    const whole =
      step === undefined
        ? mix(colour, theme.background, quiet ? 0.6 : theme.dark ? 0.14 : 0.02)
        : channels(onScale(theme.dark ? DARKEST + step * (1 - DARKEST) : 1 - step));
    const base = only < 0 || only === i ? whole : mix(rgb(whole), theme.background, PALER);
    plain.push(rgb(base));
    colours[i * SHADES] = pack(...base);
    colours[i * SHADES + 1] = pack(...mix(rgb(base), theme.background, theme.dark ? 0.2 : 0.22));
    colours[i * SHADES + 2] = pack(...mix(rgb(base), "#000000", 0.28));
    colours[i * SHADES + 3] = pack(...mix(rgb(base), theme.background, 0.72));
    if (!quiet && base === whole) colours[i * SHADES + 4] = aroundOf(rgb(base), theme);
  });
  const patterns = looks.map(({ pattern }, i) => (only < 0 || only === i ? pattern : "solid"));
  return { colours, patterns, plain, scale };
}

/** The line around tiles of a colour that is hard to see on the page, packed; 0 if it is not. */
function aroundOf(colour: string, theme: Theme): number {
  for (let share = 0; share <= 1; share += 0.1) {
    const line = mix(colour, theme.ink, share);
    if (contrast(rgb(line), theme.background) >= SEEN) return share ? pack(...line) : 0;
  }
  return pack(...channels(theme.ink));
}

/** The ratio of two colours' luminance as WCAG counts it, from 1 to 21. */
export function contrast(one: string, other: string): number {
  const [a, b] = [luminance(one), luminance(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

/** Where the scale begins on a dark page: its first step has three times the luminance of the background. */
const DARKEST = 0.32;

function onScale(step: number): string {
  const at = step * (SCALE.length - 1);
  const low = Math.min(SCALE.length - 2, Math.floor(at));
  return rgb(mix(SCALE[low], SCALE[low + 1], at - low));
}

/** Draw one row into the pixels of an image `width` pixels wide. `loud` is a class that small tiles show, too; -1 for none. */
export function paintRow(
  pixels: Uint32Array,
  width: number,
  row: Row,
  layout: Layout,
  { code, tint, loud }: Pick<Colouring, "code" | "tint" | "loud">,
  look: Palette,
): void {
  const { x0, x1, y0, y1, byte, perPixel } = row;
  const { start, length } = layout;
  const last = length - 1;
  const { colours, patterns, scale } = look;
  // a line of few pixels is all fill
  const thick = y1 - y0 < 6 * scale ? 0 : Math.max(1, Math.round(scale));
  let tile = layout.at(byte);
  for (let x = x0; x < x1; x++) {
    const at = byte + (x - x0) * perPixel;
    const before = tile;
    while (tile < last && start[tile + 1] <= at) tile++;
    const base = code[tile] * SHADES;
    const wide = (layout.end(tile) - start[tile]) / perPixel;
    const edge = tile !== before && wide >= 4 * scale;
    const around = colours[base + 4];
    const line = colours[code[before] * SHADES + 4] || around || colours[base + 3];
    let plain = edge ? line : colours[base + tint[tile]];
    if (!edge && tile < last && start[tile + 1] < at + perPixel) {
      // several tiles share the pixel: each counts by its bytes, but what is loud is never averaged away
      const to = at + perPixel;
      let red = 0;
      let green = 0;
      let blue = 0;
      let weight = 0;
      let from = at;
      for (let next = tile; next < length && start[next] < to; next++) {
        const colour = colours[code[next] * SHADES + tint[next]];
        const until = next < last ? start[next + 1] : layout.size;
        const bytes = (until < to ? until : to) - from;
        if (code[next] === loud) {
          red = (colour & 255) * bytes;
          green = ((colour >> 8) & 255) * bytes;
          blue = ((colour >> 16) & 255) * bytes;
          weight = bytes;
          break;
        }
        red += (colour & 255) * bytes;
        green += ((colour >> 8) & 255) * bytes;
        blue += ((colour >> 16) & 255) * bytes;
        weight += bytes;
        from = until;
      }
      if (weight > 0)
        plain = pack(Math.round(red / weight), Math.round(green / weight), Math.round(blue / weight));
    }
    const pattern = patterns[code[tile]];
    if (edge || pattern === "solid" || wide < 5 * scale) {
      for (let y = y0, at = y0 * width + x; y < y1; y++, at += width) pixels[at] = plain;
    } else {
      const drawn = colours[base + 2];
      for (let y = y0; y < y1; y++) pixels[y * width + x] = inPattern(pattern, x, y, scale) ? drawn : plain;
    }
    if (around)
      for (let y = 0; y < thick; y++)
        pixels[(y0 + y) * width + x] = pixels[(y1 - 1 - y) * width + x] = around;
  }
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
  pen.fillRect(x - 3, y - height / 2 + 0.5, pen.measureText(text).width + 6, height - 2); // not over the line around it
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

function pack(r: number, g: number, b: number): number {
  return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0; // little-endian RGBA
}
