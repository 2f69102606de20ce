/** One view of one file: its parts, and the selection that they share. */

import { Breadcrumb } from "./breadcrumb";
import { ByteMap } from "./bytemap";
import type { Brief, Context, Detail, Identity } from "./context";
import { DetailPane } from "./detail";
import { fill, h } from "./dom";
import { flagText } from "./flags";
import { Headline } from "./headline";
import { HexView } from "./hexview";
import type { Model } from "./host";
import { ICONS, icon } from "./icons";
import { featureList, identityBar } from "./identity";
import { Layout, type LayoutReply } from "./layout";
import { Look } from "./look";
import { lostBar } from "./lost";
import { Menu } from "./menu";
import { Commands } from "./nav/commands";
import { Navigation } from "./nav/navigation";
import { Outline } from "./outline";
import { keepPlace } from "./place";
import { Query } from "./query";
import { stateRest } from "./rest";
import { type Reply, Rpc } from "./rpc";
import { Signal } from "./signal";
import { Stage } from "./stage";
import { count, plural, words } from "./text";
import { onThemeChange } from "./theme";
import { offerTour } from "./tour";
import { troubleBox, troubleOf } from "./trouble";
import { Words } from "./words";

/** With more column chunks than this, all page headers are read only on request. */
const WALKED_AT_ONCE = 1_500;
const PATIENCE = 500;
const ANSWERS_WITHIN = 3_000;
/** Where the overview says what the line below the name says, too. */
const SAID_ABOVE = ".pqx-panel > .pqx-lens > .pqx-answer > p, .pqx-cards > .pqx-unseen";

interface Parts {
  map: ByteMap;
  outline: Outline;
  crumbs: Breadcrumb;
  detail: DetailPane;
  hex: HexView;
}

export class Explorer {
  #model: Model;
  #root: HTMLElement;
  #rpc: Rpc;
  #query: Query;
  #live = h("div", { class: "pqx-hidden", role: "status", "aria-live": "polite" });
  #done = h("span", {}, "reading…");
  #stop = h("button", { class: "pqx-button", hidden: true, onclick: () => this.#rpc.cancel() }, "stop");
  #progress = h("div", { class: "pqx-progress", role: "status", hidden: true }, this.#done, this.#stop);
  #parts: Parts | null = null;
  #nav: Navigation | null = null;
  #stage: Stage | null = null;
  #headline: Headline | null = null;
  #look: Look;
  #ctx: Context | null = null;
  #request: AbortController | null = null;
  #patience = 0;
  /** The map has no single pages until somebody asks for them. */
  #coarse = false;
  #path: string[] = [];
  /** The address and the lens that the person asked for although they take long. */
  #sure: string | null = null;
  #stops: (() => void)[] = [];

  constructor(model: Model, el: HTMLElement) {
    this.#model = model;
    this.#rpc = new Rpc(model);
    this.#query = new Query(model, model.saved);
    this.#root = h("div", {
      class: "pqx pqx-stage-room",
      role: "group",
      "aria-label": "Parquet explorer",
      onkeydown: (event: KeyboardEvent) => this.#key(event),
      onanimationend: (event: AnimationEvent) => {
        if (event.animationName === "pqx-found") delete this.#root.dataset.found;
      },
    });
    el.append(h("div", { class: "pqx-room" }, this.#root));
    this.#look = new Look(this.#rpc, this.#root, (whole) => this.#known(whole));
    const lost = lostBar(this.#rpc, this.#query, model.silent);
    this.#root.append(this.#progress, this.#live, lost.el);
    this.#stops.push(
      stateRest(this.#root),
      lost.dispose,
      this.#rpc.pending.on((n) => this.#busy(n)),
      this.#rpc.progress.on((done) => {
        fill(this.#done, `reading… ${Math.floor(done * 100)} %`);
        this.#stop.hidden = false;
      }),
    );
    const follow = () => void this.#show();
    for (const event of ["change:selection", "change:view", "unpacked"]) {
      model.on(event, follow);
      this.#stops.push(() => model.off(event, follow));
    }
    const probe = () => void this.#probe();
    model.on("comm_live_update", probe);
    this.#stops.push(() => model.off("comm_live_update", probe));
    let asked = false;
    const ask = () => {
      if (asked) return;
      asked = true; // both traits may change at once
      queueMicrotask(() => {
        asked = false;
        if (this.#ctx) void this.#query.refresh(this.#rpc);
        if (model.get("view") === "query") follow();
      });
    };
    for (const event of ["change:where", "change:engine"]) {
      model.on(event, ask);
      this.#stops.push(() => model.off(event, ask));
    }
    void this.#begin();
  }

  dispose(): void {
    for (const stop of this.#stops) stop();
    for (const part of [this.#parts?.map, this.#parts?.outline, this.#parts?.detail, this.#parts?.hex])
      part?.dispose();
    this.#request?.abort();
    this.#look.stop();
    this.#rpc.dispose();
    clearTimeout(this.#patience);
    this.#root.parentElement?.remove();
  }

  async #begin(): Promise<void> {
    try {
      const asked = this.#rpc.call<Identity>("identity");
      const chunks = this.#rpc.call<LayoutReply>("layout", { level: "chunks" }); // Python answers it while the page is built
      chunks.catch(() => {}); // `#layout` shows the error
      const { result: identity } = await asked;
      this.#build(identity, chunks);
    } catch (error) {
      const ctx = { select: () => {} } as unknown as Context;
      this.#root.append(troubleBox(ctx, troubleOf(error)));
    }
  }

  #build(identity: Identity, chunks: Promise<Reply<LayoutReply>>): void {
    const ctx: Context = {
      rpc: this.#rpc,
      query: this.#query,
      identity,
      commands: new Commands(),
      select: (address) => this.#set("selection", address),
      prefer: (lens) => this.#set("view", lens),
      insist: () => {
        this.#sure = `${this.#model.get("selection") ?? ""} ${this.#model.get("view") ?? ""}`;
        void this.#show();
      },
      check: () => this.#check(),
      hot: new Signal(),
      lit: new Signal(),
      reveal: new Signal(),
      announce: (text) => fill(this.#live, text),
    };
    this.#ctx = ctx;
    const root: Brief = {
      address: "",
      kind: "file",
      label: identity.name,
      span: { start: 0, end: identity.size, space: "file" },
      state: "ok",
      reason: "",
      leaf: false,
      flag: null,
    };
    const map = new ByteMap(ctx, () => void this.#layout("pages"));
    const outline = new Outline(ctx, root);
    const crumbs = new Breadcrumb(ctx);
    const detail = new DetailPane(ctx);
    const hex = new HexView(ctx);
    this.#parts = { map, outline, crumbs, detail, hex };
    const tools = h("div", { class: "pqx-tools", role: "toolbar", "aria-label": "View" });
    const overview = () => {
      ctx.select("");
      ctx.prefer("overview");
    };
    const go = (address: string, lens: string) => {
      if (lens) ctx.prefer(lens);
      ctx.select(address);
    };
    this.#headline = new Headline(this.#rpc, "the overview", overview, () => this.#once(), go);
    const menu = new Menu("More tools");
    menu.fill(featureList(identity));
    const door = { class: "pqx-button pqx-tool", title: "More tools", "aria-label": "More tools" };
    tools.append(
      menu.button(door, () => {}, icon(...ICONS.menu)),
      menu.el,
    );
    const stage = new Stage(
      this.#root,
      menu.el,
      {
        header: this.#header(tools),
        map: map.el,
        crumbs: crumbs.el,
        tree: outline.el,
        lens: detail.el,
        bytes: hex.el,
      },
      () => outline.open(),
    );
    const explained = new Words(this.#root, this.#rpc);
    const room = { root: this.#root, tools, menu: menu.el, crumbs: crumbs.el, lens: detail.el, explained };
    const nav = new Navigation(ctx, this.#model, room);
    this.#nav = nav;
    ctx.commands.add(...stage.commands());
    this.#stops.push(
      () => stage.dispose(),
      () => nav.dispose(),
      () => explained.dispose(),
    );
    offerTour(this.#root, crumbs.el, (part) => stage.visit(part));
    this.#stage = stage;
    this.#stops.push(
      onThemeChange(() => map.redraw()),
      ctx.lit.on((spans) => map.light(spans)),
      ctx.reveal.on(() => stage.showBytes()),
      ctx.query.changed.on(() => map.dim()),
      ctx.hot.on((span) => map.point(span && span.space === "file" ? [span.start, span.end] : null)),
    );
    this.#stops.push(keepPlace(this.#model, this.#root, `${identity.name} ${identity.size}`));
    void this.#layout("chunks", chunks);
    void this.#answer(this.#headline).then(() => this.#lookOn());
    void this.#query.refresh(this.#rpc);
  }

  /**
   * The headline is the overview's first sentence: one is asked after the other, so that Python finds it once. On the way
   * it meets findings that the map and the tree do not mark yet.
   */
  async #answer(headline: Headline): Promise<void> {
    if (this.#overview) {
      this.#parts?.detail.busy(true);
      await headline.ask();
      if (!this.#request) await this.#show();
    } else {
      await this.#show();
      await headline.ask();
    }
    if (this.#coarse) await this.#refresh(true);
  }

  /** Whether the overview is shown. */
  get #overview(): boolean {
    return !this.#model.get("selection") && ["", "overview"].includes(this.#model.get("view") ?? "");
  }

  async #layout(level: "chunks" | "pages", asked?: Promise<Reply<LayoutReply>>): Promise<void> {
    const { map } = this.#parts as Parts;
    try {
      const layout = new Layout(await (asked ?? this.#rpc.call<LayoutReply>("layout", { level })));
      const chunks = layout.totals().tiles.reduce((sum, n) => sum + (n ?? 0), 0);
      const now = level === "chunks" && chunks <= WALKED_AT_ONCE;
      this.#coarse = level === "chunks" && !now;
      map.show(layout, this.#coarse);
      if (now) void this.#refine();
      else if (level === "pages") await this.#refresh(false);
      this.#root.dataset.layout = level;
    } catch (error) {
      // without pages the map of chunks stays
      if (level === "chunks") map.el.prepend(troubleBox(this.#ctx as Context, troubleOf(error)));
      else this.#ctx?.announce(`The pages could not be listed: ${(error as Error).message}`);
    }
  }

  /** Reading all page headers takes long, so the requests of the present view go first. */
  async #refine(): Promise<void> {
    if (await this.#rpc.idle()) await this.#layout("pages");
  }

  /** The header around `tools`. */
  #header(tools: HTMLElement): HTMLElement {
    const headline = this.#headline as Headline;
    return identityBar(this.#ctx as Context, headline, tools, [this.#look.el, this.#progress]);
  }

  /**
   * There may be other findings than before: show them in the headline, the header and the tree, and on the `map` if that is
   * not new, all at once. `always` asks for the headline in any case: it says what was looked at. Whether there are others.
   */
  async #refresh(map: boolean, always = false): Promise<boolean> {
    const parts = this.#parts as Parts;
    const ctx = this.#ctx as Context;
    let headline = always ? await this.#headline?.fetch() : undefined; // on the way to it findings are met
    const { result } = await this.#rpc.call<Identity>("identity");
    if (JSON.stringify(result.findings) === JSON.stringify(ctx.identity.findings)) {
      headline?.();
      return false;
    }
    headline ??= await this.#headline?.fetch();
    const level = this.#root.dataset.layout ?? "chunks";
    const layout = map
      ? await this.#rpc.call<LayoutReply>("layout", { level }).catch(() => null) // then the old one stays
      : null;
    const [worst] = result.findings;
    const flag = worst ? { ...worst, more: result.findings.length - 1, stands_for: 1 } : null;
    const tree = this.#query.saved ? undefined : await parts.outline.refresh(flag);
    ctx.identity.findings = result.findings;
    headline?.();
    const bar = this.#root.querySelector(".pqx-identity");
    const tools = bar?.querySelector(".pqx-tools") as HTMLElement;
    bar?.replaceWith(this.#header(tools));
    if (layout) parts.map.show(new Layout(layout), this.#coarse);
    tree?.();
    return true;
  }

  /** The notebook lost its connection to the kernel, or has it again: whether Python answers, and what cannot be asked. */
  async #probe(): Promise<void> {
    if (PQX_PAGE) return;
    const late = window.setTimeout(() => this.#query.lose(true), ANSWERS_WITHIN);
    try {
      await this.#rpc.call("children", { address: "", start: 0, count: 0 });
      this.#query.lose(false);
    } catch {
      this.#query.lose(true);
    } finally {
      clearTimeout(late);
    }
  }

  /** After the first picture the look goes on to all bytes by itself, unless each of them has to be fetched. */
  async #lookOn(): Promise<void> {
    if (PQX_PAGE || this.#query.saved || !this.#ctx?.identity.local) return;
    await this.#look.go().catch(() => {}); // the answer to the request says why it cannot
  }

  async #check(): Promise<void> {
    if (PQX_PAGE) return;
    const ctx = this.#ctx as Context;
    try {
      if (await this.#look.go()) await this.#show();
    } catch (error) {
      ctx.announce(`Not looked at: ${(error as Error).message}`);
    }
  }

  /** More is known of the file: show it in the headline, on the map, in the tree, and in the cards if they are shown. */
  async #known(whole: boolean): Promise<void> {
    if (await this.#refresh(true, true)) this.#root.dataset.found = "";
    if (this.#overview) await this.#show();
    if (whole) this.#ctx?.announce(`All bytes were looked at. ${this.#headline?.sentence ?? ""}`);
  }

  #set(name: "selection" | "view", value: string): void {
    if (this.#model.get(name) === value) return;
    this.#model.set(name, value);
    this.#model.save_changes();
  }

  /** Show the node that the model has selected. A late answer about an earlier selection is dropped. */
  async #show(): Promise<void> {
    const parts = this.#parts;
    if (!parts) return;
    this.#request?.abort();
    const request = new AbortController();
    this.#request = request;
    const address = this.#model.get("selection") ?? "";
    const view = this.#model.get("view") ?? "";
    const sure = this.#sure === `${address} ${view}`;
    parts.detail.busy(true);
    try {
      const args = { address, ...(view && { view }), ...(sure && { sure }), ...this.#query.args(view) };
      const { result: detail } = await this.#rpc.call<Detail>("node", args, request.signal);
      this.#path = detail.path.map((step) => step.address);
      parts.crumbs.show(detail);
      parts.detail.show(detail);
      this.#stage?.shown(detail.lens);
      this.#nav?.shown(detail);
      this.#once();
      parts.hex.select(detail);
      const text = describe(detail);
      const { extent } = detail;
      parts.map.select(detail.address, extent && [extent.start, extent.end], text);
      this.#ctx?.announce(text);
      await parts.outline.select(detail, request.signal);
      if (request.signal.aborted) return;
      this.#root.dataset.shown = address || "file";
    } catch (error) {
      if (request.signal.aborted) return;
      this.#path = ["", address];
      parts.detail.fail(error, () => void this.#show());
      this.#ctx?.announce((error as Error).message);
    } finally {
      if (!request.signal.aborted) parts.detail.busy(false);
    }
  }

  /** A sentence that begins as the line below the name is not shown again: the cards and the picture say the rest. */
  #once(): void {
    const said = this.#headline?.sentence.replace(/(\. And [\d,]+ more columns?)?\.$/, "");
    for (const p of this.#root.querySelectorAll(SAID_ABOVE))
      p.classList.toggle("pqx-hidden", !!said && !!p.textContent?.startsWith(said));
  }

  #busy(pending: number): void {
    if (!pending) {
      clearTimeout(this.#patience);
      this.#patience = 0;
      this.#progress.hidden = true;
      this.#stop.hidden = true;
      fill(this.#done, "reading…");
    } else
      this.#patience ||= window.setTimeout(() => {
        this.#progress.hidden = false;
      }, PATIENCE);
  }

  /** Escape leaves full screen, or goes up one level; at the top the notebook handles it. */
  #key(event: KeyboardEvent): void {
    if (event.key !== "Escape") return;
    const left = this.#stage?.leaveFull();
    if (!left && this.#path.length < 2) return;
    event.preventDefault();
    event.stopPropagation();
    if (!left) this.#ctx?.select(this.#path.at(-2) ?? "");
  }
}

function describe(detail: Detail): string {
  const where = detail.span
    ? `, ${plural(detail.span.end - detail.span.start, "byte")} at ${count(detail.span.start)}`
    : "";
  const state = detail.state === "ok" ? "" : `, ${detail.state}`;
  const flag = detail.flag ? `, ${flagText(detail.flag)}` : "";
  return `${detail.label}, ${words(detail.kind)}${where}${state}${flag}`;
}
