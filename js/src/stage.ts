/**
 * The stage: the answer fills the explorer. The map is a strip that opens, the tree a drawer beside the answer, the bytes
 * one below it. What is open, and how large, is the person's choice, kept for the notebook.
 */

import { Divider } from "./divider";
import { fill, h } from "./dom";
import { ICONS, icon } from "./icons";
import { type Kept, recalled, remember, SIZES, type Sized } from "./kept";
import type { Command } from "./nav/commands";
import { Screen } from "./screen";

/** The lenses whose answer is in bytes: the bytes open beside it by themselves where there is room. */
const IN_BYTES = new Set(["thrift", "page", "encoding", "value"]);
/** In pixels: bytes that are lower do not open by themselves; where it is narrow, their readings are below them. */
const LOWEST = 120;
const LOWEST_NARROW = 320;
const NARROW = 760;
/** In pixels: what a lens keeps that fills its room. */
const LEAST = 240;

export type PartName = "map" | "tree" | "bytes";

export interface StageParts {
  header: HTMLElement;
  map: HTMLElement;
  crumbs: HTMLElement;
  tree: HTMLElement;
  lens: HTMLElement;
  bytes: HTMLElement;
}

export class Stage extends Screen {
  #kept: Kept = recalled();
  #parts: StageParts;
  #dividers: Divider[] = [];
  #buttons: Record<PartName, HTMLElement>;
  #lens = "";
  /** A link led to bytes: they are open until another lens is shown. */
  #led = false;
  #visited: PartName | null = null;
  #tree: () => void;

  /** `tools` gets the button for full screen; `tree` is called when the tree opens. */
  constructor(root: HTMLElement, tools: HTMLElement, parts: StageParts, tree: () => void) {
    super(root);
    this.#parts = parts;
    this.#tree = tree;
    const { header, map, crumbs, lens, bytes } = parts;
    const button = (name: PartName, keys: string, ...text: string[]) =>
      h(
        "button",
        {
          class: `pqx-button pqx-toggle pqx-toggle-${name}`,
          "aria-keyshortcuts": keys,
          title: `The ${name} (${keys})`,
          "aria-label": text.length ? null : `The ${name}`,
          onclick: () => this.toggle(name),
        },
        ...text,
      );
    this.#buttons = {
      map: button("map", "M"),
      tree: button("tree", "T"),
      bytes: button("bytes", "B", "bytes"),
    };
    fill(this.#buttons.tree, icon(...ICONS.tree));
    map.append(this.#buttons.map);
    crumbs.prepend(this.#buttons.tree);
    bytes.querySelector(".pqx-bar")?.prepend(this.#buttons.bytes);
    this.#openByClick(map);
    const panes = h(
      "div",
      { class: "pqx-panes" },
      parts.tree,
      this.#divider("tree", "Width of the tree", parts.tree),
      lens,
    );
    this.begin(
      tools,
      header,
      map,
      this.#divider("map", "Height of the byte map", map),
      crumbs,
      panes,
      this.#divider("bytes", "Height of the bytes", bytes),
      bytes,
    );
    this.#apply();
  }

  /** What the palette lists of the stage. */
  commands(): Command[] {
    return [
      { name: "Open or close the byte map", keys: "M", run: () => this.toggle("map") },
      { name: "Open or close the tree", keys: "T", run: () => this.toggle("tree") },
      { name: "Open or close the bytes", keys: "B", run: () => this.toggle("bytes") },
      { name: "Full screen", run: () => void this.full() },
    ];
  }

  toggle(part: PartName): void {
    const open = !this.#isOpen(part);
    if (part === "bytes") this.#led = false;
    this.#keep({ [part]: open });
    this.#buttons[part].focus({ preventScroll: true });
  }

  /** Open a part. */
  open(part: PartName): void {
    if (!this.#isOpen(part)) this.#keep({ [part]: true });
  }

  /** Open a part for as long as it is spoken of, or none: what was opened before in this way is closed. */
  visit(part: PartName | null): void {
    if (this.#visited && this.#visited !== part) this.#keep({ [this.#visited]: false });
    const opens = part !== null && !this.#isOpen(part);
    if (opens) this.#keep({ [part]: true });
    if (opens || part !== this.#visited) this.#visited = opens ? part : null;
  }

  /** Show the bytes at a place that a link leads to. */
  showBytes(): void {
    this.#led = true;
    this.fit();
  }

  /** A lens is shown. */
  shown(lens: string): void {
    if (lens !== this.#lens) this.#led = false;
    this.#lens = lens;
    this.fit();
  }

  #isOpen(part: PartName): boolean {
    return this.root.dataset[part] === "open";
  }

  /** While the map is a strip, a click opens it, and nothing else. */
  #openByClick(map: HTMLElement): void {
    for (const event of ["pointerdown", "click"])
      map.addEventListener(
        event,
        (pressed) => {
          if (this.#isOpen("map") || (pressed.target as Element).closest("button")) return;
          pressed.stopPropagation();
          if (event === "click") this.open("map");
        },
        true,
      );
  }

  #keep(changed: Partial<Kept>): void {
    Object.assign(this.#kept, changed);
    remember(this.#kept);
    this.#apply();
  }

  /** Set the sizes that the person chose, and open what is open. */
  #apply(): void {
    for (const name of Object.keys(SIZES) as Sized[]) {
      const size = this.#kept.sizes[name];
      if (size === undefined) this.root.style.removeProperty(`--pqx-${name}`);
      else this.root.style.setProperty(`--pqx-${name}`, `${size}px`);
    }
    this.#set("map", this.#kept.map);
    this.#set("tree", this.#kept.tree);
    if (this.#kept.tree) this.#tree();
    this.fit();
  }

  protected override fit(): void {
    super.fit();
    const { bytes } = this.#kept;
    const free = bytes === null && IN_BYTES.has(this.#lens) ? this.#free() : 0;
    const fits = free >= (this.root.clientWidth > NARROW ? LOWEST : LOWEST_NARROW);
    this.#set("bytes", bytes || this.#led || fits);
    this.root.style.setProperty("--pqx-bytes-most", fits ? `${Math.floor(free)}px` : "50cqh");
    for (const divider of this.#dividers) divider.tell();
  }

  /** The height that the sentence and the picture leave: the table below them may scroll. */
  #free(): number {
    const panel = this.#parts.lens.querySelector<HTMLElement>(":scope > .pqx-panel");
    const last = panel?.querySelector(":scope > .pqx-lens > .pqx-picture") ?? panel?.lastElementChild;
    if (!panel || !last) return 0;
    const fills = last.parentElement?.classList.contains("pqx-fills");
    const inside = fills
      ? LEAST
      : last.getBoundingClientRect().bottom - panel.getBoundingClientRect().top + panel.scrollTop;
    const around = this.root.offsetHeight - panel.offsetHeight - this.#parts.bytes.offsetHeight;
    const most = Number.parseFloat(getComputedStyle(this.root).maxHeight) || this.root.offsetHeight;
    return most - around - inside - 16;
  }

  #set(part: PartName, open: boolean): void {
    const state = open ? "open" : "closed";
    if (this.root.dataset[part] === state) return;
    this.root.dataset[part] = state;
    this.#buttons[part].setAttribute("aria-expanded", String(open));
    if (part === "map") fill(this.#buttons.map, icon(...ICONS[open ? "open" : "folded"]));
  }

  #divider(name: Sized, label: string, part: HTMLElement): HTMLElement {
    const set = (size: number | undefined) => this.#keep({ sizes: { ...this.#kept.sizes, [name]: size } });
    const divider = new Divider(name, label, part, set);
    this.#dividers.push(divider);
    return divider.el;
  }
}
