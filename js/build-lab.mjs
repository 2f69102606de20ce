/** Builds what JupyterLab loads: one script, whose imports of JupyterLab's modules are those that it shares. */

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const out = "../pqexplore/app/labextension";
const version = readFileSync("../pqexplore/_version.py", "utf-8").match(/__version__ = "(.+)"/)[1];
const names = new Set();
const shared = {
  name: "shared",
  setup(made) {
    made.onResolve({ filter: /^@(jupyterlab|lumino)\// }, ({ path }) => {
      names.add(path);
      return { path, namespace: "shared" };
    });
    made.onLoad({ filter: /.*/, namespace: "shared" }, ({ path }) => ({
      contents: `import { shared } from "./src/lab/shared"; module.exports = shared(${JSON.stringify(path)});`,
      resolveDir: process.cwd(),
    }));
  },
};
const options = {
  entryPoints: ["src/lab/remote.ts"],
  bundle: true,
  format: "iife",
  target: "es2022",
  write: false,
  minify: true,
  legalComments: "none",
  plugins: [shared],
};
await build({ ...options, define: { PQX_SHARED: "[]" } }); // finds the names
const define = { PQX_SHARED: JSON.stringify([...names].sort()) };
const [script] = (await build({ ...options, define })).outputFiles;
const hash = createHash("sha256").update(script.contents).digest("hex").slice(0, 20);
const load = `static/remoteEntry.${hash}.js`;
rmSync(out, { recursive: true, force: true });
mkdirSync(`${out}/static`, { recursive: true });
writeFileSync(`${out}/${load}`, script.contents);
const about = {
  name: "pqexplore",
  version,
  description: "Opens Parquet files and folders of them in the explorer.",
  license: "Apache-2.0",
  jupyterlab: { extension: true, outputDir: "pqexplore/app/labextension", _build: { load, extension: "./extension" } },
};
writeFileSync(`${out}/package.json`, `${JSON.stringify(about, null, 1)}\n`);
