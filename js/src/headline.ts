/** The file's most important property, in one sentence below its name: it stays while one looks at its parts. */

import type { Context } from "./context";
import { fill, h } from "./dom";
import { severitySign } from "./flags";
import type { Headline as Reply } from "./wire/headline";

export class Headline {
  /** A click goes to the overview, which says more. */
  readonly el: HTMLElement;
  #ctx: Context;
  #text = h("span");
  #sign = h("span");
  #changed: () => void;

  /** `changed` is called when there is a sentence, or a new one. */
  constructor(ctx: Context, changed: () => void) {
    this.#ctx = ctx;
    this.#changed = changed;
    const open = () => {
      ctx.select("");
      ctx.prefer("overview");
    };
    fill(this.#text, "…");
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
      const { result } = await this.#ctx.rpc.call<Reply>("headline");
      fill(this.#sign, result.severity && severitySign(result.severity, result.severity));
      fill(this.#text, result.sentence);
      this.el.title = `${result.sentence} A click goes to the overview.`;
      this.el.dataset.known = "true";
    } catch {
      fill(this.#text); // the overview says why
      delete this.el.dataset.known;
    }
    this.#changed();
  }
}
