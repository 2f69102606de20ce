/** Classes of the tiles of the map by one of their properties, and the look of each class. */

import { ACCENTS, CLASSES, REST as GREY } from "./accents";
import { unpack } from "./columns";
import { SEVERITIES } from "./flags";
import { CORRUPT, FAMILIES, type Family, UNKNOWN as KEYLESS } from "./kinds";
import { isPaged, type Layout } from "./layout";
import type { Skips } from "./query";
import type { Reply } from "./rpc";
import { UNREAD } from "./skipped";
import { count } from "./text";
import type { MapColours } from "./wire/map_colours";

/** What the map can be coloured by. Python answers those that `asked` names. */
export const CHOICES: Record<string, string> = {
  kind: "kind",
  column: "column",
  codec: "codec",
  ratio: "compression ratio",
  encoding: "encoding",
  nulls: "null share",
  entropy: "entropy of the bytes",
  group: "row group",
  findings: "findings",
  skipped: "what the query reads",
};
export const ASKED = new Set(["codec", "ratio", "encoding", "nulls", "entropy"]);

/** The look of a class. One with a `step`, from 0 to 1, has its colour from a scale. */
export interface Look extends Family {
  step?: number;
  /** Pale: what the question is not about. */
  quiet?: boolean;
}

export interface Colouring {
  by: string;
  looks: Look[];
  /** An index into `looks` for each tile. */
  code: Uint8Array;
  /** A shade of the colour for each tile; 0 for most. */
  tint: Uint8Array;
  /** Whether the classes from the third on are steps of a scale. */
  ordered: boolean;
  /** Where the answers are from, or why there are none. */
  note: string;
  /** A class whose tiles are seen however small they are; -1 for none. */
  loud: number;
  /** What the colour of a tile says; "" if the tile's name says it. */
  says(tile: number): string;
}

const PATTERNS = ["solid", "rising", "lines", "dots"] as const;
const NAMED = 24;
/** Row groups that have a colour each; more are steps of a scale. */
const FEW = 8;

const REST: Look = { name: "other bytes", letter: "", colour: GREY, pattern: "solid", quiet: true };
const UNKNOWN: Look = { name: "not known", letter: "?", colour: ACCENTS.unknown, pattern: "sparse" };

function named(name: string, index: number): Look {
  return {
    name,
    letter: String.fromCharCode(65 + index),
    colour: CLASSES[index % CLASSES.length],
    pattern: PATTERNS[Math.floor(index / CLASSES.length) % PATTERNS.length],
  };
}

function steps(names: string[]): Look[] {
  const last = Math.max(1, names.length - 1);
  return names.map((name, i) => ({
    name,
    letter: String(i + 1),
    colour: GREY,
    pattern: "solid",
    step: i / last,
  }));
}

function other(index: number): Look {
  return { ...named("other", index), colour: GREY };
}

/** The colouring by what the front end knows itself. */
export function colouringOf(by: string, layout: Layout, columns: string[], skips: Skips | null): Colouring {
  if (by === "column") return byColumn(layout, columns);
  if (by === "group") return byGroup(layout);
  if (by === "findings") return byFindings(layout);
  if (by === "skipped") return bySkipped(layout, skips);
  return {
    ...plain("kind", layout),
    looks: FAMILIES,
    code: layout.family,
    tint: layout.tint,
    loud: CORRUPT,
    says: () => "",
  };
}

/** What all colourings but that by kind share: every tile has the class of other bytes. */
function plain(by: string, layout: Layout): Colouring {
  const [code, tint] = [new Uint8Array(layout.length), new Uint8Array(layout.length)];
  return { by, looks: [REST], code, tint, ordered: false, note: "", loud: -1, says: () => "" };
}

/** Whether a tile is of the pages of a column chunk. */
function inPages(layout: Layout, tile: number): boolean {
  return layout.owner(tile)[0] >= 0 && isPaged(layout.kind(tile));
}

/** Give the tiles that may be of any column chunk, for lack of a key, a class of their own. */
function addKeyless(made: Colouring, layout: Layout): void {
  if (!layout.family.includes(KEYLESS)) return;
  for (let i = 0; i < layout.length; i++) if (layout.family[i] === KEYLESS) made.code[i] = made.looks.length;
  made.looks.push({ ...UNKNOWN, name: FAMILIES[KEYLESS].name });
}

function byColumn(layout: Layout, names: string[]): Colouring {
  const made = plain("column", layout);
  const bytes = new Map<number, number>();
  for (let i = 0; i < layout.length; i++) {
    const [, column] = layout.owner(i);
    if (column >= 0 && inPages(layout, i))
      bytes.set(column, (bytes.get(column) ?? 0) + layout.end(i) - layout.start[i]);
  }
  const order = [...bytes].sort((a, b) => b[1] - a[1]).map(([column]) => column);
  const all = order.length <= NAMED;
  const shown = all ? order : order.slice(0, NAMED - 1);
  const ranks = new Map(shown.map((column, rank) => [column, rank + 1]));
  const rest = shown.length + 1;
  const name = (column: number) => names[column] ?? `column ${column}`;
  made.looks = [REST, ...shown.map((column, rank) => named(name(column), rank))];
  if (!all) made.looks.push(other(NAMED - 1));
  for (let i = 0; i < layout.length; i++)
    if (inPages(layout, i)) made.code[i] = ranks.get(layout.owner(i)[1]) ?? rest;
  addKeyless(made, layout);
  if (!all) made.note = `the ${NAMED - 1} columns with the most bytes`;
  return made;
}

function byGroup(layout: Layout): Colouring {
  const made = plain("group", layout);
  let last = -1;
  for (let i = 0; i < layout.length; i++) last = Math.max(last, layout.owner(i)[0]);
  const groups = last + 1;
  const each = Math.max(1, Math.ceil(groups / FEW));
  const bins = Math.ceil(groups / each);
  const names = Array.from({ length: bins }, (_, bin) => {
    const [first, end] = [bin * each, Math.min(groups, (bin + 1) * each) - 1];
    return first === end ? `row group ${first}` : `${count(first)}–${count(end)}`;
  });
  made.ordered = groups > FEW;
  const few = () => names.map((name, i) => ({ ...named(name, i), letter: String(i) }));
  made.looks = [REST, ...(made.ordered ? steps(names) : few())];
  for (let i = 0; i < layout.length; i++)
    if (inPages(layout, i)) made.code[i] = 1 + Math.floor(layout.owner(i)[0] / each);
  addKeyless(made, layout);
  return made;
}

function byFindings(layout: Layout): Colouring {
  const made = plain("findings", layout);
  const present = Object.keys(SEVERITIES).filter((one) => layout.flags.some((f) => f.severity === one));
  const shown = present.map((severity, i): Look => {
    const { sign, colour } = SEVERITIES[severity];
    return { name: severity, letter: sign, colour, pattern: PATTERNS[i % PATTERNS.length] };
  });
  made.looks = [{ ...REST, name: "no finding" }, ...shown];
  for (let i = 0; i < layout.length; i++)
    made.code[i] = 1 + present.indexOf(layout.flagOf(i)?.severity ?? "");
  made.says = (tile) => (made.code[tile] ? "" : "no finding");
  return made;
}

function bySkipped(layout: Layout, skips: Skips | null): Colouring {
  const made = plain("skipped", layout);
  if (!skips || skips.error) {
    made.looks = [{ ...REST, name: skips ? "cannot be asked" : "no condition is set" }];
    made.note = skips?.error || "the lens Query of the file takes a condition";
    return made;
  }
  made.looks = [{ ...REST, name: "not read" }, named("read by the query", 0)];
  for (let i = 0; i < layout.length; i++) made.code[i] = skips.reads(layout.start[i], layout.end(i)) ? 1 : 0;
  made.says = (tile) => (made.code[tile] ? "read by the query" : UNREAD);
  return made;
}

/**
 * The colouring that Python answered. `asked` is the layout that the reply is about; if it is a coarser one, each tile
 * has the class of the column chunk around it.
 */
export function colouringFrom(
  { result, buffers }: Reply<MapColours>,
  asked: Layout,
  layout: Layout,
): Colouring {
  const { code, value } = unpack(result.columns, buffers).numbers;
  const made = plain(result.by, layout);
  const at = asked === layout ? (tile: number) => tile : (tile: number) => asked.at(layout.start[tile]);
  for (let i = 0; i < layout.length; i++) made.code[i] = code[at(i)];
  const [rest, unknown, ...names] = result.classes;
  const shown = result.ordered
    ? steps(names)
    : names.map((name, i) => (name === "other" ? other(i) : named(name, i)));
  made.looks = [{ ...REST, name: rest }, { ...UNKNOWN, name: unknown }, ...shown];
  made.ordered = result.ordered;
  made.note = result.note;
  made.says = (tile) => {
    const index = made.code[tile];
    const exact = value?.[at(tile)];
    if (index < 2 || exact === undefined) return `${result.title}: ${made.looks[index].name}`;
    return `${result.title}: ${rounded(exact)} ${result.unit}`;
  };
  return made;
}

/** A number in a few digits. What is not quite nothing, one or all is not rounded to it. */
function rounded(exact: number): string {
  const text = exact.toFixed(exact < 9.995 ? 2 : 1);
  if (![0, 1, 100].includes(Number(text)) || Number(text) === exact) return text;
  return `${exact < Number(text) ? "below" : "above"} ${text}`;
}
