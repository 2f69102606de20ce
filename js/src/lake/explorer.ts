/** All files of a lake or of a Metadatastore; a mark leads to its file, which opens in the file explorer. */

import "./lake.css";
import type { Context, Detail, Payload } from "../context";
import { fill, h, uniqueId } from "../dom";
import { Explorer } from "../explorer";
import { Headline } from "../headline";
import type { Model } from "../host";
import { headerBar } from "../identity";
import { Frame } from "../lenses/frame";
import type { Shown } from "../lenses/lens";
import { lostBar } from "../lost";
import { showMore } from "../more";
import { Query } from "../query";
import { stateRest } from "../rest";
import { Rpc } from "../rpc";
import { Screen } from "../screen";
import { Signal } from "../signal";
import { revealTab, stepTabs } from "../tabs";
import { troubleBox, troubleOf } from "../trouble";
import type { About } from "../wire/header";
import { Words } from "../words";
import type { Conditions, LakeContext } from "./context";
import { FileModel } from "./file";
import { filterChips } from "./filters";
import { PANELS } from "./panels";
import { Ways } from "./ways";

const PATIENCE = 400;
/** Characters by which a sentence is the same as that of a card, which may go on in another way. */
const CARDED = 40;

/** Requests for more rows of a panel's table say what was typed in the panel. */
class Typed extends Query {
  #text: string;

  constructor(text: string) {
    super(null);
    this.#text = text;
  }

  override args(): Record<string, string> {
    return this.#text ? { typed: this.#text } : {};
  }
}

export class LakeExplorer {
  #model: Model;
  #rpc: Rpc;
  #el: HTMLElement;
  #root: HTMLElement;
  #screen: Screen;
  #headline: Headline | null = null;
  #id = uniqueId("panel");
  #chips = h("div", { class: "pqx-chips" });
  #tabs = h("div", { class: "pqx-tabs", role: "tablist", "aria-label": "Questions" });
  #panel = h("div", { class: "pqx-panel pqx-lake-panel", role: "tabpanel", id: this.#id });
  #live = h("div", { class: "pqx-hidden", role: "status", "aria-live": "polite" });
  #progress = h("div", { class: "pqx-progress", role: "status", hidden: true }, "asking…");
  #shown: Shown | null = null;
  #file: { explorer: Explorer; el: HTMLElement } | null = null;
  #request: AbortController | null = null;
  #typed = new Map<string, string>();
  #about: About | null = null;
  #ways: Ways | null = null;
  /** Why a panel has nothing to show, by its name; and the filters for which that is known. */
  #empty: Record<string, string> = {};
  #emptyOf: string | null = null;
  /** What had the focus when a file was opened. */
  #opener: HTMLElement | null = null;
  #patience = 0;
  #stops: (() => void)[] = [];

  constructor(model: Model, el: HTMLElement) {
    this.#model = model;
    this.#el = el;
    this.#rpc = new Rpc(model);
    this.#root = h("div", {
      class: "pqx pqx-lake pqx-stage-room",
      role: "group",
      "aria-label": "Lake explorer",
      onkeydown: (event: KeyboardEvent) => this.#key(event),
    });
    el.append(h("div", { class: "pqx-room" }, this.#root));
    this.#screen = new Screen(this.#root);
    const lost = lostBar(this.#rpc, new Query(null), model.silent);
    this.#root.append(this.#progress, this.#live, lost.el);
    this.#tabs.addEventListener("keydown", (event) => stepTabs(this.#tabs, event));
    this.#stops.push(
      stateRest(this.#root),
      lost.dispose,
      () => this.#screen.dispose(),
      this.#rpc.pending.on((n) => this.#busy(n)),
      showMore(this.#tabs),
      showMore(this.#panel),
    );
    const follow = (event: string, what: () => void) => {
      model.on(event, what);
      this.#stops.push(() => model.off(event, what));
    };
    follow("change:panel", () => void this.#show());
    follow("change:filters", () => void this.#show());
    follow("change:file", () => this.#openFile());
    for (const event of ["change:panel", "change:filters", "change:file"])
      follow(event, () => this.#ways?.moved());
    void this.#begin();
  }

  dispose(): void {
    for (const stop of this.#stops) stop();
    this.#shown?.dispose();
    this.#file?.explorer.dispose();
    this.#file?.el.remove();
    this.#rpc.dispose();
    clearTimeout(this.#patience);
    this.#root.parentElement?.remove();
  }

  async #begin(): Promise<void> {
    try {
      const { result } = await this.#rpc.call<About>("about");
      this.#build(result);
      await this.#show();
      if (this.#model.get("file")) this.#openFile();
    } catch (error) {
      const ctx = { select: () => {} } as unknown as Context;
      this.#root.append(troubleBox(ctx, troubleOf(error)));
    }
  }

  #build(about: About): void {
    this.#about = about;
    fill(
      this.#tabs,
      ...about.panels.map(({ name }) =>
        h("button", {
          class: "pqx-tab",
          role: "tab",
          "aria-controls": this.#id,
          "data-panel": name,
          onclick: () => this.#set({ panel: name }),
        }),
      ),
    );
    this.#mark();
    const [first] = about.panels;
    const open = () => this.#set({ panel: first.name });
    this.#headline = new Headline(this.#rpc, first.title, open, () => this.#once());
    const tools = h("div", { class: "pqx-tools", role: "toolbar", "aria-label": "View" });
    const name = h("strong", { class: "pqx-name", title: about.source }, about.name);
    const facts = about.facts.map((fact) => h("span", {}, fact));
    const header = headerBar(name, facts, tools, this.#headline.el, null);
    const main = h(
      "section",
      { class: "pqx-questions", "aria-label": "Answers" },
      this.#chips,
      this.#tabs,
      this.#panel,
    );
    this.#screen.begin(tools, header, main);
    void this.#headline.ask();
    const explained = new Words(this.#root, this.#rpc);
    const room = { root: this.#root, tools, panel: this.#panel };
    const ways = new Ways(this.#context(""), this.#model, about.panels, room, (changed) =>
      this.#set(changed),
    );
    this.#ways = ways;
    this.#stops.push(
      () => explained.dispose(),
      () => ways.dispose(),
    );
  }

  #set(changed: Record<string, string>): void {
    for (const [name, value] of Object.entries(changed)) this.#model.set(name, value);
    this.#model.save_changes();
  }

  #conditions(): Conditions {
    return JSON.parse(this.#model.get("filters") || "{}") as Conditions;
  }

  /** The context of the present panel, in which `typed` was typed. */
  #context(typed: string): LakeContext {
    const panel = this.#model.get("panel");
    const ctx = {
      rpc: this.#rpc,
      query: new Typed(typed),
      identity: { column_names: [] },
      select: (address: string) => this.#go(address),
      prefer: () => {},
      insist: () => {},
      hot: new Signal(),
      announce: (text: string) => fill(this.#live, text),
      conditions: this.#conditions(),
      filters: this.#model.get("filters") ?? "",
      relative: (path: string) => this.#relative(path),
      narrow: (changed: Conditions) => this.#narrow(changed),
      show: (next: string, changed: Conditions) => this.#narrow(changed, next),
      type: (text: string) => {
        this.#typed.set(panel, text);
        return this.#show();
      },
      where: this.#model.get("where") ?? "",
      ask: (where: string, engine: string) => {
        this.#set({ where, engine: engine || "format", panel: "query" });
        void this.#show();
      },
    };
    return ctx as unknown as LakeContext;
  }

  /** A panel with the present filters, some of them changed; null removes one. */
  #narrow(changed: Conditions, panel = this.#model.get("panel")): void {
    const next = { ...this.#conditions(), ...changed };
    for (const [name, value] of Object.entries(next)) if (value === null) delete next[name];
    this.#set({ panel, filters: Object.keys(next).length ? JSON.stringify(next) : "" });
  }

  /** A row leads to a file (`PATH#ADDRESS`), to a column's ranges, or to the facts of an object. */
  #go(address: string): void {
    if (address.startsWith("column:")) {
      this.#root.dispatchEvent(new CustomEvent("pqx-column", { detail: address.slice(7) }));
      return;
    }
    if (address.startsWith("object:")) {
      const [path] = address.slice(7).split("#");
      this.#set({ selection: "", file: path });
      return;
    }
    const at = address.indexOf("#");
    const [path, inside] = at < 0 ? [address, ""] : [address.slice(0, at), address.slice(at + 1)];
    const view = this.#model.get("panel") === "query" ? "query" : "";
    this.#set({ view, selection: inside, file: path });
  }

  #relative(path: string): string {
    const base = this.#about?.root ?? "";
    return path.startsWith(base) ? path.slice(base.length) : path;
  }

  #openFile(): void {
    const path = this.#model.get("file");
    this.#file?.explorer.dispose();
    this.#file?.el.remove();
    this.#file = null;
    if (path && !this.#root.hidden) this.#opener = this.#focused();
    this.#screen.leaveFull();
    this.#root.hidden = Boolean(path);
    if (!path) {
      const tab = this.#tabs.querySelector<HTMLElement>("[aria-selected=true]");
      (this.#opener?.isConnected ? this.#opener : tab)?.focus();
      return;
    }
    const back = h(
      "button",
      { class: "pqx-button", onclick: () => this.#set({ file: "", selection: "" }) },
      "← all files",
    );
    const el = h(
      "div",
      { class: "pqx-of-lake" },
      h("div", { class: "pqx pqx-back" }, back, h("code", { title: path }, this.#relative(path))),
    );
    this.#ways?.leaveBy(el);
    this.#el.append(el);
    this.#file = { explorer: new Explorer(new FileModel(this.#model, path), el), el };
    back.focus();
  }

  /** What has the focus in the panel; null if that is elsewhere. */
  #focused(): HTMLElement | null {
    return this.#panel.querySelector<HTMLElement>(":focus");
  }

  /** What the panel `query` is asked: it is kept with the notebook, unlike what is typed in other panels. */
  #asked(panel: string): string {
    const where = this.#model.get("where");
    return panel === "query" && where ? `${this.#model.get("engine")}:${where}` : "";
  }

  async #show(): Promise<void> {
    const panel = this.#model.get("panel");
    const filters = this.#model.get("filters") ?? "";
    const typed = this.#typed.get(panel) ?? this.#asked(panel);
    this.#request?.abort();
    const request = new AbortController();
    this.#request = request;
    if (filters !== this.#emptyOf) this.#empty = {};
    this.#mark();
    const ctx = this.#context(typed);
    fill(this.#chips, ...filterChips(ctx));
    try {
      const args = { panel, ...(filters && { filters }), ...(typed && { typed }) };
      const { result } = await this.#rpc.call<Payload>("panel", args, request.signal);
      this.#mount(ctx, panel, filters, result);
      ctx.announce(result.answer ?? "");
      this.#root.dataset.shown = `${panel} ${filters}`.trim();
      if (panel === "doctor" && typed) void this.#headline?.ask(); // more is known now
      void this.#marks(filters);
    } catch (error) {
      if (request.signal.aborted) return;
      if (typed && (await this.#keepField(ctx, panel, filters, error, request.signal))) return;
      if (request.signal.aborted) return;
      this.#shown?.dispose();
      this.#shown = null;
      delete this.#panel.dataset.stale;
      fill(
        this.#panel,
        troubleBox(ctx, troubleOf(error), () => void this.#show()),
      );
      this.#root.dataset.shown = `${panel} failed`;
    }
  }

  #mount(ctx: LakeContext, panel: string, filters: string, payload: Payload): void {
    const focused = this.#focused();
    const label = focused?.getAttribute("aria-label");
    this.#shown?.dispose();
    this.#panel.replaceChildren();
    if (this.#panel.dataset.panel !== panel) this.#panel.scrollTop = 0;
    delete this.#panel.dataset.stale;
    const detail = { address: filters, lens: panel, payload } as unknown as Detail;
    this.#shown = new Frame(this.#panel, ctx, detail, PANELS[panel]);
    this.#panel.dataset.panel = panel;
    this.#once();
    this.#ways?.shown();
    if (!focused) return;
    const same = label && this.#panel.querySelector<HTMLElement>(`[aria-label="${CSS.escape(label)}"]`);
    // what had the focus is gone: the keys go on from the tab
    (same || this.#tabs.querySelector<HTMLElement>("[aria-selected=true]"))?.focus({ preventScroll: !same });
  }

  /** Ask which panels have nothing to show. */
  async #marks(filters: string): Promise<void> {
    if (filters === this.#emptyOf) return;
    try {
      const { result } = await this.#rpc.call<Record<string, string>>("empty", { filters });
      if (filters !== (this.#model.get("filters") ?? "")) return;
      this.#emptyOf = filters;
      this.#empty = result;
      this.#mark();
    } catch {
      // no tab is muted
    }
  }

  /** Which tab is chosen; one whose panel has nothing to show is muted and says why. */
  #mark(): void {
    const panel = this.#model.get("panel");
    for (const [i, tab] of [...this.#tabs.children].entries()) {
      const { name, title } = (this.#about as About).panels[i];
      const why = this.#empty[name] ?? "";
      tab.setAttribute("aria-selected", String(name === panel));
      (tab as HTMLElement).tabIndex = name === panel ? 0 : -1;
      tab.classList.toggle("pqx-tab-empty", Boolean(why));
      if (why) tab.setAttribute("title", why);
      else tab.removeAttribute("title");
      fill(tab, title, why && h("span", { class: "pqx-hidden" }, ", empty"));
      if (name === panel) this.#panel.setAttribute("aria-label", title);
    }
    revealTab(this.#tabs);
  }

  /** A sentence that stands below the name already, or on the first card, is not shown again. */
  #once(): void {
    const said = this.#headline?.sentence;
    const worst = this.#panel.querySelector(":is(.pqx-diagnosis, .pqx-todo) > ol .pqx-card p")?.textContent;
    for (const p of this.#panel.querySelectorAll(".pqx-answer > p")) {
      const text = p.textContent ?? "";
      const carded = worst && text.slice(0, CARDED) === worst.slice(0, CARDED);
      p.classList.toggle("pqx-hidden", Boolean(said) && (text === said || Boolean(carded)));
    }
  }

  /** What was typed cannot be asked: say so above its field, so that it can be corrected. False if there is no field. */
  async #keepField(
    ctx: LakeContext,
    panel: string,
    filters: string,
    error: unknown,
    signal: AbortSignal,
  ): Promise<boolean> {
    if (this.#panel.dataset.panel !== panel || !this.#shown) {
      try {
        const args = { panel, ...(filters && { filters }) };
        const { result } = await this.#rpc.call<Payload>("panel", args, signal);
        this.#mount(this.#context(""), panel, filters, result);
      } catch {
        return false;
      }
    }
    this.#panel.querySelector(".pqx-typed-trouble")?.remove();
    const box = troubleBox(ctx, troubleOf(error));
    box.classList.add("pqx-typed-trouble");
    this.#panel.prepend(box);
    this.#panel.dataset.stale = "true";
    ctx.announce((error as Error).message);
    this.#root.dataset.shown = `${panel} failed`;
    return true;
  }

  #busy(pending: number): void {
    clearTimeout(this.#patience);
    this.#progress.hidden = true;
    if (pending)
      this.#patience = window.setTimeout(() => {
        this.#progress.hidden = false;
      }, PATIENCE);
  }

  /** Escape leaves full screen. */
  #key(event: KeyboardEvent): void {
    if (event.key !== "Escape" || !this.#screen.leaveFull()) return;
    event.preventDefault();
    event.stopPropagation();
  }
}
