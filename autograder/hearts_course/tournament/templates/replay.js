"use strict";
// Replays a deal card by card. Without this script the page has everything but the replay.
const deals = JSON.parse(document.getElementById("deals").textContent);
const at = (id) => document.getElementById(id);
const SUITS = { C: "\u2663", D: "\u2666", H: "\u2665", S: "\u2660" };
const RANKS = "23456789TJQKA";
const SHIFTS = { LEFT: 1, ACROSS: 2, RIGHT: 3 };
const cards = (text) => text.match(/../g) ?? [];
const worth = (card) => (card === "QS" ? 13 : Number(card[1] === "H"));
const order = (card) => "CDSH".indexOf(card[1]) * 13 + RANKS.indexOf(card[0]);
const shown = (card) => (card[0] === "T" ? "10" : card[0]) + SUITS[card[1]];
let deal;
let step;

// Return the hands, the table and the points after `number` steps: the pass, then each card.
const after = (number) => {
  const hands = deal.hands.map(cards);
  const shift = SHIFTS[deal.direction] ?? 0;
  if (number > 0 && shift) {
    const passed = deal.passed.map(cards);
    passed.forEach((given, seat) => {
      hands[seat] = hands[seat].filter((card) => !given.includes(card));
    });
    passed.forEach((given, seat) => hands[(seat + shift) % 4].push(...given));
  }
  const points = [0, 0, 0, 0];
  let table = [[], 0];
  let last = "";
  const played = [];
  let left = number - 1;
  for (const [leader, text] of deal.tricks) {
    if (left <= 0) break;
    const trick = cards(text);
    table = [[], leader];
    for (const [place, card] of trick.entries()) {
      if (left <= 0) break;
      left -= 1;
      const seat = (leader + place) % 4;
      hands[seat] = hands[seat].filter((held) => held !== card);
      table[0].push(card);
      played.push([seat, card, trick[0][1]]);
      last = `${deal.names[seat]} plays ${shown(card)}`;
    }
    if (table[0].length === 4) {
      const followed = trick.filter((card) => card[1] === trick[0][1]);
      followed.sort((one, other) => order(other) - order(one));
      const taker = (leader + trick.indexOf(followed[0])) % 4;
      points[taker] += trick.reduce((sum, card) => sum + worth(card), 0);
      last += ` and ${deal.names[taker]} takes the trick`;
    }
  }
  return { hands, points, table, last, played };
};

// Return the cards that one seat has passed to another; none before the pass.
const known = (giver, receiver) => {
  const shift = SHIFTS[deal.direction] ?? 0;
  const gave = step > 0 && shift && giver >= 0 && (giver + shift) % 4 === receiver;
  return gave ? cards(deal.passed[giver]) : [];
};

const draw = () => {
  const { hands, points, table, last, played } = after(step);
  const eyes = Number(at("eyes").value);
  at("seats").replaceChildren(
    ...deal.names.map((name, seat) => {
      const row = document.createElement("tr");
      const head = document.createElement("th");
      head.scope = "row";
      head.textContent = name;
      const hand = [...hands[seat]].sort((one, other) => order(one) - order(other));
      const voids = new Set(
        played.filter(([who, card, led]) => who === seat && card[1] !== led).map((play) => play[2]),
      );
      const passed = known(eyes, seat).filter((card) => hand.includes(card));
      const facts = [
        `${hand.length} cards`,
        ...[...voids].map((suit) => `no ${SUITS[suit]}`),
        ...(passed.length ? [`of them ${passed.map(shown).join(" ")}`] : []),
      ];
      const hidden = facts.join(", ");
      const place = (seat - table[1] + 4) % 4;
      const texts = [
        eyes < 0 || eyes === seat ? hand.map(shown).join(" ") : hidden,
        table[0][place] ? shown(table[0][place]) : "",
        points[seat],
      ];
      const cells = texts.map((text) => {
        const cell = document.createElement("td");
        cell.textContent = text;
        return cell;
      });
      cells[2].className = "number";
      row.append(head, ...cells);
      return row;
    }),
  );
  const passing = deal.direction === "HOLD" ? "nobody passes" : `passed ${deal.direction.toLowerCase()}`;
  const blame = deal.faults
    .filter(([, move]) => step > 1 + move || (step > 0 && move === 0))
    .map(([seat, , fault]) => `; the table plays for ${deal.names[seat]}: ${fault}`);
  at("happened").value = ([`dealt`, passing][step] ?? last) + blame.join("");
  at("back").disabled = step === 0;
  at("next").disabled = step === 53;
};

const choose = () => {
  deal = deals[at("which").value];
  step = 0;
  at("eyes").replaceChildren(
    new Option("all cards", -1),
    ...deal.names.map((name, seat) => new Option(`what ${name} knew`, seat)),
  );
  at("eyes").value = deal.seat;
  draw();
};

if (deals.length) {
  at("which").append(...deals.map((one, number) => new Option(one.label, number)));
  at("which").addEventListener("change", choose);
  at("eyes").addEventListener("change", draw);
  at("back").addEventListener("click", () => {
    step -= 1;
    draw();
  });
  at("next").addEventListener("click", () => {
    step += 1;
    draw();
  });
  at("replay").hidden = false;
  choose();
}
