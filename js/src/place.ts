/** Where a reader was in a file, kept for the notebook cell that shows it: the cell run again opens the same place. */

import type { Model } from "./host";

interface Place {
  selection: string;
  view: string;
}

const CELLS = ".jp-Cell, .cell";
const KEPT = Symbol.for("pqexplore.places");

/** The front end loads this script once for each explorer, so what is kept must be the page's. */
function kept(): WeakMap<Element, Map<string, Place>> {
  const page = globalThis as unknown as Record<symbol, WeakMap<Element, Map<string, Place>> | undefined>;
  page[KEPT] ??= new WeakMap();
  return page[KEPT];
}

/** Go to the place where the reader of the same file in the same cell was, and keep it from now on. Returns what stops this. */
export function keepPlace(model: Model, el: HTMLElement, file: string): () => void {
  const cell = el.closest(CELLS);
  if (!cell || model.saved) return () => {};
  const places = kept().get(cell) ?? new Map<string, Place>();
  kept().set(cell, places);
  const now = (): Place => ({ selection: model.get("selection") ?? "", view: model.get("view") ?? "" });
  const before = places.get(file);
  const { selection, view } = now();
  if (before && !selection && !view) {
    model.set("selection", before.selection);
    model.set("view", before.view);
    model.save_changes();
  }
  const keep = () => void places.set(file, now());
  const events = ["change:selection", "change:view"];
  for (const event of events) model.on(event, keep);
  return () => {
    for (const event of events) model.off(event, keep);
  };
}
