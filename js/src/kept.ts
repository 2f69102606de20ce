/** What a person chose for the stage. The browser keeps it for each notebook; it says nothing about a file. */

const KEY = "pqx-stage";
/** Notebooks whose choices are kept, the latest first. */
const MOST = 20;

/** In pixels: the smallest and the largest size of a part that a divider sets. */
export const SIZES = {
  map: { min: 84, max: 900 },
  tree: { min: 160, max: 700 },
  bytes: { min: 84, max: 1200 },
} as const;

export type Sized = keyof typeof SIZES;

export interface Kept {
  sizes: Partial<Record<Sized, number>>;
  map: boolean;
  tree: boolean;
  /** null: they open where the answer is in bytes. */
  bytes: boolean | null;
}

export function clamp(name: Sized, size: number): number {
  const { min, max } = SIZES[name];
  return Math.round(Math.max(min, Math.min(max, size)));
}

/** What is kept, by the place of the notebook; what is broken is left out. */
function all(text: string | null): [place: string, kept: Record<string, unknown>][] {
  try {
    const found: unknown = JSON.parse(text ?? "");
    return Array.isArray(found) ? found.filter((one) => typeof one?.[0] === "string" && one[1]) : [];
  } catch {
    return [];
  }
}

/** What a text says that was kept for a notebook; what it does not say, or says wrongly, is as at first. */
export function readKept(text: string | null, place: string): Kept {
  const found = all(text).find(([one]) => one === place)?.[1] ?? {};
  const sizes: Kept["sizes"] = {};
  for (const name of Object.keys(SIZES) as Sized[]) {
    const size = (found.sizes as Record<string, unknown> | null | undefined)?.[name];
    if (typeof size === "number" && Number.isFinite(size)) sizes[name] = clamp(name, size);
  }
  const bytes = typeof found.bytes === "boolean" ? found.bytes : null;
  return { sizes, map: found.map === true, tree: found.tree === true, bytes };
}

export function recalled(): Kept {
  try {
    return readKept(localStorage.getItem(KEY), location.pathname);
  } catch {
    return readKept(null, ""); // a page without storage
  }
}

export function remember(kept: Kept): void {
  write(KEY, kept);
}

/** Write what is kept for this notebook under a key, before that of others. */
function write(key: string, kept: unknown): void {
  try {
    const others = all(localStorage.getItem(key)).filter(([place]) => place !== location.pathname);
    localStorage.setItem(key, JSON.stringify([[location.pathname, kept], ...others].slice(0, MOST)));
  } catch {
    // a page without storage
  }
}

const FOLDS = "pqx-folds";

function folds(): Record<string, unknown> {
  try {
    return all(localStorage.getItem(FOLDS)).find(([one]) => one === location.pathname)?.[1] ?? {};
  } catch {
    return {}; // a page without storage
  }
}

/** Whether a person opened the fold of this name in this notebook. */
export function isUnfolded(name: string): boolean {
  return folds()[name] === true;
}

export function keepFold(name: string, open: boolean): void {
  write(FOLDS, { ...folds(), [name]: open });
}

const HINTED = "pqx-hinted";

/** Whether a person pointed at a mark already: then no picture says how. A page without storage says it each time. */
export function knowsMarks(): boolean {
  try {
    return localStorage.getItem(HINTED) !== null;
  } catch {
    return false;
  }
}

export function learnMarks(): void {
  try {
    localStorage.setItem(HINTED, "1");
  } catch {
    // a page without storage
  }
}
