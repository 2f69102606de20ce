/**
 * What is wrong with the files: a card for each finding, with its writers and its first files. Many files are diagnosed
 * only on request.
 */

import { append, type Child, h } from "../dom";
import { cardList } from "../lenses/cards";
import type { Lens } from "../lenses/lens";
import { count, plural } from "../text";
import type { Finding, Picture } from "../wire/doctor";
import type { Conditions, LakeContext } from "./context";

/** Files and writers that a card names. */
const NAMED = 3;

export const doctor: Lens = {
  mount(el, picture: Picture, ctx) {
    const lake = ctx as LakeContext;
    const { title, findings, more, waiting } = picture;
    const level = waiting ? "" : "footer";
    const problems = findings.filter(({ card }) => card.severity !== "note");
    const notes = findings.filter(({ card }) => card.severity === "note");
    /** The table has the files of one finding, or of all. */
    const list = (rule: string) => {
      const explorer = el.closest(".pqx-lake");
      void lake
        .type(`${level}:${rule}`)
        .then(() => explorer?.querySelector<HTMLElement>(".pqx-sheet .pqx-grid")?.focus());
    };
    const cards = (some: Finding[], left: number) =>
      cardList(
        lake,
        some.map(({ card }) => card),
        left,
        (at) => [...writers(some[at]), files(lake, some[at], picture.rule, list)],
      );
    append(el, [
      h(
        "div",
        { class: "pqx-cards pqx-diagnosis", role: "group", "aria-label": "Problems" },
        h(
          "div",
          { class: "pqx-bar" },
          title !== "" && h("h2", {}, title),
          waiting > 0 &&
            problems.length > 0 &&
            h("span", { class: "pqx-muted" }, "by the tables of the scan"),
          waiting > 0 &&
            h(
              "button",
              { class: "pqx-button", onclick: () => void lake.type("footer:") },
              `diagnose ${plural(waiting, "file")}`,
            ),
        ),
        ...cards(problems, more),
        notes.length > 0 &&
          h(
            "details",
            {
              class: "pqx-notes",
              // where a note is all that is known, it is read at once
              open: !problems.length || notes.some(({ card }) => card.rule === picture.rule),
            },
            h("summary", {}, plural(notes.length, "note")),
            ...cards(notes, 0),
          ),
      ),
    ]);
    return { dispose: () => {} };
  },
};

function writers({ writers }: Finding): Child[] {
  if (!writers.length) return [];
  const rest = writers.length - NAMED;
  return [
    h(
      "ul",
      { class: "pqx-card-list", "aria-label": "Writers" },
      ...writers
        .slice(0, NAMED)
        .map(({ name, files, of }) =>
          h(
            "li",
            {},
            name,
            " ",
            h("span", { class: "pqx-muted" }, `${count(files)} of ${plural(of, "file")}`),
          ),
        ),
      rest > 0 && h("li", { class: "pqx-muted" }, `and ${plural(rest, "more writer")}`),
    ),
  ];
}

/** The first files, which open at the finding, and buttons for all of them. */
function files(
  lake: LakeContext,
  { card, files, places, listed, see, panel, filters }: Finding,
  rule: string,
  list: (rule: string) => void,
): HTMLElement {
  const chosen = rule === card.rule;
  return h(
    "div",
    { class: "pqx-card-files" },
    h(
      "ul",
      { class: "pqx-card-list", "aria-label": "Files" },
      ...places
        .slice(0, NAMED)
        .map((place) =>
          h(
            "li",
            {},
            h(
              "button",
              { class: "pqx-link", onclick: () => lake.select(place) },
              lake.relative(place).replace(/#.*$/s, ""),
            ),
          ),
        ),
    ),
    h(
      "span",
      { class: "pqx-card-buttons" },
      listed &&
        files > 1 &&
        h(
          "button",
          {
            class: "pqx-button",
            "aria-pressed": String(chosen),
            "aria-label": `list ${plural(files, "file")} of ${card.rule}`,
            onclick: () => list(chosen ? "" : card.rule),
          },
          `list ${plural(files, "file")}`,
        ),
      see &&
        h(
          "button",
          {
            class: "pqx-button",
            onclick: () => lake.show(panel, filters ? (JSON.parse(filters) as Conditions) : {}),
          },
          `see ${see}`,
        ),
    ),
  );
}
