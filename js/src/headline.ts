/**
 * The verdict on a file or a lake, in one sentence below its name: it stays while one looks at the parts. Below it stand what
 * the finding costs that it is about, and a link to where that is seen.
 */

import { fill, focusBeside, h, said } from "./dom";
import { severitySign } from "./flags";
import type { Rpc } from "./rpc";
import type { Headline as Reply } from "./wire/headline";

export class Headline {
  /** A click opens what says more. */
  readonly el: HTMLElement;
  /** The cost, and the link. */
  readonly below = h("p", { class: "pqx-cost" });
  #rpc: Rpc;
  #where: string;
  #text = h("span");
  #sign = h("span");
  #changed: () => void;
  #go: (address: string, lens: string) => void;

  /**
   * `open` goes to `where`, which says more; `changed` is called when there is a sentence, or a new one. `go` opens a lens at an
   * address.
   */
  constructor(
    rpc: Rpc,
    where: string,
    open: () => void,
    changed: () => void,
    go: (address: string, lens: string) => void = () => {},
  ) {
    this.#rpc = rpc;
    this.#where = where;
    this.#changed = changed;
    this.#go = go;
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
    (await this.fetch())();
  }

  /** Ask for the sentence; the function that is returned shows it. */
  async fetch(): Promise<() => void> {
    const asked = await this.#rpc.call<Reply>("headline").catch(() => null);
    return () => this.#show(asked?.result ?? null);
  }

  #show(reply: Reply | null): void {
    if (reply) {
      const { sentence, severity } = reply;
      fill(this.#sign, severity && severitySign(severity, severity));
      fill(this.#text, ...said(sentence));
      this.el.title = `${sentence} A click goes to ${this.#where}.`;
      this.el.dataset.known = "true";
      this.#costs(reply);
    } else {
      fill(this.#sign);
      fill(this.#text); // the place that says more says why
      fill(this.below);
      delete this.el.dataset.known;
    }
    this.#changed();
  }

  #costs({ cost, address, lens }: Reply): void {
    const focused = focusBeside(this.below)?.parentElement === this.below;
    const link = h(
      "button",
      { class: "pqx-link", onclick: () => this.#go(address, lens) },
      lens === "what_if" ? "what if →" : "show me →",
    );
    const leads = address !== "" || (lens !== "" && !PQX_PAGE); // a page may not have the file's what-if
    const whole = cost && `Costs: ${cost}.`;
    fill(
      this.below,
      cost !== "" && h("span", { class: "pqx-muted", title: whole }, ...said(whole)),
      leads && link,
    );
    if (focused) link.focus({ preventScroll: true });
  }
}
