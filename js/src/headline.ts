/** The file's most important property, in one sentence below its name: it stays while one looks at its parts. */

import type { Context } from "./context";
import { fill, h } from "./dom";
import { severitySign } from "./flags";
import type { Headline } from "./wire/headline";

export function headline(ctx: Context): HTMLElement {
  const el = h("p", { class: "pqx-headline" }, "…");
  const show = () =>
    ctx.rpc.call<Headline>("headline").then(
      ({ result }) =>
        fill(el, result.severity && severitySign(result.severity, result.severity), result.sentence),
      () => fill(el),
    );
  void show();
  return el;
}
