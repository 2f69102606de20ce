/** A condition, and the objects that it skips: a square for each; the table below gives the reasons. */

import { append, h } from "../dom";
import type { Lens } from "../lenses/lens";
import { plural } from "../text";
import type { Picture } from "../wire/skipping";
import type { LakeContext } from "./context";

const VERDICTS = ["kept", "skipped", "partition pruned"];
const MARKS = ["■", "□", "▨"];

export const skipping: Lens = {
  mount(el, picture: Picture, ctx) {
    const lake = ctx as LakeContext;
    const box = h("input", {
      class: "pqx-input pqx-condition",
      type: "text",
      value: picture.condition,
      placeholder: "temp < 5 AND city = 'Oslo'",
      "aria-label": "Condition in SQL",
      spellcheck: "false",
      autocomplete: "off",
    });
    const mode = h(
      "select",
      { class: "pqx-input", "aria-label": "mode" },
      ...[
        ["sound", "sound: never loses a row"],
        ["xskipper", "xskipper: skips like xskipper"],
      ].map(([name, text]) => h("option", { value: name, selected: picture.mode === name }, text)),
    );
    const form = h(
      "form",
      {
        class: "pqx-boxes",
        onsubmit: (event: Event) => {
          event.preventDefault();
          lake.type(`${mode.value}:${box.value}`);
        },
      },
      box,
      mode,
      h("button", { class: "pqx-button", type: "submit" }, "evaluate"),
    );
    append(el, [
      form,
      picture.counts.length > 0 &&
        h(
          "p",
          { class: "pqx-verdict-key" },
          ...VERDICTS.map((name, i) =>
            h(
              "span",
              { "data-verdict": name, "data-count": picture.counts[i] },
              `${MARKS[i]} ${name}: ${picture.counts[i]}`,
            ),
          ),
        ),
      picture.verdicts.length > 0 &&
        h(
          "div",
          {
            class: "pqx-verdicts",
            role: "img",
            "aria-label": `${plural(picture.verdicts.length, "object")}: ${VERDICTS.map((name, i) => `${picture.counts[i]} ${name}`).join(", ")}`,
          },
          ...picture.verdicts.map(({ name, verdict }) =>
            h("i", {
              class: `pqx-verdict-${verdict}`,
              title: `${lake.relative(name)}: ${VERDICTS[verdict]}`,
            }),
          ),
        ),
      picture.may_lose.length > 0 &&
        h(
          "div",
          { class: "pqx-trouble", role: "alert" },
          h("strong", {}, "Rows may be lost"),
          ...picture.may_lose
            .slice(0, 5)
            .map(({ name, why }) => h("span", {}, `${lake.relative(name)}: ${why}`)),
        ),
    ]);
    return { dispose: () => {} };
  },
};
