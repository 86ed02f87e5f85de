// The keyboard in the grid. Outside a cell Tab leaves it, as it leaves every control.
export function listen(view, sheet, editor) {
  const { grid } = view;
  const move = (lines, places, extend) => view.go(view.line + lines, view.place + places, { extend });
  const page = () => Math.max(1, Math.floor(view.scroll.clientHeight / view.rowHeight) - 2);
  const moves = {
    ArrowUp: (event) => move(-1, 0, event.shiftKey),
    ArrowDown: (event) => move(1, 0, event.shiftKey),
    ArrowLeft: (event) => move(0, -1, event.shiftKey),
    ArrowRight: (event) => move(0, 1, event.shiftKey),
    PageUp: (event) => move(-page(), 0, event.shiftKey),
    PageDown: (event) => move(page(), 0, event.shiftKey),
    Home: (event) => view.go(event.ctrlKey ? 0 : view.line, 0, { extend: event.shiftKey }),
    End: (event) => view.go(event.ctrlKey ? sheet.height - 1 : view.line, sheet.width - 1, { extend: event.shiftKey }),
    Enter: () => editor.open(),
    F2: () => editor.open(),
    Delete: () => clear(),
    Backspace: () => clear(),
    Escape: () => view.go(view.line, view.place),
  };

  function clear() {
    const { top, bottom, left, right } = view.chosen;
    const changes = [];
    for (let line = top; line <= bottom; line += 1) {
      for (let place = left; place <= right; place += 1) changes.push({ row: sheet.at(line).row, place, text: "" });
    }
    sheet.change(changes);
  }

  grid.addEventListener("keydown", (event) => {
    if (event.target !== grid || event.isComposing || sheet.height === 0) return;
    const command = event.ctrlKey || event.metaKey;
    if (event.altKey && ["ArrowDown", "ArrowUp"].includes(event.key)) nextFault(view, sheet, event.key === "ArrowDown" ? 1 : -1);
    else if (command && event.key.toLowerCase() === "z") back(view, sheet, event.shiftKey ? "redo" : "undo");
    else if (command && event.key.toLowerCase() === "y") back(view, sheet, "redo");
    else if (command && event.key.toLowerCase() === "a") { view.go(0, 0); view.go(sheet.height - 1, sheet.width - 1, { extend: true }); }
    else if (moves[event.key] && !event.altKey) moves[event.key](event);
    else if (event.key.length === 1 && !command && !event.altKey) editor.open(event.key);
    else return;
    event.preventDefault();
  });

  grid.addEventListener("pointerdown", (event) => {
    const cell = event.target.closest("td[id]");
    if (!cell || event.target.closest("textarea")) return;
    editor.close(true);
    const [, line, place] = cell.id.split("-").map(Number);
    view.go(line, place, { extend: event.shiftKey });
  });
  grid.addEventListener("dblclick", (event) => { if (event.target.closest("td[id]")) editor.open(); });
}

// The next cell at fault that was not changed yet; from the last one on to the first.
export function nextFault(view, sheet, step) {
  const size = sheet.height * sheet.width;
  let at = view.line * sheet.width + view.place;
  for (let looked = 0; looked < size; looked += 1) {
    at = (at + step + size) % size;
    const [line, place] = [Math.floor(at / sheet.width), at % sheet.width];
    if (sheet.isOpen(line, place)) { view.go(line, place); return true; }
  }
  return false;
}

export function back(view, sheet, which) {
  const changed = sheet[which]();
  if (!changed) return;
  const line = sheet.shown.findIndex((at) => sheet.rows[at].row === changed.row);
  if (line >= 0) view.go(line, changed.place);
}
