/** The values of a step of an encoding: the one in focus in a line, all in a table. */

import { h } from "../dom";
import { count } from "../text";
import type { Step } from "../wire/encoding";

/** Actions on values: highlight one, go to its address, show the values from one on. */
interface Doing {
  near(index: number): void;
  select(address: string): void;
  more(from: number): void;
}

/** The value in focus in one line: which it is, what it is, and how it was computed. */
export function headline(step: Step, noun: string, life: (address: string) => void): HTMLElement {
  const [row] = step.rows;
  const is = row.logical ?? row.value;
  return h(
    "p",
    { class: "pqx-yielded", "data-index": row.index },
    h("span", { class: "pqx-muted" }, `${noun} ${count(row.index)} `),
    is && h("strong", {}, is),
    h("span", { class: "pqx-muted" }, is ? ` – ${row.how}` : row.how),
    row.address && " ",
    row.address && h("button", { class: "pqx-link", onclick: () => life(row.address as string) }, "its life"),
  );
}

/** The values in a table; `level` says that they are levels, which have no stored form of their own. */
export function rowsView(step: Step, noun: string, level: boolean, does: Doing): HTMLElement {
  const own = step.yields === "values";
  const index = step.rows.some((row) => row.entry !== null);
  const bits = step.rows.some((row) => row.bits);
  const titles = [noun, bits && "bits", "how", index && "entry", own && "is", own && !level && "stored as"];
  const rest = step.first + step.count - (step.rows.at(-1)?.index ?? 0) - 1;
  return h(
    "div",
    { class: "pqx-yields", tabindex: 0, role: "region", "aria-label": "What the step yields" },
    h(
      "table",
      {},
      h("thead", {}, h("tr", {}, ...titles.map((t) => t && h("th", { scope: "col" }, t)))),
      h(
        "tbody",
        {},
        ...step.rows.map((row) =>
          h(
            "tr",
            {
              "data-index": row.index,
              onpointerenter: () => does.near(row.index),
              onclick: (event: MouseEvent) => {
                if (row.address && !(event.target as Element).closest("button")) does.select(row.address);
              },
            },
            h(
              "th",
              { scope: "row" },
              row.address
                ? h(
                    "button",
                    {
                      class: "pqx-link",
                      tabindex: -1,
                      onclick: () => does.select(row.address as string),
                    },
                    count(row.index),
                  )
                : count(row.index),
            ),
            bits && h("td", { class: "pqx-mono" }, row.bits),
            h("td", { class: "pqx-how" }, row.how),
            index &&
              h(
                "td",
                {},
                row.entry &&
                  h(
                    "button",
                    {
                      class: "pqx-link",
                      tabindex: -1,
                      onclick: () => does.select(row.entry as string),
                    },
                    `entry ${row.value}`,
                  ),
              ),
            own && h("td", { class: "pqx-is", title: row.note ?? null }, row.logical ?? row.value ?? "–"),
            own && !level && h("td", { class: "pqx-mono pqx-muted" }, row.hex ?? ""),
          ),
        ),
      ),
    ),
    rest > 0 &&
      h(
        "button",
        {
          class: "pqx-button",
          onclick: () => does.more((step.rows.at(-1)?.index ?? 0) + 1),
        },
        `${count(rest)} more in this step`,
      ),
  );
}
