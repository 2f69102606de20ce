/**
 * The stage: the parts of an explorer in one screen. Dividers, the height handle, the place of the bytes and full screen
 * are the person's choices, kept for the next explorer. In little width one part is shown at a time, chosen by tabs.
 */

import "./stage.css";
import { Divider } from "./divider";
import { fill, h } from "./dom";
import { ICONS, icon } from "./icons";
import { type Dock, type Kept, recalled, remember, SIZES, type Sized } from "./kept";
import type { Command } from "./nav/commands";
import { stepTabs } from "./tabs";

/** From this width on, the bytes are beside the lens if the person did not choose. */
const WIDE = 1500;
/** The page's own margin above and below the explorer, in pixels. */
const MARGIN = 24;

export type PartName = "map" | "tree" | "lens" | "bytes";

export interface StageParts {
  header: HTMLElement;
  map: HTMLElement;
  crumbs: HTMLElement;
  tree: HTMLElement;
  lens: HTMLElement;
  bytes: HTMLElement;
}

export class Stage {
  #root: HTMLElement;
  #kept: Kept = recalled();
  #tabs: HTMLElement;
  #fold: HTMLElement;
  #dock: HTMLElement;
  #full: HTMLElement;
  #dividers: Divider[] = [];
  #stops: (() => void)[] = [];

  /** `tools` is the toolbar in the header; the stage adds its own buttons. */
  constructor(root: HTMLElement, tools: HTMLElement, parts: StageParts) {
    this.#root = root;
    this.#fold = tool(() => this.fold(), "pqx-tool-fold");
    this.#dock = tool(() => this.dock(), "pqx-tool-dock");
    this.#full = tool(() => void this.full());
    tools.append(this.#fold, this.#dock, this.#full);
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
    const { map, tree, lens, bytes } = parts;
    root.append(
      parts.header,
      this.#tabs,
      map,
      this.#divider("map", "Height of the byte map", map),
      parts.crumbs,
      h(
        "div",
        { class: "pqx-panes" },
        tree,
        this.#divider("tree", "Width of the tree", tree),
        h(
          "div",
          { class: "pqx-main" },
          lens,
          this.#divider("bytes", "Height of the bytes", bytes),
          this.#divider("beside", "Width of the bytes", bytes),
          bytes,
        ),
      ),
      this.#divider("tall", "Height of the explorer", root),
    );
    const fit = () => this.#fit();
    const watch = new ResizeObserver(fit);
    watch.observe(root);
    const left = () => document.fullscreenElement === null && this.leaveFull();
    document.addEventListener("fullscreenchange", left);
    window.addEventListener("resize", fit);
    this.#stops.push(
      () => watch.disconnect(),
      () => document.removeEventListener("fullscreenchange", left),
      () => window.removeEventListener("resize", fit),
    );
    this.show("lens");
    this.#apply();
  }

  dispose(): void {
    for (const stop of this.#stops) stop();
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
    this.#keep({ folded: !this.#kept.folded });
  }

  /** Put the bytes at their next place. */
  dock(): void {
    this.#keep({ dock: after(this.docked) });
  }

  /** Show one part, where there is no room for all. */
  show(part: PartName): void {
    this.#root.dataset.part = part;
    for (const tab of this.#tabs.children as Iterable<HTMLElement> & HTMLCollection) {
      const on = (tab as HTMLElement).dataset.part === part;
      tab.setAttribute("aria-selected", String(on));
      (tab as HTMLElement).tabIndex = on ? 0 : -1;
    }
  }

  /** Where the bytes are. */
  get docked(): Exclude<Dock, "auto"> {
    if (this.#kept.dock !== "auto") return this.#kept.dock;
    return this.#root.clientWidth >= WIDE ? "beside" : "below";
  }

  /** Leave full screen; false if the explorer is not in it. */
  leaveFull(): boolean {
    const was = this.#room.classList.contains("pqx-full");
    if (was) void this.full();
    return was;
  }

  /** The element around the explorer, whose width the styles ask for. */
  get #room(): HTMLElement {
    return this.#root.parentElement as HTMLElement;
  }

  #keep(changed: Partial<Kept>): void {
    Object.assign(this.#kept, changed);
    remember(this.#kept);
    this.#apply();
  }

  #apply(): void {
    const { sizes, dock, folded } = this.#kept;
    for (const name of Object.keys(SIZES) as Sized[]) {
      const size = sizes[name];
      if (size === undefined) this.#root.style.removeProperty(`--pqx-${name}`);
      else this.#root.style.setProperty(`--pqx-${name}`, `${size}px`);
    }
    this.#root.dataset.dock = dock;
    this.#root.dataset.map = folded ? "folded" : "open";
    this.#fit();
  }

  /** Say what the buttons do now and how large the parts are; keep the explorer inside the window. */
  #fit(): void {
    const { folded } = this.#kept;
    label(this.#fold, folded ? "Open the byte map" : "Fold the byte map", folded ? "folded" : "open");
    const next = { below: "beside the answer", beside: "hidden", off: "below the answer" }[this.docked];
    label(this.#dock, `Bytes: show them ${next}`.replace("show them hidden", "hide them"), this.docked);
    const full = this.#room.classList.contains("pqx-full");
    label(this.#full, full ? "Leave full screen" : "Full screen", full ? "leave" : "full");
    // a frame may be as high as its contents: then its height is no bound
    if (window.self === window.top)
      this.#root.style.setProperty("--pqx-window", `${window.innerHeight - MARGIN}px`);
    for (const divider of this.#dividers) divider.tell();
  }

  async full(): Promise<void> {
    const full = this.#room.classList.toggle("pqx-full");
    this.#fit();
    if (full) {
      // a frame may not allow it: then the explorer fills the frame
      await this.#room.requestFullscreen?.().catch(() => {});
    } else if (document.fullscreenElement) await document.exitFullscreen();
  }

  #divider(name: Sized, label: string, part: HTMLElement): HTMLElement {
    const set = (size: number | undefined) => this.#keep({ sizes: { ...this.#kept.sizes, [name]: size } });
    const divider = new Divider(name, label, part, set);
    this.#dividers.push(divider);
    return divider.el;
  }
}

function after(dock: Exclude<Dock, "auto">): Dock {
  return ({ below: "beside", beside: "off", off: "below" } as const)[dock];
}

function tool(click: () => void, name = ""): HTMLElement {
  return h("button", { class: `pqx-button pqx-tool ${name}`, onclick: click });
}

function label(button: HTMLElement, text: string, sign: keyof typeof ICONS): void {
  if (button.title === text) return;
  button.title = text;
  button.setAttribute("aria-label", text);
  fill(button, icon(...ICONS[sign]));
}
