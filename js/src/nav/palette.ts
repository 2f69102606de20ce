/**
 * The palette: one field that finds columns, lenses, commands, addresses and byte offsets. It follows the combobox pattern
 * of ARIA. What Python finds comes after what is known here.
 */

import "./palette.css";
import type { Context, Detail } from "../context";
import { fill, focusBeside, h, uniqueId } from "../dom";
import { Layout, type LayoutReply } from "../layout";
import { Soon } from "../rest";
import { count, plural } from "../text";
import type { Values } from "../wire/operations";
import type { Term } from "../wire/term";
import {
  type Find,
  finds,
  type Hit,
  isExact,
  offsetOf,
  ofHit,
  ofValues,
  ofWords,
  once,
  tileAt,
  typedValue,
} from "./finds";
import { leafAt } from "./fuzzy";
import type { SavedPlace } from "./saved";

const PATIENCE = 120;

/** What the field asks for, and whether `= VALUE` finds columns by a value. */
interface Asks {
  placeholder: string;
  label: string;
  values: boolean;
}

const OF_A_FILE: Asks = {
  placeholder: "column, lens, rule, word, command, address, byte, = value, column row 3, column > 5",
  label: "Find a column, a lens, a command, an address or a byte",
  values: true,
};

/** The words of the specification. */
export interface Explains {
  all(): Promise<Term[]>;
  show(term: Term): void;
}

export class Palette {
  readonly el: HTMLElement;
  #ctx: Context;
  #id = uniqueId("palette");
  #input: HTMLInputElement;
  #list: HTMLElement;
  #note = h("p", { class: "pqx-muted", hidden: true });
  #found: Find[] = [];
  #at = 0;
  #timer = new Soon();
  #request: AbortController | null = null;
  #before: HTMLElement | null = null;
  #here: () => Detail | null;
  #places: () => SavedPlace[];
  #later: () => Promise<void> | undefined;
  #values: boolean;

  /** The words of the specification, once they are known, and what shows one. */
  #terms: Term[] = [];
  #explain: Explains | undefined;

  /** `here` is what is shown, `places` are those of a saved page. */
  constructor(
    ctx: Context,
    here: () => Detail | null,
    places: () => SavedPlace[],
    later: () => Promise<void> | undefined,
    asks: Asks = OF_A_FILE,
    explain?: Explains,
  ) {
    this.#explain = explain;
    this.#ctx = ctx;
    this.#here = here;
    this.#places = places;
    this.#later = later;
    this.#values = asks.values;
    this.#list = h("ul", { class: "pqx-found", id: this.#id, role: "listbox", "aria-label": "Found" });
    this.#input = h("input", {
      class: "pqx-input",
      type: "text",
      role: "combobox",
      placeholder: asks.placeholder,
      "aria-label": asks.label,
      "aria-controls": this.#id,
      "aria-expanded": "true",
      "aria-autocomplete": "list",
      autocomplete: "off",
      spellcheck: "false",
      oninput: () => this.#typed(),
    });
    this.el = h(
      "div",
      {
        class: "pqx-palette",
        role: "dialog",
        "aria-label": "Find or do",
        hidden: true,
        onkeydown: (event: KeyboardEvent) => this.#key(event),
        onfocusout: () => this.close(false),
        onpointerdown: (event: PointerEvent) => {
          if (event.target !== this.#input) event.preventDefault(); // the field keeps the focus
        },
      },
      this.#input,
      this.#list,
      this.#note,
    );
  }

  open(): void {
    if (!this.el.hidden) return;
    this.#before = focusBeside(this.el);
    this.el.hidden = false;
    this.#input.value = "";
    this.#found = [];
    this.#input.focus();
    this.#typed();
    void this.#later()?.then(() => this.el.hidden || this.#typed());
    if (!this.#terms.length)
      void this.#explain?.all().then((terms) => {
        this.#terms = terms;
      });
  }

  /** `back` gives the focus to what had it. */
  close(back = true): void {
    if (this.el.hidden) return;
    this.el.hidden = true;
    this.#stop();
    if (back) this.#before?.focus({ preventScroll: true });
  }

  dispose(): void {
    this.#stop();
  }

  #stop(): void {
    this.#timer.drop();
    this.#request?.abort();
  }

  #typed(): void {
    this.#stop();
    const typed = this.#input.value.trim();
    const value = this.#values ? typedValue(typed) : null;
    this.#at = 0; // another text is another search; only what Python adds to this one keeps the mark
    const near = value === null ? finds(typed, this.#ctx, this.#here(), this.#places()) : [];
    this.#show(near, "");
    if (!typed || value === "") return;
    this.#request = new AbortController();
    const { signal } = this.#request;
    const ask = () => void this.#ask(typed, near, signal);
    if (this.#ctx.query.saved) ask();
    else this.#timer.after(PATIENCE, ask);
  }

  async #ask(typed: string, near: Find[], signal: AbortSignal): Promise<void> {
    let [far, note]: [Find[], string] = [[], ""];
    const value = this.#values ? typedValue(typed) : null;
    try {
      if (value !== null) {
        if (this.#ctx.query.closed) throw new Error(this.#ctx.query.closed);
        const { result } = await this.#ctx.rpc.call<Values>("values", { value }, signal);
        far = ofValues(this.#ctx, result);
        const { asked, columns } = result;
        if (asked < columns) note = `${count(asked)} of ${plural(columns, "column")} could be asked`;
        else if (!far.length) note = "each column rules it out, or has another type";
      } else if (this.#ctx.query.saved) far = offsetOf(typed) === null ? [] : await this.#tile(typed, signal);
      else {
        const { result } = await this.#ctx.rpc.call<{ hits: Hit[]; more: boolean }>(
          "search",
          { query: typed },
          signal,
        );
        far = result.hits.map((hit) => ofHit(this.#ctx, hit));
        note = result.more ? "and more: type more to see them" : "";
      }
    } catch (error) {
      if (signal.aborted) return;
      note = (error as Error).message;
    }
    if (signal.aborted) return;
    const show = this.#explain?.show;
    const known = show && value === null ? ofWords(typed, this.#terms, show) : [];
    const all = once(isExact(typed) ? [...far, ...near] : [...near, ...far, ...known]);
    this.#show(all, all.length ? note : note || "nothing found");
    this.#ctx.announce(all.length ? `${plural(all.length, "result")}` : "nothing found");
  }

  async #tile(typed: string, signal: AbortSignal): Promise<Find[]> {
    const reply = await this.#ctx.rpc.call<LayoutReply>("layout", { level: "chunks" }, signal);
    return tileAt(typed, this.#ctx, new Layout(reply));
  }

  #show(found: Find[], note: string): void {
    const chosen = this.#at > 0 ? this.#found[this.#at] : undefined;
    this.#found = found;
    fill(this.#list, ...found.map((find, i) => this.#item(find, i)));
    fill(this.#note, note);
    this.#note.hidden = !note;
    const same = found.findIndex((one) => one.name === chosen?.name && one.address === chosen.address);
    this.#mark(Math.max(0, same));
  }

  #item(find: Find, i: number): HTMLElement {
    return h(
      "li",
      {
        role: "option",
        id: `${this.#id}-${i}`,
        title: find.name,
        "data-kind": find.kind,
        "data-address": find.address,
        onclick: () => this.#run(i),
      },
      named(find),
      h("span", { class: "pqx-muted" }, find.note),
      find.right && h(find.address === undefined ? "kbd" : "code", { class: "pqx-found-right" }, find.right),
    );
  }

  #run(i: number): void {
    const find = this.#found[i];
    if (!find) return;
    this.close();
    find.run();
  }

  #mark(i: number): void {
    this.#at = i;
    for (const [n, item] of [...this.#list.children].entries())
      item.setAttribute("aria-selected", String(n === i));
    const active = this.#list.children[i];
    this.#input.setAttribute("aria-activedescendant", active?.id ?? "");
    active?.scrollIntoView({ block: "nearest" });
  }

  #key(event: KeyboardEvent): void {
    event.stopPropagation();
    const last = this.#found.length - 1;
    const moves: Record<string, () => void> = {
      ArrowDown: () => this.#mark(this.#at < last ? this.#at + 1 : 0),
      ArrowUp: () => this.#mark(this.#at > 0 ? this.#at - 1 : last),
      PageDown: () => this.#mark(Math.min(last, this.#at + 8)),
      PageUp: () => this.#mark(Math.max(0, this.#at - 8)),
      Enter: () => this.#run(this.#at),
      Escape: () => this.close(),
      Tab: () => {},
    };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    move();
  }
}

/** A name whose end stays where there is little room: its parents are cut, its leaf is not. The typed letters are marked. */
function named({ name, fit }: Find): HTMLElement {
  const leaf = leafAt(name);
  const typed = new Set(fit.at);
  const letters = (from: number, to: number) => {
    const parts: HTMLElement[] = [];
    for (let i = from, start = from; i < to; i = start) {
      while (start < to && typed.has(start) === typed.has(i)) start++;
      parts.push(h("span", { class: typed.has(i) ? "pqx-fit" : undefined }, name.slice(i, start)));
    }
    return parts;
  };
  return h(
    "span",
    { class: "pqx-found-name" },
    leaf > 0 && h("span", { class: "pqx-found-parents pqx-muted" }, ...letters(0, leaf)),
    h("strong", {}, ...letters(leaf, name.length)),
  );
}
