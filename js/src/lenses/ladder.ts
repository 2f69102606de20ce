/** How deep an entry goes in the schema: the state of each field of the path for a pair of levels. */

import type { Rung } from "../wire/nesting";

export interface Entry {
  repetition: number;
  definition: number;
}

interface DrawnRung extends Rung {
  /** there, goes-on (a further element of this list), null, empty, beyond (not reached), or unknown. */
  state: "there" | "goes-on" | "null" | "empty" | "beyond" | "unknown";
  mark: string;
  text: string;
  levels: string;
}

const MARKS = { there: "●", "goes-on": "↻", null: "○", empty: "∅", beyond: "·", unknown: "·" };
const TEXTS = {
  there: "there",
  "goes-on": "goes on",
  null: "null",
  empty: "empty",
  beyond: "not reached",
  unknown: "",
};

export function rungs(ladder: Rung[], entry: Entry | null): DrawnRung[] {
  let stopped = false;
  return ladder.map((rung) => {
    const state = entry === null ? "unknown" : stateOf(rung, entry, stopped);
    if (state === "null" || state === "empty") stopped = true;
    const levels = [
      rung.repetition !== "required" && `d ${rung.definition_level}`,
      rung.repetition === "repeated" && `r ${rung.repetition_level}`,
    ];
    return {
      ...rung,
      state,
      mark: MARKS[state],
      text: TEXTS[state],
      levels: levels.filter(Boolean).join(" · "),
    };
  });
}

function stateOf(rung: Rung, entry: Entry, stopped: boolean): DrawnRung["state"] {
  if (stopped) return "beyond";
  if (rung.definition_level > entry.definition) return rung.repetition === "repeated" ? "empty" : "null";
  const further = rung.repetition === "repeated" && rung.repetition_level === entry.repetition;
  return further && entry.repetition > 0 ? "goes-on" : "there";
}

/** The entry where the next or the previous row begins, among the known entries; else the first or last entry. */
export function nextRow(
  at: number,
  by: 1 | -1,
  entries: number,
  repetition: (entry: number) => number | undefined,
): number {
  for (let i = at + by; i >= 0 && i < entries; i += by) {
    const level = repetition(i);
    if (level === undefined) return i;
    if (level === 0) return i;
  }
  return by > 0 ? entries - 1 : 0;
}
