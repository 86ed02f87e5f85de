// The rows to mend, what was typed over them, and the way back. Tells its listeners what changed.
export class Sheet extends EventTarget {
  constructor({ columns, rows }) {
    super();
    Object.assign(this, { columns, rows, shown: rows.map((_, at) => at), edits: new Map(), done: [], undone: [] });
    this.byNumber = new Map(rows.map((row) => [row.row, row]));
  }

  get height() { return this.shown.length; }
  get width() { return this.columns.length; }
  at(line) { return this.rows[this.shown[line]]; }
  before(line, place) { return this.at(line).cells[place]; }
  text(line, place) { return this.now(this.at(line), place); }
  now(row, place) { return this.edits.get(row.row)?.[place] ?? row.cells[place]; }
  isEdited(line, place) { return this.edits.get(this.at(line).row)?.[place] !== undefined; }
  errors(line, place) { return this.at(line).errors.filter((error) => error.place === place); }
  rowErrors(line) { return this.at(line).errors.filter((error) => error.place < 0); }
  isOpen(line, place) { return this.errors(line, place).length > 0 && !this.isEdited(line, place); }

  // changes: [{row, place, text}] by row number; together they are one step that can be undone.
  change(changes) {
    const real = changes.filter(({ row, place, text }) => this.byNumber.has(row) && text !== this.now(this.byNumber.get(row), place));
    if (real.length === 0) return;
    this.done.push(real.map(({ row, place }) => ({ row, place, text: this.now(this.byNumber.get(row), place) })));
    this.undone = [];
    this.put(real);
  }

  undo() { return this.step(this.done, this.undone); }
  redo() { return this.step(this.undone, this.done); }

  step(from, to) {
    const back = from.pop();
    if (!back) return null;
    to.push(back.map(({ row, place }) => ({ row, place, text: this.now(this.byNumber.get(row), place) })));
    this.put(back);
    return back[0];
  }

  put(changes) {
    for (const { row, place, text } of changes) {
      const cells = this.edits.get(row) ?? {};
      if (text === this.byNumber.get(row).cells[place]) delete cells[place];
      else cells[place] = text;
      if (Object.keys(cells).length) this.edits.set(row, cells);
      else this.edits.delete(row);
    }
    this.dispatchEvent(new Event("change"));
  }

  filter(fits) {
    this.shown = this.rows.flatMap((row, at) => (fits(row) ? [at] : []));
    this.dispatchEvent(new Event("filter"));
  }

  counts() {
    let cells = 0;
    for (const edited of this.edits.values()) cells += Object.keys(edited).length;
    return { rows: this.edits.size, cells };
  }
}
