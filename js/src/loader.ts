/**
 * The script that a notebook saves with each explorer. It asks the kernel for the explorer itself, once a page: the first
 * view asks, the others wait, and a view that got no answer asks, too, since its kernel may be another one.
 *
 * A view begins when its own kernel has answered. Until then the notebook's picture stays: the page may have the explorer
 * from another notebook, or from before this one was closed.
 */

import type { RenderProps } from "./host";
import type { Channel } from "./rpc";

interface Model extends Channel {
  get(name: string): string;
}

interface Bundle {
  render(props: RenderProps): () => void;
  style: string;
}

interface Loading {
  bundle: Promise<Bundle>;
  take(parts: DataView[]): void;
}

/** Milliseconds until a view says that there is no answer, and until it asks itself: a kernel may only be busy. */
const PATIENCE = 3_000;
const ASKS_AFTER = 10_000;
const SILENT = "The kernel does not answer. If it is busy, wait; if not, run the cell again.";

const BUNDLES = Symbol.for("pqexplore.bundles");
const page = globalThis as unknown as { [BUNDLES]?: Record<string, Loading> };
page[BUNDLES] ??= {};
const bundles = page[BUNDLES];

function begin(): Loading {
  let take: Loading["take"] = () => {};
  const bundle = new Promise<DataView[]>((resolve) => {
    take = resolve;
  }).then(async (parts) => {
    const [code, style] = parts.map((part) => new TextDecoder().decode(part));
    const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
    const { render } = (await import(url)).default as Bundle;
    URL.revokeObjectURL(url);
    return { render, style };
  });
  return { bundle, take };
}

function element(name: string, text: string, parent: Node): HTMLElement {
  const made = document.createElement(name);
  made.textContent = text;
  parent.appendChild(made);
  return made;
}

function render({ model, el }: RenderProps): () => void {
  const shown = model as Model;
  const name = shown.get("_bundle");
  const first = !(name in bundles);
  bundles[name] ??= begin();
  const loading = bundles[name];
  const note = element("p", "loading…", el);
  note.setAttribute("role", "status");
  let answer: () => void = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const take = (message: { kind?: string }, parts: DataView[]) => {
    if (message?.kind === "bundle") loading.take(parts);
    answer();
  };
  shown.on("msg:custom", take as never);
  const ask = (kind: string) => {
    try {
      shown.send({ kind });
    } catch {
      // the kernel has gone: the note says what to do
    }
  };
  ask(first ? "bundle" : "alive");
  const late = setTimeout(() => {
    note.textContent = SILENT;
  }, PATIENCE);
  let here = false;
  void loading.bundle.then(() => {
    here = true;
  });
  const again = setTimeout(() => ask(here ? "alive" : "bundle"), ASKS_AFTER);
  const heard = () => {
    clearTimeout(late);
    clearTimeout(again);
    shown.off("msg:custom", take as never);
  };
  const ends = [heard];
  let closed = false;
  void Promise.all([loading.bundle, answered]).then(([bundle]) => {
    if (closed) return;
    heard();
    note.remove();
    const style = element("style", bundle.style, el);
    // the living view takes the place of the picture that the notebook keeps
    const picture = `[data-pqx-static="${CSS.escape(shown.get("_picture"))}"]`;
    const hidden = element("style", `${picture} { display: none }`, document.head);
    ends.push(
      bundle.render({ model, el }),
      () => style.remove(),
      () => hidden.remove(),
    );
  });
  return () => {
    closed = true;
    for (const end of ends) end();
  };
}

export default { render };
