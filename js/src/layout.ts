/** The file as tiles: the reply to `layout`, ready for lookups by byte and by index. */

import { floorIndex, type Header, type Numbers, unpack } from "./columns";
import { CORRUPT, familyOf, LOCKED } from "./kinds";
import type { Reply } from "./rpc";
import type { Flag } from "./wire/headline";

export interface LayoutReply {
  level: "chunks" | "pages";
  size: number;
  columns: Header;
  kinds: string[];
  templates: string[];
  /** The findings that mark tiles, the worst first. */
  flags: Flag[];
}

/** A run of tiles that belong to one column chunk, or to none. */
export interface Block {
  start: number;
  end: number;
  /** Row group and column; -1 if the tiles belong to no chunk. */
  group: number;
  column: number;
  family: number;
}

/** The family of a locked (1) or corrupt (2) tile, instead of that of its kind. */
const STATES = [undefined, LOCKED, CORRUPT];
const CHUNK = "row_groups/#/columns/#";

/** Whether a kind lies among the pages of a column chunk, and not after them. */
export function isPaged(kind: string): boolean {
  return familyOf(kind) <= 2 || kind === "unreadable";
}

export class Layout {
  readonly level: "chunks" | "pages";
  readonly size: number;
  readonly start: Numbers;
  /** Index into FAMILIES of each tile. A locked or corrupt tile has that family, not its kind's. */
  readonly family: Uint8Array;
  /** Which of two tints a tile has: neighbouring column chunks differ. */
  readonly tint: Uint8Array;
  readonly flags: Flag[];
  /** The position of each tile's worst finding in `flags` plus 1; 0 for none. */
  #flag: Numbers;
  /** The severities of each tile's findings: bit i is that of rank i, the worst has 0. */
  #severities: Numbers;
  #kind: Numbers;
  #template: Numbers;
  #numbers: Numbers[];
  #kinds: string[];
  #templates: string[];
  #blocks: Block[] | null = null;

  constructor({ result, buffers }: Reply<LayoutReply>) {
    const { numbers } = unpack(result.columns, buffers);
    this.level = result.level;
    this.size = result.size;
    this.start = numbers.start;
    this.flags = result.flags;
    this.#flag = numbers.flag;
    this.#severities = numbers.severities;
    this.#kind = numbers.kind;
    this.#template = numbers.template;
    this.#kinds = result.kinds;
    this.#templates = result.templates;
    this.#numbers = result.columns.filter(([name]) => /^n\d+$/.test(name)).map(([name]) => numbers[name]);
    const families = result.kinds.map(familyOf);
    const owned = result.templates.map((template) => template.startsWith(CHUNK));
    this.family = Uint8Array.from(this.#kind, (kind, i) => STATES[numbers.state[i]] ?? families[kind]);
    this.tint = Uint8Array.from(this.#template, (t, i) => (owned[t] ? this.#numbers[1][i] & 1 : 0));
  }

  get length(): number {
    return this.start.length;
  }

  end(index: number): number {
    return index + 1 < this.length ? this.start[index + 1] : this.size;
  }

  kind(index: number): string {
    return this.#kinds[this.#kind[index]];
  }

  /** The worst finding about a tile; null if there is none. */
  flagOf(index: number): Flag | null {
    return this.flags[this.#flag[index] - 1] ?? null;
  }

  /** Whether a tile has a finding of the severity of a rank. */
  hasSeverity(index: number, rank: number): boolean {
    return ((this.#severities[index] >> rank) & 1) === 1;
  }

  address(index: number): string {
    let next = 0;
    return this.#templates[this.#template[index]].replace(/#/g, () => String(this.#numbers[next++][index]));
  }

  /** The tile that has a byte. */
  at(byte: number): number {
    return floorIndex(this.start, byte);
  }

  /** Row group and column of a tile; -1 if it has none. */
  owner(index: number): [group: number, column: number] {
    if (!this.#templates[this.#template[index]].startsWith(CHUNK)) return [-1, -1];
    return [this.#numbers[0][index], this.#numbers[1][index]];
  }

  /** Tiles in runs: the pages of a chunk together, other neighbours of one family together. */
  blocks(): Block[] {
    if (this.#blocks) return this.#blocks;
    const blocks: Block[] = [];
    let last: Block | undefined;
    for (let i = 0; i < this.length; i++) {
      const [group, column] = isPaged(this.kind(i)) ? this.owner(i) : [-1, -1];
      const family = this.family[i];
      const together =
        last?.group === group && last.column === column && (group >= 0 || last.family === family);
      if (last && together) {
        last.end = this.end(i);
        // a chunk looks like its data, unless it is locked or damaged
        if (family >= LOCKED || (family === 0 && last.family < LOCKED)) last.family = family;
      } else {
        last = { start: this.start[i], end: this.end(i), group, column, family };
        blocks.push(last);
      }
    }
    this.#blocks = blocks;
    return blocks;
  }

  /** Bytes of each family, and how many tiles. */
  totals(): { bytes: number[]; tiles: number[] } {
    const bytes: number[] = [];
    const tiles: number[] = [];
    for (let i = 0; i < this.length; i++) {
      const family = this.family[i];
      bytes[family] = (bytes[family] ?? 0) + this.end(i) - this.start[i];
      tiles[family] = (tiles[family] ?? 0) + 1;
    }
    return { bytes, tiles };
  }

  /** Where the tail begins: the first byte after the last page. */
  tail(): number {
    for (let i = this.length - 1; i >= 0; i--)
      if (this.owner(i)[0] >= 0 && isPaged(this.kind(i))) return this.end(i);
    return 0;
  }
}
