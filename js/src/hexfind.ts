/** The search of the hex view: bytes, text and numbers in the space that is shown. */

import type { Context } from "./context";
import { fill, h } from "./dom";
import { hexOf, needles, SOUGHT, type Sought } from "./hexread";
import { Soon } from "./rest";
import { count, size } from "./text";
import { troubleOf } from "./trouble";
import type { Found } from "./wire/hexview";

/** A space up to this size is searched from its first byte. */
const WHOLE = 64 << 20;
const PATIENCE = 250;

/** What the search needs of the view. */
export interface Searched {
  readonly space: string;
  readonly size: number;
  readonly caret: number;
  /** Go to a match. */
  go(start: number): void;
  redraw(): void;
  /** What the byte belongs to, in words; "" if that is not known. */
  owner(start: number): Promise<string>;
  /** In a page without Python: the bytes that it has, by their first byte. */
  kept(): Promise<Map<number, Uint8Array>>;
}

export class HexFind {
  readonly el: HTMLElement;
  #ctx: Context;
  #view: Searched;
  #input: HTMLInputElement;
  #kind: HTMLSelectElement;
  #said = h("span", { class: "pqx-muted", role: "status" });
  #onwards: HTMLElement;
  #asked = "";
  /** The first byte that was searched; a search that went round the end goes on to it from the first byte. */
  #from = 0;
  #end = 0;
  #round = false;
  #starts: number[] = [];
  #lengths: number[] = [];
  #more = false;
  #at = -1;
  #timer = new Soon();
  #request: AbortController | null = null;

  constructor(ctx: Context, view: Searched) {
    this.#ctx = ctx;
    this.#view = view;
    this.#input = h("input", {
      class: "pqx-input",
      type: "search",
      "aria-label": "Search the bytes",
      placeholder: "50 41 52 31",
      spellcheck: "false",
      autocomplete: "off",
      oninput: () => {
        this.#timer.after(PATIENCE, () => void this.#step(1, this.#view.caret));
      },
      onkeydown: (event: KeyboardEvent) => this.#key(event),
    });
    this.#kind = h(
      "select",
      { class: "pqx-input", "aria-label": "What is searched for", onchange: () => this.#changed() },
      ...Object.entries(SOUGHT).map(([value, name]) => h("option", { value }, name)),
    );
    this.#onwards = button(
      "search on",
      "search on, in the bytes after those that were searched",
      () => void this.#searchOn(),
    );
    this.#onwards.hidden = true;
    this.el = h(
      "div",
      { class: "pqx-hex-find", role: "search", "aria-label": "In the bytes", hidden: true },
      this.#kind,
      this.#input,
      button("‹", "The match before", () => void this.#step(-1)),
      button("›", "The next match", () => void this.#step(1)),
      this.#said,
      this.#onwards,
      button("✕", "Close the search", () => this.close()),
    );
  }

  open(): void {
    this.el.hidden = false;
    this.#input.focus();
    this.#input.select();
  }

  /** Whether it was open. */
  close(): boolean {
    if (this.el.hidden) return false;
    this.el.hidden = true;
    this.#request?.abort();
    this.clear();
    return true;
  }

  /** Forget the matches: other bytes are shown. */
  clear(): void {
    this.#asked = "";
    this.#starts = [];
    this.#lengths = [];
    this.#at = -1;
    this.#onwards.hidden = true;
    fill(this.#said);
    this.#view.redraw();
  }

  /** Whether a byte is in a match: 2 in the present one, 1 in another, else 0. */
  marks(offset: number): 0 | 1 | 2 {
    if (!this.#starts.length) return 0;
    const inside = (i: number) => this.#starts[i] <= offset && offset < this.#starts[i] + this.#lengths[i];
    if (this.#at >= 0 && inside(this.#at)) return 2;
    const i = this.#before(offset + 1);
    return i >= 0 && inside(i) ? 1 : 0;
  }

  #changed(): void {
    this.#input.placeholder =
      this.#kind.value === "bytes" ? "50 41 52 31" : this.#kind.value === "text" ? "FR" : "1000";
    if (this.#input.value) void this.#step(1, this.#view.caret);
  }

  #key(event: KeyboardEvent): void {
    event.stopPropagation();
    if (event.key === "Enter") {
      event.preventDefault();
      this.#timer.drop();
      void this.#step(event.shiftKey ? -1 : 1);
    } else if (event.key === "Escape") {
      event.preventDefault();
      this.close();
    }
  }

  /** The last match that begins before `offset`; -1 if none does. */
  #before(offset: number): number {
    let low = 0;
    let high = this.#starts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#starts[middle] < offset) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /** To the next match, or the one before; round the end. `from` is the first byte of a new search's first match. */
  async #step(by: 1 | -1, from = this.#view.caret + by): Promise<void> {
    const kind = this.#kind.value as Sought;
    const asked = `${this.#view.space} ${kind} ${this.#input.value}`;
    if (asked !== this.#asked) {
      this.clear();
      if (!needles(kind, this.#input.value).length) {
        if (this.#input.value) this.#say(`this is no ${SOUGHT[kind]}`);
        return;
      }
      this.#asked = asked;
      this.#from = this.#view.size <= WHOLE ? 0 : this.#view.caret;
      this.#round = false;
      if (!(await this.#search(this.#from))) return;
      from = this.#view.caret;
    }
    if (
      by > 0 &&
      this.#more &&
      !this.#round &&
      this.#at === this.#starts.length - 1 &&
      !(await this.#search(this.#end))
    )
      return;
    const total = this.#starts.length;
    if (!total) return;
    const next = by > 0 ? this.#before(from) + 1 : this.#before(from + 1);
    this.#at = (next + total) % total;
    const start = this.#starts[this.#at];
    this.#view.go(start);
    const many = this.#more ? `${count(total)} or more` : count(total);
    const around = next < 0 || next >= total ? ", round the end" : "";
    this.#say(`${count(this.#at + 1)} of ${many}${this.#bound()}${around}`, false);
    const owner = await this.#view.owner(start);
    this.#ctx.announce(
      `match ${count(this.#at + 1)} of ${many}, byte ${count(start)}${owner && `, ${owner}`}${around}`,
    );
  }

  /** Search from a byte on, and add what is found. */
  async #search(start: number): Promise<boolean> {
    this.#request?.abort();
    const request = new AbortController();
    this.#request = request;
    const sought = needles(this.#kind.value as Sought, this.#input.value);
    const { space } = this.#view;
    this.#say("searching…", false);
    try {
      if (this.#ctx.query.saved) this.#add(await this.#searchKept(sought));
      else {
        const args = { needles: sought, start, space };
        this.#add((await this.#ctx.rpc.call<Found>("find", args, request.signal)).result);
      }
    } catch (error) {
      if (request.signal.aborted) return false;
      this.#asked = ""; // the next match is asked for anew
      this.#say(troubleOf(error).message);
      return false;
    }
    if (!this.#starts.length) this.#say(`no match${this.#bound() || " here"}`);
    this.#view.redraw();
    return true;
  }

  async #searchOn(): Promise<void> {
    const known = new Set(this.#starts);
    this.#round ||= this.#end >= this.#view.size;
    if (!(await this.#search(this.#round && this.#end >= this.#view.size ? 0 : this.#end))) return;
    const next = this.#starts.find((start) => !known.has(start));
    if (next !== undefined) await this.#step(1, next);
    else if (known.size) this.#say(`no further match${this.#bound()}`);
  }

  #add(found: Found): void {
    const before = (start: number) => !this.#round || start < this.#from;
    const fresh = found.starts
      .map((start, i) => [start, found.lengths[i]])
      .filter(([start]) => before(start));
    const all = [...this.#starts.map((start, i) => [start, this.#lengths[i]]), ...fresh];
    if (this.#round) all.sort(([a], [b]) => a - b);
    this.#starts = all.map(([start]) => start);
    this.#lengths = all.map(([, length]) => length);
    this.#more = found.more;
    this.#end = found.end;
    const whole = this.#round ? found.end >= this.#from : found.end >= found.size && this.#from === 0;
    this.#onwards.hidden = this.#ctx.query.saved || whole || (found.more && !this.#round);
  }

  /** What was searched, if that is not everything. */
  #bound(): string {
    if (this.#ctx.query.saved) return `, in the ${size(this.#end)} that this page has`;
    if (this.#more || (this.#from === 0 && this.#end >= this.#view.size)) return "";
    if (this.#from === 0) return `, in the first ${size(this.#end)}`;
    if (this.#round && this.#end >= this.#from) return "";
    if (this.#round) return `, from byte ${count(this.#from)} on and in the first ${size(this.#end)}`;
    return `, from byte ${count(this.#from)} on in ${size(this.#end - this.#from)}`;
  }

  /** A page without Python is searched in the bytes that it has. */
  async #searchKept(sought: string[]): Promise<Found> {
    const found: Found = { starts: [], lengths: [], end: 0, size: this.#view.size, more: false };
    const kept = await this.#view.kept();
    const longest = Math.max(...sought.map((needle) => needle.length / 2));
    for (const [base, data] of kept) {
      found.end += data.length;
      // a match may go on in the piece after this one
      const after = kept.get(base + data.length)?.subarray(0, longest - 1) ?? [];
      const hex = hexOf([...data, ...after]);
      const hits = new Map<number, number>();
      for (const needle of sought)
        for (let at = hex.indexOf(needle); at >= 0; at = hex.indexOf(needle, at + 1))
          if (at % 2 === 0 && at < 2 * data.length)
            hits.set(base + at / 2, Math.max(needle.length / 2, hits.get(base + at / 2) ?? 0));
      const ordered = [...hits].sort(([a], [b]) => a - b);
      found.starts.push(...ordered.map(([at]) => at));
      found.lengths.push(...ordered.map(([, length]) => length));
    }
    return found;
  }

  #say(text: string, announced = true): void {
    fill(this.#said, text);
    if (announced) this.#ctx.announce(text);
  }
}

function button(sign: string, label: string, click: () => void): HTMLElement {
  return h("button", { class: "pqx-button", "aria-label": label, title: label, onclick: click }, sign);
}
