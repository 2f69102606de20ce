/** The buttons of the hex view: whose bytes, and how numbers are shown, which is kept for the next explorer. */

import { FILE } from "./context";
import { fill, h } from "./dom";

const KEPT = "pqx-hex";

/** Each choice's signs and titles, off and on. */
const CHOICES = {
  hex: [
    ["123", "Offsets in decimal: show them in hex"],
    ["0x", "Offsets in hex: show them in decimal"],
  ],
  big: [
    ["LE", "Numbers read little-endian, as Parquet stores them: read them big-endian"],
    ["BE", "Numbers read big-endian: read them little-endian"],
  ],
} as const;

type Choice = keyof typeof CHOICES;

export class HexChoices {
  /** Whether offsets are hexadecimal. */
  hex = false;
  /** Whether numbers are read big-endian. */
  big = false;
  readonly buttons: HTMLElement[];

  constructor(changed: () => void) {
    try {
      const { hex, big } = JSON.parse(localStorage.getItem(KEPT) ?? "{}");
      this.hex = hex === true;
      this.big = big === true;
    } catch {
      // a page without storage
    }
    this.buttons = (["hex", "big"] as const).map((name) => this.#button(name, changed));
  }

  #button(name: Choice, changed: () => void): HTMLElement {
    const el = h("button", {
      class: "pqx-button",
      onclick: () => {
        this[name] = !this[name];
        this.#keep();
        show();
        changed();
      },
    });
    const show = () => {
      const [sign, title] = CHOICES[name][Number(this[name])];
      fill(el, sign);
      el.title = title;
      el.setAttribute("aria-label", `${sign}: ${title}`); // a name has the text that is seen
    };
    show();
    return el;
  }

  #keep(): void {
    try {
      localStorage.setItem(KEPT, JSON.stringify({ hex: this.hex, big: this.big }));
    } catch {
      // a page without storage
    }
  }
}

/** A button that shows the bytes of a space. */
export function spaceTab(space: string, show: () => void): HTMLElement {
  const name = space === FILE ? "file" : (/:(\w+)$/.exec(space)?.[1] ?? space);
  const title = space === FILE ? "The file's own bytes" : `The bytes of ${space.replace(/:.*/, "")}, ${name}`;
  const props = { class: "pqx-button", "data-space": space, "aria-pressed": "false", title, onclick: show };
  return h("button", props, `${name} bytes`);
}
