// Find and replace over one column of the rows in sight of the filter; how many it would change is said before.
export function listen(sheet) {
  const form = document.getElementById("mend-replace");
  const said = document.getElementById("mend-found");
  const { column, find, whole } = form.elements;
  const button = form.querySelector("button");
  column.replaceChildren(...sheet.columns.map(({ header, letters }, place) => new Option(header || letters, place)));

  const changes = () => {
    const place = Number(column.value);
    const [wanted, other] = [find.value, form.elements.with.value];
    if (wanted === "" && !whole.checked) return [];
    return sheet.shown.flatMap((at) => {
      const row = sheet.rows[at];
      const text = sheet.now(row, place);
      const fits = whole.checked ? text === wanted : text.includes(wanted);
      const changed = whole.checked ? other : text.replaceAll(wanted, () => other);
      return fits && changed !== text ? [{ row: row.row, place, text: changed }] : [];
    });
  };

  const count = () => {
    const found = changes().length;
    button.disabled = found === 0;
    button.textContent = found ? `Replace in ${found} cell${found === 1 ? "" : "s"}` : "Replace";
    if (find.value === "" && !whole.checked) said.textContent = "";
    else said.textContent = found === 1 ? "1 cell would change." : `${found} cells would change.`;
  };

  form.addEventListener("input", count);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const found = changes();
    sheet.change(found);
    count();
    said.textContent = `${found.length} cell${found.length === 1 ? " is" : "s are"} changed.`;
  });
  sheet.addEventListener("filter", count);
}
