/** What can follow in the condition: a list below the field, by keys alone; nothing is taken that was not chosen. */

import type { Context } from "../context";
import { fill, h, uniqueId } from "../dom";
import { Soon } from "../rest";
import { count } from "../text";
import type { Completion as Offers } from "../wire/completion";

const PATIENCE = 80;

export class Completion {
  readonly el: HTMLElement;
  #ctx: Context;
  #input: HTMLTextAreaElement;
  #taken: () => void;
  #id = uniqueId("offers");
  #list: HTMLElement;
  #offers: Offers | null = null;
  #at = -1;
  #soon = new Soon();
  #request: AbortController | null = null;

  /** `taken` is called after a text was put into the field. */
  constructor(input: HTMLTextAreaElement, ctx: Context, taken: () => void) {
    this.#ctx = ctx;
    this.#input = input;
    this.#taken = taken;
    this.#list = h("ul", {
      class: "pqx-found pqx-query-offers",
      id: this.#id,
      role: "listbox",
      "aria-label": "What can follow",
      hidden: true,
      onpointerdown: (event: PointerEvent) => event.preventDefault(), // the field keeps the focus
    });
    this.el = h("div", { class: "pqx-query-completion" }, this.#list);
    input.setAttribute("aria-autocomplete", "list");
    input.setAttribute("aria-controls", this.#id);
    input.addEventListener("blur", () => this.close());
  }

  /** The text has changed: see what can follow. */
  typed(): void {
    this.close();
    if (this.#ctx.query.closed) return;
    this.#soon.after(PATIENCE, () => void this.#ask());
  }

  /** Whether a key was for the list. */
  key(event: KeyboardEvent): boolean {
    if (event.key === " " && event.ctrlKey) {
      void this.#ask();
      return true;
    }
    const last = (this.#offers?.offers.length ?? 0) - 1;
    if (last < 0 || event.isComposing || event.shiftKey) return false;
    if (event.key === "ArrowDown") this.#mark(this.#at < last ? this.#at + 1 : 0);
    else if (event.key === "ArrowUp") this.#mark(this.#at > 0 ? this.#at - 1 : last);
    else if (event.key === "Escape") this.close();
    else if ((event.key === "Enter" || event.key === "Tab") && this.#at >= 0) this.#take(this.#at);
    else return false;
    return true;
  }

  close(): void {
    this.#soon.drop();
    this.#request?.abort();
    this.#offers = null;
    this.#at = -1;
    this.#list.hidden = true;
    this.#list.replaceChildren();
    this.#input.removeAttribute("aria-activedescendant");
  }

  async #ask(): Promise<void> {
    this.close();
    if (this.#ctx.query.closed) return;
    this.#request = new AbortController();
    const { signal } = this.#request;
    const before = this.#input.value.slice(0, this.#input.selectionStart);
    try {
      const { result } = await this.#ctx.rpc.call<Offers>("ask_completion", { before }, signal, true);
      if (!signal.aborted && this.#input.matches(":focus")) this.#show(result);
    } catch {
      // the condition can be typed without help
    }
  }

  #show(found: Offers): void {
    if (!found.offers.length) return;
    this.#offers = found;
    fill(
      this.#list,
      ...found.offers.map(({ text, note }, i) =>
        h(
          "li",
          {
            role: "option",
            id: `${this.#id}-${i}`,
            "aria-selected": "false",
            title: text,
            onclick: () => this.#take(i),
          },
          h("span", { class: "pqx-found-name pqx-mono" }, text),
          h("span", { class: "pqx-muted" }, note),
        ),
      ),
    );
    this.#list.hidden = false;
    this.#ctx.announce(`${count(found.offers.length)} can follow: arrow keys choose, Enter takes`);
  }

  #mark(i: number): void {
    this.#at = i;
    for (const [n, item] of [...this.#list.children].entries())
      item.setAttribute("aria-selected", String(n === i));
    const active = this.#list.children[i];
    this.#input.setAttribute("aria-activedescendant", active.id);
    active.scrollIntoView({ block: "nearest" });
  }

  #take(i: number): void {
    const found = this.#offers;
    if (!found) return;
    const { text } = found.offers[i];
    const end = this.#input.selectionStart;
    // Python counts characters, the page UTF-16 units
    const start = [...this.#input.value].slice(0, found.start).join("").length;
    this.close();
    this.#input.setRangeText(text, start, end, "end");
    this.#taken();
  }
}
