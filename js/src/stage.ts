/**
 * The stage: the parts of an explorer in one screen. Dividers, the height handle, the place of the bytes and full screen
 * are the person's choices, kept for the next explorer. In little width one part is shown at a time, chosen by tabs.
 */

import { h } from "./dom";
import type { Dock } from "./kept";
import type { Command } from "./nav/commands";
import { label, Screen, tool } from "./screen";
import { stepTabs } from "./tabs";

/** From this width on, the bytes are beside the lens if the person did not choose. */
const WIDE = 1500;

export type PartName = "map" | "tree" | "lens" | "bytes";

export interface StageParts {
  header: HTMLElement;
  map: HTMLElement;
  crumbs: HTMLElement;
  tree: HTMLElement;
  lens: HTMLElement;
  bytes: HTMLElement;
}

export class Stage extends Screen {
  #tabs: HTMLElement;
  #fold: HTMLElement;
  #dock: HTMLElement;

  /** `tools` is the toolbar in the header; the stage adds its own buttons. */
  constructor(root: HTMLElement, tools: HTMLElement, parts: StageParts) {
    super(root);
    this.#fold = tool(() => this.fold(), "pqx-tool-fold");
    this.#dock = tool(() => this.dock(), "pqx-tool-dock");
    tools.append(this.#fold, this.#dock);
    this.#tabs = h(
      "div",
      { class: "pqx-part-tabs", role: "tablist", "aria-label": "Parts" },
      ...(["map", "tree", "lens", "bytes"] as const).map((name) =>
        h(
          "button",
          { class: "pqx-tab", role: "tab", "data-part": name, onclick: () => this.show(name) },
          name === "lens" ? "answer" : name,
        ),
      ),
    );
    this.#tabs.addEventListener("keydown", (event) => stepTabs(this.#tabs, event));
    this.show("lens");
    const { header, map, crumbs, tree, lens, bytes } = parts;
    this.begin(
      tools,
      header,
      this.#tabs,
      map,
      this.divider("map", "Height of the byte map", map),
      crumbs,
      h(
        "div",
        { class: "pqx-panes" },
        tree,
        this.divider("tree", "Width of the tree", tree),
        h(
          "div",
          { class: "pqx-main" },
          lens,
          this.divider("bytes", "Height of the bytes", bytes),
          this.divider("beside", "Width of the bytes", bytes),
          bytes,
        ),
      ),
    );
  }

  /** What the palette lists of the stage. */
  commands(): Command[] {
    return [
      { name: "Fold or open the byte map", run: () => this.fold() },
      { name: "Bytes below, beside, or hidden", run: () => this.dock() },
      { name: "Full screen", run: () => void this.full() },
    ];
  }

  fold(): void {
    this.keep({ folded: !this.kept.folded });
  }

  /** Put the bytes at their next place. */
  dock(): void {
    this.keep({ dock: after(this.docked) });
  }

  /** Show one part, where there is no room for all. */
  show(part: PartName): void {
    this.root.dataset.part = part;
    for (const tab of this.#tabs.children as Iterable<HTMLElement> & HTMLCollection) {
      const on = (tab as HTMLElement).dataset.part === part;
      tab.setAttribute("aria-selected", String(on));
      (tab as HTMLElement).tabIndex = on ? 0 : -1;
    }
  }

  /** Show the bytes, also where they were hidden. */
  showBytes(): void {
    this.show("bytes");
    if (this.docked === "off") this.keep({ dock: "below" });
  }

  /** Where the bytes are. */
  get docked(): Exclude<Dock, "auto"> {
    if (this.kept.dock !== "auto") return this.kept.dock;
    return this.root.clientWidth >= WIDE ? "beside" : "below";
  }

  protected override apply(): void {
    this.root.dataset.dock = this.kept.dock;
    this.root.dataset.map = this.kept.folded ? "folded" : "open";
    super.apply();
  }

  protected override fit(): void {
    const { folded } = this.kept;
    label(this.#fold, folded ? "Open the byte map" : "Fold the byte map", folded ? "folded" : "open");
    const next = { below: "beside the answer", beside: "hidden", off: "below the answer" }[this.docked];
    label(this.#dock, `Bytes: show them ${next}`.replace("show them hidden", "hide them"), this.docked);
    super.fit();
  }
}

function after(dock: Exclude<Dock, "auto">): Dock {
  return ({ below: "beside", beside: "off", off: "below" } as const)[dock];
}
