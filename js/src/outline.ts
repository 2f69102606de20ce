/**
 * The file as a tree. Only visible rows exist as elements, and only opened nodes are fetched, 200 children at a time.
 * Keys are those of the ARIA tree pattern.
 */

import { Branch, PAGE } from "./branch";
import { chip } from "./chip";
import type { Brief, Context, Detail } from "./context";
import { h, uniqueId } from "./dom";
import { flagSign } from "./flags";
import { isUnknown } from "./kinds";
import { nodeName } from "./pathname";
import { Soon } from "./rest";
import { size } from "./text";
import { VirtualRows } from "./virtual";
import type { Flag } from "./wire/headline";
import type { Children } from "./wire/tree";

const ROW = 24;
const INDENT = 16;
const SETTLE = 140;
const SEARCHED_PAGES = 12;

export class Outline {
  readonly el: HTMLElement;
  #ctx: Context;
  #tree: HTMLElement;
  #list: VirtualRows;
  #root: Branch;
  #active: Branch;
  #selected = "";
  #id = uniqueId("tree");
  /** What was selected while the drawer was closed. */
  #late: [Detail, AbortSignal] | null = null;
  /** Runs while the keys have moved on and the node is not selected yet. */
  #timer = new Soon();

  constructor(ctx: Context, root: Brief) {
    this.#ctx = ctx;
    this.#root = new Branch(root, null, 0, 1);
    this.#active = this.#root;
    this.#tree = h("div", {
      class: "pqx-tree",
      role: "tree",
      tabindex: 0,
      "aria-label": "Outline of the file",
      onkeydown: (event: KeyboardEvent) => this.#key(event),
      onclick: (event: MouseEvent) => this.#click(event),
    });
    this.#list = new VirtualRows(this.#tree, { rowHeight: ROW, count: 1, row: (index) => this.#row(index) });
    this.el = h("section", { class: "pqx-outline", "aria-label": "Outline" }, this.#tree);
  }

  /** The drawer opens: show what is selected. */
  open(): void {
    const [detail, signal] = this.#late ?? [];
    this.#late = null;
    if (detail && signal) void this.select(detail, signal, true);
  }

  /**
   * Open the path to the selected node, and show the node, unless `signal` says that another one was selected since. While
   * the drawer is closed, nothing is asked for.
   */
  async select(detail: Detail, signal: AbortSignal, opens = false): Promise<void> {
    if (!opens && !this.#tree.clientHeight) {
      this.#late = [detail, signal];
      return;
    }
    this.#late = null;
    await this.#expand(this.#root);
    this.#selected = detail.address;
    let branch = this.#root;
    for (const step of detail.path.slice(1)) {
      await this.#expand(branch);
      const child = await this.#find(branch, step.address, signal);
      if (signal.aborted) return;
      if (!child) break;
      branch = child;
    }
    if (branch.brief.address === detail.address) branch.brief.flag = detail.flag;
    if (this.#timer.waits) return this.#list.refresh();
    this.#active = branch;
    this.#list.refresh();
    this.#list.reveal(branch.row());
    this.#mark();
  }

  /**
   * Fetch the nodes that are shown again, after more findings are known: `flag` is that of the file. The function that is
   * returned shows them.
   */
  async refresh(flag: Flag | null): Promise<() => void> {
    const found = await this.#again(this.#root);
    return () => {
      this.#root.brief.flag = flag;
      for (const [branch, brief] of found) Object.assign(branch.brief, brief);
      this.#list.refresh();
    };
  }

  async #again(branch: Branch): Promise<[Branch, Brief][]> {
    const found: [Branch, Brief][] = [];
    for (const [page, known] of branch.pages) {
      const args = { address: branch.brief.address, start: page * PAGE };
      const { result } = await this.#ctx.rpc.call<Children>("children", args);
      for (const [i, brief] of result.items.entries()) found.push([known[i], brief]);
    }
    for (const child of branch.opened) found.push(...(await this.#again(child)));
    return found;
  }

  dispose(): void {
    this.#timer.drop();
    this.#list.dispose();
  }

  #at(row: number): { branch: Branch | null; parent: Branch | null; ordinal: number } {
    return row === 0 ? { branch: this.#root, parent: null, ordinal: 0 } : this.#root.at(row - 1);
  }

  #row(index: number): HTMLElement {
    const { branch, parent, ordinal } = this.#at(index);
    const depth = (parent?.depth ?? 0) + 1;
    const place = { style: `padding-left: ${4 + (depth - 1) * INDENT}px`, "data-row": index };
    if (!branch) {
      if (parent) void this.#load(parent, Math.floor(ordinal / PAGE));
      return h("div", { class: "pqx-node pqx-muted", role: "treeitem", "aria-level": depth, ...place }, "…");
    }
    const { brief } = branch;
    const expandable = !brief.leaf && !(branch.open && branch.total === 0);
    const state = brief.state === "locked" ? (isUnknown(brief) ? "needs a key" : "encrypted") : brief.state;
    const bytes = brief.span && size(brief.span.end - brief.span.start);
    const flag = brief.state === "corrupt" ? null : brief.flag;
    return h(
      "div",
      {
        class: `pqx-node${branch === this.#active ? " pqx-active" : ""}`,
        role: "treeitem",
        id: `${this.#id}-${index}`,
        "aria-level": depth,
        "aria-posinset": ordinal + 1,
        "aria-setsize": parent?.total ?? 1,
        "aria-selected": brief.address === this.#selected ? "true" : "false",
        "aria-expanded": expandable ? String(branch.open) : null,
        title: brief.reason || brief.label,
        ...place,
      },
      h("span", { class: "pqx-twisty", "aria-hidden": "true" }, expandable ? (branch.open ? "▾" : "▸") : ""),
      chip(brief),
      nodeName(brief),
      flagSign(flag),
      state !== "ok" && h("span", { class: `pqx-state pqx-${brief.state}` }, state),
      bytes && h("span", { class: "pqx-muted pqx-size" }, bytes),
    );
  }

  async #expand(branch: Branch): Promise<void> {
    if (branch.brief.leaf) return;
    if (branch.open) return this.#load(branch, 0);
    branch.open = true;
    if (branch.parent) {
      branch.parent.opened.push(branch);
      branch.parent.opened.sort((a, b) => a.ordinal - b.ordinal);
    }
    await this.#load(branch, 0);
    this.#list.resize(this.#root.rows + 1);
    this.#mark();
  }

  #collapse(branch: Branch): void {
    if (!branch.open) return;
    branch.open = false;
    branch.grow(-branch.rows);
    branch.opened = [];
    branch.pages.clear();
    branch.asked.clear();
    branch.total = 0;
    if (branch.parent) branch.parent.opened = branch.parent.opened.filter((other) => other !== branch);
    this.#list.resize(this.#root.rows + 1);
    this.#mark();
  }

  #load(branch: Branch, page: number): Promise<void> {
    const asked = branch.asked.get(page) ?? this.#fetch(branch, page);
    branch.asked.set(page, asked);
    return asked;
  }

  async #fetch(branch: Branch, page: number): Promise<void> {
    try {
      const args = { address: branch.brief.address, start: page * PAGE };
      const { result } = await this.#ctx.rpc.call<Children>("children", args);
      if (!branch.open) return;
      if (branch.pages.size === 0) {
        branch.total = result.total;
        branch.grow(result.total);
        this.#list.resize(this.#root.rows + 1);
      }
      const depth = branch.depth + 1;
      branch.pages.set(
        page,
        result.items.map((brief, i) => new Branch(brief, branch, page * PAGE + i, depth)),
      );
      this.#list.refresh();
    } catch (error) {
      this.#ctx.announce(`Could not open ${branch.brief.label}: ${(error as Error).message}`);
    }
  }

  /** The child with an address. Most addresses end in the child's number, so the page with that number comes first. */
  async #find(branch: Branch, address: string, signal: AbortSignal): Promise<Branch | null> {
    const number = Number(/(\d+)$/.exec(address)?.[1] ?? 0);
    const pages = Math.ceil(branch.total / PAGE);
    const guess = Math.min(Math.floor(number / PAGE), Math.max(0, pages - 1));
    const order = [guess, ...Array.from({ length: Math.min(pages, SEARCHED_PAGES) }, (_, i) => i)];
    for (const page of new Set(order)) {
      await this.#load(branch, page);
      if (signal.aborted) return null;
      for (const child of branch.pages.get(page) ?? []) {
        if (child.brief.address === address) return child;
        // groupings have no place in the path of an address
        if (child.brief.kind === "group" && address.startsWith(`${child.brief.address}/`)) {
          await this.#expand(child);
          const inner = await this.#find(child, address, signal);
          if (inner) return inner;
        }
      }
    }
    return null;
  }

  #mark(): void {
    const row = this.#active.row();
    this.#tree.setAttribute("aria-activedescendant", `${this.#id}-${row}`);
  }

  #activate(branch: Branch, now: boolean): void {
    this.#active = branch;
    this.#list.refresh();
    this.#list.reveal(branch.row());
    this.#mark();
    this.#timer.drop();
    const tell = () => this.#ctx.select(branch.brief.address);
    if (now) tell();
    else this.#timer.after(SETTLE, tell); // an arrow held down asks once
  }

  #click(event: MouseEvent): void {
    const row = (event.target as Element).closest<HTMLElement>("[data-row]");
    if (!row) return;
    const { branch } = this.#at(Number(row.dataset.row));
    if (!branch) return;
    if ((event.target as Element).closest(".pqx-twisty")) {
      if (branch.open) this.#collapse(branch);
      else void this.#expand(branch);
      return;
    }
    this.#activate(branch, true);
  }

  #key(event: KeyboardEvent): void {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const row = this.#active.row();
    const go = (to: number) => {
      const { branch } = this.#at(Math.max(0, Math.min(this.#root.rows, to)));
      if (branch) this.#activate(branch, false);
    };
    const active = this.#active;
    const actions: Record<string, () => void> = {
      ArrowDown: () => go(row + 1),
      ArrowUp: () => go(row - 1),
      PageDown: () => go(row + this.#list.visible),
      PageUp: () => go(row - this.#list.visible),
      Home: () => go(0),
      End: () => go(this.#root.rows),
      ArrowRight: () => (active.open ? active.total && go(row + 1) : void this.#expand(active)),
      ArrowLeft: () =>
        active.open && active.total ? this.#collapse(active) : active.parent && go(active.parent.row()),
      Enter: () => this.#activate(active, true),
      " ": () => this.#activate(active, true),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  }
}
