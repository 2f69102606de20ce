/** The file at a glance: name, size, counts, writer, and which parts of the format it has. */

import type { Badge, Context, Identity } from "./context";
import { h } from "./dom";
import { severitySign } from "./flags";
import type { Headline } from "./headline";
import { pathName } from "./pathname";
import { count, plural, size } from "./text";

const MARKS = { all: "✓", some: "◐", none: "✗", unknown: "?" };
const WORDS = { all: "yes", some: "in part", none: "no", unknown: "not known" };

const MEANINGS: Record<string, string> = {
  statistics: "minimum, maximum and null count of column chunks, to skip row groups by",
  "page index": "minimum, maximum and null count of pages, and where each page lies",
  "Bloom filters": "bits that show which values are certainly absent",
  "page checksums": "a CRC in each page header, to notice damage",
  "size statistics": "the size of the values, and histograms of the levels",
  encryption: "parts that need a key",
};

/** The header of a file or a lake: its name, facts and tools, below them the headline with `beside`, and a line `below` it. */
export function headerBar(
  name: HTMLElement,
  facts: HTMLElement[],
  tools: HTMLElement,
  headline: HTMLElement,
  beside: HTMLElement | null,
  below: HTMLElement | null = null,
): HTMLElement {
  return h(
    "header",
    { class: "pqx-identity" },
    name,
    h("div", { class: "pqx-counts" }, ...facts),
    tools,
    h("div", { class: "pqx-second" }, headline, beside),
    below,
  );
}

/** The parts that are given are made once: the bar around them is made anew when more is known. */
export function identityBar(
  ctx: Context,
  headline: Headline,
  tools: HTMLElement,
  work: HTMLElement[],
): HTMLElement {
  const identity = ctx.identity;
  const { rows, row_groups, columns } = identity;
  const facts = [
    h("span", { title: `${count(identity.size)} bytes` }, size(identity.size)),
    ...(rows === null && row_groups === null && columns === null
      ? [h("span", {}, "rows and columns not readable")]
      : [counted(rows, "row"), counted(row_groups, "row group"), counted(columns, "column")]),
    h(
      "span",
      { class: "pqx-writer" },
      identity.created_by ? `by ${identity.created_by}` : "writer not named",
    ),
  ];
  return headerBar(
    h(
      "h1",
      { class: "pqx-named" },
      h(
        "button",
        { class: "pqx-name", title: identity.source, onclick: () => ctx.select("") },
        pathName(identity.name, ""),
      ),
    ),
    facts,
    tools,
    headline.el,
    null,
    h("div", { class: "pqx-about-file" }, headline.below, findings(ctx, identity), ...work),
  );
}

/** Which parts of the format the file has. */
export function featureList(identity: Identity): HTMLElement {
  const list = badges(identity).map(badge);
  return h("ul", { class: "pqx-badges", "aria-label": "What the file has" }, ...list);
}

function counted(n: number | null, one: string): HTMLElement {
  return h("span", {}, n === null ? `${one}s not readable` : plural(n, one));
}

/** A file that is not encrypted lacks nothing, so nothing is said of it. */
function badges(identity: Identity): Badge[] {
  return identity.badges.filter((one) => one.name !== "encryption" || one.has !== "none");
}

function badge(it: Badge): HTMLElement {
  const title = `${it.name}: ${it.note}. These are ${MEANINGS[it.name] ?? "part of the format"}.`;
  return h(
    "li",
    { class: `pqx-badge pqx-has-${it.has}`, title },
    h("span", { "aria-hidden": "true" }, MARKS[it.has]),
    ` ${it.name}`,
    h("span", { class: "pqx-hidden" }, `: ${WORDS[it.has]}`),
  );
}

/** The findings above a note; the overview lists the notes. */
function findings(ctx: Context, identity: Identity): HTMLElement | null {
  const found = identity.findings;
  if (!found.length) return null;
  return h(
    "details",
    { class: "pqx-findings" },
    h("summary", {}, severitySign(found[0].severity), ` ${plural(found.length, "finding")}`),
    h(
      "ul",
      {},
      ...found.map((f) =>
        h(
          "li",
          {},
          h("strong", {}, f.severity),
          ` ${f.sentence} `,
          h("button", { class: "pqx-link", onclick: () => ctx.select(f.address) }, f.address || "file"),
        ),
      ),
    ),
  );
}
