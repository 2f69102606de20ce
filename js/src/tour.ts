/** A tour of five steps, offered once. Where nothing can be kept, it is not offered: it would come again and again. */

import { fill, h } from "./dom";

const KEPT = "pqx-tour";

interface Stop {
  /** The part that is outlined, and the drawer that it is in. */
  part: string;
  opens?: "map" | "tree" | "bytes";
  title: string;
  text: string;
}

type Show = (part: NonNullable<Stop["opens"]> | null) => void;

export const STOPS: Stop[] = [
  {
    part: ".pqx-headline",
    title: "The file in one sentence",
    text: "What matters most: what is wrong, or what takes the space. A click leads to the evidence.",
  },
  {
    part: ".pqx-map",
    opens: "map",
    title: "Every byte of the file",
    text: "A click or M opens the strip. Choose what the colours mean; click a tile to go there.",
  },
  {
    part: ".pqx-outline",
    opens: "tree",
    title: "The file as a tree",
    text: "T opens it: row groups, column chunks, pages, down to fields. What has a finding has a sign.",
  },
  {
    part: ".pqx-detail",
    title: "One question, one tab",
    text: "Each lens answers with a sentence, a picture and a table. The key ? explains a word.",
  },
  {
    part: "section.pqx-bytes",
    opens: "bytes",
    title: "The bytes themselves",
    text: "B opens them. Whatever you point at is marked here; a byte leads back to what owns it.",
  },
];

/**
 * Offer the tour in a line of an explorer, where it covers nothing, unless it was seen or refused. `show` opens a drawer,
 * or none, and closes what it opened before: the part that is spoken of has the room.
 */
export function offerTour(root: HTMLElement, line: HTMLElement, show: Show): void {
  if (kept() !== "") return;
  const begin = () => {
    offer.remove();
    step(root, bubble(root, show), 0, show);
  };
  const offer = h(
    "p",
    { class: "pqx-tour-offer" },
    "New here?",
    h("button", { class: "pqx-link", onclick: begin }, "take the tour"),
    h("button", { class: "pqx-link", onclick: () => end(root, offer, show) }, "not again"),
  );
  line.append(offer);
}

function bubble(root: HTMLElement, show: Show): HTMLElement {
  const box = h("section", { class: "pqx-tour", "aria-label": "Tour", "aria-live": "polite" });
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    end(root, box, show);
  });
  root.querySelector(".pqx-identity")?.after(box); // a line of its own: it covers no part
  return box;
}

function step(root: HTMLElement, box: HTMLElement, at: number, show: Show): void {
  const { part, opens, title, text } = STOPS[at];
  unmark(root);
  show(opens ?? null);
  root.querySelector(part)?.classList.add("pqx-shown-by-tour");
  const last = at === STOPS.length - 1;
  const next = h(
    "button",
    { class: "pqx-button", onclick: () => (last ? end(root, box, show) : step(root, box, at + 1, show)) },
    last ? "done" : "next",
  );
  fill(
    box,
    h("p", {}, h("strong", {}, `${at + 1} of ${STOPS.length}: ${title}.`), ` ${text}`),
    h(
      "div",
      {},
      next,
      !last && h("button", { class: "pqx-button", onclick: () => end(root, box, show) }, "end the tour"),
    ),
  );
  next.focus();
}

function end(root: HTMLElement, box: HTMLElement, show: Show): void {
  unmark(root);
  show(null);
  box.remove();
  try {
    localStorage.setItem(KEPT, "seen");
  } catch {
    // a page without storage
  }
}

function unmark(root: HTMLElement): void {
  for (const el of root.querySelectorAll(".pqx-shown-by-tour")) el.classList.remove("pqx-shown-by-tour");
}

/** What is kept: "" if the tour was not seen, null if nothing can be kept. */
function kept(): string | null {
  try {
    return localStorage.getItem(KEPT) ?? "";
  } catch {
    return null;
  }
}
