/** What a query reads of all files: the stages with the files that they leave, and a square for each of the first files. */

import "../lenses/query.css";
import { append, h, said } from "../dom";
import type { Lens } from "../lenses/lens";
import { type Look, lookOf, READ, swatch } from "../lenses/querylook";
import { count, plural, size } from "../text";
import type { Picture, QueryFile, QueryStage } from "../wire/query_picture";
import type { LakeContext } from "./context";

/** "1,200 → 40 files, 3.1 → 1.2 MB", or that nothing was left to ask. */
export function change(stage: QueryStage): string {
  if (!stage.files_in) return "nothing left to skip";
  const same =
    stage.files_in === stage.files_out &&
    stage.row_groups_in === stage.row_groups_out &&
    stage.bytes_in === stage.bytes_out;
  if (same) return "skips nothing";
  const step = (from: number, to: number, one: string) =>
    from === to ? plural(to, one) : `${count(from)} → ${plural(to, one)}`;
  const bytes =
    stage.bytes_in === stage.bytes_out
      ? size(stage.bytes_out)
      : `${size(stage.bytes_in)} → ${size(stage.bytes_out)}`;
  const groups = step(stage.row_groups_in, stage.row_groups_out, "row group");
  return `${step(stage.files_in, stage.files_out, "file")}, ${groups}, ${bytes}`;
}

/** A file that is not skipped because it cannot be read. */
const UNREADABLE: Look = { colour: "var(--pqx-ink)", pattern: "falling" };

/** What happens to a file, in words. */
export function verdict(file: QueryFile): string {
  const { kept, unreadable, by, reason, row_groups, of_row_groups } = file;
  const why = reason ? `: ${reason}` : "";
  if (unreadable) return `not skipped${why}`;
  if (!kept) return `skipped${by ? ` by ${by}` : ""}${why}`;
  return `${count(row_groups)} of ${plural(of_row_groups, "row group")} read${why}`;
}

function form(picture: Picture, lake: LakeContext): HTMLElement {
  const box = h("input", {
    class: "pqx-input",
    type: "text",
    value: picture.where || lake.where,
    maxlength: 4000,
    placeholder: "price > 10 AND city = 'Oslo'",
    "aria-label": "Condition in SQL",
    spellcheck: "false",
    autocomplete: "off",
  });
  const engine = h(
    "select",
    { class: "pqx-input", "aria-label": "Engine", onchange: () => lake.ask(box.value.trim(), engine.value) },
    ...picture.engines.map(({ name, title }) =>
      h(
        "option",
        { value: name, selected: name === picture.engine },
        title.slice(0, 1).toUpperCase() + title.slice(1),
      ),
    ),
  );
  return h(
    "form",
    {
      class: "pqx-query-form",
      onsubmit: (event: Event) => {
        event.preventDefault();
        lake.ask(box.value.trim(), engine.value);
      },
      onkeydown: (event: KeyboardEvent) => {
        if (event.key === "Escape") box.value = picture.where;
        event.stopPropagation();
      },
    },
    h("span", { class: "pqx-mono", "aria-hidden": "true" }, "WHERE"),
    box,
    engine,
    h("button", { class: "pqx-button", type: "submit" }, "ask"),
    h("button", { class: "pqx-button", disabled: !lake.where, onclick: () => lake.ask("", "") }, "clear"),
  );
}

function stages(picture: Picture): HTMLElement | null {
  if (!picture.stages.length) return null;
  const files = Math.max(1, picture.total_files);
  const line = (name: string, left: number, gone: number, text: string) =>
    h(
      "li",
      { "data-stage": name },
      h("span", { class: "pqx-query-stage" }, name),
      h(
        "span",
        { class: "pqx-query-bar", "aria-hidden": "true" },
        h("i", { class: "pqx-query-left", style: `width: ${(left * 100).toFixed(2)}%` }),
        h("i", {
          "data-pattern": lookOf(name).pattern,
          style: `--colour: ${lookOf(name).colour}; width: ${(gone * 100).toFixed(2)}%`,
        }),
      ),
      h("span", {}, text),
    );
  const all = `${plural(picture.total_files, "file")}, ${plural(picture.total_row_groups, "row group")}, ${size(picture.total_bytes)}`;
  return h(
    "ol",
    { class: "pqx-query-stages", "aria-label": "What each kind of evidence leaves" },
    line("the lake", 1, 0, all),
    ...picture.stages.map((stage) =>
      line(stage.name, stage.files_out / files, (stage.files_in - stage.files_out) / files, change(stage)),
    ),
  );
}

/** A square for each of the first files; it opens the file. */
function squares({ files, total_files }: Picture, lake: LakeContext): HTMLElement | null {
  if (!files.length) return null;
  const skips = [...new Set(files.filter((file) => !file.kept).map((file) => file.by))];
  return h(
    "div",
    { class: "pqx-query-part" },
    h(
      "p",
      { class: "pqx-query-title" },
      files.length < total_files
        ? `The first ${count(files.length)} of ${count(total_files)} files`
        : plural(files.length, "file"),
    ),
    h(
      "ul",
      { class: "pqx-keys", "aria-label": "Legend" },
      files.some((file) => file.kept && !file.unreadable) && h("li", {}, swatch(READ), "read"),
      files.some((file) => file.unreadable) &&
        h("li", {}, swatch(UNREADABLE), "not skipped: the file cannot be read"),
      ...skips.map((by) => h("li", {}, swatch(lookOf(by)), `skipped${by ? ` by ${by}` : ""}`)),
    ),
    h(
      "ul",
      { class: "pqx-query-files", "aria-label": "Files" },
      ...files.map((file) => {
        const look = file.unreadable ? UNREADABLE : file.kept ? READ : lookOf(file.by);
        const text = `${lake.relative(file.path)}: ${verdict(file)}${file.size < 0 ? "" : `, ${size(file.size)}`}`;
        return h(
          "li",
          {},
          h("button", {
            class: "pqx-query-file",
            "data-pattern": look.pattern,
            "data-kept": file.unreadable ? "unreadable" : String(file.kept),
            style: `--colour: ${look.colour}`,
            title: text,
            "aria-label": text,
            onclick: () => lake.select(file.path),
          }),
        );
      }),
    ),
  );
}

export const query: Lens = {
  mount(el, picture: Picture, ctx) {
    const lake = ctx as LakeContext;
    const parts = [
      form(picture, lake),
      picture.lost.length > 0 &&
        h(
          "div",
          { class: "pqx-trouble pqx-query-danger", role: "alert" },
          h("strong", {}, "⚠ This engine may lose rows"),
          ...picture.lost.map((text) => h("p", {}, text)),
        ),
      ...picture.remarks.map((text) => h("p", { class: "pqx-muted" }, ...said(text))),
      stages(picture),
      squares(picture, lake),
    ];
    append(el, [h("div", { class: "pqx-query", "data-asked": picture.where }, ...parts)]);
    return { dispose: () => {} };
  },
};
