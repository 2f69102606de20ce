/**
 * Rows of which only the visible ones exist. Browsers stop growing elements at 17 to 33 million pixels, so beyond
 * `TALLEST` the scroll bar speaks of the whole in proportion, and the wheel moves by rows.
 */

import { h } from "./dom";

const TALLEST = 8_000_000;
const AROUND = 4;

interface RowSource {
  rowHeight: number;
  count: number;
  /** The element of a row; it is placed by the list. */
  row(index: number): HTMLElement;
}

export class VirtualRows {
  /** The element that scrolls; `body` is what is in it, as tall as all rows. */
  readonly scroller: HTMLElement;
  readonly body: HTMLElement;
  #source: RowSource;
  #shown = new Map<number, HTMLElement>();
  #top = 0;
  #placed = 0;
  #frame = 0;
  #observer: ResizeObserver;
  #head: () => number;

  /** `head` says how many pixels at the top of the scroller a sticky header covers. */
  constructor(scroller: HTMLElement, source: RowSource, head: () => number = () => 0) {
    this.scroller = scroller;
    this.#source = source;
    this.#head = head;
    this.body = h("div", { class: "pqx-rows", role: "presentation" });
    scroller.append(this.body);
    scroller.addEventListener("scroll", () => this.#scrolled());
    scroller.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    this.#observer = new ResizeObserver(() => this.draw());
    this.#observer.observe(scroller);
    this.resize(source.count);
  }

  get top(): number {
    return Math.floor(this.#top);
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

  /** Make all visible rows anew. */
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
    this.#top = Math.max(0, Math.min(this.#most, top));
    this.#placed = this.#most ? (this.#top / this.#most) * this.#range : 0;
    this.scroller.scrollTop = this.#placed;
    this.draw();
  }

  draw(): void {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.#draw();
    });
  }

  dispose(): void {
    cancelAnimationFrame(this.#frame);
    this.#observer.disconnect();
  }

  get #capped(): boolean {
    return this.#source.count * this.#source.rowHeight > TALLEST;
  }

  get #range(): number {
    return Math.max(0, this.body.offsetHeight + this.#head() - this.scroller.clientHeight);
  }

  get #most(): number {
    const fits = (this.scroller.clientHeight - this.#head()) / this.#source.rowHeight;
    return Math.max(0, this.#source.count - fits);
  }

  #scrolled(): void {
    const at = this.scroller.scrollTop;
    // our own scrollTop comes back rounded: the row that was asked for stays
    if (Math.abs(at - this.#placed) > 1) {
      this.#top = this.#range ? (at / this.#range) * this.#most : 0;
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
    let before: Element | null = null;
    for (let index = last - 1; index >= first; index--) {
      let el = this.#shown.get(index);
      if (!el) {
        el = this.#source.row(index);
        this.#shown.set(index, el);
        this.body.insertBefore(el, before); // reading order is document order
      }
      el.style.transform = `translateY(${index * rowHeight + shift}px)`;
      before = el;
    }
  }
}
