// One cell being typed in. Enter keeps it and goes down, Tab keeps it and goes on, Esc takes it back.
export class Editor {
  constructor(view, sheet) { Object.assign(this, { view, sheet, area: null }); }

  open(first) {
    const { view, sheet } = this;
    if (this.area || sheet.height === 0) return;
    const cell = view.drawn(view.line, view.place);
    if (!cell) return;
    this.area = document.createElement("textarea");
    this.area.className = "mend-editor";
    this.area.rows = 1;
    this.area.spellcheck = false;
    this.area.maxLength = 32767;
    this.area.setAttribute("aria-label", `${sheet.columns[view.place].header || sheet.columns[view.place].letters}, row ${sheet.at(view.line).row}`);
    this.area.setAttribute("aria-describedby", "mend-said");
    this.area.value = first ?? sheet.text(view.line, view.place);
    this.area.addEventListener("keydown", (event) => this.key(event));
    this.area.addEventListener("blur", () => this.close(true));
    view.editing = true;
    cell.classList.add("is-edited");
    cell.append(this.area);
    this.area.focus();
    this.area.setSelectionRange(this.area.value.length, this.area.value.length);
  }

  key(event) {
    if (event.isComposing) return;
    const { view } = this;
    if (event.key === "Enter" && event.altKey) this.area.setRangeText("\n", this.area.selectionStart, this.area.selectionEnd, "end");
    else if (event.key === "Enter") this.leave(true, event.shiftKey ? -1 : 1, 0);
    else if (event.key === "Tab") this.leave(true, 0, event.shiftKey ? -1 : 1);
    else if (event.key === "Escape") this.leave(false, 0, 0);
    else { event.stopPropagation(); return; }
    event.preventDefault();
    event.stopPropagation();
    view.grid.focus({ preventScroll: true });
  }

  leave(keep, lines, places) {
    const { view } = this;
    this.close(keep);
    view.grid.focus({ preventScroll: true });
    view.go(view.line + lines, view.place + places);
  }

  close(keep) {
    if (!this.area) return;
    const { area, view, sheet } = this;
    this.area = null;
    view.editing = false;
    const text = area.value;
    area.parentNode?.classList.remove("is-edited");
    area.remove();
    if (keep) sheet.change([{ row: sheet.at(view.line).row, place: view.place, text }]);
    view.draw(true);
  }
}
