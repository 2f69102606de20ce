/** The first screen: what to do today, the worst first, then the folders with a bar for their size; a folder opens. */

import "../lenses/cards.css";
import { copyButton } from "../copy";
import { append, type Child, h, said } from "../dom";
import { severitySign } from "../flags";
import type { Lens } from "../lenses/lens";
import { count, plural, size } from "../text";
import type { Folder, Picture, Todo } from "../wire/today";
import { barList } from "./bars";
import type { Conditions, LakeContext } from "./context";

export const today: Lens = {
  mount(el, picture: Picture, ctx) {
    const lake = ctx as LakeContext;
    const { todo, more, waiting, folders, base, more_folders } = picture;
    const largest = Math.max(1, ...folders.map(({ bytes }) => bytes));
    const bars = folders.map((folder) => ({
      label: folder.is_file ? folder.name : `${folder.name}/`,
      part: folder.bytes / largest,
      text: described(folder),
      address: folder.path,
    }));
    const files = new Set(folders.filter(({ is_file }) => is_file).map(({ path }) => path));
    const open = (path: string) => (files.has(path) ? lake.select(path) : lake.narrow({ folder: path }));
    append(el, [
      h(
        "div",
        { class: "pqx-cards pqx-todo", role: "group", "aria-label": "To do" },
        (todo.length > 0 || waiting > 0) &&
          h(
            "div",
            { class: "pqx-bar" },
            todo.length > 0 && h("h4", {}, "To do today"),
            waiting > 0 && h("span", { class: "pqx-muted" }, "by the tables of the scan"),
            waiting > 0 &&
              h(
                "button",
                { class: "pqx-button", onclick: () => void lake.type("all") },
                `diagnose ${plural(waiting, "file")}`,
              ),
          ),
        todo.length > 0 && h("ol", {}, ...todo.map((one) => line(lake, one))),
        more > 0 && h("p", { class: "pqx-muted" }, `and ${plural(more, "more thing")} to do: see Diagnosis`),
      ),
      folders.length > 0 &&
        h(
          "div",
          { class: "pqx-folders" },
          h("h4", {}, base ? `In ${base.replace(/\/$/, "")}` : "Folders"),
          barList(bars, "Folders, the largest first", open),
          more_folders > 0 && h("p", { class: "pqx-muted" }, `and ${count(more_folders)} more`),
        ),
    ]);
    return { dispose: () => {} };
  },
};

function described({ files, bytes, rows, schemas, format, is_file }: Folder): string {
  const parts = [
    size(bytes),
    !is_file && plural(files, "file"),
    plural(rows, "row"),
    schemas > 1 && plural(schemas, "schema"),
    format && `${format} table`,
  ];
  return parts.filter(Boolean).join(", ");
}

function line(lake: LakeContext, one: Todo): HTMLElement {
  const conditions = () => (one.filters ? (JSON.parse(one.filters) as Conditions) : {});
  const buttons: Child[] = [
    h(
      "button",
      {
        class: "pqx-button",
        "aria-label": `see ${one.see}: ${one.rule}`,
        onclick: () => lake.show(one.panel, conditions()),
      },
      `see ${one.see}`,
    ),
    one.remedies.length > 0 && h("span", { class: "pqx-muted" }, "copy the code for"),
    ...one.remedies.map(({ writer, code }) =>
      copyButton(lake, writer, `Copy the code for ${writer}: ${code}`, async () => code),
    ),
  ];
  return h(
    "li",
    { class: "pqx-card", "data-rule": one.rule, "data-severity": one.severity },
    h("span", { class: "pqx-card-head" }, severitySign(one.severity), h("strong", {}, one.severity)),
    h("p", {}, ...said(one.sentence)),
    one.fix !== "" && h("p", { class: "pqx-muted" }, h("strong", {}, "To do: "), ...said(one.fix)),
    h("span", { class: "pqx-card-buttons" }, ...buttons),
  );
}
