/** An explorer as high as its answer, at most as high as what one sees of the notebook; and full screen. */

import "./stage.css";
import { fill, h } from "./dom";
import { ICONS, icon } from "./icons";

/** The page's own margin above and below the explorer, in pixels. */
const MARGIN = 24;

export class Screen {
  protected readonly root: HTMLElement;
  #full = tool(() => void this.full());
  #stops: (() => void)[] = [];

  /** `root` has the class `pqx-stage-room`, so that the height is there before the parts are. */
  constructor(root: HTMLElement) {
    this.root = root;
  }

  /** Show the parts, one below the other. `tools` gets the button for full screen. */
  begin(tools: HTMLElement, ...parts: HTMLElement[]): void {
    tools.append(this.#full);
    this.root.append(...parts);
    const fit = () => this.fit();
    const left = () => document.fullscreenElement === null && this.leaveFull();
    document.addEventListener("fullscreenchange", left);
    window.addEventListener("resize", fit);
    this.#stops.push(
      () => document.removeEventListener("fullscreenchange", left),
      () => window.removeEventListener("resize", fit),
      this.watch(this.root, ...scrollers(this.root)),
    );
    this.fit();
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

  /** Fit again when the size of an element changes. Returns a function that stops this. */
  protected watch(...elements: Element[]): () => void {
    const sizes = new ResizeObserver(() => this.fit());
    for (const one of elements) sizes.observe(one);
    return () => sizes.disconnect();
  }

  /** The element around the explorer, whose width the styles ask for. */
  get #room(): HTMLElement {
    return this.root.parentElement as HTMLElement;
  }

  /** Say what the button does now, and how high the explorer may be. */
  protected fit(): void {
    const full = this.#room.classList.contains("pqx-full");
    label(this.#full, full ? "Leave full screen" : "Full screen", full ? "leave" : "full");
    const outer = scrollers(this.root).at(-1);
    // a frame may be as high as its contents: then its height is no bound
    const seen = window.self === window.top ? window.innerHeight : (outer?.clientHeight ?? 0);
    const tall = Math.min(outer?.clientHeight || seen, seen);
    if (tall) this.root.style.setProperty("--pqx-window", `${tall - MARGIN}px`);
  }
}

/** The elements around the explorer that scroll, the outermost last: that is the notebook's. */
function scrollers(root: HTMLElement): HTMLElement[] {
  const found: HTMLElement[] = [];
  for (let el = root.parentElement; el && el !== document.body; el = el.parentElement)
    if (/auto|scroll/.test(getComputedStyle(el).overflowY)) found.push(el);
  return found;
}

/** A button of the toolbar. */
export function tool(click: () => void, name = ""): HTMLElement {
  return h("button", { class: `pqx-button pqx-tool ${name}`, onclick: click });
}

export function label(button: HTMLElement, text: string, sign: keyof typeof ICONS): void {
  if (button.title === text) return;
  button.title = text;
  button.setAttribute("aria-label", text);
  fill(button, icon(...ICONS[sign]), h("span", {}, text));
}
