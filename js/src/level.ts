/**
 * The list of a level of the breadcrumb: the node there and its siblings. Only visible rows exist as elements; a field
 * filters where there are many.
 */

import { chip } from "./chip";
import type { Brief, Context } from "./context";
import { h, uniqueId } from "./dom";
import { flagSign } from "./flags";
import { Menu } from "./menu";
import { nodeName } from "./pathname";
import { count, size } from "./text";
import { VirtualRows } from "./virtual";
import type { Children } from "./wire/tree";

const ROW = 24;
/** From this many on, there is a field that filters. */
const MANY = 12;
/** The first of more: a person who seeks one of them has the palette. */
const MOST = 2_000;
const TALLEST = 12 * ROW;

export class Level {
  readonly menu: Menu;
  #ctx: Context;
  #parent = "";
  #here = "";
  #items: Brief[] = [];
  #total = 0;
  #shown: Brief[] = [];
  #active = 0;
  #id = uniqueId("level");
  #list: VirtualRows | null = null;
  #field: HTMLInputElement | null = null;
  #note = h("div", { class: "pqx-level-note" });

  constructor(ctx: Context) {
    this.#ctx = ctx;
    this.menu = new Menu("Places of this level", () => void this.#open());
  }

  /** The button of a level: `here` is the node of the path, `parent` the address of the one before it. */
  button(parent: string, here: { address: string; label: string }): HTMLButtonElement {
    const before = () => {
      this.#parent = parent;
      this.#here = here.address;
      this.#list?.dispose();
      this.#list = null;
      this.menu.fill(h("div", { class: "pqx-level-note" }, "…"));
    };
    const label = `Other places beside ${here.label}`;
    return this.menu.button(
      { class: "pqx-button pqx-beside", "aria-label": label, title: label, "aria-haspopup": "listbox" },
      before,
      "▾",
    );
  }

  async #open(): Promise<void> {
    const parent = this.#parent;
    const items: Brief[] = [];
    try {
      do {
        const args = { address: parent, start: items.length };
        const { result } = await this.#ctx.rpc.call<Children>("children", args);
        items.push(...result.items);
        this.#total = result.total;
        if (!result.items.length) break;
      } while (items.length < Math.min(MOST, this.#total));
    } catch (error) {
      if (!items.length)
        return this.menu.fill(h("div", { class: "pqx-level-note" }, (error as Error).message));
    }
    if (parent !== this.#parent) return;
    this.#items = items;
    this.#build();
  }

  #build(): void {
    const scroller = h("div", {
      class: "pqx-level",
      role: "listbox",
      id: this.#id,
      "aria-label": "Places",
      tabindex: 0,
      onclick: (event: MouseEvent) => this.#click(event),
    });
    const many = this.#items.length > MANY;
    this.#field = many
      ? h("input", {
          class: "pqx-input",
          role: "combobox",
          "aria-label": "Filter",
          "aria-expanded": "true",
          "aria-controls": this.#id,
          placeholder: "filter",
          oninput: () => this.#filter(),
        })
      : null;
    const room = h(
      "div",
      { onkeydown: (event: KeyboardEvent) => this.#key(event) },
      this.#field,
      scroller,
      this.#note,
    );
    this.menu.fill(room);
    this.#list = new VirtualRows(scroller, { rowHeight: ROW, count: 0, row: (index) => this.#row(index) });
    this.#filter();
    this.menu.place();
    (this.#field ?? scroller).focus({ preventScroll: true });
  }

  #filter(): void {
    const sought = this.#field?.value.toLowerCase() ?? "";
    this.#shown = this.#items.filter(({ label }) => label.toLowerCase().includes(sought));
    const at = this.#shown.findIndex(
      ({ address, kind }) =>
        address === this.#here || (kind === "group" && this.#here.startsWith(`${address}/`)),
    );
    const list = this.#list as VirtualRows;
    list.scroller.style.height = `${Math.min(TALLEST, Math.max(1, this.#shown.length) * ROW)}px`;
    list.resize(this.#shown.length);
    const cut =
      this.#total > this.#items.length && `the first ${count(this.#items.length)} of ${count(this.#total)}`;
    this.#note.hidden = !cut && this.#shown.length > 0;
    this.#note.textContent = this.#shown.length
      ? cut || ""
      : `nothing of that name${cut ? ` among ${cut}` : ""}`;
    this.#go(Math.max(0, at));
  }

  #row(index: number): HTMLElement {
    const brief = this.#shown[index];
    return h(
      "div",
      {
        class: `pqx-node${index === this.#active ? " pqx-active" : ""}`,
        role: "option",
        id: `${this.#id}-${index}`,
        "aria-selected": String(brief.address === this.#here),
        "aria-posinset": index + 1,
        "aria-setsize": this.#shown.length,
        title: brief.reason || brief.label,
        "data-row": index,
      },
      chip(brief),
      nodeName(brief),
      flagSign(brief.flag),
      brief.span && h("span", { class: "pqx-muted pqx-size" }, size(brief.span.end - brief.span.start)),
    );
  }

  #go(index: number): void {
    this.#active = Math.max(0, Math.min(this.#shown.length - 1, index));
    this.#list?.refresh();
    this.#list?.reveal(this.#active);
    const at = this.#field ?? this.#list?.scroller;
    at?.setAttribute("aria-activedescendant", `${this.#id}-${this.#active}`);
  }

  #choose(index: number): void {
    const brief = this.#shown[index];
    if (!brief) return;
    this.menu.close();
    this.#ctx.select(brief.address);
  }

  #click(event: MouseEvent): void {
    const row = (event.target as Element).closest<HTMLElement>("[data-row]");
    if (row) this.#choose(Number(row.dataset.row));
  }

  #key(event: KeyboardEvent): void {
    const page = this.#list?.visible ?? 1;
    const typing = event.target === this.#field;
    const steps: Record<string, number> = {
      ArrowDown: this.#active + 1,
      ArrowUp: this.#active - 1,
      PageDown: this.#active + page,
      PageUp: this.#active - page,
      ...(!typing && { Home: 0, End: this.#shown.length - 1 }),
    };
    if (event.key in steps) this.#go(steps[event.key]);
    else if (event.key === "Enter") this.#choose(this.#active);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
