/** What anywidget calls: one explorer for each view of the model. */

import "./index.css";
import { Explorer, type Model } from "./explorer";

interface RenderProps {
  model: unknown;
  el: HTMLElement;
}

function render({ model, el }: RenderProps): () => void {
  const explorer = new Explorer(model as Model, el);
  return () => explorer.dispose();
}

export default { render };
