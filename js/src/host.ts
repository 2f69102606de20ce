/** Models without Jupyter: one answers from a snapshot of replies (`to_html`), one calls a function (tests). */

import type { Detail } from "./context";
import { type SavedPlace, savedPlaces } from "./nav/saved";
import { addReplies, type Reply } from "./replyblock";
import { work } from "./rest";
import type { Channel } from "./rpc";

/** The methods of an anywidget model that an explorer uses. */
export interface Model extends Channel {
  /** There is no kernel: only what was saved is answered. */
  readonly saved?: boolean;
  /** What to say where Python does not answer, if it is no notebook's kernel. */
  silent?: string;
  /** The places that it has an answer for, as far as its answers are unpacked; `later` unpacks the rest. */
  places?(): SavedPlace[];
  later?(): Promise<void>;
  /** Whether a saved page has the answer to a request, as far as its answers are unpacked. */
  has?(op: string, args: Record<string, unknown>): boolean;
  get(name: string): string;
  set(name: string, value: string): void;
  save_changes(): void;
}

/** `index.ts` stores `render` here for `bridge.ts`, because neither bundle contains the other. */
export const RENDER = Symbol.for("pqexplore.render");

export interface RenderProps {
  model: unknown;
  el: HTMLElement;
}

type Listener = (...args: never[]) => void;
export type State = Record<string, string>;

interface Transport {
  send(content: { id: number; op: string; args: Record<string, unknown> }): void;
  save?(changed: State): void;
}

/** An anywidget model without a kernel. */
export class HostModel implements Model {
  readonly saved: boolean;
  silent?: string;
  places?: () => SavedPlace[];
  later?: () => Promise<void>;
  has?: (op: string, args: Record<string, unknown>) => boolean;
  #state: State;
  #changed: State = {};
  #transport: Transport;
  #listeners = new Map<string, Set<Listener>>();

  constructor(state: State, transport: Transport, saved = false) {
    this.saved = saved;
    this.#state = state;
    this.#transport = transport;
  }

  get(name: string): string {
    return this.#state[name];
  }

  set(name: string, value: string): void {
    if (this.#state[name] === value) return;
    this.#state[name] = value;
    this.#changed[name] = value;
    this.emit(`change:${name}`, value);
  }

  save_changes(): void {
    const changed = this.#changed;
    this.#changed = {};
    this.#transport.save?.(changed);
  }

  on(event: string, listener: Listener): void {
    if (!this.#listeners.has(event)) this.#listeners.set(event, new Set());
    this.#listeners.get(event)?.add(listener);
  }

  off(event?: string | null, listener?: Listener | null): void {
    if (!event) this.#listeners.clear();
    else if (!listener) this.#listeners.delete(event);
    else this.#listeners.get(event)?.delete(listener);
  }

  emit(event: string, ...args: unknown[]): void {
    for (const listener of [...(this.#listeners.get(event) ?? [])])
      (listener as (...a: unknown[]) => void)(...args);
  }

  send(content: unknown): void {
    this.#transport.send(content as never);
  }
}

export interface Snapshot {
  state: State;
  replies: Record<string, Reply>;
  /** Adds the replies that are unpacked later. */
  later?: () => Promise<void>;
  /** False while replies are compressed. */
  whole?: boolean;
}

/** Reads a snapshot: the state and the block of the first replies, a line each, and the `blocks` of the others. */
export async function readSnapshot(text: string, blocks = ""): Promise<Snapshot> {
  const [state, ...first] = text.split("\n");
  const replies: Snapshot["replies"] = {};
  const add = async (blocks: string[]) => {
    for (const block of blocks.filter(Boolean)) addReplies(replies, await unzip(block));
  };
  await add(first);
  let adding: Promise<void> | null = null;
  const later = async () => {
    const end = work();
    await add(blocks.split("\n"));
    snapshot.whole = true;
    end();
  };
  const snapshot: Snapshot = {
    state: JSON.parse(state),
    replies,
    later: () => (adding ??= later()),
    whole: blocks === "",
  };
  return snapshot;
}

/** The name of a reply in a snapshot; pqexplore/widget/export.py builds the same name. */
export function key(op: string, args: Record<string, unknown>): string {
  const sorted = Object.keys(args).sort();
  return op + JSON.stringify(Object.fromEntries(sorted.map((name) => [name, args[name]])));
}

export function snapshotModel(snapshot: Snapshot): HostModel {
  /** The tabs that are shown may be too many: not all replies were there. */
  let untrimmed = false;
  /** A lens that the page cannot show is no tab. What the page can show is known once all of it is unpacked. */
  const trim = (detail: Detail) => {
    untrimmed = snapshot.whole === false;
    if (!untrimmed) detail.lenses = detail.lenses.filter((lens) => shows(snapshot, detail, lens.name));
  };
  const later = async () => {
    await snapshot.later?.();
    if (!untrimmed) return;
    untrimmed = false;
    model.emit("unpacked"); // no place has changed: the explorer shows it again
  };
  const send: Transport["send"] = async ({ id, op, args }) => {
    if (!(key(op, args ?? {}) in snapshot.replies)) await later();
    const found = lookUp(snapshot.replies, op, args ?? {});
    const reply = op === "node" && found.ok ? { ...found, result: { ...(found.result as Detail) } } : found;
    if (op === "node" && reply.ok && (reply.result as Partial<Detail>).lenses) trim(reply.result as Detail);
    await Promise.resolve(); // a reply never comes before its request has returned
    model.emit("msg:custom", { kind: "reply", id, ...reply }, reply.buffers ?? []);
  };
  const model: HostModel = new HostModel(snapshot.state, { send }, true);
  model.places = () => savedPlaces(snapshot.replies);
  model.later = snapshot.later && later;
  model.has = (op, args) => key(op, args) in snapshot.replies;
  return model;
}

/** Shows a node, saved with one lens, also with every other lens that the page has the payload for. */
function lookUp(replies: Record<string, Reply>, op: string, args: Record<string, unknown>): Reply {
  const reply = replies[key(op, args)];
  if (reply) return reply;
  const { address, view, where, engine } = args;
  const plain = op === "node" ? replies[key(op, { address })] : undefined;
  if (!plain?.ok) return plain ?? missing(op);
  const detail = plain.result as Detail;
  if (!detail.lenses.some((lens) => lens.name === view) || detail.lens === view) return plain;
  // the facts themselves are in the detail
  const facts = view === "facts" ? { ok: true, result: { picture: {} } } : undefined;
  // the answer to the condition that was set is about the whole file
  const answers = [address, ""].map((at) => replies[key("lens", { address: at, lens: view, where, engine })]);
  const saved = where ? answers.find((one) => one?.ok) : replies[key("lens", { address, lens: view })];
  const payload = saved ?? facts;
  const trouble = payload?.ok ? null : missing(op).error;
  return { ok: true, result: { ...detail, lens: view, payload: payload?.result ?? null, trouble } };
}

/** Whether the page has the picture of a lens at a place, or at least what it says of it. The lens that is open stays. */
function shows({ replies }: Snapshot, { address, lens: open }: Detail, lens: string): boolean {
  if (lens === open || lens === "facts") return true;
  const alone = replies[key("node", { address })];
  if (alone?.ok && (alone.result as Detail).lens === lens) return true;
  const reply = replies[key("lens", { address, lens })];
  return Boolean(reply?.ok && !(reply.result as { ask?: unknown } | null)?.ask);
}

/** The requests of the stepper through the entries of a page. */
const ENTRIES = new Set(["entries", "nesting_steps"]);

function missing(op: string): Reply {
  const message = ENTRIES.has(op)
    ? "This entry was not saved in the page. Open the file in a notebook to see it."
    : "This saved page has no room for it. Open the file in a notebook, or save the page with a larger budget.";
  return {
    ok: false,
    error: { type: op === "bytes" ? "Not saved" : "Not in this page", message, address: null, offset: null },
  };
}

export type Sent = { type: "custom"; content: unknown } | { type: "update"; state: State };
export type Received =
  | { type: "custom"; content: unknown; buffers: string[] }
  | { type: "update"; state: State }
  | { type: "event"; event: string };

/** A model whose messages go to `post`; the answers go to `receive`. */
export function bridgeModel(
  state: State,
  post: (sent: Sent) => void,
): { model: HostModel; receive(m: Received): void } {
  const model = new HostModel(state, {
    send: (content) => post({ type: "custom", content }),
    save: (changed) => post({ type: "update", state: changed }),
  });
  const receive = (message: Received) => {
    if (message.type === "update")
      for (const [name, value] of Object.entries(message.state)) model.set(name, value);
    else if (message.type === "event") model.emit(message.event);
    else
      model.emit(
        "msg:custom",
        message.content,
        message.buffers.map((b) => new DataView(binary(b).buffer)),
      );
  };
  return { model, receive };
}

function binary(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i); // `Uint8Array.from` takes ten times as long
  return bytes;
}

async function unzip(base64: string): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([binary(base64)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
