/** Bytes of the file or of a decompressed page: offsets, hex digits, characters; the selection is marked. */

import { bytes } from "./columns";
import { type Context, type Detail, type Fact, FILE, type Span } from "./context";
import { fill, h } from "./dom";
import { showMore } from "./more";
import { count, plural, words } from "./text";
import { troubleBox, troubleOf } from "./trouble";
import { VirtualRows } from "./virtual";
import type { Located } from "./wire/tree";

const CHUNK = 65_536;
const KEPT = 64;
const LINE = 19;
const DIGITS = Array.from({ length: 256 }, (_, i) => i.toString(16).padStart(2, "0"));
const LETTERS = Array.from({ length: 256 }, (_, i) => (i > 31 && i < 127 ? String.fromCharCode(i) : "·"));

interface Space {
  size: number;
  chunks: Map<number, Uint8Array | null>;
}

interface Run {
  class: string;
  hex: string;
  text: string;
}

export class HexView {
  readonly el: HTMLElement;
  #ctx: Context;
  #pane: HTMLElement;
  #list: VirtualRows;
  #tabs = h("div", { class: "pqx-segments", role: "group", "aria-label": "Whose bytes" });
  #where = h("span", { class: "pqx-muted" });
  #reader = h("div", {
    class: "pqx-reader",
    tabindex: 0, // it scrolls
    role: "group",
    "aria-label": "The byte at the caret, read as numbers",
  });
  #message = h("div");
  #spaces = new Map<string, Space>();
  #space = FILE;
  #marks: Span[] = [];
  #fields: Fact[] = [];
  #hot: Span | null = null;
  #lit: Span[] = [];
  #caret = 0;
  #across = 16;
  #observer: ResizeObserver;
  #forget: (() => void)[];

  constructor(ctx: Context) {
    this.#ctx = ctx;
    this.#spaces.set(FILE, { size: ctx.identity.size, chunks: new Map() });
    this.#pane = h("div", {
      class: "pqx-hex",
      tabindex: 0,
      role: "group",
      "aria-label": "Bytes. Arrow keys move a byte at a time, Enter goes to what owns the byte.",
      onkeydown: (event: KeyboardEvent) => this.#key(event),
      onclick: (event: MouseEvent) => this.#click(event),
      ondblclick: () => this.#locate(),
      onpointermove: (event: PointerEvent) => this.#point(event),
      onpointerleave: () => this.#ctx.hot.emit(null),
    });
    this.#list = new VirtualRows(this.#pane, { rowHeight: LINE, count: 1, row: (index) => this.#row(index) });
    this.el = h(
      "section",
      { class: "pqx-bytes", "aria-label": "Bytes" },
      h("div", { class: "pqx-bar" }, this.#tabs, this.#where),
      this.#message,
      h("div", { class: "pqx-hex-body" }, this.#pane, this.#reader),
    );
    this.#forget = [
      showMore(this.#reader),
      ctx.hot.on((span) => this.#show(span)),
      ctx.lit.on((spans) => {
        this.#lit = spans;
        this.#list.refresh();
      }),
    ];
    this.#observer = new ResizeObserver(() => this.#fit());
    this.#observer.observe(this.#pane);
    this.#resize();
  }

  /** Mark a node's bytes and those of its fields, and go there. */
  select(detail: Detail): void {
    this.#fields = detail.facts.filter((fact) => fact.span);
    this.#marks = [];
    if (detail.kind !== "file") {
      if (detail.span) this.#marks.push(detail.span);
      if (detail.extent) this.#marks.push(detail.extent);
    }
    const spaces = [...new Set([FILE, ...detail.spaces])];
    fill(this.#tabs, ...(spaces.length > 1 ? spaces.map((space) => this.#tab(space)) : []));
    this.#switch(this.#marks[0]?.space ?? FILE);
  }

  dispose(): void {
    for (const forget of this.#forget) forget();
    this.#observer.disconnect();
    this.#list.dispose();
  }

  #tab(space: string): HTMLElement {
    const name = space === FILE ? "file" : (/:(\w+)$/.exec(space)?.[1] ?? space);
    return h(
      "button",
      {
        class: "pqx-button",
        "data-space": space,
        "aria-pressed": "false",
        title: space === FILE ? "The file's own bytes" : `The bytes of ${space.replace(/:.*/, "")}, ${name}`,
        onclick: () => this.#switch(space),
      },
      name === "file" ? "file bytes" : `${name} bytes`,
    );
  }

  #switch(space: string): void {
    this.#space = space;
    if (!this.#spaces.has(space)) {
      for (const other of this.#spaces.keys())
        if (other !== FILE && this.#spaces.size > 8) this.#spaces.delete(other);
      this.#spaces.set(space, { size: 0, chunks: new Map() });
      this.#fetch(0);
    }
    for (const tab of this.#tabs.children)
      tab.setAttribute("aria-pressed", String((tab as HTMLElement).dataset.space === space));
    this.#message.replaceChildren();
    this.#resize();
    this.#caret = this.#mark?.start ?? 0;
    this.#toCaret();
    this.#tell();
  }

  /** The marked ranges of the shown space. */
  get #mark(): Span | undefined {
    return this.#marks.find((span) => span.space === this.#space);
  }

  #toCaret(): void {
    this.#list.goTo(Math.floor(this.#caret / this.#across) - 1);
  }

  get #bytes(): Space {
    return this.#spaces.get(this.#space) as Space;
  }

  #resize(): void {
    this.#list.resize(Math.max(1, Math.ceil(this.#bytes.size / this.#across)));
  }

  /** 32, 16 or 8 bytes a line, as many as fit. */
  #fit(): void {
    const probe = h("span", { class: "pqx-measure" }, "0".repeat(20));
    this.#pane.append(probe);
    const digit = probe.getBoundingClientRect().width / 20;
    probe.remove();
    if (!digit) return;
    const room = this.#pane.clientWidth / digit - count(this.#bytes.size).length - 5;
    const across = [16, 8, 4].find((n) => n * 4 + n / 8 <= room) ?? 4;
    if (across === this.#across) return;
    this.#across = across;
    this.#resize();
    this.#toCaret();
  }

  #byte(offset: number): number {
    const chunk = Math.floor(offset / CHUNK);
    const { chunks } = this.#bytes;
    const data = chunks.get(chunk);
    if (data) return data[offset - chunk * CHUNK] ?? -1;
    if (data === undefined) this.#fetch(chunk);
    return -1;
  }

  #fetch(chunk: number): void {
    const space = this.#space;
    const store = this.#bytes;
    store.chunks.set(chunk, null);
    this.#ctx.rpc.call<{ size: number }>("bytes", { start: chunk * CHUNK, space }).then(
      ({ result, buffers }) => {
        store.chunks.set(chunk, bytes(buffers[0]).slice());
        const arrived = [...store.chunks.keys()];
        if (arrived.length > KEPT) store.chunks.delete(arrived[0]);
        if (space !== this.#space) return;
        if (result.size === store.size) this.#list.refresh();
        else {
          store.size = result.size;
          this.#resize();
          this.#toCaret();
        }
        this.#tell();
      },
      (error) => {
        if (space === this.#space) fill(this.#message, troubleBox(this.#ctx, troubleOf(error)));
      },
    );
  }

  #row(index: number): HTMLElement {
    const start = index * this.#across;
    const runs: Run[] = [];
    for (let i = 0; i < this.#across; i++) {
      const offset = start + i;
      const there = offset < this.#bytes.size;
      const byte = there ? this.#byte(offset) : -2;
      const kind = this.#classOf(offset, byte);
      const gap = i && i % 8 === 0 ? " " : "";
      let run = runs.at(-1);
      if (!run || run.class !== kind) {
        run = { class: kind, hex: "", text: "" };
        runs.push(run);
      }
      run.hex += `${gap}${byte >= 0 ? DIGITS[byte] : there ? ".." : "  "} `;
      run.text += byte >= 0 ? LETTERS[byte] : " ";
    }
    return h(
      "div",
      { class: "pqx-line", "data-line": index },
      h("span", { class: "pqx-offset" }, count(start).padStart(count(this.#bytes.size).length)),
      h("span", { class: "pqx-digits" }, ...runs.map((run) => h("span", { class: run.class }, run.hex))),
      h("span", { class: "pqx-letters" }, ...runs.map((run) => h("span", { class: run.class }, run.text))),
    );
  }

  #classOf(offset: number, byte: number): string {
    const inside = (span: Span | null | undefined) =>
      span?.space === this.#space && offset >= span.start && offset < span.end;
    const names = [];
    if (byte === 0) names.push("pqx-zero");
    if (inside(this.#mark)) names.push("pqx-selected");
    if (this.#lit.some(inside)) names.push("pqx-lit");
    if (inside(this.#hot)) names.push("pqx-hot");
    if (offset === this.#caret) names.push("pqx-caret");
    return names.join(" ");
  }

  #show(span: Span | null): void {
    if (span === this.#hot) return;
    this.#hot = span;
    this.#tell();
    if (span && span.space === this.#space) {
      const [first, last] = [
        Math.floor(span.start / this.#across),
        Math.floor((span.end - 1) / this.#across),
      ];
      const top = this.#list.top;
      if (last < top || first >= top + this.#list.visible) this.#list.goTo(first - 1);
    }
    this.#list.refresh();
  }

  #fieldAt(offset: number): Span | null {
    let best: Span | null = null;
    for (const { span } of this.#fields) {
      if (!span || span.space !== this.#space || offset < span.start || offset >= span.end) continue;
      if (!best || span.end - span.start < best.end - best.start) best = span;
    }
    return best;
  }

  /** The byte under the pointer, from the pointer's position in the line. */
  #hit(event: MouseEvent): number | null {
    const line = (event.target as Element).closest<HTMLElement>("[data-line]");
    const part = (event.target as Element).closest<HTMLElement>(".pqx-digits, .pqx-letters");
    if (!line || !part) return null;
    const box = part.getBoundingClientRect();
    const across = (event.clientX - box.left) / box.width;
    let i = Math.floor(across * this.#across);
    if (part.classList.contains("pqx-digits")) {
      const columns = this.#across * 3 + this.#across / 8 - 1;
      const column = across * columns;
      i = Math.floor((column - Math.floor(column / 25)) / 3);
    }
    const offset = Number(line.dataset.line) * this.#across + Math.max(0, Math.min(this.#across - 1, i));
    return offset < this.#bytes.size ? offset : null;
  }

  #point(event: PointerEvent): void {
    const offset = this.#hit(event);
    this.#ctx.hot.emit(offset === null ? null : this.#fieldAt(offset));
  }

  #click(event: MouseEvent): void {
    const offset = this.#hit(event);
    if (offset === null) return;
    this.#caret = offset;
    this.#list.refresh();
    this.#tell();
  }

  /** Go to the innermost node that owns the byte at the caret. */
  #locate(): void {
    const args = { offset: this.#caret, space: this.#space };
    this.#ctx.rpc.call<Located>("locate", args).then(
      ({ result }) => this.#ctx.select(result.address),
      (error) => fill(this.#message, troubleBox(this.#ctx, troubleOf(error))),
    );
  }

  /** Show where the caret is, which field has the byte, and the bytes from there read as numbers. */
  #tell(): void {
    const { size } = this.#bytes;
    const span = this.#mark;
    const marked = span ? `, ${plural(span.end - span.start, "byte")} marked` : "";
    fill(this.#where, `byte ${count(this.#caret)} of ${count(size)}${marked}`);
    const readings = this.#readings();
    const fact = this.#factOf(this.#hot ?? this.#fieldAt(this.#caret));
    fill(
      this.#reader,
      fact &&
        h(
          "p",
          {},
          h("strong", {}, words(fact.name)),
          ` ${fact.value.text}`,
          h("small", { class: "pqx-muted" }, fact.meaning),
        ),
      h("ul", {}, ...readings.map(([name, value]) => h("li", {}, h("span", {}, name), h("span", {}, value)))),
    );
  }

  #factOf(span: Span | null): Fact | undefined {
    if (!span) return undefined;
    return this.#fields.find(
      ({ span: own }) => own?.start === span.start && own.end === span.end && own.space === span.space,
    );
  }

  /** The bytes from the caret on as numbers, little-endian as in Parquet. */
  #readings(): [string, string][] {
    const { size } = this.#bytes;
    const raw = Array.from({ length: 8 }, (_, i) =>
      this.#caret + i < size ? this.#byte(this.#caret + i) : -1,
    );
    const view = new DataView(Uint8Array.from(raw.map((b) => Math.max(0, b))).buffer);
    const missing = raw.findIndex((b) => b < 0);
    const room = missing < 0 ? 8 : missing;
    const readings: [string, string][] = [];
    const add = (bytes: number, name: string, read: () => string) => {
      if (room >= bytes) readings.push([name, read()]);
    };
    add(1, "bits", () => view.getUint8(0).toString(2).padStart(8, "0"));
    add(1, "int8", () => `${view.getInt8(0)}${view.getInt8(0) < 0 ? `, unsigned ${view.getUint8(0)}` : ""}`);
    add(2, "int16", () => count(view.getInt16(0, true)));
    add(4, "int32", () => count(view.getInt32(0, true)));
    add(8, "int64", () => view.getBigInt64(0, true).toLocaleString("en-US"));
    add(4, "float", () => String(Number(view.getFloat32(0, true).toPrecision(7))));
    add(8, "double", () => String(Number(view.getFloat64(0, true).toPrecision(15))));
    return readings;
  }

  #key(event: KeyboardEvent): void {
    if (event.altKey || event.metaKey) return;
    const page = this.#list.visible * this.#across;
    const moves: Record<string, number> = {
      ArrowRight: 1,
      ArrowLeft: -1,
      ArrowDown: this.#across,
      ArrowUp: -this.#across,
      PageDown: page,
      PageUp: -page,
      Home: event.ctrlKey ? -this.#caret : -(this.#caret % this.#across),
      End: event.ctrlKey ? this.#bytes.size : this.#across - 1 - (this.#caret % this.#across),
    };
    const move = moves[event.key];
    if (move === undefined && event.key !== "Enter") return;
    event.preventDefault();
    event.stopPropagation();
    if (move === undefined) {
      this.#locate();
      return;
    }
    this.#caret = Math.max(0, Math.min(this.#bytes.size - 1, this.#caret + move));
    this.#list.reveal(Math.floor(this.#caret / this.#across));
    this.#list.refresh();
    this.#ctx.hot.emit(this.#fieldAt(this.#caret));
    this.#tell();
    const byte = this.#byte(this.#caret);
    if (byte >= 0) this.#ctx.announce(`byte ${count(this.#caret)}: ${DIGITS[byte]}`);
  }
}
