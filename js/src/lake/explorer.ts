/** All files of a lake or of a Metadatastore; a mark leads to its file, which opens in the file explorer. */

import "./lake.css";
import type { Context, Detail, Payload } from "../context";
import { append, fill, h } from "../dom";
import { Explorer, type Model } from "../explorer";
import { Frame } from "../lenses/frame";
import type { Shown } from "../lenses/lens";
import { Query } from "../query";
import { Rpc } from "../rpc";
import { Signal } from "../signal";
import { stepTabs } from "../tabs";
import { troubleBox, troubleOf } from "../trouble";
import type { About } from "../wire/about";
import type { Conditions, LakeContext } from "./context";
import { FileModel } from "./file";
import { filterChips } from "./filters";
import { PANELS } from "./panels";

const PATIENCE = 400;

export class LakeExplorer {
  #model: Model;
  #rpc: Rpc;
  #el: HTMLElement;
  #root = h("div", { class: "pqx pqx-lake", role: "group", "aria-label": "Lake explorer" });
  #head = h("header", { class: "pqx-identity" });
  #chips = h("div", { class: "pqx-chips" });
  #tabs = h("div", { class: "pqx-tabs", role: "tablist", "aria-label": "Questions" });
  #panel = h("div", { class: "pqx-lake-panel", role: "tabpanel" });
  #live = h("div", { class: "pqx-hidden", role: "status", "aria-live": "polite" });
  #progress = h("div", { class: "pqx-progress", role: "status", hidden: true }, "asking…");
  #shown: Shown | null = null;
  #file: { explorer: Explorer; el: HTMLElement } | null = null;
  #request: AbortController | null = null;
  #typed = new Map<string, string>();
  /** The folder of all files, which is left out of their paths. */
  #base = "";
  #patience = 0;
  #stops: (() => void)[] = [];

  constructor(model: Model, el: HTMLElement) {
    this.#model = model;
    this.#el = el;
    this.#rpc = new Rpc(model);
    el.append(h("div", { class: "pqx-room" }, this.#root));
    this.#tabs.addEventListener("keydown", (event) => stepTabs(this.#tabs, event));
    append(this.#root, [this.#head, this.#chips, this.#tabs, this.#panel, this.#live, this.#progress]);
    this.#stops.push(this.#rpc.pending.on((n) => this.#busy(n)));
    const follow = (event: string, what: () => void) => {
      model.on(event, what);
      this.#stops.push(() => model.off(event, what));
    };
    follow("change:panel", () => void this.#show());
    follow("change:filters", () => void this.#show());
    follow("change:file", () => this.#openFile());
    void this.#begin();
  }

  dispose(): void {
    for (const stop of this.#stops) stop();
    this.#shown?.dispose();
    this.#file?.explorer.dispose();
    this.#rpc.dispose();
    clearTimeout(this.#patience);
    this.#root.parentElement?.remove();
  }

  async #begin(): Promise<void> {
    try {
      const { result } = await this.#rpc.call<About>("about");
      this.#base = result.root;
      fill(
        this.#head,
        h("span", { class: "pqx-name" }, result.name),
        h("div", { class: "pqx-counts" }, ...result.facts.map((fact) => h("span", {}, fact))),
      );
      fill(
        this.#tabs,
        ...result.panels.map(({ name, title }) =>
          h(
            "button",
            { class: "pqx-tab", role: "tab", "data-panel": name, onclick: () => this.#set({ panel: name }) },
            title,
          ),
        ),
      );
      await this.#show();
      if (this.#model.get("file")) this.#openFile();
    } catch (error) {
      fill(this.#panel, troubleBox({ select: () => {} } as unknown as Context, troubleOf(error)));
    }
  }

  #set(changed: Record<string, string>): void {
    for (const [name, value] of Object.entries(changed)) this.#model.set(name, value);
    this.#model.save_changes();
  }

  #conditions(): Conditions {
    return JSON.parse(this.#model.get("filters") || "{}") as Conditions;
  }

  #context(): LakeContext {
    const panel = this.#model.get("panel");
    const ctx = {
      rpc: this.#rpc,
      query: new Query(null),
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
      type: (text: string) => {
        this.#typed.set(panel, text);
        void this.#show();
      },
      where: this.#model.get("where") ?? "",
      ask: (where: string, engine: string) => {
        this.#set({ where, engine: engine || "format" });
        void this.#show();
      },
    };
    return ctx as unknown as LakeContext;
  }

  /** The present filters with some changed; null removes one. */
  #narrow(changed: Conditions): void {
    const next = { ...this.#conditions(), ...changed };
    for (const [name, value] of Object.entries(next)) if (value === null) delete next[name];
    this.#set({ filters: Object.keys(next).length ? JSON.stringify(next) : "" });
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
    return path.startsWith(this.#base) ? path.slice(this.#base.length) : path;
  }

  #openFile(): void {
    const path = this.#model.get("file");
    this.#file?.explorer.dispose();
    this.#file?.el.remove();
    this.#file = null;
    this.#root.hidden = Boolean(path);
    if (!path) {
      this.#tabs.querySelector<HTMLElement>("[aria-selected=true]")?.focus();
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
    this.#el.append(el);
    this.#file = { explorer: new Explorer(new FileModel(this.#model, path), el), el };
    back.focus();
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
    for (const tab of this.#tabs.querySelectorAll<HTMLElement>("[role=tab]")) {
      const on = tab.dataset.panel === panel;
      tab.setAttribute("aria-selected", String(on));
      tab.tabIndex = on ? 0 : -1;
    }
    const ctx = this.#context();
    fill(this.#chips, ...filterChips(ctx));
    try {
      const args = { panel, ...(filters && { filters }), ...(typed && { typed }) };
      const { result } = await this.#rpc.call<Payload>("panel", args, request.signal);
      this.#mount(ctx, panel, filters, typed, result);
      ctx.announce(result.answer ?? "");
      this.#root.dataset.shown = `${panel} ${filters}`.trim();
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

  #mount(ctx: LakeContext, panel: string, filters: string, typed: string, payload: Payload): void {
    this.#shown?.dispose();
    this.#panel.replaceChildren();
    delete this.#panel.dataset.stale;
    const detail = { address: filters, lens: panel, payload } as unknown as Detail;
    this.#shown = new Frame(this.#panel, ctx, detail, PANELS[panel], typed);
    this.#panel.dataset.panel = panel;
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
        this.#mount(ctx, panel, filters, "", result);
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
}
