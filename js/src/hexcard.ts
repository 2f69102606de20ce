/**
 * The card of a byte: what it belongs to, its value and meaning. It lies beside the bytes that it is about, inside the
 * explorer. Under the pointer it only shows; a click, a tap or the keyboard leaves it there, with a link to the owner.
 */

import type { Context } from "./context";
import { fill, h } from "./dom";
import { nearest, type Part } from "./hexparts";
import { FAMILIES, sentence } from "./kinds";
import { showLife } from "./lenses/goals";
import { count, plural, words } from "./text";

const GAP = 6;
/** Addresses of what has a life: values and levels. */
const LIVES = /\/(values|definition_levels|repetition_levels)\/\d+$/;

/** Where the bytes are, in the window: the lines that they fill, and the one that is pointed at. */
export interface Anchor {
  left: number;
  top: number;
  bottom: number;
  line: { top: number; bottom: number };
}

export class HexCard {
  readonly el: HTMLElement;
  #ctx: Context;
  #stays = false;

  constructor(ctx: Context) {
    this.#ctx = ctx;
    this.el = h("div", { class: "pqx-hex-card", role: "note", popover: "manual", hidden: true });
  }

  get open(): boolean {
    return !this.el.hidden;
  }

  /** Whether it stays until it is closed. */
  get stays(): boolean {
    return this.open && this.#stays;
  }

  /** Show a part; `stays`: with a link, until it is closed. */
  show(part: Part, anchor: Anchor, stays: boolean): void {
    this.#stays = stays;
    const { letter, colour, name } = FAMILIES[part.family];
    const mark = h("b", { class: "pqx-hex-letter", title: name }, letter);
    mark.style.setProperty("--pqx-part", colour);
    fill(
      this.el,
      h("p", {}, mark, h("strong", {}, part.label)),
      part.path && h("p", { class: "pqx-muted" }, part.path),
      (part.about || sentence(part.kind)) && h("p", {}, part.about || sentence(part.kind)),
      h(
        "p",
        { class: "pqx-muted" },
        `${words(part.kind)}, ${plural(part.end - part.start, "byte")} from ${count(part.start)} on`,
      ),
      stays &&
        h(
          "button",
          { class: "pqx-link", title: "Enter goes there, too", onclick: () => this.#go(part) },
          part.address || "the file",
        ),
      stays &&
        LIVES.test(part.address) &&
        h("button", { class: "pqx-link", onclick: () => this.#go(part, true) }, "its life"),
    );
    this.el.classList.toggle("pqx-stays", stays);
    this.el.hidden = false;
    if (!this.el.matches(":popover-open")) this.el.showPopover?.();
    this.#place(anchor);
  }

  hide(): void {
    if (!this.open) return;
    this.el.hidePopover?.();
    this.el.hidden = true;
  }

  async #go(part: Part, life = false): Promise<void> {
    this.hide();
    if (life) showLife(this.#ctx, part.address);
    else this.#ctx.select(await nearest(this.#ctx, part.address));
  }

  /** Above the bytes, else below them, else off the line that is pointed at; never outside the explorer. */
  #place({ left, top, bottom, line }: Anchor): void {
    const root = this.el.closest(".pqx")?.getBoundingClientRect();
    if (!root) return;
    const { width, height } = this.el.getBoundingClientRect();
    const [ceiling, floor] = [Math.max(root.top, 0), Math.min(root.bottom, innerHeight)];
    const fits = (y: number) => y >= ceiling && y + height <= floor;
    const places = [top - GAP - height, bottom + GAP, line.top - GAP - height, line.bottom + GAP];
    const y = places.find(fits) ?? Math.max(ceiling, line.top - GAP - height);
    const rightmost = Math.min(root.right, innerWidth) - width - GAP;
    this.el.style.left = `${Math.max(root.left + GAP, Math.min(left, rightmost))}px`;
    this.el.style.top = `${y}px`;
  }
}
