// This script runs on every notebook's page. It
// - shows a bar with links at the top, and a status line at the bottom: Python is starting, a cell
//   runs for long and how to end it, or this browser keeps nothing;
// - saves the notebook when the page is left, because a telephone may end a page out of view;
// - opens links to the course's shared texts as pages;
// - names the tab after the notebook again and again, because JupyterLite calls every tab "Hearts".
const READY = ["idle", "busy", "dead", "terminating"];
const LONG = 10; // calls of `look`: the kernel is "idle" for a moment before Python starts
const BUSY_SECONDS = 15; // a check of a whole stage takes less
const TRIAL_BYTES = 200_000; // more than the largest notebook
const STAGES = []; // filled in when the site is built
const MARKS = {}; // filled in as well: a digest of each notebook's text
const KEPT = "Your work is kept in this browser only.";
const NO_NETWORK = "There is no network. This notebook goes on with what your browser has kept.";
const OPENS = "This page opens without a network, too.";
const BLOCKED = "This browser keeps nothing for this site, so notebooks cannot be opened or saved. " +
  "Allow it to keep data for this site, or leave the private window; then load this page again.";
const FULL = "This browser has no space left for your work, so changes are not saved. Download " +
  "the notebook with File > Download, then free some space and load this page again.";
const CACHE = "precache"; // the name of the cache of JupyterLite's service worker
const SITE = new URL("..", location.href.split("?")[0]).href;
const COLOURS = "background: #2a5d50; color: #fff; font: 1rem/1.4 system-ui, sans-serif;";
const line = document.createElement("p");
line.id = "starting";
line.role = "status";
line.style.cssText = `position: fixed; z-index: 2000; inset: auto 0 0; margin: 0; padding: 0.6em 1em;
  ${COLOURS} text-align: center;`;
const words = document.createElement("span");
const restart = document.createElement("button");
restart.type = "button";
restart.textContent = "Restart Python";
restart.style.cssText = "margin-left: 0.8em; padding: 0.3em 0.9em; font: inherit; cursor: pointer;" +
  "color: #1b4037; background: #fff; border: 0; border-radius: 4px;";
const [tab] = new URLSearchParams(location.search).get("path")?.split(".") ?? [];
let begun = Date.now();
let ready = -LONG;
let busySince = 0;
let restarting = false;
let kept = "unknown"; // or "yes", "blocked", "full"
let keeping = false; // whether the page's files are being kept
let opens = false; // whether this page opens without a network

function notebook() {
  const shell = window.jupyterapp?.shell;
  return shell?.currentWidget?.sessionContext ? shell.currentWidget : null;
}

function say(text, button = false) {
  if (words.textContent !== text) words.textContent = text;
  if (!words.isConnected) line.append(words);
  if (button !== restart.isConnected) button ? line.append(restart) : restart.remove();
  if (!line.isConnected) document.body.append(line);
}

function look() {
  if (tab && document.title !== tab) document.title = tab;
  const kernel = notebook()?.sessionContext.kernelDisplayStatus; // not shown on a telephone
  if (!READY.includes(kernel)) ready = kernel ? 0 : -LONG;
  else ready += 1;
  const starts = restarting || ready <= 0;
  if (!starts) begun = Date.now();
  const asks = document.querySelector(".jp-Stdin-input"); // a program that waits for its user
  if (starts || kernel !== "busy" || asks) busySince = 0;
  else busySince ||= Date.now();
  const seconds = Math.round((Date.now() - (busySince || begun)) / 1000);
  if (kept === "blocked") say(BLOCKED);
  else if (busySince && seconds >= BUSY_SECONDS) {
    say(`A cell has been running for ${seconds} s. If it loops without end, restart Python: ` +
      "your text stays, and the stop button cannot end it.", true);
  } else if (kept === "full") say(FULL);
  else if (starts) {
    const words = [kept === "yes" ? KEPT : "", navigator.onLine ? (opens ? OPENS : "") : NO_NETWORK];
    say(`Python is starting: ${seconds} s. Cells wait for it. ${words.join(" ")}`);
  } else if (!navigator.onLine) say(NO_NETWORK);
  else line.remove();
  if (!starts && kernel && !keeping && navigator.serviceWorker?.controller) keepFiles();
}

// Keep the files that this page has loaded, for a visit without a network. The service worker keeps
// only files that it sees, and at the first visit it starts too late to see them. Their contents
// come from the browser's own cache.
async function keepFiles() {
  keeping = true;
  try {
    const cache = await caches.open(CACHE);
    const loaded = performance.getEntriesByType("resource").map((entry) => entry.name);
    for (const address of new Set([location.href.split("#")[0], ...loaded])) {
      if (!address.startsWith(SITE) || await cache.match(address)) continue;
      const answer = await fetch(address, { cache: "force-cache" });
      if (answer.status === 200) await cache.put(address, answer);
    }
    document.documentElement.dataset.opensWithoutNetwork = "yes"; // a test waits for it
  } catch { /* no space: the student's work is more important */ }
}

restart.addEventListener("click", async () => {
  restarting = true;
  begun = Date.now();
  look();
  try {
    await window.jupyterapp.commands.execute("docmanager:save");
    await notebook().sessionContext.session.kernel.restart();
  } finally {
    restarting = false;
    ready = -LONG;
  }
});

// Find out whether this browser stores data for this site; set `kept`.
async function tryStorage() {
  const name = "hearts-trial";
  try {
    await new Promise((done, failed) => {
      const opening = indexedDB.open(name);
      opening.onerror = () => failed(opening.error);
      opening.onblocked = opening.onerror;
      opening.onupgradeneeded = () => opening.result.createObjectStore("trial");
      opening.onsuccess = () => {
        const writing = opening.result.transaction("trial", "readwrite");
        writing.oncomplete = () => done(opening.result.close());
        writing.onabort = () => failed(writing.error);
        writing.objectStore("trial").put(new Uint8Array(TRIAL_BYTES).fill(1), "trial");
      };
    });
    kept = "yes";
  } catch (error) {
    kept = error?.name === "QuotaExceededError" ? "full" : "blocked";
  } finally {
    try { indexedDB.deleteDatabase(name); } catch { /* blocked */ }
  }
  look();
}

// Return the file that this browser has stored, or null to read the site's notebook: if the site's
// text is newer and the student has not changed the stored text. The digest is that of `text_mark`
// in the course. JupyterLite calls this function for each file.
globalThis.heartsNewest = async (file) => {
  const mark = file?.content?.metadata?.hearts?.text;
  const newest = MARKS[file?.path];
  if (!mark || !newest || mark === newest || !crypto.subtle) return file;
  const texts = file.content.cells.filter((cell) => !cell.id?.startsWith("site-"))
    .map((cell) => [cell.source].flat().join("")).filter((text) => text);
  const sum = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(texts.join("\0")));
  const letters = [...new Uint8Array(sum)].map((one) => one.toString(16).padStart(2, "0")).join("");
  return letters.startsWith(mark) ? null : file;
};

function wayOn() {
  const bar = document.createElement("nav");
  bar.ariaLabel = "Course";
  bar.id = "way-on";
  bar.style.cssText = `display: flex; flex-wrap: wrap; gap: 0.2em 1.4em; padding: 0.35em 1em; ${COLOURS}`;
  const here = STAGES.indexOf(tab);
  const links = [["Start", "../../index.html"], ["My work", "index.html?path=work.ipynb"]];
  if (here > 0) links.push([`← ${STAGES[here - 1]}`, `index.html?path=${STAGES[here - 1]}.ipynb`]);
  if (here >= 0) links.push(["Brief and hints", `../../${tab}.html`]);
  if (here >= 0 && here + 1 < STAGES.length) {
    links.push([`${STAGES[here + 1]} →`, `index.html?path=${STAGES[here + 1]}.ipynb`]);
  }
  for (const [text, place] of links) {
    const link = document.createElement("a");
    link.textContent = text;
    link.href = place;
    link.style.color = "inherit";
    bar.append(link);
  }
  document.body.prepend(bar);
  // JupyterLite's own page fills the window; leave room for the bar.
  const height = () => document.documentElement.style.setProperty("--way-on", `${bar.offsetHeight}px`);
  const style = document.createElement("style");
  style.textContent = "body > #main { top: var(--way-on) !important; " +
    "height: calc(100vh - var(--way-on)) !important; }" +
    // On a telephone, long lines of code are wrapped between words if possible.
    ".jp-RenderedMarkdown pre, .jp-RenderedMarkdown pre code " +
    "{ word-break: normal; overflow-wrap: anywhere; }";
  document.head.append(style);
  height();
  new ResizeObserver(() => { height(); window.dispatchEvent(new Event("resize")); }).observe(bar);
}

wayOn();
tryStorage();
setInterval(tryStorage, 30_000); // the storage may become full
look();
setInterval(look, 500);
globalThis.caches?.match(location.href.split("#")[0]).then((page) => { opens = Boolean(page); }, () => {});
navigator.storage?.persist?.(); // so that the browser does not delete the work if the disk is full
document.addEventListener("visibilitychange", () => {
  const app = window.jupyterapp;
  if (document.hidden && app?.status.isDirty) app.commands.execute("docmanager:save");
});
document.addEventListener("keydown", (event) => { // Ctrl-C ends a program that asks, as in a terminal
  const box = event.target;
  if (!box.matches?.(".jp-Stdin-input") || event.key !== "c" || !event.ctrlKey) return;
  if (box.selectionStart !== box.selectionEnd) return; // here Ctrl-C copies the selection
  event.preventDefault();
  event.stopImmediatePropagation();
  box.value = "\x03";
  box.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
}, true);
document.addEventListener("click", (event) => { // open a shared text as a page of this site
  const page = /\/files\/(?:briefs\/)?([\w-]+)\.md$/.exec(event.target.closest("a")?.href);
  if (!page) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  window.open(`../../${page[1]}.html`);
}, true);
