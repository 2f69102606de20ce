/** The choice of what the map is coloured by: its menu, Python's answer, and what was chosen last. */

import { ASKED, CHOICES, type Colouring, colouringFrom, colouringOf } from "./colouring";
import type { Context } from "./context";
import { fill, h } from "./dom";
import type { Layout } from "./layout";
import type { Reply } from "./rpc";
import type { MapColours } from "./wire/map_colours";

const KEPT = "pqx-map-by";
/** Choices that the next explorer does not begin with: they need a condition, or read the file. */
const ONCE = new Set(["skipped", "entropy"]);

export class ColourBy {
  readonly el: HTMLElement;
  #select: HTMLSelectElement;
  #note = h("span", { class: "pqx-muted pqx-by-note" });
  #ctx: Context;
  #changed: () => void;
  #layout: Layout | null = null;
  /** The layout of column chunks, which a saved page has colours for. */
  #coarse: Layout | null = null;
  #colouring: Colouring | null = null;
  #by = recalled();
  #answer: { reply: Reply<MapColours>; about: Layout } | null = null;
  #request: AbortController | null = null;
  /** Why the colours that were chosen last are not shown. */
  #failure = "";

  /** `changed` is called when the map has to be drawn in other colours. */
  constructor(ctx: Context, changed: () => void) {
    this.#ctx = ctx;
    this.#changed = changed;
    this.#select = h(
      "select",
      {
        class: "pqx-input pqx-by",
        "aria-label": "Colour the map by",
        onchange: () => this.#choose(this.#select.value),
      },
      ...Object.entries(CHOICES).map(([value, text]) => h("option", { value }, text)),
    );
    this.#select.value = this.#by;
    this.el = h(
      "span",
      { class: "pqx-by-room" },
      h("span", { "aria-hidden": "true" }, "colour by "),
      this.#select,
      this.#note,
    );
  }

  /** What the present colours say in words. */
  get title(): string {
    return CHOICES[this.#colouring?.by ?? "kind"];
  }

  /** Colour another layout. */
  show(layout: Layout): void {
    this.#layout = layout;
    if (layout.level === "chunks") this.#coarse = layout;
    if (ASKED.has(this.#by)) void this.#ask(layout);
    else this.#answer = null;
    this.renew();
  }

  /** Colour again, after the condition changed. */
  renew(): void {
    this.#colouring = null;
  }

  dispose(): void {
    this.#request?.abort();
  }

  /** The colours of the present layout; by kind as long as Python has not answered. */
  get colouring(): Colouring {
    const layout = this.#layout as Layout;
    if (this.#colouring) return this.#colouring;
    const answer = this.#answer;
    if (answer) this.#colouring = colouringFrom(answer.reply, answer.about, layout);
    else {
      const by = ASKED.has(this.#by) ? "kind" : this.#by;
      const { identity, query } = this.#ctx;
      this.#colouring = colouringOf(by, layout, identity.column_names, query.skips);
    }
    fill(this.#note, this.#request ? "reading…" : this.#failure || this.#colouring.note);
    this.#note.title = this.#note.textContent ?? "";
    return this.#colouring;
  }

  #choose(by: string): void {
    this.#by = by;
    this.#request?.abort();
    this.#request = null;
    this.#answer = null;
    this.#failure = "";
    if (!ONCE.has(by)) remember(by);
    if (this.#layout && ASKED.has(by)) void this.#ask(this.#layout);
    this.renew();
    this.#changed();
  }

  async #ask(layout: Layout): Promise<void> {
    this.#request?.abort();
    const request = new AbortController();
    this.#request = request;
    const by = this.#by;
    try {
      for (const about of new Set([layout, this.#coarse ?? layout])) {
        try {
          const args = { by, level: about.level };
          const reply = await this.#ctx.rpc.call<MapColours>("map_colours", args, request.signal);
          this.#answer = { reply, about };
          break;
        } catch (error) {
          // a saved page may have the answer about the column chunks alone
          if (request.signal.aborted || about.level === "chunks") throw error;
        }
      }
    } catch (error) {
      if (request.signal.aborted) return;
      this.#by = "kind";
      this.#select.value = "kind";
      this.#ctx.announce(`The map stays coloured by kind: ${(error as Error).message}`);
      this.#request = null;
      this.#failure = (error as Error).message;
      this.renew();
      this.#changed();
      return;
    }
    this.#request = null;
    this.renew();
    this.#changed();
    this.#ctx.announce(`The map is coloured by ${this.title}.`);
  }
}

function recalled(): string {
  try {
    const by = localStorage.getItem(KEPT) ?? "";
    return by in CHOICES && !ONCE.has(by) ? by : "kind";
  } catch {
    return "kind"; // a page without storage
  }
}

function remember(by: string): void {
  try {
    localStorage.setItem(KEPT, by);
  } catch {
    // a page without storage
  }
}
