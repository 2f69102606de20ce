/** Columns and schemas as a matrix: a letter for each definition of the column, nothing where the schema lacks it. */

import { append, h } from "../dom";
import type { Lens } from "../lenses/lens";
import { showMore } from "../more";
import { pathName } from "../pathname";
import { count, plural } from "../text";
import type { Picture } from "../wire/drift";
import type { LakeContext } from "./context";

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

export const drift: Lens = {
  mount(el, picture: Picture, ctx) {
    const lake = ctx as LakeContext;
    const head = picture.schemas.map(({ id, ids, files, since }, i) =>
      h(
        "th",
        { scope: "col", title: `schema ${ids || id}: ${plural(files, "file")}, since ${since}` },
        ids
          ? h(
              "button",
              {
                class: "pqx-link",
                "aria-label": `Only files of schema ${i + 1}, ${plural(files, "file")}`,
                onclick: () => lake.narrow({ schema: ids }),
              },
              `${i + 1}`,
            )
          : `${i + 1}`,
        h("small", {}, count(files)),
      ),
    );
    const same = picture.cells.map((cells) => new Set(cells).size < 2);
    const drawn = same.filter(Boolean).length;
    const { alike } = picture;
    // where columns differ, the others wait for a button
    const some = drawn > 0 && drawn < same.length;
    const rows = picture.columns.map((name, r) =>
      h(
        "tr",
        { hidden: some && same[r] },
        h("th", { scope: "row", title: name }, pathName(name, ".")),
        ...picture.cells[r].map((cell, c) =>
          cell === null
            ? h("td", { class: "pqx-lacks", title: `schema ${c + 1} has no ${name}` }, "·")
            : h(
                "td",
                { class: `pqx-definition-${Math.min(cell, 4)}`, title: picture.definitions[r][cell] },
                LETTERS[Math.min(cell, 25)],
              ),
        ),
      ),
    );
    const hidden = [
      picture.more_columns && `${plural(picture.more_columns, "more column")}${some ? " that differ" : ""}`,
      picture.more_schemas && `${plural(picture.more_schemas, "more schema")}`,
    ].filter(Boolean);
    const all = h(
      "button",
      {
        class: "pqx-button",
        "aria-pressed": "false",
        onclick: () => {
          const shown = all.getAttribute("aria-pressed") !== "true";
          all.setAttribute("aria-pressed", String(shown));
          for (const [r, row] of rows.entries()) row.hidden = same[r] && !shown;
        },
      },
      `show ${drawn < alike ? `${count(drawn)} of ` : ""}${plural(alike, "column")} without differences`,
    );
    const matrix = h("div", {
      class: "pqx-matrix",
      tabindex: 0,
      role: "region",
      "aria-label": "Columns and schemas",
    });
    append(el, [
      some && h("div", { class: "pqx-bar" }, all),
      matrix,
      h(
        "p",
        { class: "pqx-muted" },
        "Schemas from the oldest to the newest; A is a column's most frequent definition, B the next, · none.",
        hidden.length ? ` Not drawn: ${hidden.join(", ")}.` : "",
      ),
    ]);
    append(matrix, [
      h(
        "table",
        {},
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "column \\ schema, files"), ...head)),
        h("tbody", {}, ...rows),
      ),
    ]);
    return { dispose: showMore(matrix) };
  },
};
