/** One of the lake's stored questions, to choose from. */

import { append, h } from "../dom";
import type { Lens } from "../lenses";
import type { LakeContext } from "./panels";

export const asked: Lens = {
  mount(el, picture: { view: string; views: [string, string][] }, ctx) {
    const choice = h(
      "select",
      {
        class: "pqx-input pqx-choice",
        "aria-label": "question",
        onchange: () => (ctx as LakeContext).type(choice.value),
      },
      ...picture.views.map(([name, question]) =>
        h(
          "option",
          { value: name, selected: name === picture.view, title: question },
          name.replaceAll("_", " "),
        ),
      ),
    );
    append(el, [h("label", { class: "pqx-boxes" }, "question", choice)]);
    return { dispose: () => {} };
  },
};
