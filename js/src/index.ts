/** The entry point for anywidget: one explorer for each view of the model. */

import "./index.css";
import { Explorer } from "./explorer";
import type { Model } from "./host";
import { RENDER, type RenderProps } from "./host";
import { LakeExplorer } from "./lake/explorer";

function render({ model, el }: RenderProps): () => void {
  const shown = model as Model;
  const explorer = shown.get("kind") === "lake" ? new LakeExplorer(shown, el) : new Explorer(shown, el);
  return () => explorer.dispose();
}

/** For `bridge.ts`, which is not part of this bundle. */
Object.assign(globalThis, { [RENDER]: render });

export default { render };
