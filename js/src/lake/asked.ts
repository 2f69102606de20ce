/** A menu of the lake's stored queries. */

import { append, h } from "../dom";
import type { Lens } from "../lenses/lens";
import type { Picture } from "../wire/asked";
import type { LakeContext } from "./context";

export const asked: Lens = {
  mount(el, picture: Picture, ctx) {
    const choice = h(
      "select",
      {
        class: "pqx-input pqx-choice",
        "aria-label": "question",
        onchange: () => (ctx as LakeContext).type(choice.value),
      },
      ...picture.views.map(({ name, question }) =>
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
