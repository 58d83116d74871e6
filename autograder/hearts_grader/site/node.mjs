// Run a Python file in Pyodide: node node.mjs PYODIDE FILE [+PACKAGE ...] [NAME=FOLDER ...]
// In Pyodide, each FOLDER is /NAME.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [pyodide, file, ...rest] = process.argv.slice(2);
const packages = rest.filter((one) => one.startsWith("+")).map((one) => one.slice(1));
const { loadPyodide } = await import(pathToFileURL(`${pyodide}/pyodide.mjs`));
const python = await loadPyodide({ indexURL: `${pyodide}/`, packages });
for (const [name, root] of rest.map((one) => one.split("=")).filter(([, root]) => root)) {
  python.FS.mkdirTree(`/${name}`);
  python.FS.mount(python.FS.filesystems.NODEFS, { root }, `/${name}`);
}
try {
  python.runPython(readFileSync(file, "utf-8"), { filename: file });
} catch (error) {
  console.error(error.message || error.name); // its stack has a million characters
  process.exit(1);
}
