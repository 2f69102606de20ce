/** A place as the hash of a saved page's address: `#row_groups/0/columns/4?lens=statistics`. */

import type { Place } from "./history";

const KEPT = "pqxPlace";

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

/**
 * Let the page's address follow the selection, where the browser allows it. `added`: the place is a step, and the browser's
 * own back button leads back from it. The number of the place is kept with the step.
 */
export function follow(place: Place, number: number, added: boolean): void {
  const link = linkTo(place);
  if (link === null || (link === location.href && number === numberOf(history.state))) return;
  const led = placeOf(location.hash); // a link or a person led here: the browser made the step
  const there = led?.address === place.address && led.lens === place.lens;
  try {
    if (added && !there) history.pushState({ [KEPT]: number }, "", link);
    else history.replaceState({ [KEPT]: number }, "", link);
  } catch {
    // some browsers do not allow it for local files
  }
}

/** Note the number of the first place with the page as it was opened. */
export function begin(number: number): void {
  try {
    history.replaceState({ [KEPT]: number }, "");
  } catch {
    // the back button then leaves the page
  }
}

/** The number of the place that `follow` kept with a step of the browser; null for a step of something else. */
export function numberOf(state: unknown): number | null {
  const number = (state as Record<string, unknown> | null)?.[KEPT];
  return typeof number === "number" ? number : null;
}
