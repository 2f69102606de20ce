/**
 * Virtual rows: only visible rows exist as elements. Browsers limit elements to 17 to 33 million pixels, so above
 * `TALLEST` the scroll bar is in proportion to all rows, and the wheel moves by rows.
 */

import { h } from "./dom";
import { showMore } from "./more";
import { Soon } from "./rest";

const TALLEST = 8_000_000;
const AROUND = 4;

interface RowSource {
  rowHeight: number;
  count: number;
  /** The element of a row; the list positions it. */
  row(index: number): HTMLElement;
}

export class VirtualRows {
  /** The element that scrolls; `body` inside it is as tall as all rows. */
  readonly scroller: HTMLElement;
  readonly body: HTMLElement;
  #source: RowSource;
  #shown = new Map<number, HTMLElement>();
  #top = 0;
  #placed = 0;
  #frame = new Soon();
  #observer: ResizeObserver;
  #head: () => number;
  #forget: () => void;

  /** `head` is the height in pixels of a sticky header at the top of the scroller. */
  constructor(scroller: HTMLElement, source: RowSource, head: () => number = () => 0) {
    this.scroller = scroller;
    this.#source = source;
    this.#head = head;
    this.body = h("div", { class: "pqx-rows", role: "presentation" });
    scroller.append(this.body);
    this.#forget = showMore(scroller);
    scroller.addEventListener("scroll", () => this.#scrolled());
    scroller.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    this.#observer = new ResizeObserver(() => this.goTo(this.#top));
    this.#observer.observe(scroller);
    this.resize(source.count);
  }

  get top(): number {
    return Math.floor(this.#top);
  }

  /** The row after the last one that is shown whole. */
  get end(): number {
    const fits = (this.scroller.clientHeight - this.#head()) / this.#source.rowHeight;
    return Math.min(this.#source.count, Math.floor(this.#top + fits + 0.01));
  }

  /** Whole rows that fit. */
  get visible(): number {
    return Math.max(1, Math.floor((this.scroller.clientHeight - this.#head()) / this.#source.rowHeight));
  }

  resize(count: number): void {
    this.#source.count = count;
    this.body.style.height = `${Math.min(TALLEST, count * this.#source.rowHeight)}px`;
    this.refresh();
  }

  /** Replace all visible rows. */
  refresh(): void {
    for (const el of this.#shown.values()) el.remove();
    this.#shown.clear();
    this.draw();
  }

  /** Scroll as little as is needed to show a row. */
  reveal(index: number): void {
    if (index < this.#top) this.goTo(index);
    else if (index >= this.#top + this.visible) this.goTo(index - this.visible + 1);
  }

  /** Scroll so that a row is the first one. */
  goTo(top: number): void {
    this.#top = Math.max(0, Math.min(this.#max, top));
    this.#placed = this.#max ? (this.#top / this.#max) * this.#range : 0;
    this.scroller.scrollTop = this.#placed;
    this.draw();
  }

  draw(): void {
    this.#frame.frame(() => this.#draw());
  }

  dispose(): void {
    this.#frame.drop();
    this.#observer.disconnect();
    this.#forget();
  }

  get #capped(): boolean {
    return this.#source.count * this.#source.rowHeight > TALLEST;
  }

  get #range(): number {
    return Math.max(0, this.body.offsetHeight + this.#head() - this.scroller.clientHeight);
  }

  get #max(): number {
    const fits = (this.scroller.clientHeight - this.#head()) / this.#source.rowHeight;
    return Math.max(0, this.#source.count - fits);
  }

  #scrolled(): void {
    const at = this.scroller.scrollTop;
    // the browser rounds the scrollTop that we set: a small difference is not the user's scrolling
    if (Math.abs(at - this.#placed) > 1) {
      this.#top = this.#range ? (at / this.#range) * this.#max : 0;
      this.#placed = at;
    }
    this.draw();
  }

  #wheel(event: WheelEvent): void {
    if (!this.#capped || event.ctrlKey || !event.deltaY) return;
    event.preventDefault();
    const rows =
      event.deltaMode === WheelEvent.DOM_DELTA_LINE ? event.deltaY : event.deltaY / this.#source.rowHeight;
    this.goTo(this.#top + rows);
  }

  #draw(): void {
    const { rowHeight, count } = this.#source;
    if (!this.scroller.clientHeight) return;
    const first = Math.max(0, Math.floor(this.#top) - AROUND);
    const last = Math.min(count, Math.ceil(this.#top + this.scroller.clientHeight / rowHeight) + AROUND);
    for (const [index, el] of this.#shown) {
      if (index >= first && index < last) continue;
      el.remove();
      this.#shown.delete(index);
    }
    const shift = this.#capped ? this.#placed - this.#top * rowHeight : 0;
    // a row asks for sizes: all are made before the first one is in the page, so that the browser lays it out once
    const fresh = new Map<number, HTMLElement>();
    for (let index = first; index < last; index++)
      if (!this.#shown.has(index)) fresh.set(index, this.#source.row(index));
    let before: Element | null = null;
    for (let index = last - 1; index >= first; index--) {
      const made = fresh.get(index);
      if (made) {
        this.#shown.set(index, made);
        this.body.insertBefore(made, before); // reading order is document order
      }
      const el = this.#shown.get(index) as HTMLElement;
      el.style.transform = `translateY(${index * rowHeight + shift}px)`;
      before = el;
    }
  }
}
