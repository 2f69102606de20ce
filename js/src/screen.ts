/** An explorer in one screen: a height that the person sets by a handle, and full screen. Its parts share the height. */

import "./stage.css";
import { Divider } from "./divider";
import { fill, h } from "./dom";
import { ICONS, icon } from "./icons";
import { type Kept, recalled, remember, SIZES, type Sized } from "./kept";

/** The page's own margin above and below the explorer, in pixels. */
const MARGIN = 24;

export class Screen {
  protected readonly root: HTMLElement;
  protected readonly kept: Kept = recalled();
  #full = tool(() => void this.full());
  #dividers: Divider[] = [];
  #stops: (() => void)[] = [];

  /** `root` has the class `pqx-stage-room`, so that the height is there before the parts are. */
  constructor(root: HTMLElement) {
    this.root = root;
  }

  /** Show the parts, one below the other. `tools` is the toolbar in the header, which gets the button for full screen. */
  begin(tools: HTMLElement, ...parts: HTMLElement[]): void {
    const { root } = this;
    tools.append(this.#full);
    root.append(...parts, this.divider("tall", "Height of the explorer", root));
    const fit = () => this.fit();
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
    this.apply();
  }

  dispose(): void {
    for (const stop of this.#stops) stop();
  }

  /** Leave full screen; false if the explorer is not in it. */
  leaveFull(): boolean {
    const was = this.#room.classList.contains("pqx-full");
    if (was) void this.full();
    return was;
  }

  async full(): Promise<void> {
    const full = this.#room.classList.toggle("pqx-full");
    this.fit();
    if (full) {
      // a frame may not allow it: then the explorer fills the frame
      await this.#room.requestFullscreen?.().catch(() => {});
    } else if (document.fullscreenElement) await document.exitFullscreen();
  }

  /** The element around the explorer, whose width the styles ask for. */
  get #room(): HTMLElement {
    return this.root.parentElement as HTMLElement;
  }

  protected keep(changed: Partial<Kept>): void {
    Object.assign(this.kept, changed);
    remember(this.kept);
    this.apply();
  }

  /** Set the sizes that the person chose. */
  protected apply(): void {
    for (const name of Object.keys(SIZES) as Sized[]) {
      const size = this.kept.sizes[name];
      if (size === undefined) this.root.style.removeProperty(`--pqx-${name}`);
      else this.root.style.setProperty(`--pqx-${name}`, `${size}px`);
    }
    this.fit();
  }

  /** Say what the buttons do now and how large the parts are; keep the explorer inside the window. */
  protected fit(): void {
    const full = this.#room.classList.contains("pqx-full");
    label(this.#full, full ? "Leave full screen" : "Full screen", full ? "leave" : "full");
    // a frame may be as high as its contents: then its height is no bound
    if (window.self === window.top)
      this.root.style.setProperty("--pqx-window", `${window.innerHeight - MARGIN}px`);
    for (const divider of this.#dividers) divider.tell();
  }

  protected divider(name: Sized, label: string, part: HTMLElement): HTMLElement {
    const set = (size: number | undefined) => this.keep({ sizes: { ...this.kept.sizes, [name]: size } });
    const divider = new Divider(name, label, part, set);
    this.#dividers.push(divider);
    return divider.el;
  }
}

/** A button of the toolbar. */
export function tool(click: () => void, name = ""): HTMLElement {
  return h("button", { class: `pqx-button pqx-tool ${name}`, onclick: click });
}

export function label(button: HTMLElement, text: string, sign: keyof typeof ICONS): void {
  if (button.title === text) return;
  button.title = text;
  button.setAttribute("aria-label", text);
  fill(button, icon(...ICONS[sign]));
}
