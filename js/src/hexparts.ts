/** Whose each byte is: the runs of windows of a space, asked for after the bytes are drawn (pqexplore/widget/structure.py). */

import { floorIndex, unpack } from "./columns";
import type { Context } from "./context";
import { CORRUPT, familyOf, LOCKED, UNKNOWN } from "./kinds";
import { Soon } from "./rest";
import type { ColumnType, Structure } from "./wire/structure";

export const WINDOW = 4096;
const KEPT = 256;
const PATIENCE = 40;
const LEVELS = new Set(["repetition_levels", "definition_levels", "levels"]);

/** Bytes of one owner. */
export interface Part {
  start: number;
  end: number;
  kind: string;
  /** Index into FAMILIES: of its state, or of the part that it lies in. */
  family: number;
  /** Levels are not values, though they have the colour of a page. */
  level: boolean;
  /** Neighbours differ, so that the eye separates fields of one colour. */
  odd: boolean;
  address: string;
  label: string;
  /** The labels of the nodes around it. */
  path: string;
  about: string;
  type: ColumnType | null;
}

interface Window {
  starts: Float64Array;
  parts: Part[];
}

export class HexParts {
  #ctx: Context;
  #changed: () => void;
  #windows = new Map<string, Window | null>();
  #timer = new Soon();

  /** `changed` is called when more is known. */
  constructor(ctx: Context, changed: () => void) {
    this.#ctx = ctx;
    this.#changed = changed;
  }

  dispose(): void {
    this.#timer.drop();
  }

  /** The part that has a byte; null if that is not known, or not yet. */
  at(space: string, offset: number): Part | null {
    const window = this.#windows.get(nameOf(space, offset));
    if (!window?.parts.length) return null;
    const part = window.parts[floorIndex(window.starts, offset)];
    return part.start <= offset && offset < part.end ? part : null;
  }

  /** Ask for the parts of `[start, end)`, when no other request is under way. */
  want(space: string, start: number, end: number): void {
    this.#timer.drop();
    const missing: number[] = [];
    for (let at = floor(start); at < end; at += WINDOW)
      if (!this.#windows.has(nameOf(space, at))) missing.push(at);
    if (!missing.length) return;
    this.#timer.after(PATIENCE, async () => {
      if (!(await this.#ctx.rpc.idle())) return;
      await Promise.all(missing.map((at) => this.#ask(space, at)));
    });
  }

  /** The part that has a byte, asked for now if it is not known. */
  async of(space: string, offset: number): Promise<Part | null> {
    if (!this.#windows.has(nameOf(space, offset))) await this.#ask(space, floor(offset));
    return this.at(space, offset);
  }

  async #ask(space: string, start: number): Promise<void> {
    const name = nameOf(space, start);
    if (this.#windows.has(name)) return;
    this.#windows.set(name, null);
    try {
      const { result, buffers } = await this.#ctx.rpc.call<Structure>("structure", { start, space });
      const before = this.#windows.get(nameOf(space, start - 1));
      this.#windows.set(name, opened(result, buffers, before?.parts.at(-1)));
      this.#changed();
    } catch {
      return; // the bytes stay without colours: the parts of the explorer say what is wrong
    }
    for (const oldest of this.#windows.keys())
      if (this.#windows.size > KEPT) this.#windows.delete(oldest);
      else break;
  }
}

/** The node at an address; in a page without Python the nearest one above it that the page has. */
export async function nearest({ rpc, query }: Context, address: string): Promise<string> {
  let at = address;
  while (query.saved && at) {
    const found = await rpc.call("node", { address: at }).catch(() => null);
    if (found) break;
    at = at.slice(0, Math.max(0, at.lastIndexOf("/")));
  }
  return at;
}

function floor(offset: number): number {
  return Math.max(0, Math.floor(offset / WINDOW) * WINDOW);
}

function nameOf(space: string, offset: number): string {
  return `${floor(offset)} ${space}`;
}

/** The parts of a window; `before` is the last one of the window before it, if that is known. */
function opened(reply: Structure, buffers: DataView[], before?: Part): Window {
  const { numbers, texts } = unpack(reply.runs, buffers);
  const { start, end, state, kind, part, path, about, type } = numbers;
  const starts = Float64Array.from(start);
  const parts: Part[] = [];
  for (let i = 0; i < starts.length; i++) {
    const holder = reply.kinds[part[i]];
    const family = state[i]
      ? [0, LOCKED, CORRUPT][state[i]]
      : holder === "group"
        ? UNKNOWN
        : familyOf(holder);
    const last = parts.at(-1) ?? before;
    const same = last?.start === start[i] && last.address === texts.address.at(i);
    parts.push({
      start: start[i],
      end: end[i],
      kind: reply.kinds[kind[i]],
      family,
      level: LEVELS.has(holder),
      odd: same ? last.odd : last?.family === family && !last.odd,
      address: texts.address.at(i) ?? "",
      label: texts.label.at(i) ?? "",
      path: reply.paths[path[i]],
      about: reply.abouts[about[i]],
      type: reply.types[type[i] - 1] ?? null,
    });
  }
  return { starts, parts };
}
