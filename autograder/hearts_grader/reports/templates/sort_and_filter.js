"use strict";
// Sort the rows of a table by a click on a column's title, and filter them by words. Without this
// script the table is complete and in the order of names.
const alphabet = new Intl.Collator(undefined, { numeric: true });
for (const table of document.querySelectorAll("table.sortable")) {
  const [body] = table.tBodies;
  const rows = [...body.rows];
  const heads = [...table.tHead.rows[0].cells];
  const value = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.sort ?? cell.textContent.trim();
  };
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const sign = head.ariaSort === "ascending" ? -1 : 1;
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
      rows.sort((a, b) => {
        const [one, other] = [value(a, column), value(b, column)];
        return sign * (one - other || alphabet.compare(one, other));
      });
      body.append(...rows);
    });
  });
  const label = document.createElement("label");
  const words = document.createElement("input");
  const count = document.createElement("output");
  words.type = "search";
  label.append("Only rows with ", words);
  words.addEventListener("input", () => {
    const wanted = words.value.toLowerCase().split(/\s+/);
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !wanted.every((word) => text.includes(word));
    }
    count.value = `${rows.filter((row) => !row.hidden).length} of ${rows.length}`;
  });
  const filter = document.createElement("p");
  filter.append(label, " ", count);
  table.closest(".scroll").before(filter);
}
