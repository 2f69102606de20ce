/** The selected node, shown by one of its lenses. Each tab is the question that its lens answers. */

import type { Context, Detail } from "./context";
import { fill, focusBeside, h, uniqueId } from "./dom";
import { Frame } from "./lenses/frame";
import type { Shown } from "./lenses/lens";
import { Menu } from "./menu";
import { showMore } from "./more";
import { stepTabs } from "./tabs";
import { troubleBox, troubleOf } from "./trouble";
import type { Tab } from "./wire/tree";

export class DetailPane {
  readonly el: HTMLElement;
  #ctx: Context;
  #tabs = h("div", { class: "pqx-tabs", role: "tablist", "aria-label": "Lenses" });
  #more = new Menu("More questions");
  #door: HTMLElement;
  #panel: HTMLElement;
  #shown: Shown | null = null;
  #lens = "";
  /** The tabs of the node, in their order, and the width of each. */
  #all: { tab: Tab; el: HTMLElement; width: number }[] = [];
  #id = uniqueId("lens");
  #stops: (() => void)[];

  constructor(ctx: Context) {
    this.#ctx = ctx;
    this.#panel = h("div", { class: "pqx-panel", role: "tabpanel", id: this.#id });
    this.#tabs.addEventListener("keydown", (event) => stepTabs(this.#tabs, event));
    this.#door = this.#more.button({ class: "pqx-plain pqx-more-tabs" }, () => {}, "more ▾");
    this.el = h(
      "section",
      { class: "pqx-detail", "aria-label": "Detail" },
      h("div", { class: "pqx-tab-bar" }, this.#tabs, this.#door, this.#more.el),
      this.#panel,
    );
    const resized = new ResizeObserver(() => this.#fit());
    resized.observe(this.#door.parentElement as HTMLElement);
    this.#stops = [showMore(this.#panel), () => resized.disconnect()];
  }

  show(detail: Detail): void {
    this.#lenses(detail);
    const tab = detail.lenses.find((one) => one.name === detail.lens);
    this.#panel.setAttribute("aria-label", tab ? `${asked(tab)} ${tab.title}` : "Detail");
    if (
      !detail.trouble &&
      detail.lens === this.#lens &&
      this.#shown?.follow?.(detail, detail.payload as never)
    )
      return;
    this.#shown?.dispose();
    this.#shown = null;
    this.#panel.replaceChildren();
    this.#panel.scrollTop = 0;
    this.#lens = detail.lens;
    if (detail.trouble) {
      this.#panel.append(troubleBox(this.#ctx, detail.trouble));
      return;
    }
    this.#shown = new Frame(this.#panel, this.#ctx, detail);
  }

  /** The node itself could not be read. */
  fail(error: unknown, again: () => void): void {
    this.#shown?.dispose();
    this.#shown = null;
    this.#all = [];
    this.#fit();
    fill(this.#panel, troubleBox(this.#ctx, troubleOf(error), again));
  }

  busy(on: boolean): void {
    this.el.setAttribute("aria-busy", String(on));
  }

  dispose(): void {
    for (const stop of this.#stops) stop();
    this.#shown?.dispose();
  }

  /** The tabs of a node. Those of another node with the same lenses stay, so that they keep the focus. */
  #lenses({ lenses, lens }: Detail): void {
    const key = (tabs: Tab[]) => tabs.map(({ name, empty }) => `${name} ${empty}`).join("\n");
    const other = key(lenses) !== key(this.#all.map(({ tab }) => tab));
    if (other) {
      this.#all = lenses.map((tab) => ({ tab, el: this.#tab(tab), width: 0 }));
      fill(this.#tabs, ...this.#all.map(({ el }) => el));
    }
    for (const { tab, el } of this.#all) {
      el.setAttribute("aria-selected", String(tab.name === lens));
      el.tabIndex = tab.name === lens ? 0 : -1;
    }
    this.#fit();
  }

  /** Show the tabs that fit; the chosen one is among them. The others, and those without anything to show, are in a menu. */
  #fit(): void {
    const bar = this.#door.parentElement as HTMLElement;
    const room = bar.clientWidth;
    if (!room) return;
    for (const one of this.#all) one.width ||= one.el.offsetWidth;
    const isChosen = (el: HTMLElement) => el.getAttribute("aria-selected") === "true";
    const chosen = this.#all.find(({ el }) => isChosen(el));
    const wanted = this.#all.filter(({ tab, el }) => !tab.empty || isChosen(el));
    const whole = wanted.reduce((sum, { width }) => sum + width, 0);
    this.#door.hidden = wanted.length === this.#all.length && whole <= room;
    let left = room - (chosen?.width ?? 0) - (this.#door.hidden ? 0 : this.#door.offsetWidth);
    let cut = false;
    const shown = wanted.filter((one) => {
      if (one === chosen) return true;
      cut ||= one.width > left; // the order stays: none comes before one that does not fit
      if (!cut) left -= one.width;
      return !cut;
    });
    const place = (room: HTMLElement, tabs: HTMLElement[], role: string | null) => {
      for (const el of tabs) {
        if (role) el.setAttribute("role", role);
        else for (const name of ["role", "aria-selected"]) el.removeAttribute(name);
        el.setAttribute("aria-controls", this.#id);
      }
      if (tabs.length === room.children.length && tabs.every((el, i) => room.children[i] === el)) return;
      const focused = focusBeside(this.el);
      fill(room, ...tabs);
      if (focused && tabs.includes(focused)) focused.focus({ preventScroll: true });
    };
    const others = this.#all.filter((one) => !shown.includes(one));
    place(
      this.#tabs,
      shown.map(({ el }) => el),
      "tab",
    );
    place(
      this.#more.el,
      others.map(({ el }) => el),
      null,
    );
  }

  /** A tab whose lens has nothing to show of the node is muted and says why; it can be opened all the same. */
  #tab(tab: Tab): HTMLElement {
    const { name, title, empty } = tab;
    return h(
      "button",
      {
        class: `pqx-tab${empty ? " pqx-tab-empty" : ""}`,
        title: empty || null,
        "data-lens": name,
        onclick: () => {
          this.#more.close();
          this.#ctx.prefer(name);
        },
      },
      h("span", { class: "pqx-asks" }, asked(tab)),
      h("small", {}, title),
      empty && h("span", { class: "pqx-hidden" }, ", empty"),
    );
  }
}

/** The question of a lens, as a sentence. */
function asked({ question }: Tab): string {
  return question.slice(0, 1).toUpperCase() + question.slice(1);
}
