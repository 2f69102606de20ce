/** The bytes of the spaces that were shown, in pieces that are asked for when they are needed (pqexplore/widget/hexview.py). */

import { bytes } from "./columns";
import { type Context, FILE } from "./context";

const CHUNK = 65_536;
const KEPT = 64;
const SPACES = 8;
/** Pieces that are looked for in a page without Python. */
const SAVED = 256;

interface Space {
  size: number;
  chunks: Map<number, Uint8Array | null>;
}

interface Listener {
  /** Bytes of a space came; `grown`: its size was not known before. */
  arrived(space: string, grown: boolean): void;
  failed(space: string, error: unknown): unknown;
}

export class HexBytes {
  #ctx: Context;
  #listener: Listener;
  #spaces = new Map<string, Space>();

  constructor(ctx: Context, listener: Listener) {
    this.#ctx = ctx;
    this.#listener = listener;
    this.#spaces.set(FILE, { size: ctx.identity.size, chunks: new Map() });
  }

  /** The size of a space; 0 until its first bytes come, which are asked for. */
  sizeOf(name: string): number {
    return this.#open(name).size;
  }

  /** The byte at an offset; -1 beyond the end, and while it is on its way. */
  at(name: string, offset: number): number {
    const chunk = Math.floor(offset / CHUNK);
    const data = this.#open(name).chunks.get(chunk);
    if (data) return data[offset - chunk * CHUNK] ?? -1;
    if (data === undefined) void this.#fetch(name, chunk);
    return -1;
  }

  /** The bytes of a space that a page without Python has, by their first byte. */
  async kept(name: string): Promise<Map<number, Uint8Array>> {
    const kept = new Map<number, Uint8Array>();
    const chunks = Math.min(SAVED, Math.ceil(this.sizeOf(name) / CHUNK));
    for (let chunk = 0; chunk < chunks; chunk++) {
      const args = { start: chunk * CHUNK, space: name };
      const reply = await this.#ctx.rpc.call("bytes", args).catch(() => null);
      if (reply) kept.set(args.start, bytes(reply.buffers[0]));
    }
    return kept;
  }

  #open(name: string): Space {
    let space = this.#spaces.get(name);
    if (!space) {
      for (const other of this.#spaces.keys())
        if (other !== FILE && this.#spaces.size > SPACES) this.#spaces.delete(other);
      space = { size: 0, chunks: new Map() };
      this.#spaces.set(name, space);
      void this.#fetch(name, 0);
    }
    return space;
  }

  async #fetch(name: string, chunk: number): Promise<void> {
    const space = this.#spaces.get(name) as Space;
    space.chunks.set(chunk, null);
    try {
      const args = { start: chunk * CHUNK, space: name };
      const { result, buffers } = await this.#ctx.rpc.call<{ size: number }>("bytes", args);
      space.chunks.set(chunk, bytes(buffers[0]).slice());
      const [oldest] = space.chunks.keys();
      if (space.chunks.size > KEPT) space.chunks.delete(oldest);
      const grown = result.size !== space.size;
      space.size = result.size;
      this.#listener.arrived(name, grown);
    } catch (error) {
      this.#listener.failed(name, error);
    }
  }
}
