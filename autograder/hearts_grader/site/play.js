// Show the card table on its own page: Python plays, and this script takes the notebook's place.
import { loadPyodide } from "../lab/static/pyodide/pyodide.mjs";
import card_table from "./card_table.js";

const indexURL = new URL("../lab/static/pyodide/", import.meta.url).href;
const starting = document.querySelector("#starting");
const python = await loadPyodide({ indexURL, packages: ["micropip"] }).catch((error) => {
  starting.textContent = `Python does not start in this browser: ${error.message}`;
  throw error;
});
const sitting = python.pyimport("course_table").sitting();
const look = () => sitting.view.toJs({ dict_converter: Object.fromEntries });
const state = { view: look(), version: 0 };
const listeners = new Set();
const model = {
  get: (name) => state[name],
  on: (_name, listener) => listeners.add(listener),
  off: (_name, listener) => listeners.delete(listener),
  send: ({ event }) => {
    sitting.handle(python.toPy(event));
    Object.assign(state, { view: look(), version: state.version + 1 });
    listeners.forEach((listener) => listener());
  },
};
starting.remove();
card_table.render({ model, el: document.querySelector("#table") });
