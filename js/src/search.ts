/** The search box: it goes to a name, an address or a byte offset. */

import type { Context } from "./context";
import { fill, h, uniqueId } from "./dom";

interface Hit {
  address: string;
  label: string;
  why: string;
}

const PATIENCE = 150;

export class Search {
  readonly el: HTMLElement;
  #ctx: Context;
  #id = uniqueId("search");
  #input: HTMLInputElement;
  #list: HTMLElement;
  #hits: Hit[] = [];
  #at = -1;
  #timer = 0;
  #request: AbortController | null = null;

  constructor(ctx: Context) {
    this.#ctx = ctx;
    this.#list = h("ul", {
      class: "pqx-hits",
      id: this.#id,
      role: "listbox",
      "aria-label": "Places",
      hidden: true,
    });
    this.#input = h("input", {
      class: "pqx-input",
      type: "search",
      role: "combobox",
      placeholder: "find a column, address or byte",
      "aria-label": "Find a column, an address, a key or a byte offset",
      "aria-controls": this.#id,
      "aria-expanded": "false",
      "aria-autocomplete": "list",
      autocomplete: "off",
      spellcheck: "false",
      oninput: () => this.#typed(),
      onkeydown: (event: KeyboardEvent) => this.#key(event),
      onfocus: () => this.#open(this.#hits.length > 0),
      onblur: () => window.setTimeout(() => this.#open(false), 150),
    });
    this.el = h("div", { class: "pqx-search" }, this.#input, this.#list);
  }

  #typed(): void {
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => void this.#ask(), PATIENCE);
  }

  async #ask(): Promise<void> {
    const query = this.#input.value.trim();
    this.#request?.abort();
    this.#request = new AbortController();
    this.#at = -1;
    if (!query) {
      this.#hits = [];
      this.#open(false);
      return;
    }
    try {
      const { signal } = this.#request;
      const { result } = await this.#ctx.rpc.call<{ hits: Hit[]; more: boolean }>(
        "search",
        { query },
        signal,
      );
      if (signal.aborted) return;
      this.#hits = result.hits;
      fill(
        this.#list,
        ...result.hits.map((hit, i) => this.#item(hit, i)),
        !result.hits.length &&
          h("li", { class: "pqx-muted", role: "option", "aria-disabled": "true" }, "nothing found"),
        result.more &&
          h(
            "li",
            { class: "pqx-muted", role: "option", "aria-disabled": "true" },
            "and more: type more to see them",
          ),
      );
      this.#open(true);
      this.#ctx.announce(result.hits.length ? `${result.hits.length} places` : "nothing found");
    } catch (error) {
      if ((error as Error).name === "AbortError") return;
      this.#hits = [];
      fill(
        this.#list,
        h("li", { class: "pqx-muted", role: "option", "aria-disabled": "true" }, (error as Error).message),
      );
      this.#open(true);
    }
  }

  #item(hit: Hit, i: number): HTMLElement {
    return h(
      "li",
      {
        role: "option",
        id: `${this.#id}-${i}`,
        "aria-selected": "false",
        "data-address": hit.address,
        onpointerdown: (event: PointerEvent) => event.preventDefault(),
        onclick: () => this.#go(i),
      },
      h("strong", {}, hit.label),
      h("span", { class: "pqx-muted" }, ` ${hit.why} `),
      h("code", {}, hit.address),
    );
  }

  #go(i: number): void {
    const hit = this.#hits[i];
    if (!hit) return;
    this.#open(false);
    this.#ctx.select(hit.address);
  }

  #open(on: boolean): void {
    this.#list.hidden = !on;
    this.#input.setAttribute("aria-expanded", String(on));
  }

  #mark(i: number): void {
    this.#at = i;
    for (const [n, item] of [...this.#list.children].entries())
      item.setAttribute("aria-selected", String(n === i));
    this.#input.setAttribute("aria-activedescendant", i < 0 ? "" : `${this.#id}-${i}`);
    this.#list.children[i]?.scrollIntoView({ block: "nearest" });
  }

  #key(event: KeyboardEvent): void {
    const open = !this.#list.hidden;
    const moves: Record<string, () => void> = {
      ArrowDown: () => this.#mark(Math.min(this.#hits.length - 1, this.#at + 1)),
      ArrowUp: () => this.#mark(Math.max(-1, this.#at - 1)),
      Enter: () => this.#go(Math.max(0, this.#at)),
      Escape: () => this.#open(false),
    };
    const move = moves[event.key];
    if (!move || (event.key === "Escape" && !open)) return;
    event.preventDefault();
    event.stopPropagation();
    move();
  }
}
