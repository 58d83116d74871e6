// Says that Python is starting, from the first moment of the page until the kernel answers.
const READY = ["idle", "busy", "dead", "terminating"];
const LONG = 10; // looks; the page says "idle" for a moment before it begins to start Python
const line = document.createElement("p");
line.id = "starting";
line.role = "status";
line.style.cssText = "position: fixed; z-index: 2000; inset: auto 0 0; margin: 0; padding: 0.6em 1em;" +
  "background: #2a5d50; color: #fff; font: 1rem/1.4 system-ui, sans-serif; text-align: center;";
let begun = Date.now();
let ready = -LONG;

function look() {
  const kernel = document.querySelector(".jp-Notebook-ExecutionIndicator")?.dataset.status;
  if (!READY.includes(kernel)) ready = kernel ? 0 : -LONG;
  else ready += 1;
  if (ready > 0) {
    line.remove();
    begun = Date.now();
  } else {
    const seconds = Math.round((Date.now() - begun) / 1000);
    line.textContent = `Python is starting: ${seconds} s. You can read meanwhile. Cells wait for it.`;
    document.body.append(line);
  }
}

look();
setInterval(look, 500);
