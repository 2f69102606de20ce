/**
 * The stage: the parts of an explorer in one screen. Dividers, the height handle, the place of the bytes and full screen
 * are the person's choices, kept for the next explorer. In little width one part is shown at a time, chosen by tabs.
 */

import "./stage.css";
import { h } from "./dom";
import type { Command } from "./nav/commands";
import { stepTabs } from "./tabs";

const KEPT = "pqx-stage";
const STEP = 16;
/** In pixels: the smallest and the largest size of a part that a divider sets, and its size at first. */
const SIZES = {
  tall: { min: 420, max: 4000, first: 760 },
  map: { min: 84, max: 900, first: 168 },
  tree: { min: 120, max: 700, first: 216 },
  bytes: { min: 84, max: 1200, first: 168 },
  beside: { min: 260, max: 1200, first: 440 },
} as const;

type Sized = keyof typeof SIZES;
type Dock = "auto" | "below" | "beside" | "off";
export type PartName = "map" | "tree" | "lens" | "bytes";

interface Kept {
  sizes: Partial<Record<Sized, number>>;
  dock: Dock;
  folded: boolean;
}

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
  #stops: (() => void)[] = [];

  /** `tools` is the toolbar in the header; the stage adds its own buttons. */
  constructor(root: HTMLElement, tools: HTMLElement, parts: StageParts) {
    this.#root = root;
    this.#fold = tool("Fold the byte map", "▴", () => this.fold());
    this.#dock = tool("Bytes below, beside, or hidden", "◫", () => this.dock());
    this.#full = tool("Full screen", "⛶", () => void this.full());
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
    root.append(
      parts.header,
      this.#tabs,
      parts.map,
      this.#divider("map", "Height of the byte map", "row"),
      parts.crumbs,
      h(
        "div",
        { class: "pqx-panes" },
        parts.tree,
        this.#divider("tree", "Width of the tree", "column"),
        h(
          "div",
          { class: "pqx-main" },
          parts.lens,
          this.#divider("bytes", "Height of the bytes", "row", -1),
          this.#divider("beside", "Width of the bytes", "column", -1),
          parts.bytes,
        ),
      ),
      this.#divider("tall", "Height of the explorer", "row"),
    );
    const left = () => {
      if (document.fullscreenElement === null) root.classList.remove("pqx-full");
    };
    document.addEventListener("fullscreenchange", left);
    this.#stops.push(() => document.removeEventListener("fullscreenchange", left));
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
    return this.#root.clientWidth >= 1500 ? "beside" : "below";
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
    this.#fold.setAttribute("aria-pressed", String(folded));
    this.#fold.textContent = folded ? "▾" : "▴";
  }

  async full(): Promise<void> {
    if (this.#root.classList.toggle("pqx-full")) {
      // a frame may not allow it: then the explorer fills the frame
      await this.#root.requestFullscreen?.().catch(() => {});
    } else if (document.fullscreenElement) await document.exitFullscreen();
  }

  /** A line to drag: `sign` is -1 where the part is after it. */
  #divider(name: Sized, label: string, across: "row" | "column", sign = 1): HTMLElement {
    const { min, max, first } = SIZES[name];
    const set = (size: number | undefined) => {
      const sizes = { ...this.#kept.sizes, [name]: size && Math.round(Math.max(min, Math.min(max, size))) };
      this.#keep({ sizes });
      el.setAttribute("aria-valuenow", String(sizes[name] ?? first));
    };
    const now = () => this.#kept.sizes[name] ?? first;
    const el = h("div", {
      class: `pqx-divider pqx-divide-${name}`,
      role: "separator",
      tabindex: 0,
      "aria-label": label,
      "aria-orientation": across === "row" ? "horizontal" : "vertical",
      "aria-valuemin": min,
      "aria-valuemax": max,
      "aria-valuenow": now(),
      title: `${label}: drag, or use the arrow keys; a double click sets it back`,
      ondblclick: () => set(undefined),
      onkeydown: (event: KeyboardEvent) => {
        const keys: Record<string, number> =
          across === "row" ? { ArrowDown: STEP, ArrowUp: -STEP } : { ArrowRight: STEP, ArrowLeft: -STEP };
        if (!(event.key in keys)) return;
        event.preventDefault();
        event.stopPropagation();
        set(now() + sign * keys[event.key]);
      },
      onpointerdown: (event: PointerEvent) => {
        const from = across === "row" ? event.clientY : event.clientX;
        const before = now();
        event.preventDefault();
        el.setPointerCapture(event.pointerId);
        el.onpointermove = (move) =>
          set(before + sign * ((across === "row" ? move.clientY : move.clientX) - from));
        el.onpointerup = () => {
          el.onpointermove = null;
          el.onpointerup = null;
        };
      },
    });
    return el;
  }
}

function after(dock: Exclude<Dock, "auto">): Dock {
  return ({ below: "beside", beside: "off", off: "below" } as const)[dock];
}

function tool(label: string, sign: string, click: () => void): HTMLElement {
  return h("button", { class: "pqx-button", "aria-label": label, title: label, onclick: click }, sign);
}

function recalled(): Kept {
  const kept: Kept = { sizes: {}, dock: "auto", folded: false };
  try {
    return { ...kept, ...(JSON.parse(localStorage.getItem(KEPT) ?? "{}") as Partial<Kept>) };
  } catch {
    return kept; // a page without storage
  }
}

function remember(kept: Kept): void {
  try {
    localStorage.setItem(KEPT, JSON.stringify(kept));
  } catch {
    // a page without storage
  }
}
