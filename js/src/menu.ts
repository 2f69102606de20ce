/** What a button opens below itself, over what is there: a click elsewhere or Escape closes it. */

import "./menu.css";
import { type Child, fill, focusBeside, h } from "./dom";

const APART = 4;

export class Menu {
  readonly el: HTMLElement;
  #button: HTMLElement | null = null;

  /** `opened` is called when it is shown; the first element that takes the focus gets it after that. */
  constructor(label: string, opened: () => void = () => {}) {
    this.el = h("div", {
      class: "pqx-menu",
      role: "group",
      "aria-label": label,
      popover: "auto",
      onkeydown: (event: KeyboardEvent) => this.#key(event),
      ontoggle: (event: ToggleEvent) => {
        const open = event.newState === "open";
        this.#button?.setAttribute("aria-expanded", String(open));
        if (!open) {
          // full screen closes it, and gives the focus to nothing
          const at = focusBeside(this.el);
          if (!at || at === document.body || this.el.contains(at))
            this.#button?.focus({ preventScroll: true });
          return;
        }
        opened();
        this.place();
        this.el
          .querySelector<HTMLElement>("input, [tabindex='0'], button, a")
          ?.focus({ preventScroll: true });
      },
    });
  }

  /** A button that opens it; `before` prepares what it shows. */
  button(props: Record<string, string>, before: () => void, ...children: Child[]): HTMLButtonElement {
    const made = h("button", { "aria-expanded": "false", ...props }, ...children);
    made.addEventListener("click", () => {
      this.#button = made;
      before();
    });
    made.popoverTargetElement = this.el; // the browser opens and closes it, after the click's listeners
    return made;
  }

  fill(...children: Child[]): void {
    fill(this.el, ...children);
  }

  close(): void {
    if (this.el.matches(":popover-open")) this.el.hidePopover();
    this.#button?.focus({ preventScroll: true });
  }

  /** Stand below the button, inside the window. */
  place(): void {
    if (!this.#button) return;
    const { left, top, bottom } = this.#button.getBoundingClientRect();
    const { style, offsetWidth } = this.el;
    style.maxHeight = "";
    style.left = `${Math.max(APART, Math.min(left, innerWidth - offsetWidth - APART))}px`;
    const below = innerHeight - bottom - 2 * APART;
    const up = below < Math.min(this.el.offsetHeight, 200) && top > below;
    style.maxHeight = `${Math.min(400, up ? top - 2 * APART : below)}px`;
    style.top = `${up ? top - APART - this.el.offsetHeight : bottom + APART}px`;
  }

  #key(event: KeyboardEvent): void {
    if (event.key === "Escape") this.close();
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const items = [...this.el.querySelectorAll<HTMLElement>("button")];
      const at = items.indexOf(event.target as HTMLElement);
      if (at < 0) return;
      items[(at + (event.key === "ArrowDown" ? 1 : -1) + items.length) % items.length].focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
