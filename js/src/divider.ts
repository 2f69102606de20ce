/** A line between two parts: it is dragged, moved by the arrow keys, and set back by a double click or Home. */

import { h } from "./dom";
import { clamp, SIZES, type Sized } from "./kept";

const STEP = 16;

export class Divider {
  readonly el: HTMLElement;
  #name: Sized;
  #part: HTMLElement;
  #set: (size: number | undefined) => void;
  #upright: boolean;
  /** -1 where the part is after the line. */
  #sign: number;

  /** `part` is what it makes larger; `set` keeps the size, or that there is none. */
  constructor(name: Sized, label: string, part: HTMLElement, set: (size: number | undefined) => void) {
    this.#name = name;
    this.#part = part;
    this.#set = set;
    this.#upright = name === "tree";
    this.#sign = name === "bytes" ? -1 : 1;
    const { min, max } = SIZES[name];
    this.el = h("div", {
      class: `pqx-divider pqx-divide-${name}`,
      role: "separator",
      tabindex: 0,
      "aria-label": label,
      "aria-orientation": this.#upright ? "vertical" : "horizontal",
      "aria-valuemin": min,
      "aria-valuemax": max,
      "aria-valuenow": min,
      title: `${label}: drag, or use the arrow keys; a double click sets it back`,
      ondblclick: () => set(undefined),
      onkeydown: (event: KeyboardEvent) => this.#key(event),
      onpointerdown: (event: PointerEvent) => this.#drag(event),
    });
  }

  /** Say how large the part is. */
  tell(): void {
    this.el.setAttribute("aria-valuenow", String(this.#size));
  }

  get #size(): number {
    return Math.round(this.#upright ? this.#part.offsetWidth : this.#part.offsetHeight);
  }

  /** Set a size, and keep what there is room for. */
  #resize(size: number): void {
    const wanted = clamp(this.#name, size);
    this.#set(wanted);
    const got = this.#size;
    if (got && got < wanted) this.#set(got);
  }

  #key(event: KeyboardEvent): void {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const steps: Record<string, number> = this.#upright
      ? { ArrowRight: STEP, ArrowLeft: -STEP }
      : { ArrowDown: STEP, ArrowUp: -STEP };
    if (event.key === "Home") this.#set(undefined);
    else if (event.key in steps) this.#resize(this.#size + this.#sign * steps[event.key]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #drag(event: PointerEvent): void {
    const at = (one: PointerEvent) => (this.#upright ? one.clientX : one.clientY);
    const [from, before] = [at(event), this.#size];
    event.preventDefault();
    this.el.focus();
    this.el.setPointerCapture(event.pointerId);
    this.el.onpointermove = (move) => this.#resize(before + this.#sign * (at(move) - from));
    this.el.onlostpointercapture = () => {
      this.el.onpointermove = null;
    };
  }
}
