// Says that Python is starting, from the first moment of the page until the kernel answers. Saves
// the notebook when the page is left: a telephone may end a page that is not in view. Opens links.
// Names the tab after the notebook, again and again, since JupyterLite calls every tab "Hearts".
const READY = ["idle", "busy", "dead", "terminating"];
const LONG = 10; // looks; the page says "idle" for a moment before it begins to start Python
const line = document.createElement("p");
line.id = "starting";
line.role = "status";
line.style.cssText = "position: fixed; z-index: 2000; inset: auto 0 0; margin: 0; padding: 0.6em 1em;" +
  "background: #2a5d50; color: #fff; font: 1rem/1.4 system-ui, sans-serif; text-align: center;";
const [tab] = new URLSearchParams(location.search).get("path")?.split(".") ?? [];
let begun = Date.now();
let ready = -LONG;

function look() {
  if (tab && document.title !== tab) document.title = tab;
  const kernel = document.querySelector(".jp-Notebook-ExecutionIndicator")?.dataset.status;
  if (!READY.includes(kernel)) ready = kernel ? 0 : -LONG;
  else ready += 1;
  if (ready > 0) {
    line.remove();
    begun = Date.now();
  } else {
    const seconds = Math.round((Date.now() - begun) / 1000);
    line.textContent = `Python is starting: ${seconds} s. Cells wait for it. ` +
      "Your work is kept in this browser only.";
    document.body.append(line);
  }
}

look();
setInterval(look, 500);
navigator.storage?.persist?.(); // so that a full disk is no reason to delete the work
document.addEventListener("visibilitychange", () => {
  const app = window.jupyterapp;
  if (document.hidden && app?.status.isDirty) app.commands.execute("docmanager:save");
});
document.addEventListener("click", (event) => { // this site has shared texts as pages to read
  const page = /\/files\/([\w-]+)\.md$/.exec(event.target.closest("a")?.href);
  if (!page) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  window.open(`../../${page[1]}.html`);
}, true);
