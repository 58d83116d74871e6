// Run a Python file in Pyodide: node node.mjs PYODIDE FILE [ARCHIVE] [NAME=FOLDER ...]
// Each folder is seen as /NAME. The archive's packages can be imported.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [pyodide, file, ...rest] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${pyodide}/pyodide.mjs`));
const python = await loadPyodide({ indexURL: `${pyodide}/` });
for (const one of rest) {
  const [name, folder] = one.split("=");
  if (folder) {
    python.FS.mkdirTree(`/${name}`);
    python.FS.mount(python.FS.filesystems.NODEFS, { root: folder }, `/${name}`);
  } else {
    const packages = python.runPython("import sysconfig; sysconfig.get_path('purelib')");
    python.unpackArchive(new Uint8Array(readFileSync(one)), "zip", { extractDir: packages });
  }
}
try {
  python.runPython(readFileSync(file, "utf-8"), { filename: file });
} catch (error) {
  console.error(error.message || error.name); // its stack has a million characters
  process.exit(1);
}
