/** The places that a saved page can show, for finding them without Python. */

import type { Detail } from "../context";

/** A node whose detail the page has. */
export interface SavedPlace {
  address: string;
  label: string;
  kind: string;
}

/** `replies` are those of a snapshot, by the names that `key` of host.ts makes. */
export function savedPlaces(replies: Record<string, { ok: boolean; result?: unknown }>): SavedPlace[] {
  const found = new Map<string, SavedPlace>();
  for (const name of Object.keys(replies)) {
    if (!name.startsWith("node{")) continue;
    const { ok, result } = replies[name]; // parsed now
    if (!ok) continue;
    const { address, label, kind } = result as Detail;
    found.set(address, { address, label, kind });
  }
  return [...found.values()];
}
