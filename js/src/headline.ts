/** The most important property of a file or a lake, in one sentence below its name: it stays while one looks at the parts. */

import { fill, h, said } from "./dom";
import { severitySign } from "./flags";
import type { Rpc } from "./rpc";
import type { Headline as Reply } from "./wire/headline";

export class Headline {
  /** A click opens what says more. */
  readonly el: HTMLElement;
  #rpc: Rpc;
  #where: string;
  #text = h("span");
  #sign = h("span");
  #changed: () => void;

  /** `open` goes to `where`, which says more; `changed` is called when there is a sentence, or a new one. */
  constructor(rpc: Rpc, where: string, open: () => void, changed: () => void) {
    this.#rpc = rpc;
    this.#where = where;
    this.#changed = changed;
    fill(this.#sign, "…"); // the sentence comes where nothing was: nothing moves
    this.el = h(
      "p",
      { class: "pqx-headline" },
      h("button", { class: "pqx-plain", onclick: open }, this.#sign, this.#text),
    );
  }

  /** The sentence; "" while it is not known. */
  get sentence(): string {
    return this.el.dataset.known ? (this.#text.textContent ?? "") : "";
  }

  /** Ask for the sentence, first and after there are more findings. */
  async ask(): Promise<void> {
    try {
      const { result } = await this.#rpc.call<Reply>("headline");
      fill(this.#sign, result.severity && severitySign(result.severity, result.severity));
      fill(this.#text, ...said(result.sentence));
      this.el.title = `${result.sentence} A click goes to ${this.#where}.`;
      this.el.dataset.known = "true";
    } catch {
      fill(this.#sign);
      fill(this.#text); // the place that says more says why
      delete this.el.dataset.known;
    }
    this.#changed();
  }
}
