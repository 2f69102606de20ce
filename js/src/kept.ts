/** What a person chose for the stage. It is kept in the browser for the next explorer; it says nothing about a file. */

const KEY = "pqx-stage";

/** In pixels: the smallest and the largest size of a part that a divider sets. */
export const SIZES = {
  tall: { min: 420, max: 4000 },
  map: { min: 84, max: 900 },
  tree: { min: 120, max: 700 },
  bytes: { min: 84, max: 1200 },
  beside: { min: 260, max: 1200 },
} as const;

export type Sized = keyof typeof SIZES;

const DOCKS = ["auto", "below", "beside", "off"] as const;
/** Where the bytes are. */
export type Dock = (typeof DOCKS)[number];

export interface Kept {
  sizes: Partial<Record<Sized, number>>;
  dock: Dock;
  folded: boolean;
}

export function clamp(name: Sized, size: number): number {
  const { min, max } = SIZES[name];
  return Math.round(Math.max(min, Math.min(max, size)));
}

/** What a text says that was kept; what it does not say, or says wrongly, is as at first. */
export function readKept(text: string | null): Kept {
  const kept: Kept = { sizes: {}, dock: "auto", folded: false };
  let found: unknown;
  try {
    found = JSON.parse(text ?? "");
  } catch {
    return kept;
  }
  if (typeof found !== "object" || found === null) return kept;
  const { sizes, dock, folded } = found as Record<string, unknown>;
  for (const name of Object.keys(SIZES) as Sized[]) {
    const size = (sizes as Record<string, unknown> | null | undefined)?.[name];
    if (typeof size === "number" && Number.isFinite(size)) kept.sizes[name] = clamp(name, size);
  }
  kept.dock = DOCKS.find((one) => one === dock) ?? "auto";
  kept.folded = folded === true;
  return kept;
}

export function recalled(): Kept {
  try {
    return readKept(localStorage.getItem(KEY));
  } catch {
    return readKept(null); // a page without storage
  }
}

export function remember(kept: Kept): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(kept));
  } catch {
    // a page without storage
  }
}
