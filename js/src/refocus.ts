/** Keeps the keyboard focus when a view is replaced by its successor. */

import { focusBeside } from "./dom";

const left = new WeakMap<object, number>();

/** How long a successor may take to come, in milliseconds. */
const SOON = 2_000;

/** Remember `el`, which is about to be replaced, if it has the focus. */
export function leave(owner: object, el: Element): void {
  if (el.contains(focusBeside(el))) left.set(owner, performance.now());
}

/** Give `el` the focus if its predecessor had it a moment ago. */
export function resume(owner: object, el: HTMLElement | undefined): void {
  const when = left.get(owner);
  left.delete(owner);
  if (el && when !== undefined && performance.now() - when < SOON) el.focus({ preventScroll: true });
}
