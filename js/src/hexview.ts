/** Bytes of the file or of a decoded page: offsets, hex digits, characters, coloured by whose they are. */

import { type Context, type Detail, type Fact, FILE, type Span } from "./context";
import { fill, h } from "./dom";
import { glow } from "./glow";
import { HexBytes } from "./hexbytes";
import { HexCard } from "./hexcard";
import { HexChoices, spaceTab } from "./hexchoices";
import { HexFind } from "./hexfind";
import {
  anchorOf,
  BEYOND,
  byteAt,
  digitWidth,
  hexDigits,
  LINE,
  type LineByte,
  line,
  moveOf,
} from "./hexline";
import { classesOf, sizeOf, smallest } from "./hexmarks";
import { HexParts, nearest } from "./hexparts";
import { HexReader } from "./hexreader";
import { FAMILIES } from "./kinds";
import { showMore } from "./more";
import { nextFrame } from "./rest";
import { count, plural } from "./text";
import { troubleBox, troubleOf } from "./trouble";
import { VirtualRows } from "./virtual";
import type { Located } from "./wire/tree";

export class HexView {
  readonly el: HTMLElement;
  #ctx: Context;
  #pane: HTMLElement;
  #list: VirtualRows;
  #tabs = h("div", { class: "pqx-segments", role: "group", "aria-label": "Whose bytes" });
  #where = h("span", { class: "pqx-muted pqx-hex-where" });
  #message = h("div");
  #reader = new HexReader();
  #parts: HexParts;
  #card: HexCard;
  #find: HexFind;
  #choices = new HexChoices(() => this.#chosen());
  #bytes: HexBytes;
  #space = FILE;
  #spaces: string[] = [];
  #marks: Span[] = [];
  #fields: Fact[] = [];
  #hot: Span | null = null;
  /** The byte under the pointer. */
  #over = -1;
  /** The byte that was clicked: its card does not come back, by a late frame or as bytes move, before another is pointed at. */
  #clicked = -1;
  #lit: Span[] = [];
  /** Whether the last press was a finger's. */
  #touched = false;
  /** The address whose bytes are marked. */
  #address = "";
  /** The address that a click leads to: the caret stays at the byte that was clicked. */
  #led: string | null = null;
  #caret = 0;
  #across = 16;
  #observer: ResizeObserver;
  #forget: (() => void)[];

  constructor(ctx: Context) {
    this.#ctx = ctx;
    this.#parts = new HexParts(ctx, () => this.#draw());
    this.#card = new HexCard(ctx);
    this.#find = new HexFind(ctx, this.#searched());
    this.#bytes = new HexBytes(ctx, {
      arrived: (space, grown) => this.#arrived(space, grown),
      failed: (space, error) => space === this.#space && this.#fail(error),
    });
    this.#pane = h("div", {
      class: "pqx-hex",
      tabindex: 0,
      role: "group",
      "aria-label": "Bytes. Arrow keys move, Enter goes to the owner of the byte, a slash searches.",
      onkeydown: (event: KeyboardEvent) => this.#key(event),
      onpointerdown: (event: PointerEvent) => {
        this.#touched = event.pointerType === "touch";
      },
      onclick: (event: MouseEvent) => this.#click(event),
      onpointermove: (event: PointerEvent) => this.#point(event),
      onpointerleave: () => this.#leave(),
      onscroll: () => this.#card.hide(),
      onblur: (event: FocusEvent) => {
        if (!this.#card.el.contains(event.relatedTarget as Node | null)) this.#card.hide();
      },
    });
    this.#list = new VirtualRows(this.#pane, { rowHeight: LINE, count: 1, row: (index) => this.#row(index) });
    const open = () => this.#find.open();
    const find = h("button", { class: "pqx-button", title: "Search the bytes (/)", onclick: open }, "find");
    this.el = h(
      "section",
      {
        class: "pqx-bytes",
        "aria-label": "Bytes",
        onkeydown: (event: KeyboardEvent) => this.#command(event),
      },
      h("div", { class: "pqx-bar" }, this.#tabs, this.#where, ...this.#choices.buttons, find),
      this.#find.el,
      this.#message,
      h("div", { class: "pqx-hex-body" }, this.#pane, this.#reader.el),
      this.#card.el,
    );
    FAMILIES.forEach(({ colour }, i) => {
      this.el.style.setProperty(`--pqx-f${i}`, colour);
    });
    this.#forget = [
      showMore(this.#reader.el),
      ctx.hot.on((span) => this.#show(span)),
      ctx.reveal.on((span) => this.#reveal(span)),
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
    this.#offer([FILE, ...detail.spaces]);
    const space = this.#marks[0]?.space ?? FILE;
    const stays = this.#led === detail.address && space === this.#space;
    this.#led = null;
    this.#address = detail.address;
    this.#switch(space, stays);
  }

  /** Offer the bytes of each space. */
  #offer(spaces: string[]): void {
    this.#spaces = [...new Set(spaces)];
    const many = this.#spaces.length > 1;
    fill(this.#tabs, ...(many ? this.#spaces.map((one) => spaceTab(one, () => this.#switch(one))) : []));
  }

  /** Mark some bytes, of whatever space, and go there. */
  #reveal(span: Span): void {
    this.#marks = [span];
    this.#offer([...this.#spaces, span.space]);
    this.#switch(span.space);
    this.#ctx.announce(`${plural(sizeOf(span), "byte")} at ${count(span.start)} marked`);
  }

  dispose(): void {
    for (const forget of this.#forget) forget();
    this.#observer.disconnect();
    this.#list.dispose();
    this.#parts.dispose();
    this.#find.close();
  }

  #searched(): ConstructorParameters<typeof HexFind>[1] {
    const view = this;
    return {
      get space() {
        return view.#space;
      },
      get size() {
        return view.#size;
      },
      get caret() {
        return view.#caret;
      },
      go: (start) => view.#goTo(start),
      redraw: () => view.#list.refresh(),
      owner: async (start) => (await view.#parts.of(view.#space, start))?.label ?? "",
      kept: () => view.#bytes.kept(view.#space),
    };
  }

  /** Show a space, at its marked bytes unless the caret `stays`. */
  #switch(space: string, stays = false): void {
    this.#card.hide();
    if (space !== this.#space) this.#find.clear();
    this.#space = space;
    for (const tab of this.#tabs.children)
      tab.setAttribute("aria-pressed", String((tab as HTMLElement).dataset.space === space));
    this.#message.replaceChildren();
    this.#resize();
    if (stays) this.#list.refresh();
    else {
      this.#caret = this.#mark?.start ?? 0;
      this.#toCaret();
    }
    this.#tell();
  }

  /** The marked range of the shown space. */
  get #mark(): Span | undefined {
    return this.#marks.find((span) => span.space === this.#space);
  }

  #toCaret(): void {
    this.#list.goTo(Math.floor(this.#caret / this.#across) - 1);
  }

  get #size(): number {
    return this.#bytes.sizeOf(this.#space);
  }

  #resize(): void {
    this.#list.resize(Math.max(1, Math.ceil(this.#size / this.#across)));
  }

  #offset(offset: number): string {
    return this.#choices.hex ? offset.toString(16) : count(offset);
  }

  /** 16, 8 or 4 bytes a line, as many as fit. */
  #fit(): void {
    const digit = digitWidth(this.#pane);
    if (!digit) return;
    const room = this.#pane.clientWidth / digit - this.#offset(this.#size).length - 7;
    const across = [16, 8, 4].find((n) => n * 4 + n / 8 <= room) ?? 4;
    if (across === this.#across) return;
    this.#across = across;
    this.#resize();
    this.#toCaret();
  }

  #byte(offset: number): number {
    return this.#bytes.at(this.#space, offset);
  }

  #arrived(space: string, grown: boolean): void {
    if (space !== this.#space) return;
    if (grown) {
      this.#resize();
      this.#toCaret();
    } else this.#list.refresh();
    this.#tell();
  }

  #chosen(): void {
    this.#fit();
    this.#draw();
  }

  #row(index: number): HTMLElement {
    this.#want();
    const start = index * this.#across;
    const size = this.#size;
    const inLine = Array.from({ length: this.#across }, (_, i): LineByte => {
      const offset = start + i;
      const byte = offset < size ? this.#byte(offset) : BEYOND;
      const part = offset < size ? this.#parts.at(this.#space, offset) : null;
      return { byte, part, begins: part?.start === offset, marks: this.#marksOf(offset) };
    });
    return line(index, this.#offset(start).padStart(this.#offset(size).length), inLine);
  }

  #draw(): void {
    this.#list.refresh();
    this.#tell();
  }

  /** Ask whose the visible bytes are, after they are drawn. */
  #want(): void {
    const start = this.#list.top * this.#across;
    const end = Math.min(this.#size, start + (this.#list.visible + 2) * this.#across);
    this.#parts.want(this.#space, start, end);
  }

  #marksOf(offset: number): string {
    // to mark a part under the pointer that is larger than the pane would hide all colours
    const large = this.#over >= 0 && !!this.#hot && sizeOf(this.#hot) > this.#list.visible * this.#across;
    const marked = { selected: this.#mark, hot: large ? null : this.#hot, lit: this.#lit };
    return classesOf(marked, this.#space, offset, this.#find.marks(offset), offset === this.#caret);
  }

  #show(span: Span | null): void {
    if (span?.start === this.#hot?.start && span?.end === this.#hot?.end && span?.space === this.#hot?.space)
      return;
    this.#hot = span;
    this.#tell();
    if (span && span.space === this.#space && this.#over < 0) {
      const [first, last] = [
        Math.floor(span.start / this.#across),
        Math.floor((span.end - 1) / this.#across),
      ];
      const top = this.#list.top;
      if (last < top || first >= top + this.#list.visible) this.#list.goTo(first - 1);
    }
    this.#list.refresh();
  }

  /** The bytes of the field, or of the part, that has a byte. */
  #spanAt(offset: number): Span | null {
    const part = this.#parts.at(this.#space, offset);
    const own = part && { start: part.start, end: part.end, space: this.#space };
    return smallest([...this.#fields.map((fact) => fact.span), own], this.#space, offset);
  }

  /** The byte under the pointer; null beside the bytes. */
  #hit(event: MouseEvent): number | null {
    const offset = byteAt(event, this.#across);
    return offset !== null && offset < this.#size ? offset : null;
  }

  #point(event: PointerEvent): void {
    const offset = event.pointerType === "touch" ? null : this.#hit(event);
    if (offset === null) this.#leave();
    if (offset === null || offset === this.#over) return;
    this.#over = offset;
    if (offset !== this.#clicked) this.#clicked = -1;
    this.#ctx.hot.emit(this.#spanAt(offset));
    this.#glow(offset);
    if (!this.#card.stays) this.#showCard(offset, false);
  }

  #leave(): void {
    if (this.#over < 0) return;
    this.#over = -1;
    this.#ctx.hot.emit(null);
    this.#glow(-1);
    if (!this.#card.stays) this.#card.hide();
  }

  /** Mark the fact, the row or the field that stands for a byte, wherever it is shown. */
  #glow(offset: number): void {
    const root = this.el.closest(".pqx");
    if (root) glow(root, offset < 0 ? null : { offset, space: this.#space });
  }

  /** After the lines are drawn: they are where the card must not be. */
  #showCard(offset: number, stays: boolean): void {
    nextFrame(() => {
      if (stays ? offset !== this.#caret : offset !== this.#over || offset === this.#clicked) return;
      const part = this.#parts.at(this.#space, offset);
      const anchor = part && anchorOf(this.#pane, part, offset, this.#across);
      if (part && anchor) this.#card.show(part, anchor, stays);
      else this.#card.hide();
    });
  }

  /** A click goes to the owner of the byte. A finger has no card before it taps: the card's link goes there. */
  #click(event: MouseEvent): void {
    // the lines may be on their way to be drawn anew
    const offset = this.#hit(event) ?? this.#over;
    if (offset < 0 || getSelection()?.type === "Range") return;
    this.#caret = offset;
    this.#draw();
    if (this.#touched) this.#showCard(offset, true);
    else {
      this.#clicked = offset;
      void this.#follow(offset);
    }
  }

  /** Select the owner of a byte; the caret stays there. */
  async #follow(offset: number): Promise<void> {
    const space = this.#space;
    const part = await this.#parts.of(space, offset);
    const address = part && (await nearest(this.#ctx, part.address));
    if (address === null || offset !== this.#caret || space !== this.#space) return;
    if (address === this.#address) return;
    this.#led = address;
    this.#ctx.select(address);
  }

  /** Go to the innermost node that owns the byte at the caret. */
  #locate(): void {
    this.#card.hide();
    if (this.#parts.at(this.#space, this.#caret)) {
      void this.#follow(this.#caret);
      return;
    }
    const args = { offset: this.#caret, space: this.#space };
    this.#ctx.rpc.call<Located>("locate", args).then(
      ({ result }) => this.#ctx.select(result.address),
      (error) => this.#fail(error),
    );
  }

  #fail(error: unknown): void {
    fill(this.#message, troubleBox(this.#ctx, troubleOf(error)));
  }

  /** Show where the caret is, whose the byte is, and the bytes from there read as numbers. */
  #tell(): void {
    const size = this.#size;
    const span = this.#mark;
    const marked = span ? `, ${plural(sizeOf(span), "byte")} marked` : "";
    fill(this.#where, `byte ${this.#offset(this.#caret)} of ${this.#offset(size)}${marked}`);
    this.#reader.show(
      this.#parts.at(this.#space, this.#caret),
      this.#caret,
      (i) => (this.#caret + i < size ? this.#byte(this.#caret + i) : -1),
      this.#choices.big,
    );
  }

  #goTo(offset: number): void {
    this.#caret = Math.max(0, Math.min(this.#size - 1, offset));
    this.#list.reveal(Math.floor(this.#caret / this.#across));
    this.#draw();
  }

  /** Keys anywhere in the pane. */
  #command(event: KeyboardEvent): void {
    const slash = event.key === "/" && event.target === this.#pane;
    const find = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "f";
    const closes = event.key === "Escape" && (this.#card.stays || !this.#find.el.hidden);
    if (!slash && !find && !closes) return;
    event.preventDefault();
    event.stopPropagation();
    if (!closes) this.#find.open();
    else if (this.#card.stays) this.#card.hide();
    else this.#find.close();
    if (closes) this.#pane.focus();
  }

  #key(event: KeyboardEvent): void {
    if (event.altKey || event.metaKey) return;
    const move = moveOf(event, this.#caret, this.#across, this.#list.visible, this.#size);
    if (move === undefined && event.key !== "Enter") return;
    event.preventDefault();
    event.stopPropagation();
    if (move === undefined) {
      this.#locate();
      return;
    }
    this.#goTo(this.#caret + move);
    this.#ctx.hot.emit(this.#spanAt(this.#caret));
    this.#glow(this.#caret);
    void this.#say(this.#caret);
  }

  /** Show the card of the byte at the caret, and announce it. */
  async #say(offset: number): Promise<void> {
    const part = await this.#parts.of(this.#space, offset);
    if (offset !== this.#caret) return;
    this.#list.refresh();
    if (this.#pane.matches(":focus")) this.#showCard(offset, true);
    const byte = this.#byte(offset);
    if (byte >= 0)
      this.#ctx.announce(`byte ${count(offset)}: ${hexDigits(byte)}${part ? `, ${part.label}` : ""}`);
  }
}
