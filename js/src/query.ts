/** The condition that is set in one explorer, and which bytes of the file a query with it does not read. */

import { unpack } from "./columns";
import type { Rpc } from "./rpc";
import { Signal } from "./signal";
import type { Skips as Reply } from "./wire/query";

/** Half-open ranges of bytes that a query reads, sorted, and the verdict on each row group. */
export class Skips {
  #start: ArrayLike<number>;
  #end: ArrayLike<number>;
  #names: string[];
  #by: number[];
  /** Why the condition cannot be asked; "" if it can. */
  readonly error: string;

  constructor(
    start: ArrayLike<number>,
    end: ArrayLike<number>,
    names: string[] = [],
    by: number[] = [],
    error = "",
  ) {
    this.#start = start;
    this.#end = end;
    this.#names = names;
    this.#by = by;
    this.error = error;
  }

  /** Whether a byte from `start` to `end` (exclusive) is read. */
  reads(start: number, end: number): boolean {
    if (this.error) return true;
    const at = this.#first(start);
    return at < this.#start.length && this.#start[at] < Math.max(end, start + 1);
  }

  /** The ranges from `low` to `high` that are not read, without those shorter than `min`. */
  unread(low: number, high: number, min = 0): [number, number][] {
    if (this.error) return [];
    const found: [number, number][] = [];
    let from = low;
    const add = (to: number) => {
      if (to - from > min) found.push([from, to]);
    };
    for (let i = this.#first(low); i < this.#start.length && this.#start[i] < high; i++) {
      add(Math.max(from, this.#start[i]));
      from = Math.max(from, this.#end[i]);
    }
    if (from < high) add(high);
    return found;
  }

  /** What skips a row group; null if it is read, or not known. */
  by(group: number): string | null {
    return this.#names[this.#by[group]] ?? null;
  }

  /** The first range that ends after a byte. */
  #first(byte: number): number {
    let [low, high] = [0, this.#end.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#end[middle] > byte) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

interface State {
  get(name: string): string;
  set(name: string, value: string): void;
  save_changes(): void;
  has?(op: string, args: Record<string, unknown>): boolean;
}

/** The traits `where` and `engine`, and what follows from them for every view. */
export class Query {
  /** What is not read; null without a condition. Emits when it changes. */
  readonly changed = new Signal<Skips | null>();
  /** A page without a kernel: nothing else can be asked. */
  readonly saved: boolean;
  /** Whether Python does not answer any more; emits when that changes. */
  readonly lost = new Signal<boolean>();
  #lost = false;
  #state: State | null;
  #skips: Skips | null = null;
  #request: AbortController | null = null;

  constructor(state: State | null, saved = false) {
    this.#state = state;
    this.saved = saved;
  }

  get where(): string {
    return this.#state?.get("where") ?? "";
  }

  get engine(): string {
    return this.#state?.get("engine") || "format";
  }

  get skips(): Skips | null {
    return this.#skips;
  }

  /** Why nothing can be asked; "" if it can. */
  get closed(): string {
    if (this.saved) return "This is a saved page: to ask another condition, open the file in a notebook.";
    return this.#lost ? "The kernel does not answer: to ask another condition, run the cell again." : "";
  }

  /** Whether a condition can be asked: by Python, or because a saved page has the answer. */
  can(where: string): boolean {
    if (!this.closed) return true;
    const args = { address: "", lens: "query", where, engine: this.engine };
    return this.saved && (where === "" || Boolean(this.#state?.has?.("lens", args)));
  }

  /** Note whether Python answers. */
  lose(lost: boolean): void {
    if (lost === this.#lost) return;
    this.#lost = lost;
    this.lost.emit(lost);
  }

  /** Ask another condition; "" clears it. */
  ask(where: string, engine = this.engine): void {
    const state = this.#state;
    if (!state || (where === this.where && engine === this.engine)) return;
    state.set("engine", engine);
    state.set("where", where);
    state.save_changes();
  }

  /** The arguments that requests of a lens take beside its address. */
  args(lens: string): Record<string, string> {
    const where = this.where.trim();
    return lens === "query" && where ? { where, engine: this.engine } : {};
  }

  /** Fetch what the present condition skips. */
  async refresh(rpc: Rpc): Promise<void> {
    this.#request?.abort();
    const where = this.where.trim();
    if (!where) {
      this.#set(null);
      return;
    }
    const request = new AbortController();
    this.#request = request;
    try {
      const args = { where, engine: this.engine };
      const { result, buffers } = await rpc.call<Reply>("ask_skips", args, request.signal);
      if (request.signal.aborted) return;
      const { start, end } = unpack(result.columns, buffers).numbers;
      this.#set(new Skips(start, end, result.names, result.by, result.error));
    } catch (error) {
      if (!request.signal.aborted) this.#set(new Skips([], [], [], [], (error as Error).message));
    }
  }

  #set(skips: Skips | null): void {
    this.#skips = skips;
    this.changed.emit(skips);
  }
}
