/** Which bytes of the hex view are marked, and how. */

import type { Span } from "./context";

type Maybe = Span | null | undefined;

interface Marked {
  selected: Maybe;
  hot: Maybe;
  lit: Span[];
}

export function sizeOf(span: Span): number {
  return span.end - span.start;
}

function inside(span: Maybe, space: string, offset: number): span is Span {
  return span?.space === space && offset >= span.start && offset < span.end;
}

/** The smallest of the spans that have a byte; null if none has. */
export function smallest(spans: Maybe[], space: string, offset: number): Span | null {
  let best: Span | null = null;
  for (const span of spans)
    if (inside(span, space, offset) && (!best || sizeOf(span) < sizeOf(best))) best = span;
  return best;
}

/** The classes of a byte; `match` is 2 in the present match of a search, 1 in another, else 0. */
export function classesOf(
  { selected, hot, lit }: Marked,
  space: string,
  offset: number,
  match: 0 | 1 | 2,
  caret: boolean,
): string {
  const names = [
    inside(selected, space, offset) && "pqx-selected",
    lit.some((span) => inside(span, space, offset)) && "pqx-lit",
    inside(hot, space, offset) && "pqx-hot",
    match && (match === 2 ? "pqx-found" : "pqx-match"),
    caret && "pqx-caret",
  ];
  return names.filter(Boolean).join(" ");
}
