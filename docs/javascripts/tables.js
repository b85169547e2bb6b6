// Sorts a table by the column whose name is clicked, and filters the rows of a long one by a text.
const SORTED = 10;
const LONG = 30;

function sortBy(table, column) {
  const body = table.tBodies[0];
  const key = (row) => row.cells[column].textContent.trim().toLowerCase();
  const rows = [...body.rows].sort((one, other) => key(one).localeCompare(key(other), undefined, { numeric: true }));
  if (table.dataset.sorted === String(column)) rows.reverse();
  table.dataset.sorted = table.dataset.sorted === String(column) ? "" : String(column);
  body.append(...rows);
}

function addFilter(table) {
  const field = document.createElement("input");
  field.type = "search";
  field.placeholder = "Filter the rows";
  field.className = "md-input table-filter";
  field.addEventListener("input", () => {
    const text = field.value.toLowerCase();
    for (const row of table.tBodies[0].rows) row.hidden = !row.textContent.toLowerCase().includes(text);
  });
  table.before(field);
}

for (const table of document.querySelectorAll(".md-typeset table")) {
  if (!table.tBodies.length || table.tBodies[0].rows.length < SORTED) continue;
  if (table.tBodies[0].rows.length >= LONG) addFilter(table);
  [...table.tHead.rows[0].cells].forEach((cell, column) => {
    cell.style.cursor = "pointer";
    cell.addEventListener("click", () => sortBy(table, column));
  });
}
