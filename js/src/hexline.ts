/** A line of the hex view: its offset, the letter of its first part, hex digits and characters. */

import { h } from "./dom";
import type { Anchor } from "./hexcard";
import type { Part } from "./hexparts";
import { FAMILIES } from "./kinds";

/** The height of a line in pixels. */
export const LINE = 19;

/** A place after the last byte; a byte that is on its way is -1. */
export const BEYOND = -2;

const DIGITS = Array.from({ length: 256 }, (_, i) => i.toString(16).padStart(2, "0"));
const LETTERS = Array.from({ length: 256 }, (_, i) => (i > 31 && i < 127 ? String.fromCharCode(i) : "·"));

export interface LineByte {
  byte: number;
  part: Part | null;
  /** Whether its part begins with it. */
  begins: boolean;
  /** The classes of its marks. */
  marks: string;
}

interface Run {
  class: string;
  hex: string;
  text: string;
}

export function hexDigits(byte: number): string {
  return DIGITS[byte];
}

export function line(index: number, offset: string, inLine: LineByte[]): HTMLElement {
  const runs: Run[] = [];
  inLine.forEach(({ byte, part, begins, marks }, i) => {
    const kind = `${part ? look(part, begins) : ""}${byte === 0 ? " pqx-zero" : ""} ${marks}`.trim();
    let run = runs.at(-1);
    if (!run || run.class !== kind || begins) {
      run = { class: kind, hex: "", text: "" };
      runs.push(run);
    }
    const gap = i % 8 === 7 && i < inLine.length - 1 ? "  " : " ";
    run.hex += `${byte >= 0 ? DIGITS[byte] : byte === BEYOND ? "  " : ".."}${gap}`;
    run.text += byte >= 0 ? LETTERS[byte] : " ";
  });
  const family = inLine[0].part?.family;
  return h(
    "div",
    { class: "pqx-line", "data-line": index },
    h("span", { class: "pqx-offset" }, offset),
    h(
      "span",
      { class: `pqx-gutter${family === undefined ? "" : ` pqx-f${family}`}`, "aria-hidden": "true" },
      family === undefined ? " " : FAMILIES[family].letter,
    ),
    h("span", { class: "pqx-digits" }, ...runs.map((run) => h("span", { class: run.class }, run.hex))),
    h("span", { class: "pqx-letters" }, ...runs.map((run) => h("span", { class: run.class }, run.text))),
  );
}

function look({ family, odd, level }: Part, begins: boolean): string {
  return `pqx-owned pqx-f${family}${odd ? " pqx-owned-odd" : ""}${level ? " pqx-owned-level" : ""}${begins ? " pqx-owned-begin" : ""}`;
}

/** The offset of the byte under the pointer, by its place in a line of `across` bytes; null beside the bytes. */
export function byteAt(event: MouseEvent, across: number): number | null {
  const target = event.target as Element;
  const found = target.closest<HTMLElement>("[data-line]");
  const part = target.closest<HTMLElement>(".pqx-digits, .pqx-letters");
  if (!found || !part) return null;
  const box = part.getBoundingClientRect();
  const share = (event.clientX - box.left) / box.width;
  let i = Math.floor(share * across);
  if (part.classList.contains("pqx-digits")) {
    const column = share * (across * 3 + Math.ceil(across / 8) - 1);
    i = Math.floor((column - Math.floor(column / 25)) / 3);
  }
  return Number(found.dataset.line) * across + Math.max(0, Math.min(across - 1, i));
}

/** Where the lines of a part are in the window, as far as they are visible; null if the byte at `offset` is not. */
export function anchorOf(pane: Element, part: Part, offset: number, across: number): Anchor | null {
  const box = pane.getBoundingClientRect();
  const lineOf = (byte: number) => Math.floor(byte / across);
  const found = pane.querySelector(`[data-line="${lineOf(offset)}"] .pqx-digits`);
  if (!found) return null;
  const { left, width, top, bottom } = found.getBoundingClientRect();
  return {
    left: left + ((offset % across) / across) * width,
    top: Math.max(box.top, top - LINE * (lineOf(offset) - lineOf(part.start))),
    bottom: Math.min(box.bottom, bottom + LINE * (lineOf(part.end - 1) - lineOf(offset))),
    line: { top, bottom },
  };
}

/** The width of a hex digit in pixels; 0 in a pane that is not shown. */
export function digitWidth(pane: Element): number {
  const probe = h("span", { class: "pqx-measure" }, "0".repeat(20));
  pane.append(probe);
  const digit = probe.getBoundingClientRect().width / 20;
  probe.remove();
  return digit;
}

/** How far a key moves the caret; undefined for a key that does not. */
export function moveOf(
  event: KeyboardEvent,
  caret: number,
  across: number,
  lines: number,
  size: number,
): number | undefined {
  const moves: Record<string, number> = {
    ArrowRight: 1,
    ArrowLeft: -1,
    ArrowDown: across,
    ArrowUp: -across,
    PageDown: lines * across,
    PageUp: -lines * across,
    Home: event.ctrlKey ? -caret : -(caret % across),
    End: event.ctrlKey ? size : across - 1 - (caret % across),
  };
  return moves[event.key];
}
