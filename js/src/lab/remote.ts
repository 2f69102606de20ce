/** The module federation container that JupyterLab loads, written by hand: it calls only `init` and `get`. */

import { init, load } from "./shared";

/** The modules of JupyterLab that the plugin imports; the build writes them. */
declare const PQX_SHARED: string[];

const page = window as unknown as { _JUPYTERLAB?: Record<string, unknown> };
page._JUPYTERLAB ??= {};
page._JUPYTERLAB.pqexplore = {
  init,
  async get(module: string): Promise<() => object> {
    if (module === "./style") return () => ({});
    if (module !== "./extension") throw new Error(`pqexplore has no ${module}`);
    await load(PQX_SHARED);
    const { default: plugin } = await import("./plugin"); // evaluated only now
    return () => ({ __esModule: true, default: plugin }); // the caller writes on it
  },
};
