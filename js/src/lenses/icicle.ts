/** The bytes of the file as an icicle: below each tile lie its parts, each as wide as its share of the file. */

import { FAMILIES, familyOf, type Pattern } from "../kinds";
import { inPattern, mix, palette, rgb, writeOn } from "../paint";
import { abridgeMiddle, size, visible } from "../text";
import type { Theme } from "../theme";
import type { Tile } from "../wire/overview_icicle";
import type { Painting } from "./board";

const HEAD = 20;
const ROW = 46;
/** The minimum width of a tile with a gap, and of one with a letter. */
const [GAP, LETTER] = [3, 11];
const PERIOD: Record<Pattern, number> = {
  solid: 1,
  rising: 6,
  falling: 6,
  lines: 4,
  dots: 4,
  sparse: 9,
  cross: 7,
};

export class IciclePainting implements Painting {
  readonly label = "The bytes of the file by column, row group and kind";
  readonly count: number;
  #tiles: Tile[];
  /** The indexes of the tiles of each level, from left to right. */
  #levels: number[][] = [];
  #go: (address: string) => void;
  #width = 1;

  constructor(tiles: Tile[], go: (address: string) => void) {
    this.#tiles = tiles;
    this.count = tiles.length;
    this.#go = go;
    for (const [i, tile] of tiles.entries()) {
      this.#levels[tile.level] ??= [];
      this.#levels[tile.level].push(i);
    }
  }

  height(): number {
    return HEAD + ROW * (this.#levels.length - 1);
  }

  draw(pen: CanvasRenderingContext2D, width: number, _height: number, theme: Theme): void {
    this.#width = width;
    const look = palette(theme, 1);
    const group = rgb(mix(theme.background, theme.ink, 0.11));
    for (const [i, tile] of this.#tiles.entries()) {
      const [x, y, wide, tall] = this.box(i);
      const family = tile.kind ? familyOf(tile.kind) : -1;
      const colour = family < 0 ? group : look.plain[family];
      const drawn = wide > GAP ? wide - 1 : Math.max(0.5, wide);
      pen.fillStyle = colour;
      pen.fillRect(x, y, drawn, tall - 1);
      if (family >= 0 && wide > GAP) {
        const pattern = texture(pen, FAMILIES[family].pattern, rgb(mix(colour, "#000000", 0.28)));
        if (pattern) {
          pen.fillStyle = pattern;
          pen.fillRect(x, y, drawn, tall - 1);
        }
      }
      if (wide >= LETTER) this.#write(pen, tile, x, y, drawn, colour, theme, family);
    }
  }

  /** The name and the size, as far as they fit; else the letter of the kind. */
  #write(
    pen: CanvasRenderingContext2D,
    tile: Tile,
    x: number,
    y: number,
    wide: number,
    colour: string,
    theme: Theme,
    family: number,
  ): void {
    const measure = (text: string) => pen.measureText(text).width;
    const name = nameOf(tile, wide - 10, measure);
    const line = tile.level === 0 ? y + HEAD / 2 : y + 14;
    const bytes = size(tile.size);
    const sized = name && tile.level > 0 && measure(bytes) <= wide - 10;
    pen.textAlign = "left";
    if (family >= 0) {
      const letter = FAMILIES[family].letter;
      if (name) writeOn(pen, name, colour, x + 5, line, 14);
      else if (wide >= measure(letter) + 6)
        writeOn(pen, letter, colour, x + (wide - measure(letter)) / 2, line, 14);
      if (sized) writeOn(pen, bytes, colour, x + 5, line + 15, 14);
      return;
    }
    pen.fillStyle = theme.ink;
    pen.fillText(name, x + 5, line);
    pen.fillStyle = theme.muted;
    if (sized) pen.fillText(bytes, x + 5, line + 15);
  }

  outline(pen: CanvasRenderingContext2D, mark: number, theme: Theme): void {
    const [x, y, wide, tall] = this.box(mark);
    pen.strokeStyle = theme.ink;
    pen.lineWidth = 2;
    pen.strokeRect(Math.min(x + 1, this.#width - 3), y + 1, Math.max(2, wide - 3), tall - 3);
  }

  at(x: number, y: number): number {
    const level = y < HEAD ? 0 : 1 + Math.floor((y - HEAD) / ROW);
    const byte = (x / this.#width) * this.#tiles[0].size;
    const found = this.#levels[level]?.filter((i) => this.#tiles[i].start <= byte).at(-1) ?? -1;
    if (found < 0 || byte >= this.#tiles[found].start + this.#tiles[found].size) return -1;
    return found;
  }

  say(mark: number): string {
    return this.#tiles[mark].text;
  }

  span(mark: number) {
    return this.#tiles[mark].span;
  }

  choose(mark: number): void {
    const { address } = this.#tiles[mark];
    if (address !== null) this.#go(address);
  }

  beside(mark: number, key: string): number | null {
    return beside(this.#tiles, mark, key);
  }

  /** Where a tile is: left, top, width, height. */
  box(mark: number): [x: number, y: number, wide: number, tall: number] {
    const { start, size, level } = this.#tiles[mark];
    const scale = this.#width / Math.max(1, this.#tiles[0].size);
    const y = level === 0 ? 0 : HEAD + (level - 1) * ROW;
    return [start * scale, y, size * scale, level === 0 ? HEAD : ROW];
  }
}

/** The name of a tile, as far as it fits: a kind wholly or not, a row group's number alone, a column shortened. */
export function nameOf(
  tile: Pick<Tile, "label" | "kind" | "level">,
  width: number,
  measure: (text: string) => number,
): string {
  const whole = visible(tile.label);
  if (measure(whole) <= width) return whole;
  if (tile.kind) return "";
  const group = tile.level === 2 ? /^row group (\d+)$/.exec(whole) : null;
  if (group) return measure(group[1]) <= width ? group[1] : "";
  return abridgeMiddle(whole, width, measure);
}

/** The tile that an arrow key leads to: up to the whole, down to its first part, aside to the next part. */
export function beside(tiles: Pick<Tile, "above">[], at: number, key: string): number | null {
  if (key === "ArrowUp") return Math.max(0, tiles[at].above);
  if (key === "ArrowDown") {
    const below = tiles.findIndex((tile) => tile.above === at);
    return below < 0 ? at : below;
  }
  if (key !== "ArrowLeft" && key !== "ArrowRight") return null;
  const siblings = [...tiles.keys()].filter((i) => tiles[i].above === tiles[at].above);
  return siblings[siblings.indexOf(at) + (key === "ArrowRight" ? 1 : -1)] ?? at;
}

/** A pattern as a fill; null if there is none. */
function texture(pen: CanvasRenderingContext2D, pattern: Pattern, colour: string): CanvasPattern | null {
  if (pattern === "solid") return null;
  const period = PERIOD[pattern];
  const cell = document.createElement("canvas");
  cell.width = cell.height = period;
  const dots = cell.getContext("2d");
  if (!dots) return null;
  dots.fillStyle = colour;
  for (let x = 0; x < period; x++)
    for (let y = 0; y < period; y++) if (inPattern(pattern, x, y, 1)) dots.fillRect(x, y, 1, 1);
  return pen.createPattern(cell, "repeat");
}
