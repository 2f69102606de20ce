/** The marks of a plotly figure that lead to nodes, in the order in which a keyboard walks through them. */

import type { Mark } from "./wire/wire";

/** A mark, and its trace and point in plotly. */
export interface PlacedMark extends Mark {
  curve: number;
  point: number;
  /** In a chart of a hierarchy, the index of the mark above; else -1. */
  above: number;
}

type Trace = Record<string, unknown>;

/** Every point of a trace that has marks as its customdata. */
export function marksOf(data: Trace[]): PlacedMark[] {
  const marks: PlacedMark[] = [];
  data.forEach((trace, curve) => {
    const customdata = trace.customdata as Mark[] | undefined;
    if (!customdata) return;
    const first = marks.length;
    const ids = trace.ids as string[] | undefined;
    const parents = trace.parents as string[] | undefined;
    const points = new Map(ids?.map((id, i) => [id, i]));
    customdata.forEach((mark, point) => {
      const above = first + (points.get(parents?.[point] ?? "") ?? -1 - first);
      marks.push({ ...mark, curve, point, above });
    });
  });
  return marks;
}

/** The index of the mark that a key leads to from mark `at` (-1: no mark yet); null if the key has no meaning. */
export function beside(marks: PlacedMark[], at: number, key: string): number | null {
  const last = marks.length - 1;
  const known = ["ArrowRight", "ArrowLeft", "ArrowDown", "ArrowUp", "Home", "End"].includes(key);
  if (!known || last < 0) return null;
  if (key === "Home") return 0;
  if (key === "End") return last;
  if (at < 0) return 0;
  const forward = key === "ArrowRight" || key === "ArrowDown";
  const nested = marks.some((mark) => mark.above >= 0);
  if (!nested) return Math.max(0, Math.min(last, at + (forward ? 1 : -1)));
  if (key === "ArrowUp") return Math.max(0, marks[at].above);
  if (key === "ArrowDown") {
    const below = marks.findIndex((mark) => mark.above === at);
    return below < 0 ? at : below;
  }
  const siblings = marks.map((_, i) => i).filter((i) => marks[i].above === marks[at].above);
  return siblings[siblings.indexOf(at) + (forward ? 1 : -1)] ?? at;
}
