/** What the palette finds without Python: columns, lenses, commands, and the places of a saved page. */

import type { Context, Detail } from "../context";
import type { Layout } from "../layout";
import { count, plural, words } from "../text";
import type { Values } from "../wire/operations";
import type { Term } from "../wire/term";
import { keysText } from "./commands";
import { type Fit, fuzzyWords as fuzzy } from "./fuzzy";
import type { SavedPlace } from "./saved";

export interface Find {
  kind: "column" | "lens" | "command" | "place" | "word";
  name: string;
  note: string;
  /** An address, or keys. */
  right: string;
  fit: Fit;
  address?: string;
  run(): void;
}

const LISTED = 40;
/** Of the words of the specification. */
const WORDS = 6;
/** Of columns, before anything is typed. */
const COLUMNS_FIRST = 12;
const OFFSET = /^(?:byte|offset|at|@)?\s*(0x[0-9a-f]+|\d[\d,_' ]*)$/i;
const PREFIX = 60;

/** The byte that a typed text names; null if it names none. */
export function offsetOf(typed: string): number | null {
  const digits = OFFSET.exec(typed)?.[1].replace(/[,_' ]/g, "");
  return digits === undefined ? null : Number(digits);
}

/** Whether a typed text is an offset or an address rather than a name. */
export function isExact(typed: string): boolean {
  return typed.includes("/") || offsetOf(typed) !== null;
}

/** The best first. Without a typed text: what can be done here. */
export function finds(typed: string, ctx: Context, here: Detail | null, places: SavedPlace[]): Find[] {
  const empty: Fit = { score: 0, at: [] };
  const found: Find[] = [];
  const add = (find: Omit<Find, "fit">, fit: Fit | null) => {
    if (fit) found.push({ ...find, fit });
  };
  for (const lens of here?.lenses ?? [])
    add(
      { kind: "lens", name: lens.title, note: "lens, here", right: "", run: () => ctx.prefer(lens.name) },
      fuzzy(typed, lens.title),
    );
  for (const command of ctx.commands.possible())
    add(
      {
        kind: "command",
        name: command.name,
        note: "",
        right: command.keys ? keysText(command.keys) : "",
        run: () => command.run(),
      },
      fuzzy(typed, command.name) ?? otherwise(typed, command.also),
    );
  const { column_names: names, row_groups } = ctx.identity;
  const group = Number(/^row_groups\/(\d+)/.exec(here?.address ?? "")?.[1] ?? 0);
  if (row_groups)
    for (const [i, name] of (typed ? names : names.slice(0, COLUMNS_FIRST)).entries()) {
      const note = `column, in row group ${count(group)}`;
      add({ kind: "column", name, note, ...to(ctx, `row_groups/${group}/columns/${i}`) }, fuzzy(typed, name));
    }
  if (typed)
    for (const { address, label, kind } of places) {
      const fit = address.startsWith(typed)
        ? { ...empty, score: PREFIX - address.length }
        : fuzzy(typed, label);
      add({ kind: "place", name: label, note: words(kind), ...to(ctx, address) }, fit);
    }
  if (isCondition(typed) && !ctx.query.closed)
    add(
      { kind: "command", name: `WHERE ${typed}`, note: "what a query reads, and why", ...asking(ctx, typed) },
      empty,
    );
  if (typed) found.sort((a, b) => b.fit.score - a.fit.score);
  return once(found).slice(0, LISTED);
}

/** The fit to a command's other words; none of its letters is marked. */
function otherwise(typed: string, words = ""): Fit | null {
  const fit = fuzzy(typed, words);
  return fit && { score: fit.score, at: [] };
}

/** Each address once: the first of several stays. */
export function once(found: Find[]): Find[] {
  const seen = new Set<string>();
  return found.filter(({ address }) => {
    if (address === undefined) return true;
    if (seen.has(address)) return false;
    seen.add(address);
    return true;
  });
}

/** The tile with a byte, where only the layout is there to ask. */
export function tileAt(typed: string, ctx: Context, layout: Layout): Find[] {
  const byte = offsetOf(typed);
  if (byte === null || byte >= layout.size) return [];
  const tile = layout.at(byte);
  const note = `has byte ${count(byte)}`;
  const fit: Fit = { score: 0, at: [] };
  return [{ kind: "place", name: words(layout.kind(tile)), note, fit, ...to(ctx, layout.address(tile)) }];
}

function to(ctx: Context, address: string): Pick<Find, "address" | "right" | "run"> {
  return { address, right: address, run: () => ctx.select(address) };
}

const CONDITION = /^[^\s=<>!].*?([=<>]\s*\S|\s(in\s*\(|between\s|like\s|is\s+(not\s+)?null))/i;

/** Whether a typed text is a condition, such as `amount > 5`. */
export function isCondition(typed: string): boolean {
  return CONDITION.test(typed);
}

/** Leads to what a query with a condition reads. */
function asking(ctx: Context, where: string): Pick<Find, "right" | "run"> {
  const run = () => {
    ctx.query.ask(where);
    ctx.prefer("query");
    ctx.select("");
  };
  return { right: "", run };
}

/** The value of `= FR`; null if the typed text does not begin so. */
export function typedValue(typed: string): string | null {
  return /^=\s*(.*)$/.exec(typed)?.[1] ?? null;
}

/** The columns that can have a value; each leads to what a query for it reads. */
export function ofValues(ctx: Context, { possible, row_groups }: Values): Find[] {
  return possible.map((one) => ({
    kind: "column",
    name: one.column,
    note: `can have it, in ${count(one.row_groups)} of ${plural(row_groups, "row group")}`,
    fit: { score: 0, at: [] },
    ...asking(ctx, one.where),
  }));
}

/** A hit of Python's search. */
export interface Hit {
  address: string;
  label: string;
  why: string;
  /** The hit is this lens at the address. */
  lens?: string;
}

export function ofHit(ctx: Context, { address, label, why, lens }: Hit): Find {
  const fit: Fit = { score: 0, at: [] };
  if (lens === undefined) return { kind: "place", name: label, note: why, fit, ...to(ctx, address) };
  const run = () => {
    ctx.prefer(lens);
    ctx.select(address);
  };
  return { kind: "lens", name: label, note: why, fit, right: "", run };
}

/** The words of the specification that the typed text names; each opens its card. */
export function ofWords(typed: string, terms: Term[], show: (term: Term) => void): Find[] {
  const found: Find[] = [];
  for (const term of terms) {
    const fits = [term.name, ...term.also].filter((name) => hasWords(typed, name));
    if (!fits.length) continue;
    const fit = fuzzy(typed, term.name) ?? { score: 0, at: [] };
    const note = `word: ${term.meaning}`;
    found.push({ kind: "word", name: term.name, note, fit, right: "", run: () => show(term) });
  }
  return found.sort((a, b) => b.fit.score - a.fit.score).slice(0, WORDS);
}

/** Whether a name has each word of what was typed, in any order. */
function hasWords(typed: string, name: string): boolean {
  const spelt = name.replaceAll("_", " ").toLowerCase();
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => spelt.includes(word));
}
