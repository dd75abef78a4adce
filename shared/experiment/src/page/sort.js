"use strict";
// Column heads become buttons; each press goes to the next of: rising, falling, as printed.
for (const table of document.querySelectorAll("table[data-sortable]")) {
  const body = table.tBodies[0];
  const printed = Array.from(body.rows);
  const heads = Array.from(table.tHead.rows[0].cells);
  const key = (row, column) => row.cells[column].dataset.key || "";
  const compare = (a, b) => {
    // What is missing comes last, however the rest is sorted.
    if (a === "" || b === "") return (a === "") - (b === "");
    const [x, y] = [Number(a), Number(b)];
    const numbers = !Number.isNaN(x) && !Number.isNaN(y);
    return numbers ? x - y : a.localeCompare(b, "en", { numeric: true });
  };
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    head.setAttribute("aria-sort", "none");
    button.addEventListener("click", () => {
      const next = { none: "ascending", ascending: "descending", descending: "none" };
      const order = next[head.getAttribute("aria-sort")];
      for (const other of heads) other.setAttribute("aria-sort", "none");
      head.setAttribute("aria-sort", order);
      const rows = printed.slice();
      if (order !== "none") {
        const sign = order === "ascending" ? 1 : -1;
        rows.sort((p, q) => {
          const [a, b] = [key(p, column), key(q, column)];
          return (a === "" || b === "" ? 1 : sign) * compare(a, b);
        });
      }
      body.append(...rows);
    });
  });
}
