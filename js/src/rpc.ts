/** Requests to Python and their replies, over the custom messages of one model (pqexplore/widget/rpc.py). */

import { type Kernel, kernelOf } from "./kernel";
import { work } from "./rest";
import { Signal } from "./signal";

/** The methods of an anywidget model that the channel uses. */
export interface Channel {
  on(event: string, callback: (...args: never[]) => void): void;
  off(event?: string | null, callback?: ((...args: never[]) => void) | null): void;
  send(content: unknown, callbacks?: unknown, buffers?: ArrayBuffer[]): void;
}

interface Trouble {
  type: string;
  message: string;
  address: string | null;
  offset: number | null;
}

interface Message {
  kind?: string;
  id?: number;
  ok?: boolean;
  result?: unknown;
  error?: Trouble;
  parts?: number[];
  done?: number;
}

export interface Reply<T> {
  result: T;
  buffers: DataView[];
}

interface Open {
  /** Nobody waits for it: it is not counted while it is under way. */
  quiet: boolean;
  resolve(reply: Reply<never>): void;
  reject(error: Error): void;
  parts: DataView[];
  /** From 0 to 1; null until Python reports progress. */
  done: number | null;
  /** The page does not wait for it any more. */
  end(): void;
}

/** An error from Python, with its place in the file. */
export class FileError extends Error {
  readonly type: string;
  readonly address: string | null;
  readonly offset: number | null;

  constructor(trouble: Trouble) {
    super(trouble.message);
    this.type = trouble.type;
    this.address = trouble.address;
    this.offset = trouble.offset;
  }
}

// Every browser tab that shows the model receives every reply, so tabs must not share ids.
let next = Math.floor(Math.random() * 2 ** 50);

export class Rpc {
  /** The number of requests under way; emits when it changes. */
  readonly pending = new Signal<number>();
  /** How much of the longest request under way is done, from 0 to 1. */
  readonly progress = new Signal<number>();
  /** Any message of Python's, also to another view. */
  readonly heard = new Signal<void>();
  #open = new Map<number, Open>();
  /** Requests that were aborted before Python said that they take long. */
  #dropped = new Set<number>();
  #channel: Channel;
  #closed = false;
  #receive = (message: Message, buffers: DataView[]) => this.#handle(message, buffers);

  /** The kernel at the other end of the channel; null where the front end does not say which it is. */
  readonly kernel: Kernel | null;

  constructor(channel: Channel) {
    this.kernel = kernelOf(channel);
    this.#channel = channel;
    channel.on("msg:custom", this.#receive as never);
  }

  /** The requests under way that somebody waits for. */
  get #awaited(): number {
    return [...this.#open.values()].filter((one) => !one.quiet).length;
  }

  /**
   * Ask Python; rejects with FileError. An aborted request rejects at once, and Python stops working on it. A `quiet` one is
   * not among those under way.
   */
  call<T>(op: string, args: object = {}, signal?: AbortSignal, quiet = false): Promise<Reply<T>> {
    const id = next++;
    return new Promise<Reply<T>>((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const end = quiet ? () => {} : work();
      this.#open.set(id, { resolve, reject, parts: [], done: null, end, quiet });
      if (!quiet) this.pending.emit(this.#awaited);
      signal?.addEventListener("abort", () => this.#cancel(id, signal.reason), { once: true });
      this.#send({ kind: "request", id, op, args });
    });
  }

  /** Resolves when no request is under way, for requests of low priority. The result says whether the channel is open. */
  async idle(): Promise<boolean> {
    const end = work();
    do {
      while (this.#awaited)
        await new Promise<void>((go) => {
          const stop = this.pending.on(() => {
            stop();
            go();
          });
        });
      // the reply that has just come may lead to the next request
      await new Promise((go) => setTimeout(go));
    } while (this.#awaited);
    end();
    return !this.#closed;
  }

  /** Stop all long requests. */
  cancel(): void {
    const message = "Stopped. Select it again to continue.";
    for (const [id, open] of [...this.#open])
      if (open.done !== null)
        this.#cancel(id, new FileError({ type: "Stopped", message, address: null, offset: null }));
  }

  dispose(): void {
    this.cancel();
    this.#channel.off("msg:custom", this.#receive as never);
    for (const open of this.#open.values()) open.end();
    this.#open.clear();
    this.#closed = true;
    this.pending.emit(0);
  }

  /** A front end that has started the kernel anew throws: it is as if the kernel did not answer, and what is drawn stays. */
  #send(message: object): void {
    try {
      this.#channel.send(message);
    } catch (error) {
      console.warn("pqexplore: not sent", error);
    }
  }

  #cancel(id: number, reason: Error): void {
    const open = this.#close(id);
    if (!open) return;
    if (open.done !== null) this.#send({ kind: "cancel", id });
    else this.#dropped.add(id);
    open.reject(reason);
  }

  #close(id: number): Open | undefined {
    const open = this.#open.get(id);
    if (!open) return;
    this.#open.delete(id);
    open.end();
    if (!open.quiet) this.pending.emit(this.#awaited);
    return open;
  }

  #handle(message: Message, buffers: DataView[]): void {
    this.heard.emit();
    const id = message?.id;
    if (
      id !== undefined &&
      message.kind !== "part" &&
      this.#dropped.delete(id) &&
      message.kind === "progress"
    )
      this.#send({ kind: "cancel", id });
    if (id === undefined || !this.#open.has(id)) return;
    const known = this.#open.get(id);
    if (message.kind === "part") known?.parts.push(...buffers);
    if (message.kind === "progress" && known) {
      known.done = message.done ?? 0;
      this.progress.emit(Math.min(...[...this.#open.values()].map((o) => o.done ?? 1)));
      this.#send({ kind: "continue", id });
    }
    if (message.kind !== "reply") return;
    const open = this.#close(id);
    if (!message.ok)
      open?.reject(
        new FileError(
          message.error ?? { type: "Error", message: "no reason given", address: null, offset: null },
        ),
      );
    else
      open?.resolve({
        result: message.result as never,
        buffers: message.parts ? join(open.parts, message.parts) : buffers,
      });
  }
}

/** The buffers of a reply that came in parts. */
export function join(parts: DataView[], lengths: number[]): DataView[] {
  const whole = new Uint8Array(lengths.reduce((a, b) => a + b, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(new Uint8Array(part.buffer, part.byteOffset, part.byteLength), at);
    at += part.byteLength;
  }
  let start = 0;
  return lengths.map((length) => {
    const view = new DataView(whole.buffer, start, length);
    start += length;
    return view;
  });
}
