/** A view that is replaced by its successor: who walks by keys goes on there. */

const left = new WeakMap<object, number>();

/** How long a successor may take to come, in milliseconds. */
const SOON = 2_000;

/** Note that `el` is left; only what has the focus is remembered. */
export function leave(owner: object, el: Element): void {
  if (el.contains(document.activeElement)) left.set(owner, performance.now());
}

/** Give `el` the focus where its predecessor had it a moment ago. */
export function resume(owner: object, el: HTMLElement | undefined): void {
  const when = left.get(owner);
  left.delete(owner);
  if (el && when !== undefined && performance.now() - when < SOON) el.focus({ preventScroll: true });
}
