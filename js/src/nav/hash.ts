/** A place as the hash of a saved page's address: `#row_groups/0/columns/4?lens=statistics`. */

import type { Place } from "./history";

export function hashOf({ address, lens }: Place): string {
  const encoded = encodeURIComponent(address).replaceAll("%2F", "/");
  const query = lens && `?lens=${encodeURIComponent(lens)}`;
  return encoded || query ? `#${encoded}${query}` : "";
}

/** The place that a hash names, whether or not there is one; null for no hash, and for one that no address can be. */
export function placeOf(hash: string): Place | null {
  const text = hash.replace(/^#/, "");
  if (!text) return null;
  const [address, query = ""] = text.split("?", 2);
  try {
    return {
      address: decodeURIComponent(address).replace(/^\/+|\/+$/g, ""),
      lens: decodeURIComponent(/(?:^|&)lens=([^&]*)/.exec(query)?.[1] ?? ""),
    };
  } catch {
    return { address: text, lens: "" }; // a broken escape: nothing has this address, which is then said
  }
}

/** The page's own address with the hash of a place; null in a frame that has no address of its own. */
export function linkTo(place: Place): string | null {
  if (!/^(https?|file):$/.test(location.protocol)) return null;
  return location.href.split("#", 1)[0] + hashOf(place);
}

/** Let the page's address follow the selection, where the browser allows it. */
export function follow(place: Place): void {
  const link = linkTo(place);
  if (link === null || link === location.href) return;
  try {
    history.replaceState(history.state, "", link);
  } catch {
    // some browsers do not allow it for local files
  }
}
