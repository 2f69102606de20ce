/** What anywidget calls: one explorer for each view of the model. */

import "./index.css";
import { Explorer, type Model } from "./explorer";
import { LakeExplorer } from "./lake/explorer";

interface RenderProps {
  model: unknown;
  el: HTMLElement;
}

function render({ model, el }: RenderProps): () => void {
  const shown = model as Model;
  const explorer = shown.get("kind") === "lake" ? new LakeExplorer(shown, el) : new Explorer(shown, el);
  return () => explorer.dispose();
}

export default { render };
