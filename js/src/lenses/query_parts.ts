/** The parts of the lens `query` that are no canvas: lost rows, stages, legend, examples, advice. */

import type { Context } from "../context";
import { copyButton } from "../copy";
import { type Child, h } from "../dom";
import { count, plural, size } from "../text";
import type { Advice, Asked, Danger, Groups, Stage } from "../wire/query";
import type { Example } from "../wire/question";
import { lookOf, READ, swatch } from "./querylook";

/** Rows that the engine may lose: the worst thing that skipping can do, so it comes first. */
export function danger(found: Danger[], ctx: Context): HTMLElement | null {
  if (!found.length) return null;
  return h(
    "div",
    { class: "pqx-trouble pqx-query-danger", role: "alert" },
    h("strong", {}, "⚠ This engine may lose rows"),
    ...found.map(({ rows, why, instead, row_groups, more }) =>
      h(
        "p",
        {},
        `It skips ${plural(rows, "row")} without proof that none matches (${why}). A careful reader reads them: ${instead}. See `,
        ...row_groups.flatMap((group) => [
          h(
            "button",
            { class: "pqx-link", onclick: () => ctx.select(`row_groups/${group}`) },
            `row group ${count(group)}`,
          ),
          " ",
        ]),
        more > 0 && `and ${count(more)} more`,
      ),
    ),
  );
}

/** "40 → 5 row groups, 4,000 → 500 rows", or that nothing was left to ask. */
export function change({ groups_in, groups_out, rows_in, rows_out }: Stage): string {
  if (!groups_in) return "nothing left to skip";
  if (groups_in === groups_out && rows_in === rows_out) return "skips nothing";
  const groups =
    groups_in === groups_out
      ? plural(groups_out, "row group")
      : `${count(groups_in)} → ${plural(groups_out, "row group")}`;
  const rows =
    rows_in === rows_out ? plural(rows_out, "row") : `${count(rows_in)} → ${plural(rows_out, "row")}`;
  return `${groups}, ${rows}`;
}

/** The stages, each with the rows that it leaves as a bar, and why it does no more. */
export function stageList({ stages, groups }: Asked): HTMLElement {
  const rows = Math.max(1, stages[0]?.rows_in ?? 0);
  const all = stages[0]?.groups_in ?? groups.total;
  const line = (name: string, share: number, text: string, why: string, skipped = 0) =>
    h(
      "li",
      { "data-stage": name },
      h("span", { class: "pqx-query-stage" }, name),
      h(
        "span",
        { class: "pqx-query-bar", "aria-hidden": "true" },
        h("i", { class: "pqx-query-left", style: `width: ${(share * 100).toFixed(2)}%` }),
        h("i", {
          "data-pattern": lookOf(name).pattern,
          style: `--colour: ${lookOf(name).colour}; width: ${(skipped * 100).toFixed(2)}%`,
        }),
      ),
      h("span", {}, text, why && h("span", { class: "pqx-muted" }, `. ${sentenceCase(why)}`)),
    );
  return h(
    "ol",
    { class: "pqx-query-stages", "aria-label": "What each kind of evidence leaves" },
    line("the file", 1, `${plural(all, "row group")}, ${plural(stages[0]?.rows_in ?? 0, "row")}`, ""),
    ...stages.map((stage) =>
      line(
        stage.name,
        stage.rows_out / rows,
        change(stage),
        stage.groups_out ? stage.why : "",
        (stage.rows_in - stage.rows_out) / rows,
      ),
    ),
  );
}

function sentenceCase(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** What the cells of the row groups mean, with how many there are. */
export function keys({ by, names, rows, read }: Groups): HTMLElement {
  const counts = new Map<number, number>();
  let some = 0;
  by.forEach((one, i) => {
    const part = one < 0 && read[i] < rows[i];
    if (part) some++;
    else counts.set(one, (counts.get(one) ?? 0) + 1);
  });
  const key = (mark: HTMLElement, text: string, n: number) =>
    h("li", {}, mark, `${text} `, h("span", { class: "pqx-muted" }, count(n)));
  return h(
    "ul",
    { class: "pqx-keys", "aria-label": "Legend" },
    counts.has(-1) && key(swatch(READ), "read", counts.get(-1) ?? 0),
    some > 0 && key(h("i", { class: "pqx-query-some" }), "some of its rows are read", some),
    ...names.map(
      (name, i) => counts.has(i) && key(swatch(lookOf(name)), `skipped by ${name}`, counts.get(i) ?? 0),
    ),
  );
}

/** Conditions to begin with, one click each. */
export function examples(
  found: Example[],
  title: string,
  choose: (where: string) => void,
): HTMLElement | null {
  if (!found.length) return null;
  return h(
    "div",
    { class: "pqx-query-examples" },
    h("p", {}, title),
    h(
      "ul",
      {},
      ...found.map(({ where, why }) =>
        h(
          "li",
          {},
          h("button", { class: "pqx-button pqx-mono", onclick: () => choose(where) }, where),
          h("span", { class: "pqx-muted" }, ` ${why}`),
        ),
      ),
    ),
  );
}

/** Lines of code, each made visible; a line break as a text would become a picture of itself. */
export function codeLines(code: string): Child[] {
  return code.split("\n").flatMap((line, i) => (i ? [document.createTextNode("\n"), line] : [line]));
}

/** Why the query reads more than it needs, and what would fix it. */
export function advice(found: Advice[], ctx: Context): HTMLElement | null {
  if (!found.length) return null;
  return h(
    "div",
    { class: "pqx-query-advice" },
    h("p", { class: "pqx-query-title" }, "What would let it skip more"),
    ...found.map(({ name, sentence, fix, code, saves, addresses }) =>
      h(
        "div",
        { class: "pqx-query-cause", "data-cause": name },
        h("p", {}, sentence),
        fix &&
          h("p", {}, h("strong", {}, "Fix it: "), fix, saves > 0 && ` That would save about ${size(saves)}.`),
        ...code.map(({ writer, code: text }) =>
          h(
            "details",
            {},
            h("summary", {}, `with ${writer}`),
            h("pre", { class: "pqx-mono", tabindex: 0 }, ...codeLines(text)),
            copyButton(ctx, "copy", `Copy the code for ${writer}`, async () => text),
          ),
        ),
        addresses.length > 0 &&
          h(
            "p",
            { class: "pqx-muted" },
            "Seen at ",
            ...addresses
              .slice(0, 4)
              .flatMap((address) => [
                h("button", { class: "pqx-link", onclick: () => ctx.select(address) }, address),
                " ",
              ]),
          ),
      ),
    ),
  );
}
