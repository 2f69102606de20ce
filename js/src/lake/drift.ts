/** The schemas of each table, a row for each: its files, when they are from, and what differs from the most common. */

import { append, type Child, h } from "../dom";
import type { Lens } from "../lenses/lens";
import { pathName } from "../pathname";
import { count, plural } from "../text";
import type { Change, Picture, Schema } from "../wire/drift";
import type { LakeContext } from "./context";

/** Columns of a difference that are named before the others are asked for. */
const NAMED = 6;

export const drift: Lens = {
  mount(el, picture: Picture, ctx) {
    const lake = ctx as LakeContext;
    const tables = new Map<string, Schema[]>();
    for (const one of picture.schemas) tables.set(one.table, [...(tables.get(one.table) ?? []), one]);
    const several = tables.size > 1;
    const parts: Child[] = [];
    for (const [table, schemas] of tables) {
      if (several) parts.push(h("h2", {}, lake.relative(table) || table));
      const title = several ? `Schemas of ${lake.relative(table) || table}` : "Schemas";
      parts.push(
        h(
          "ol",
          { class: "pqx-schemas", "aria-label": title },
          ...schemas.map((one, i) => row(lake, one, i, several)),
        ),
      );
    }
    const left = [
      picture.more_schemas && plural(picture.more_schemas, "more schema"),
      picture.alike && `${plural(picture.alike, "table")} with one schema each`,
    ].filter(Boolean);
    if (left.length) parts.push(h("p", { class: "pqx-muted" }, `Not shown: ${left.join(", ")}.`));
    append(el, parts);
    return { dispose: () => {} };
  },
};

function row(lake: LakeContext, one: Schema, i: number, several: boolean): HTMLElement {
  const { table, ids, files, of, dates, example, columns, changes, more } = one;
  const narrow = () => lake.narrow(several ? { schema: ids, folder: table } : { schema: ids });
  const share = files === of ? plural(files, "file") : `${count(files)} of ${plural(of, "file")}`;
  return h(
    "li",
    { class: "pqx-schema", "data-files": files },
    h(
      "span",
      { class: "pqx-schema-files" },
      ids && files < of
        ? h(
            "button",
            {
              class: "pqx-link",
              "aria-label": `Only files of schema ${i + 1}, ${plural(files, "file")}`,
              onclick: narrow,
            },
            share,
          )
        : share,
      h("span", { class: "pqx-schema-share", "aria-hidden": "true" }, bar(files / of)),
    ),
    h("span", { class: "pqx-muted pqx-schema-dates" }, dates),
    h(
      "span",
      { class: "pqx-schema-changes" },
      changes.length === 0 &&
        h(
          "span",
          {},
          files < of ? h("strong", {}, "the most common") : "the same in all files",
          `, ${plural(columns, "column")}`,
        ),
      ...changes.map(change),
      more > 0 && h("span", { class: "pqx-muted" }, `and ${plural(more, "more difference")}`),
    ),
    h(
      "button",
      { class: "pqx-link pqx-schema-example", title: example, onclick: () => lake.select(example) },
      "open ",
      pathName(lake.relative(example), "/"),
    ),
  );
}

function bar(part: number): HTMLElement {
  const made = h("span", {});
  made.style.width = `${Math.max(1, 100 * part)}%`;
  return made;
}

/** A difference and its columns: the first ones are named, a click opens the others. */
function change({ kind, columns, more, mine, usual }: Change): HTMLElement {
  const first = columns.slice(0, NAMED);
  const rest = columns.slice(NAMED);
  const total = columns.length + more;
  const names = (some: string[]) =>
    some.flatMap((name, i) => [i > 0 && ", ", h("code", { class: "pqx-said-name" }, name)]);
  const types =
    kind === "differs"
      ? [total === 1 ? " is " : " are ", h("code", {}, mine), ", not ", h("code", {}, usual)]
      : [];
  return h(
    "span",
    { "data-kind": kind },
    kind === "lacks" ? "lacks " : kind === "adds" ? "also has " : "",
    ...names(first),
    rest.length + more > 0 && ` and ${plural(rest.length + more, "more column")}`,
    ...types,
    rest.length > 0 &&
      h(
        "details",
        {},
        h("summary", {}, `name ${more > 0 ? `${count(rest.length)} of them` : "them"}`),
        ...names(rest),
      ),
  );
}
