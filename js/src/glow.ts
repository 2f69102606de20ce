/** Marks what stands for the bytes under the pointer: elements say which bytes they stand for, in one attribute. */

import type { Span } from "./context";

/** The value of `data-bytes` of an element that stands for bytes; null for one that stands for none. */
export function standsFor(span: Span | null | undefined): string | null {
  return span ? `${span.start} ${span.end} ${span.space}` : null;
}

/** Mark those of the elements in `root` that stand for the fewest bytes with this one; null marks none. */
export function glow(root: Element, at: { offset: number; space: string } | null): void {
  for (const el of root.querySelectorAll(".pqx-glow")) el.classList.remove("pqx-glow");
  if (!at) return;
  let least = Number.POSITIVE_INFINITY;
  let found: Element[] = [];
  for (const el of root.querySelectorAll<HTMLElement>("[data-bytes]")) {
    const [start, end, ...space] = (el.dataset.bytes ?? "").split(" ");
    const size = Number(end) - Number(start);
    if (space.join(" ") !== at.space || at.offset < Number(start) || at.offset >= Number(end)) continue;
    if (size < least) found = [];
    if (size <= least) found.push(el);
    least = Math.min(least, size);
  }
  for (const el of found) el.classList.add("pqx-glow");
}
