/** How the kinds of evidence look: a colour of Okabe and Ito's, and a pattern that repeats the information. */

import { ACCENTS, CLASSES, REST } from "../accents";
import { h } from "../dom";
import type { Pattern } from "../kinds";

export interface Look {
  colour: string;
  pattern: Pattern;
}

export const READ: Look = { colour: ACCENTS.amount, pattern: "solid" };
const OTHER: Look = { colour: REST, pattern: "sparse" };

const LOOKS: Record<string, Look> = {
  bounds: { colour: ACCENTS.second, pattern: "rising" },
  "null counts": { colour: CLASSES[5], pattern: "lines" },
  "Bloom filter": { colour: CLASSES[3], pattern: "dots" },
  dictionary: { colour: ACCENTS.dictionary, pattern: "falling" },
  "page index": { colour: CLASSES[2], pattern: "lines" },
  "partition values": { colour: ACCENTS.locked, pattern: "cross" },
  "lake statistics": { colour: CLASSES[5], pattern: "falling" },
  "number of rows": OTHER,
  constant: { colour: REST, pattern: "cross" },
};

/** The look of what is skipped by a kind of evidence; "bounds or null counts" looks like bounds. */
export function lookOf(by: string): Look {
  const known = Object.keys(LOOKS).find((name) => by === name || by.startsWith(`${name} `));
  return known ? LOOKS[known] : OTHER;
}

export function swatch({ colour, pattern }: Look): HTMLElement {
  return h("i", {
    class: "pqx-query-swatch",
    "data-pattern": pattern,
    style: `--colour: ${colour}`,
    "aria-hidden": "true",
  });
}

/** Draw a rectangle: full in its colour if solid, else pale with the pattern in its colour. */
export function paint(
  pen: CanvasRenderingContext2D,
  { colour, pattern }: Look,
  x: number,
  y: number,
  width: number,
  height: number,
): void {
  if (width <= 0 || height <= 0) return;
  pen.fillStyle = colour;
  if (pattern === "solid") {
    pen.fillRect(x, y, width, height);
    return;
  }
  pen.globalAlpha = 0.22;
  pen.fillRect(x, y, width, height);
  pen.globalAlpha = 1;
  if (width < 4) {
    pen.globalAlpha = 0.6;
    pen.fillRect(x, y + height - Math.max(1, height / 4), width, Math.max(1, height / 4));
    pen.globalAlpha = 1;
    return;
  }
  pen.save();
  pen.beginPath();
  pen.rect(x, y, width, height);
  pen.clip();
  pen.strokeStyle = colour;
  pen.lineWidth = 1.6;
  pen.beginPath();
  lines(pen, pattern, x, y, width, height);
  pen.stroke();
  pen.restore();
}

function lines(
  pen: CanvasRenderingContext2D,
  pattern: Pattern,
  x: number,
  y: number,
  width: number,
  height: number,
): void {
  const right = x + width;
  const bottom = y + height;
  const step = pattern === "sparse" ? 9 : pattern === "cross" ? 7 : 5;
  // patterns of neighbours are continuous
  const first = Math.floor((x - height) / step) * step;
  if (pattern === "lines")
    for (let at = Math.ceil(y / 4) * 4 + 1; at < bottom; at += 4) {
      pen.moveTo(x, at);
      pen.lineTo(right, at);
    }
  if (pattern === "dots")
    for (let across = Math.floor(x / 5) * 5 + 2; across < right; across += 5)
      for (let down = Math.floor(y / 5) * 5 + 2; down < bottom; down += 5) {
        pen.moveTo(across, down);
        pen.lineTo(across + 1.6, down);
      }
  if (pattern === "rising" || pattern === "cross" || pattern === "sparse")
    for (let at = first; at < right; at += step) {
      pen.moveTo(at, bottom);
      pen.lineTo(at + height, y);
    }
  if (pattern === "falling" || pattern === "cross")
    for (let at = first; at < right; at += step) {
      pen.moveTo(at, y);
      pen.lineTo(at + height, bottom);
    }
}
