// The card table: draws a view of the game, and sends an event for each click.
//
// This file knows no rule of the game. A view is one plain object. Any key of it may be missing, so
// that a half-written program already shows a part of its table. Events are plain objects, such as
// {click: "QS"}. The same file runs in a notebook, under anywidget, and on a plain page.

const SUITS = {
  C: { name: "clubs", paint: '<circle cy="-5" r="4.7"/><circle cx="-5.2" cy="2.4" r="4.7"/>' +
      '<circle cx="5.2" cy="2.4" r="4.7"/><circle cy="0" r="2.6"/>' +
      '<path d="M-1 1C-1 6-1.7 9-3.8 10L3.8 10C1.7 9 1 6 1 1Z"/>' },
  D: { name: "diamonds", paint: '<path d="M0-10.4C2-6.2 5-2.6 8 0C5 2.6 2 6.2 0 10.4C-2 6.2-5 2.6' +
      '-8 0C-5-2.6-2-6.2 0-10.4Z"/>' },
  H: { name: "hearts", paint: '<path d="M0 10C-3.4 6-10 1.6-10-4C-10-7.6-7.6-9.6-5-9.6C-2.6-9.6' +
      '-.8-8 0-5.6C.8-8 2.6-9.6 5-9.6C7.6-9.6 10-7.6 10-4C10 1.6 3.4 6 0 10Z"/>' },
  S: { name: "spades", paint: '<path d="M0-10.4C3-5.6 9.8-2 9.8 3.1C9.8 6.1 7.5 7.7 5.2 7.7C3.3 7.7' +
      ' 1.8 6.8 .9 5.2C1 7.6 1.9 9.1 3.7 10L-3.7 10C-1.9 9.1-1 7.6-.9 5.2C-1.8 6.8-3.3 7.7-5.2' +
      ' 7.7C-7.5 7.7-9.8 6.1-9.8 3.1C-9.8-2-3-5.6 0-10.4Z"/>' },
};

const CROWNS = {
  K: '<path d="M-13 8L-16-5L-8 1L0-9L8 1L16-5L13 8Z"/><path d="M-13 10H13V13H-13Z"/>' +
     '<path d="M-1.2-17H1.2V-14.4H4V-12H1.2V-8.6H-1.2V-12H-4V-14.4H-1.2Z"/>' +
     '<circle cx="-16" cy="-6.6" r="2.2"/><circle cx="16" cy="-6.6" r="2.2"/>',
  Q: '<path d="M-12 8L-15-4L-9 2L-5-8L0 1L5-8L9 2L15-4L12 8Z"/><path d="M-12 10H12V13H-12Z"/>' +
     '<circle cx="-15" cy="-6" r="2.2"/><circle cx="-5" cy="-10" r="2.2"/>' +
     '<circle cx="5" cy="-10" r="2.2"/><circle cx="15" cy="-6" r="2.2"/>',
  J: '<path d="M-13 8C-14-2-7-8 1-8C9-8 13-3 13 8Z"/><path d="M-16 10H16V13H-16Z"/>' +
     '<path d="M7-5C10-15 19-18 20-11C20-5 14-3 10-1Z"/>',
};

const PIPS = {
  2: "M1 M5", 3: "M1 M3 M5", 4: "L1 R1 L5 R5", 5: "L1 R1 M3 L5 R5", 6: "L1 R1 L3 R3 L5 R5",
  7: "L1 R1 M2 L3 R3 L5 R5", 8: "L1 R1 M2 L3 R3 M4 L5 R5", 9: "L1 R1 La Ra M3 Lb Rb L5 R5",
  T: "L1 R1 Mc La Ra Lb Rb Md L5 R5",
};
const COLUMNS = { L: 31, M: 50, R: 69 };
const ROWS = { 1: 28, 2: 49, 3: 70, 4: 91, 5: 112, a: 56, b: 84, c: 42, d: 98 };
const SEATS = ["North", "East", "South", "West"];
// A label, the milliseconds between two cards of computer players, and the milliseconds for which a
// full trick stays. With 0, the user goes on by a click.
const PACES = {
  normal: ["Normal", 650, 1500], slow: ["Slow", 1200, 3000], fast: ["Fast", 250, 700],
  trick: ["Wait after each trick", 650, 0], card: ["Wait after each card", 0, 0],
};
const [NEW, BACK] = ["new game", "play on"]; // the view's own buttons
const PACE = "hearts-course-pace"; // the key under which the browser keeps the chosen pace

const pip = (suit, x, y, size, turned = false) =>
  `<g transform="translate(${x} ${y}) scale(${size})${turned ? " rotate(180)" : ""}">` +
  `${SUITS[suit].paint}</g>`;

const twice = (drawing) => drawing + `<g transform="rotate(180 50 70)">${drawing}</g>`;

/** The ranks, which the cards refer to. They are defined outside of the cards, because a card is a
 * button, and the text in a button must be a part of its name. A king's text would be "KKKK". */
function ranks() {
  const texts = [..."23456789JQKA"].map((rank) => `<text id="hc-rank-${rank}">${rank}</text>`);
  const ten = '<text id="hc-rank-T" textLength="17" lengthAdjust="spacingAndGlyphs">10</text>';
  return `<svg class="hc-ranks" aria-hidden="true" focusable="false"><defs>${texts.join("")}${ten}` +
    "</defs></svg>";
}

function corner(rank, suit) {
  return `<use href="#hc-rank-${rank}" x="13" y="24" class="hc-rank"/>` + pip(suit, 13, 36, 0.72);
}

function middle(rank, suit) {
  if (rank === "A") return pip(suit, 50, 70, 2.5);
  if (PIPS[rank]) {
    const spots = PIPS[rank].split(" ").map(([column, row]) => [COLUMNS[column], ROWS[row]]);
    return spots.map(([x, y]) => pip(suit, x, y, 0.92, y > 70)).join("");
  }
  const half = `<g class="hc-gold" transform="translate(50 35) scale(.78)">${CROWNS[rank]}</g>` +
    `<use href="#hc-rank-${rank}" x="50" y="65" class="hc-court"/>` + pip(suit, 33, 29, 0.5) +
    pip(suit, 67, 29, 0.5);
  return '<rect class="hc-panel" x="25" y="17" width="50" height="106" rx="5"/>' + twice(half) +
    '<path class="hc-band" d="M25 76L75 64"/>';
}

/** A card face up, as the text of an SVG. */
export function face(code) {
  const [rank, suit] = code;
  if (!SUITS[suit]) return back();
  const dark = code === "QS" ? " hc-lady" : "";
  return `<svg class="hc-svg hc-${SUITS[suit].name}${dark}" viewBox="0 0 100 140"` +
    ' aria-hidden="true" focusable="false">' +
    '<rect class="hc-paper" x=".75" y=".75" width="98.5" height="138.5" rx="8"/>' +
    twice(corner(rank, suit)) + middle(rank, suit) + "</svg>";
}

/** A card face down. */
export function back() {
  let lattice = "";
  for (let i = -12; i < 14; i += 1) {
    const x = i * 10;
    lattice += `M${x} 8L${x + 124} 132M${x + 124} 8L${x} 132`;
  }
  return '<svg class="hc-svg hc-back" viewBox="0 0 100 140" aria-hidden="true" focusable="false">' +
    '<rect class="hc-paper" x=".75" y=".75" width="98.5" height="138.5" rx="8"/>' +
    '<svg x="8" y="8" width="84" height="124" viewBox="8 8 84 124">' +
    `<rect class="hc-ground" x="8" y="8" width="84" height="124"/>` +
    `<path class="hc-lattice" d="${lattice}"/></svg>` +
    '<circle class="hc-seal" cx="50" cy="70" r="17"/>' +
    `<g class="hc-sealed">${pip("H", 50, 71, 1)}</g></svg>`;
}

function make(tag, className, text) {
  const node = document.createElement(tag);
  if (tag === "button") {
    node.type = "button";
    quiet(node);
  }
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}

/** Switch off JupyterLab's shortcuts for this element: Enter would edit the cell. */
function quiet(node) {
  node.dataset.lmSuppressShortcuts = "true";
}

/** Store a pace, if one is given, and return the stored pace; some notebooks allow no storage. */
function keep(pace) {
  try {
    if (pace) localStorage.setItem(PACE, pace);
    return localStorage.getItem(PACE);
  } catch {
    return pace;
  }
}

const list = (value) => (Array.isArray(value) ? value : []);
const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

class Table {
  constructor(root, send) {
    this.root = root;
    this.send = send;
    this.view = {};
    this.cards = new Map(); // the buttons of the hand, by card
    this.cursor = ""; // the card that has, or had, the keyboard's attention
    this.pointed = ""; // the card whose refusal is explained
    this.doubt = false; // whether the user is asked to give up a running game
    this.last = null; // the trick that was taken away last
    this.drawn = {}; // what each part was drawn from; a part is drawn anew only if this changes
    this.timer = 0;
    this.lay();
  }

  lay() {
    this.root.classList.add("hc");
    this.root.innerHTML = `
      ${ranks()}
      <div class="hc-frame" role="group" aria-label="Hearts, a card table">
        <div class="hc-bar">
          <span class="hc-title"><span class="hc-mark" aria-hidden="true">♥</span> Hearts</span>
          <span class="hc-options">
            <label class="hc-books" hidden>Rules <select class="hc-book"></select></label>
            <label class="hc-opponents" hidden>Players <select class="hc-opponent"></select></label>
            <button type="button" class="hc-start" hidden>New game</button>
            <label>Pace <select class="hc-pace"></select></label>
          </span>
        </div>
        <div class="hc-body">
          <div class="hc-felt">
            <div class="hc-seat hc-north"></div>
            <div class="hc-seat hc-west"></div>
            <div class="hc-trick" role="list" aria-label="The trick"></div>
            <div class="hc-seat hc-east"></div>
            <div class="hc-hand" role="toolbar" aria-label="Your cards"></div>
            <div class="hc-ask" role="group">
              <p class="hc-prompt"></p><span class="hc-buttons"></span>
            </div>
            <div class="hc-why" aria-hidden="true"></div>
            <div class="hc-seat hc-south"></div>
          </div>
          <div class="hc-side">
            <div class="hc-sheet"></div>
            <div class="hc-last" role="group" aria-label="The last trick"></div>
            <div class="hc-said" role="log" aria-live="polite" aria-label="What happens"
              tabindex="0"></div>
          </div>
        </div>
        <p class="hc-fault" role="alert" hidden></p>
      </div>`;
    const part = (name) => this.root.querySelector(`.hc-${name}`);
    for (const name of ["books", "book", "opponents", "opponent", "start", "pace", "trick", "ask", "prompt", "buttons", "why",
      "hand", "sheet", "last", "fault", "said", "felt"]) this[`${name}Part`] = part(name);
    for (const control of this.root.querySelectorAll("select, button")) quiet(control);
    this.startPart.addEventListener("click", () => this.begin(this.isRunning()));
    this.layPaces();
    this.opponentPart.addEventListener("change", () => this.send({ opponent: this.opponentPart.value }));
    this.trickPart.addEventListener("click", () => this.goOn());
    this.root.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.doubt) this.ask(false);
    });
    this.handPart.addEventListener("keydown", (event) => this.key(event));
    this.handPart.addEventListener("focusout", () => this.explain(""));
    this.handPart.addEventListener("pointerleave", () => this.explain(""));
  }

  layPaces() {
    for (const [name, [label]] of Object.entries(PACES)) this.pacePart.append(new Option(label, name));
    this.pacePart.value = keep();
    if (!this.pacePart.value) this.pacePart.value = "normal";
    this.pacePart.addEventListener("change", () => {
      keep(this.pacePart.value);
      this.wait();
    });
  }

  draw(view) {
    const before = this.view;
    this.view = { ...view };
    this.view.hand = marked(this.view);
    this.gather(before);
    this.drawBooks();
    this.drawOpponents();
    this.drawSeats();
    this.drawTrick(before);
    this.drawHand();
    this.explain(this.pointed);
    this.drawAsk();
    this.drawSheet();
    this.layOutSheet();
    this.drawLast(before);
    this.say(list(before.said));
    this.faultPart.hidden = !this.view.fault;
    this.faultPart.textContent = this.view.fault || "";
    this.root.dataset.phase = this.view.phase || "";
    this.wait();
  }

  /** After a pause, press the button that needs no user, unless the user wants to press it. */
  wait() {
    clearTimeout(this.timer);
    const [, step, look] = PACES[this.pacePart.value];
    const pause = list(this.view.trick).length === SEATS.length ? look : step;
    if (pause && !this.doubt) this.timer = setTimeout(() => this.goOn(true), pause);
  }

  goOn(auto = false) {
    const button = list(this.view.buttons).find((other) => other.auto);
    if (button && !this.doubt) this.send({ click: button.click }, auto);
  }

  stop() {
    clearTimeout(this.timer);
  }

  // --- who sits there -------------------------------------------------------------------------

  drawSeats() {
    const seats = list(this.view.seats);
    for (const name of SEATS) {
      const place = this.root.querySelector(`.hc-${name.toLowerCase()}`);
      const seat = seats.find((other) => other.name === name);
      place.replaceChildren();
      if (seat) this.drawSeat(place, seat);
    }
  }

  drawSeat(place, seat) {
    place.dataset.seat = seat.name;
    place.classList.toggle("hc-turn", Boolean(seat.turn));
    if (seat.name !== "South") place.append(this.backs(seat));
    const plate = make("div", "hc-plate");
    const name = make("span", "hc-name", seat.name);
    if (seat.name === "South") name.append(make("small", "", " you"));
    plate.append(name);
    const points = make("span", "hc-points");
    points.append(make("b", "hc-now", `${signed(seat.points)}`), make("small", "", " this deal"),
      make("b", "hc-total", `${seat.total ?? 0}`), make("small", "", " in all"));
    plate.append(points);
    const marks = make("span", "hc-marks");
    if (seat.won) marks.append(make("span", "hc-won", "★ wins"));
    else if (seat.took) marks.append(make("span", "hc-took", "✔ took the trick"));
    else if (seat.turn) marks.append(make("span", "hc-plays", "▶ to play"));
    if (seat.led) marks.append(make("span", "hc-led", "● led"));
    plate.append(marks);
    place.append(plate);
  }

  backs(seat) {
    const fan = make("div", "hc-backs");
    const count = Number(seat.cards) || 0;
    fan.setAttribute("role", "img");
    fan.setAttribute("aria-label", `${seat.name} holds ${count} card${count === 1 ? "" : "s"}`);
    for (let i = 0; i < count; i += 1) {
      const card = make("span", "hc-card hc-small");
      card.style.setProperty("--lean", `${(i - (count - 1) / 2) * 2.6}deg`);
      card.innerHTML = back();
      fan.append(card);
    }
    return fan;
  }

  // --- the trick ------------------------------------------------------------------------------

  drawTrick(before) {
    const known = new Set(list(before.trick).map((play) => play.card));
    this.trickPart.replaceChildren();
    const taker = list(this.view.seats).find((seat) => seat.took);
    for (const [i, play] of list(this.view.trick).entries()) {
      const spot = make("div", `hc-play hc-from-${String(play.seat).toLowerCase()}`);
      spot.setAttribute("role", "listitem");
      const led = i === 0 ? ", led" : "";
      const takes = taker && taker.name === play.seat ? ", takes the trick" : "";
      spot.setAttribute("aria-label", `${play.seat}: ${play.label}${led}${takes}`);
      spot.dataset.card = play.card;
      if (takes) spot.classList.add("hc-best");
      if (!known.has(play.card)) spot.classList.add("hc-fresh");
      const card = make("span", "hc-card");
      card.innerHTML = face(play.card);
      const tag = make("span", "hc-tag", `${i === 0 ? "● " : ""}${play.seat}${takes ? " ✔" : ""}`);
      spot.append(card, tag);
      this.trickPart.append(spot);
    }
  }

  /** Let a full trick slide to the player who took it. */
  gather(before) {
    const taker = list(before.seats).find((seat) => seat.took);
    if (!taker || list(before.trick).length < SEATS.length || still()) return;
    if (list(this.view.trick).length >= SEATS.length) return;
    const ghost = this.trickPart.cloneNode(true);
    ghost.setAttribute("aria-hidden", "true");
    ghost.classList.add("hc-ghost");
    this.feltPart.append(ghost);
    const way = { North: "0,-42%", South: "0,60%", West: "-46%,0", East: "46%,0" }[taker.name];
    const end = { transform: `translate(${way}) scale(.35)`, opacity: 0 };
    const move = ghost.animate([{ transform: "none", opacity: 1 }, end],
      { duration: 420, easing: "ease-in" });
    move.onfinish = () => ghost.remove();
    move.oncancel = move.onfinish;
  }

  // --- your cards -----------------------------------------------------------------------------

  drawHand() {
    const cards = list(this.view.hand);
    const held = new Set(cards.map((card) => card.card));
    const focused = this.handPart.contains(this.handPart.ownerDocument.activeElement);
    const place = [...this.cards.keys()].indexOf(this.cursor);
    const dealt = cards.length > 4 && cards.every((card) => !this.cards.has(card.card));
    for (const [code, button] of this.cards) if (!held.has(code)) button.remove();
    const buttons = new Map();
    cards.forEach((card, i) => {
      const button = this.cards.get(card.card) || this.newCard(card.card);
      this.drawCard(button, card, i, cards.length);
      const there = this.handPart.children[i];
      if (there !== button) this.handPart.insertBefore(button, there || null);
      buttons.set(card.card, button);
      if (dealt && !still()) this.deal(button, i);
    });
    this.cards = buttons;
    this.handPart.classList.toggle("hc-waiting", !cards.some((card) => card.enabled));
    if (!held.has(this.cursor)) {
      const codes = [...buttons.keys()];
      this.cursor = codes[Math.min(Math.max(place, 0), codes.length - 1)] || "";
    }
    for (const [code, button] of buttons) button.tabIndex = code === this.cursor ? 0 : -1;
    if (focused && !this.handPart.contains(this.handPart.ownerDocument.activeElement)) {
      buttons.get(this.cursor)?.focus();
    }
  }

  newCard(code) {
    const button = make("button", "hc-card hc-mine");
    button.dataset.card = code;
    button.innerHTML = face(code);
    button.addEventListener("click", () => this.clickCard(code));
    button.addEventListener("focus", () => { this.attend(code); this.explain(code); });
    button.addEventListener("pointerenter", () => this.explain(code));
    return button;
  }

  drawCard(button, card, i, count) {
    const off = i - (count - 1) / 2;
    button.style.setProperty("--lean", `${off * 1.5}deg`);
    button.style.setProperty("--arc", `${off * off * 0.55}px`);
    const marks = [card.chosen ? "chosen" : "", card.received ? "passed to you" : ""];
    button.setAttribute("aria-label", [card.label || card.card, ...marks].filter(Boolean).join(", "));
    button.setAttribute("aria-disabled", card.enabled ? "false" : "true");
    const choosing = this.view.phase === "passing";
    if (choosing) button.setAttribute("aria-pressed", card.chosen ? "true" : "false");
    else button.removeAttribute("aria-pressed");
    const reason = card.enabled ? "" : card.reason || "";
    button.title = reason || card.label || "";
    if (reason) button.setAttribute("aria-description", reason);
    else button.removeAttribute("aria-description");
    button.classList.toggle("hc-chosen", Boolean(card.chosen));
    button.classList.toggle("hc-received", Boolean(card.received));
  }

  deal(button, i) {
    button.animate(
      [{ transform: "translateY(-180%) rotate(-20deg)", opacity: 0 }, { opacity: 1 }],
      { duration: 320, delay: i * 35, easing: "ease-out", fill: "backwards", composite: "add" },
    );
  }

  clickCard(code) {
    const card = list(this.view.hand).find((other) => other.card === code);
    this.attend(code);
    if (card && card.enabled) {
      this.send({ click: code });
      return;
    }
    this.explain(code);
    if (!still()) {
      this.cards.get(code)?.animate(
        [{ translate: "0" }, { translate: "-5px" }, { translate: "5px" }, { translate: "0" }],
        { duration: 180 },
      );
    }
  }

  attend(code) {
    this.cursor = code;
    for (const [other, button] of this.cards) button.tabIndex = other === code ? 0 : -1;
  }

  explain(code) {
    this.pointed = code;
    const card = list(this.view.hand).find((other) => other.card === code);
    this.whyPart.textContent = card && !card.enabled ? card.reason || "" : "";
  }

  key(event) {
    const codes = [...this.cards.keys()];
    const at = codes.indexOf(this.cursor);
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: codes.length - 1 }[event.key];
    if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation(); // a notebook would move to another cell
    this.cards.get(codes[(to + codes.length) % codes.length])?.focus();
  }

  // --- what to do, and what happened ------------------------------------------------------------

  drawAsk() {
    const prompt = this.doubt ? "Give up this game and start a new one?" : this.view.prompt || "";
    this.promptPart.textContent = prompt;
    this.askPart.setAttribute("aria-label", prompt);
    const choices = this.choices();
    if (this.isDrawn("choices", choices)) return; // so that a button under the finger stays
    const had = this.buttonsPart.contains(document.activeElement);
    this.buttonsPart.replaceChildren(...choices.map((about) => {
      const button = make("button", "hc-button", about.label || about.click);
      button.dataset.click = about.click;
      button.setAttribute("aria-disabled", about.enabled ? "false" : "true");
      button.addEventListener("click", () => about.enabled && this.press(about.click));
      return button;
    }));
    if (had) (this.buttonsPart.querySelector("button") || this.cards.get(this.cursor))?.focus();
  }

  /** Return the program's buttons, or our own buttons while we ask whether to give up a game. */
  choices() {
    const start = { click: NEW, label: "New game", enabled: true };
    if (this.doubt) return [{ click: BACK, label: "Play on", enabled: true }, start];
    const ended = this.view.phase === "finished" && this.bookPart.value;
    return [...list(this.view.buttons), ...(ended ? [start] : [])];
  }

  press(click) {
    if (click === NEW) this.begin();
    else if (click === BACK) this.ask(false);
    else this.send({ click });
  }

  /** Start a new game; ask first if a running game would be lost. */
  begin(running = false) {
    this.ask(running);
    if (!running) this.send({ new: this.bookPart.value });
  }

  ask(doubt) {
    this.doubt = doubt;
    this.drawAsk();
    this.wait();
    if (doubt) this.buttonsPart.querySelector("button").focus();
    else this.startPart.focus();
  }

  isRunning() {
    const { phase, sheet, chosen } = this.view;
    const fresh = phase === "passing" && !list(sheet?.rows).length && !list(chosen).length;
    return Boolean(phase) && phase !== "finished" && !fresh;
  }

  isDrawn(part, from) {
    const before = this.drawn[part];
    this.drawn[part] = JSON.stringify(from);
    return this.drawn[part] === before;
  }

  drawBooks() {
    const books = list(this.view.books);
    if (this.isDrawn("books", books)) return; // the user may have chosen another one
    this.booksPart.hidden = this.startPart.hidden = !books.length;
    this.bookPart.replaceChildren(...books.map((book) => new Option(
      book.label || book.new, book.new, book.chosen, book.chosen)));
  }

  drawOpponents() {
    const opponents = list(this.view.opponents);
    if (this.isDrawn("opponents", opponents)) return;
    this.opponentsPart.hidden = !opponents.length;
    this.opponentPart.replaceChildren(...opponents.map(({ opponent, label, chosen }) => new Option(
      label, opponent, chosen, chosen)));
  }

  drawSheet() {
    const sheet = this.view.sheet;
    this.sheetPart.replaceChildren();
    if (!sheet) return;
    const table = make("table");
    table.append(make("caption", "", "Score sheet"));
    const row = (kind, head, cells, className) => {
      const line = make("tr", className);
      const first = make("th", "", head);
      first.scope = kind === "thead" ? "col" : "row";
      line.append(first);
      for (const cell of cells) {
        const box = make(kind === "thead" ? "th" : "td", "", `${cell}`);
        if (kind === "thead") box.scope = "col";
        line.append(box);
      }
      const part = table.querySelector(kind) || table.appendChild(make(kind));
      part.append(line);
    };
    row("thead", "Deal", SEATS);
    list(sheet.rows).forEach((cells, i) => row("tbody", `${i + 1}`, list(cells)));
    if (!list(sheet.rows).length) row("tbody", "1", SEATS.map(() => "·"), "hc-open");
    row("tfoot", "Total", list(sheet.totals));
    this.sheetPart.append(table);
    if (sheet.goal) this.sheetPart.append(make("p", "", `The game ends at ${sheet.goal} points.`));
  }

  /** Between two deals, also show the score sheet on the table; screen readers skip this copy. */
  layOutSheet() {
    if (!["scored", "finished"].includes(this.view.phase)) return;
    const copy = this.sheetPart.cloneNode(true);
    copy.setAttribute("aria-hidden", "true");
    this.trickPart.replaceChildren(copy);
  }

  drawLast(before) {
    const taker = list(before.seats).find((seat) => seat.took);
    const dealt = list(this.view.hand).length > list(before.hand).length;
    if (dealt) this.last = null;
    else if (taker && !list(this.view.seats).some((seat) => seat.took)) {
      this.last = { plays: list(before.trick), taker: taker.name };
    }
    if (this.isDrawn("last", this.last)) return;
    this.lastPart.replaceChildren();
    if (!this.last) return;
    this.lastPart.append(make("p", "", `The last trick: ${this.last.taker} took it.`));
    for (const play of this.last.plays) {
      const spot = make("span");
      spot.setAttribute("role", "img");
      spot.setAttribute("aria-label", `${play.seat}: ${play.label}`);
      const card = make("span", "hc-card");
      card.innerHTML = face(play.card);
      spot.append(card, make("small", "", play.seat));
      this.lastPart.append(spot);
    }
  }

  say(before) {
    const now = list(this.view.said);
    if (now.length === before.length && now.every((line, i) => line === before[i])) return;
    for (const line of now) this.saidPart.append(make("p", "", line));
    while (this.saidPart.children.length > 60) this.saidPart.firstChild.remove();
    this.saidPart.scrollTop = this.saidPart.scrollHeight;
  }
}

/** Return the hand's cards, and for each one what other keys of the view say about it. */
function marked(view) {
  const refused = view.refused || {};
  const chosen = list(view.chosen);
  return list(view.hand).map((card) => ({
    ...card,
    chosen: chosen.includes(card.card),
    enabled: Boolean(view.refused) && !(card.card in refused),
    reason: refused[card.card] || "",
  }));
}

function signed(points) {
  const number = Number(points) || 0;
  return number < 0 ? `−${-number}` : `+${number}`;
}

/** Draw the table for anywidget, which calls this; the model holds `view`, and takes messages. */
function render({ model, el }) {
  const send = (event, auto = false) =>
    model.send({ event, auto, version: model.get("version") });
  const table = new Table(el, send);
  const draw = () => table.draw(model.get("view"));
  draw();
  const frame = requestAnimationFrame(() => el.scrollIntoView({ block: "nearest" }));
  model.on("change:view", draw);
  return () => {
    model.off("change:view", draw);
    cancelAnimationFrame(frame);
    table.stop();
  };
}

export default { render };
