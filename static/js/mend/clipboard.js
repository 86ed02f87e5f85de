// Cells to and from a spreadsheet program: tabs between them, a line for each row, quotes around line ends.
export function listen(view, sheet) {
  view.grid.addEventListener("copy", (event) => {
    if (event.target !== view.grid) return;
    const { top, bottom, left, right } = view.chosen;
    const lines = [];
    for (let line = top; line <= bottom; line += 1) {
      const cells = [];
      for (let place = left; place <= right; place += 1) cells.push(quoted(sheet.text(line, place)));
      lines.push(cells.join("\t"));
    }
    event.clipboardData.setData("text/plain", lines.join("\n"));
    event.preventDefault();
  });

  view.grid.addEventListener("paste", (event) => {
    if (event.target !== view.grid || sheet.height === 0) return;
    event.preventDefault();
    const cells = parsed(event.clipboardData.getData("text/plain"));
    if (cells.length) sheet.change(spread(cells, view.chosen, sheet));
  });
}

// One cell fills everything that is chosen; more of them go from its corner on, as far as there are cells.
function spread(cells, { top, bottom, left, right }, sheet) {
  const isOne = cells.length === 1 && cells[0].length === 1;
  const [height, width] = isOne ? [bottom - top + 1, right - left + 1] : [cells.length, Math.max(...cells.map((row) => row.length))];
  const changes = [];
  for (let line = 0; line < height && top + line < sheet.height; line += 1) {
    for (let place = 0; place < width && left + place < sheet.width; place += 1) {
      const text = isOne ? cells[0][0] : cells[line][place];
      if (text !== undefined) changes.push({ row: sheet.at(top + line).row, place: left + place, text: text.slice(0, 32767) });
    }
  }
  return changes;
}

const quoted = (text) => (/[\t\n\r"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

export function parsed(text) {
  const rows = [[]];
  const given = text.replace(/\r\n?/g, "\n").replace(/\n$/, "");
  for (let at = 0; at <= given.length;) {
    const quote = given[at] === '"' && given.slice(at).match(/^"((?:[^"]|"")*)"(?=[\t\n]|$)/);
    const end = quote ? at + quote[0].length : at + given.slice(at).search(/[\t\n]|$/);
    rows.at(-1).push(quote ? quote[1].replaceAll('""', '"') : given.slice(at, end));
    if (given[end] === "\n") rows.push([]);
    at = end + 1;
  }
  return text ? rows : [];
}
