/**
 * A document that a server opens: the explorer, joined to a process by a WebSocket. What is drawn stays when the process ends
 * or the server does not answer; one line says so, and the explorer goes on at the same place.
 */

import "./app.css";
import { append, fill, h } from "../dom";
import { HostModel, type RenderProps, type State } from "../host";
import { type Message, piece, unpack } from "./frames";
import { keysForm } from "./keys";

export interface Options {
  /** The address of the socket, which says what to open. */
  socket(): string;
  /** Shows a model of the explorer. */
  render(props: RenderProps): () => void;
  /** Where to begin. */
  state: State;
  /** What is selected, and asked: it has changed. */
  changed?(state: State): void;
  /** A file that was dropped into the page. */
  dropped?: File;
}

/** The codes with which a server closes a socket (pqexplore/app/handlers.py). */
const ENDED = 4001;
const REFUSED = [4002, 4004];

/** Milliseconds until a server that does not answer is asked again: twice the time each. */
const SOON = 500;
const LATEST = 8_000;

const DIED =
  "The process that reads this file has ended: it failed, or needed more memory or time than it may take.";
const SILENT =
  "The server does not answer. What is shown stays; the explorer goes on when the server is back.";
const BUSY =
  "The process that reads this file does not answer. If it is busy, wait; if not, reload the page.";

export class Live {
  readonly el = h("div", { class: "pqx-app" });
  #options: Options;
  #bar = h("p", { class: "pqx-app-line", role: "status" });
  #keys = h("div", { class: "pqx-app-keys" });
  #room = h("div", { class: "pqx-app-room" });
  #socket: WebSocket | null = null;
  #model: HostModel | null = null;
  #stop: (() => void) | null = null;
  #state: State;
  #timer = 0;
  #wait = SOON;
  #disposed = false;
  /** The explorer fills what the line and the keys leave. */
  #size = new ResizeObserver(() => {
    const { paddingBottom } = getComputedStyle(this.el);
    const tall = this.el.clientHeight - this.#room.offsetTop - Number.parseFloat(paddingBottom);
    if (tall > 0) this.#room.style.setProperty("--pqx-app-tall", `${Math.floor(tall)}px`);
  });

  constructor(options: Options) {
    this.#options = options;
    this.#state = { ...options.state };
    append(this.el, [this.#bar, this.#keys, this.#room]);
    for (const part of [this.el, this.#bar, this.#keys]) this.#size.observe(part);
    this.connect();
  }

  /** What is selected, and asked. */
  get state(): State {
    return this.#state;
  }

  /** Go to another place. */
  go(state: State): void {
    for (const [name, value] of Object.entries(state)) this.#model?.set(name, value);
    this.#model?.save_changes();
  }

  /** Open the document, again if it was open: at the same place. */
  connect(): void {
    clearTimeout(this.#timer);
    this.#leave();
    this.el.dataset.live = "opening";
    if (!this.#model) this.#say("opening…");
    const socket = new WebSocket(this.#options.socket());
    this.#socket = socket;
    socket.binaryType = "arraybuffer";
    socket.onopen = () => this.#tell({ kind: "begin", state: this.#state });
    socket.onmessage = ({ data }) => {
      const { message, buffers } = unpack(data as ArrayBuffer);
      this.#hear(message, buffers);
    };
    socket.onclose = ({ code, reason }) => this.#closed(code, reason);
  }

  dispose(): void {
    this.#disposed = true;
    clearTimeout(this.#timer);
    this.#size.disconnect();
    this.#leave();
    this.#stop?.();
    this.el.remove();
  }

  #leave(): void {
    if (!this.#socket) return;
    this.#socket.onclose = null;
    this.#socket.onmessage = null;
    this.#socket.close();
    this.#socket = null;
  }

  #tell(message: object): void {
    this.#socket?.send(JSON.stringify(message));
  }

  #say(text: string, button?: HTMLElement): void {
    fill(this.#bar, text, button && " ", button);
    this.#bar.hidden = !text;
  }

  #again(label: string): HTMLElement {
    return h("button", { class: "pqx-app-button", onclick: () => this.connect() }, label);
  }

  #closed(code: number, reason: string): void {
    this.#socket = null;
    if (this.#disposed) return;
    if (code === ENDED) {
      this.el.dataset.live = "ended";
      this.#say(DIED, this.#again("start it again"));
    } else if (REFUSED.includes(code)) {
      this.el.dataset.live = "refused";
      this.#say(reason, this.#again("try again"));
    } else {
      this.el.dataset.live = "silent";
      this.#say(SILENT, this.#again("try now"));
      this.#timer = window.setTimeout(() => this.connect(), this.#wait);
      this.#wait = Math.min(2 * this.#wait, LATEST);
    }
  }

  #hear(message: Message, buffers: DataView[]): void {
    const { kind } = message;
    if (kind === "custom") this.#model?.emit("msg:custom", message.content, buffers);
    else if (kind === "update") this.#update(message.state ?? {});
    else if (kind === "state") this.#begin(message);
    else if (kind === "note") this.#say(message.message ?? "");
    else if (kind === "refused") this.#say(message.message ?? "");
    else if (kind === "read") void this.#read(message.id ?? 0, message.start ?? 0, message.length ?? 0);
    else if (kind === "failed") {
      this.el.dataset.live = "failed";
      this.#say(message.message ?? "", this.#again("try again"));
    }
  }

  #update(state: State): void {
    Object.assign(this.#state, state);
    for (const [name, value] of Object.entries(state)) this.#model?.set(name, value);
    this.#options.changed?.(this.#state);
  }

  #begin({ state, encrypted }: Message): void {
    this.#wait = SOON;
    this.#stop?.();
    this.#state = { ...(state ?? {}) };
    const model = new HostModel(
      { ...this.#state },
      {
        send: (content) => this.#tell({ kind: "custom", content }),
        save: (changed) => {
          this.#update(changed);
          this.#tell({ kind: "update", state: changed });
        },
      },
    );
    model.silent = BUSY;
    this.#model = model;
    this.#stop = this.#options.render({ model, el: this.#room });
    this.#say("");
    fill(
      this.#keys,
      encrypted ? keysForm((keys) => this.#tell({ kind: "keys", state: this.#state, ...keys })) : null,
    );
    this.el.dataset.live = "open";
    this.#options.changed?.(this.#state);
  }

  async #read(id: number, start: number, length: number): Promise<void> {
    const socket = this.#socket;
    const bytes = await this.#options.dropped
      ?.slice(start, start + length)
      .arrayBuffer()
      .catch(() => undefined);
    if (socket === this.#socket) socket?.send(piece(id, bytes ?? new ArrayBuffer(0)));
  }
}
