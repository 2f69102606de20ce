/**
 * The words of the specification: where one stands in the interface, a card explains it. The card opens when the pointer
 * rests on the word, or by the key `?` where the keyboard is.
 */

import "./words.css";
import { fill, h, uniqueId } from "./dom";
import { Soon } from "./rest";
import type { Rpc } from "./rpc";
import type { Glossary } from "./wire/operations";
import type { TermBytes } from "./wire/places";
import type { Term } from "./wire/term";

const REST = 450;
/** Where words of the specification stand. Values and names of a file do not stand there. */
const PLACES = [
  ".pqx-fact-name, .pqx-tab[data-lens], .pqx-badge, .pqx-about > strong, .pqx-life-name > :first-child, dt, th",
  ".pqx-head > :not(.pqx-rows-lens *)", // which has the names of columns
  ":is(.pqx-legend, .pqx-keys, .pqx-bit-key, .pqx-anatomy-key, .pqx-encryption-legend) > li",
].join(", ");

export class Words {
  #root: HTMLElement;
  #rpc: Rpc;
  #card = h("div", { class: "pqx-word", role: "tooltip", id: uniqueId("word"), hidden: true });
  #terms: Promise<Map<string, Term>> | null = null;
  #timer = new Soon();
  #at: HTMLElement | null = null;
  #stops: (() => void)[] = [];

  constructor(root: HTMLElement, rpc: Rpc) {
    this.#root = root;
    this.#rpc = rpc;
    root.append(this.#card);
    const listen = (name: string, listener: (event: never) => void, first = false) => {
      root.addEventListener(name, listener as EventListener, first);
      this.#stops.push(() => root.removeEventListener(name, listener as EventListener, first));
    };
    listen("pointerover", (event: PointerEvent) => this.#over(event));
    listen("pointerleave", () => this.hide());
    listen("pointerdown", (event: PointerEvent) => {
      if (!this.#card.contains(event.target as Node)) this.hide();
    });
    listen("focusout", (event: FocusEvent) => {
      if (!this.#card.contains(event.relatedTarget as Node | null)) this.hide();
    });
    listen("keydown", (event: KeyboardEvent) => this.#key(event), true); // before Escape goes up one level
  }

  dispose(): void {
    this.#timer.drop();
    for (const stop of this.#stops) stop();
  }

  /** All terms, in their order. */
  async all(): Promise<Term[]> {
    return [...new Set((await this.#known()).values())];
  }

  /** Show the card of a term, below an element. */
  show(term: Term, at: HTMLElement): void {
    this.#at?.removeAttribute("aria-describedby");
    this.#at = at;
    const bytes = h("div", { class: "pqx-word-bytes" });
    fill(
      this.#card,
      h("strong", {}, term.name),
      h("p", {}, term.meaning),
      h("pre", { "aria-hidden": "true" }, ...lines(term.picture)),
      bytes,
      h(
        "a",
        { class: "pqx-link", href: term.link, target: "_blank", rel: "noopener noreferrer" },
        "specification",
      ),
    );
    at.setAttribute("aria-describedby", this.#card.id);
    this.#card.hidden = false;
    this.#place(at);
    if (PQX_PAGE) return; // no sample can be read
    this.#rpc.call<TermBytes>("term_bytes", { term: term.name }).then(
      ({ result }) => {
        if (!bytes.isConnected) return; // of a card before
        fill(bytes, ...bytesOf(result));
        this.#place(at);
      },
      () => {}, // the card is complete without
    );
  }

  /** Put the card below a word, or above it where there is more room. */
  #place(at: HTMLElement): void {
    const [room, word, card] = [this.#root, at, this.#card].map((el) => el.getBoundingClientRect());
    const left = Math.max(4, Math.min(word.left - room.left, room.width - card.width - 4));
    const below = word.bottom - room.top + 4;
    const top =
      below + card.height <= room.height ? below : Math.max(4, word.top - room.top - card.height - 4);
    this.#card.style.left = `${left}px`;
    this.#card.style.top = `${top}px`;
  }

  hide(): void {
    this.#timer.drop();
    this.#card.hidden = true;
    this.#at?.removeAttribute("aria-describedby");
    this.#at = null;
  }

  #over(event: PointerEvent): void {
    const target = event.target as Element;
    if (this.#card.contains(target)) {
      this.#timer.drop();
      return;
    }
    this.#timer.drop();
    const place = event.pointerType === "touch" ? null : target.closest<HTMLElement>(PLACES);
    if (place === this.#at && place) return;
    this.#timer.after(REST, () => void this.#open(place));
  }

  #key(event: KeyboardEvent): void {
    if (event.key === "Escape" && !this.#card.hidden) {
      this.hide();
      event.preventDefault();
      event.stopPropagation();
      return;
    }
    const target = event.target as HTMLElement;
    if (event.key !== "?" || target.matches("input, textarea, select")) return;
    const place = target.closest<HTMLElement>(PLACES) ?? target.querySelector<HTMLElement>(PLACES);
    if (!place) return;
    event.preventDefault();
    void this.#open(place);
  }

  async #open(place: HTMLElement | null): Promise<void> {
    if (!place) {
      this.hide();
      return;
    }
    const term = termOf(place.textContent ?? "", await this.#known());
    if (term && place.isConnected) this.show(term, place);
    else this.hide();
  }

  #known(): Promise<Map<string, Term>> {
    this.#terms ??= this.#rpc.call<Glossary>("glossary").then(
      ({ result }) => spellings(result.terms),
      () => new Map(),
    );
    return this.#terms;
  }
}

function lines(picture: string): HTMLElement[] {
  return picture.split("\n").map((line) => h("span", {}, line || " "));
}

/** The bytes of a term in a sample and what the engine reads there, or why it has none. */
function bytesOf(one: TermBytes): (HTMLElement | string)[] {
  if (one.why) return [one.why];
  const range = `[${one.start.toLocaleString("en")}, ${one.end.toLocaleString("en")})`;
  const more = one.end - one.start > one.hex.split(" ").length ? " …" : "";
  return [
    h("span", {}, `${one.sample}: ${one.address} ${range}`),
    h("code", {}, one.hex + more),
    h("span", {}, one.value),
  ];
}

function spelt(text: string): string {
  return text.replaceAll("_", " ").replace(/\s+/g, " ").trim().toLowerCase();
}

/** Names of the format's enumerations, such as MAP: "Map" is another word. */
const CAPITALS = /^[A-Z][A-Z0-9_]*$/;

/** The terms by every way to spell them. */
export function spellings(terms: Term[]): Map<string, Term> {
  const found = new Map<string, Term>();
  for (const term of terms)
    for (const spelling of [...term.also, term.name])
      found.set(CAPITALS.test(spelling) ? spelling : spelt(spelling), term);
  return found;
}

/** The term that a text is, or begins with: a legend says "P data pages 364 kB", where P is the letter of its swatch. */
export function termOf(text: string, terms: Map<string, Term>): Term | null {
  const words = text
    .replace(/^[^\p{L}]+/u, "")
    .trim()
    .split(/\s+/);
  const letter = words[0].length === 1 && words.length > 1;
  return begins(words, terms, letter ? 2 : 1) ?? (letter ? begins(words.slice(1), terms, 1) : null);
}

/** The term that the first words are, at most five and at least `least`. */
function begins(words: string[], terms: Map<string, Term>, least: number): Term | null {
  for (let n = Math.min(words.length, 5); n >= least; n--) {
    const head = words
      .slice(0, n)
      .join(" ")
      .replace(/[:,(].*$/, "");
    const term = terms.get(head) ?? terms.get(spelt(head)) ?? terms.get(spelt(head).replace(/s$/, ""));
    if (term) return term;
  }
  return null;
}
