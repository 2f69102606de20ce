/** The pages of a column as a strip in file order: width by bytes, colour, hatch and letter by encoding. */

import { ACCENTS, CLASSES } from "../accents";
import type { Context, Span } from "../context";
import { h } from "../dom";
import { count, plural, size } from "../text";
import { luminance, type Theme } from "../theme";
import type { Strip } from "../wire/column";
import { hatch, type Painting } from "./board";

const DICTIONARY = ACCENTS.dictionary;
const OTHERS = [ACCENTS.amount, CLASSES[4], CLASSES[5], ACCENTS.frame, ACCENTS.locked];
const NONE = ACCENTS.gap;
const MARK = 10;
const TALL = 20;
/** The width of the plain ground of a letter: no line of the hatch comes near it. */
const PLAIN = 20;

/** The letter of an encoding: of dictionary indexes I, of others the first of their name. */
export function letterOf(name: string, indexed: boolean): string {
  return indexed ? "I" : name.slice(0, 1);
}

/** The colour of each encoding of a strip. */
export function coloursOf(strip: Strip): string[] {
  let other = 0;
  return strip.indexed.map((indexed) => (indexed ? DICTIONARY : OTHERS[other++ % OTHERS.length]));
}

export class PagesPainting implements Painting {
  label: string;
  count: number;
  minWidth = 240;
  #strip: Strip;
  #ctx: Context;
  #colours: string[];
  #edges = new Float64Array(1);

  constructor(strip: Strip, ctx: Context, what: string) {
    this.#strip = strip;
    this.#ctx = ctx;
    this.count = strip.start.length;
    this.#colours = coloursOf(strip);
    this.label = `Pages in file order. ${what}`;
  }

  height(): number {
    return MARK + TALL + 2;
  }

  draw(pen: CanvasRenderingContext2D, width: number, _height: number, theme: Theme): void {
    this.#edges = this.#places(width);
    for (let i = 0; i < this.count; i++) this.#page(pen, i, theme);
    pen.fillStyle = theme.ink;
    for (const page of this.#strip.fallbacks) {
      const x = Math.max(5, this.#edges[page]);
      pen.beginPath();
      pen.moveTo(x - 5, 1);
      pen.lineTo(x + 5, 1);
      pen.lineTo(x, MARK - 1);
      pen.fill();
    }
  }

  outline(pen: CanvasRenderingContext2D, mark: number, theme: Theme): void {
    pen.strokeStyle = theme.ink;
    pen.lineWidth = 2;
    const x = this.#edges[mark];
    pen.strokeRect(x + 1, MARK + 1, Math.max(2, this.#edges[mark + 1] - x - 2), TALL - 2);
  }

  at(x: number): number {
    let [low, high] = [0, this.count];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#edges[middle + 1] <= x) low = middle + 1;
      else high = middle;
    }
    return low < this.count ? low : -1;
  }

  say(mark: number): string {
    const { names, encoding, dictionary, values, start, end, fallbacks, address } = this.#strip;
    const [, group, , , , page] = address[mark].split("/");
    const name = encoding[mark] < 0 ? "no encoding" : names[encoding[mark]];
    const amount = dictionary[mark] ? `${count(values[mark])} entries` : plural(values[mark], "value");
    const kind = dictionary[mark] ? "dictionary, " : "";
    const fell = fallbacks.includes(mark) ? "; the first without the dictionary" : "";
    return `row group ${group}, page ${page}: ${kind}${name}, ${amount}, ${size(end[mark] - start[mark])}${fell}`;
  }

  span(mark: number): Span | null {
    return { start: this.#strip.start[mark], end: this.#strip.end[mark], space: "file" };
  }

  choose(mark: number): void {
    this.#ctx.select(this.#strip.address[mark]);
  }

  /** The left edges of the pages and the last right one: a part of the width each alike, the rest by bytes. */
  #places(width: number): Float64Array<ArrayBuffer> {
    const { start, end } = this.#strip;
    const edges = new Float64Array(this.count + 1);
    const min = Math.min(14, (width * 0.5) / Math.max(1, this.count));
    let total = 0;
    for (let i = 0; i < this.count; i++) total += end[i] - start[i];
    const each = (width - min * this.count) / Math.max(1, total);
    for (let i = 0; i < this.count; i++) edges[i + 1] = edges[i] + min + (end[i] - start[i]) * each;
    return edges;
  }

  #page(pen: CanvasRenderingContext2D, i: number, theme: Theme): void {
    const { encoding, dictionary, names, indexed, address } = this.#strip;
    const code = encoding[i];
    const colour = dictionary[i] ? DICTIONARY : code < 0 ? NONE : this.#colours[code];
    const chunk = i > 0 && chunkOf(address[i]) !== chunkOf(address[i - 1]);
    const x = this.#edges[i] + (chunk ? 2 : 0);
    const wide = Math.max(0.5, this.#edges[i + 1] - x - (this.#edges[i + 1] - x > 4 ? 1 : 0));
    pen.fillStyle = colour;
    pen.fillRect(x, MARK, wide, TALL);
    if (!dictionary[i] && code >= 0 && indexed[code] && wide > 5)
      hatch(pen, x, MARK, wide, TALL, theme.background, 7);
    if (wide < 12) return;
    const letter = dictionary[i] ? "D" : code < 0 ? "?" : letterOf(names[code], indexed[code]);
    const ground = Math.min(wide, PLAIN);
    pen.fillStyle = colour;
    pen.fillRect(x + (wide - ground) / 2, MARK, ground, TALL);
    pen.fillStyle = luminance(colour) < 0.18 ? "#fff" : "#000";
    pen.save();
    pen.font = `bold ${pen.font}`;
    pen.textAlign = "center";
    pen.fillText(letter, x + wide / 2, MARK + TALL / 2 + 0.5);
    pen.restore();
  }
}

function chunkOf(address: string): string {
  return address.slice(0, address.indexOf("/pages/"));
}

/** What the letters and colours mean. */
export function pagesLegend(strip: Strip): HTMLElement {
  const colours = coloursOf(strip);
  const key = (letter: string, colour: string, name: string, hatched = false) =>
    h(
      "li",
      {},
      h(
        "i",
        {
          class: `pqx-column-key${hatched ? " pqx-column-hatched" : ""}`,
          style: `--colour: ${colour}; color: ${luminance(colour) < 0.18 ? "#fff" : "#000"}`,
          "aria-hidden": "true",
        },
        letter,
      ),
      name,
    );
  const used = new Set(strip.encoding.filter((_, i) => !strip.dictionary[i]));
  return h(
    "ul",
    { class: "pqx-keys", "aria-label": "Legend" },
    strip.dictionary.includes(true) && key("D", DICTIONARY, "dictionary page"),
    ...strip.names.map(
      (name, i) => used.has(i) && key(letterOf(name, strip.indexed[i]), colours[i], name, strip.indexed[i]),
    ),
    strip.fallbacks.length > 0 && h("li", {}, "▾ the first page without the dictionary"),
  );
}
