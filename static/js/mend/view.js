// Draws only the rows in sight: thousands of them scroll and take keys as quickly as ten do.
const SPARE = 8;

export class View {
  constructor(sheet, grid, scroll) {
    Object.assign(this, { sheet, grid, scroll, body: grid.tBodies[0], line: 0, place: 0, from: null, first: -1 });
    this.drawHead();
    this.rowHeight = 34;
    scroll.addEventListener("scroll", () => requestAnimationFrame(() => this.draw()));
    new ResizeObserver(() => this.draw(true)).observe(scroll);
    sheet.addEventListener("change", () => this.draw(true));
    sheet.addEventListener("filter", () => this.go(0, 0));
  }

  drawHead() {
    const row = element("tr", { role: "row", "aria-rowindex": 1 });
    row.append(element("th", { scope: "col", role: "columnheader", class: "num" }, "Row"));
    for (const { header, letters } of this.sheet.columns) {
      row.append(element("th", { scope: "col", role: "columnheader", title: header }, header || letters));
    }
    this.grid.tHead.replaceChildren(row);
    this.grid.setAttribute("aria-colcount", this.sheet.width + 1);
  }

  draw(anew = false) {
    const { scroll, sheet } = this;
    const count = Math.ceil(scroll.clientHeight / this.rowHeight) + 2 * SPARE;
    const first = Math.max(0, Math.min(Math.floor(scroll.scrollTop / this.rowHeight) - SPARE, sheet.height - count));
    if (!anew && first === this.first) return;
    if (this.editing) return;
    this.first = first;
    const last = Math.min(sheet.height, first + count);
    const rows = [];
    for (let line = first; line < last; line += 1) rows.push(this.row(line));
    this.body.replaceChildren(this.space(first), ...rows, this.space(sheet.height - last));
    this.grid.setAttribute("aria-rowcount", sheet.height + 1);
    if (rows[0] && rows[0].offsetHeight) this.rowHeight = rows[0].offsetHeight;
    this.mark();
  }

  row(line) {
    const row = this.sheet.at(line);
    const drawn = element("tr", { role: "row", "aria-rowindex": line + 2 });
    const bad = this.sheet.rowErrors(line).length > 0 && !this.sheet.edits.has(row.row);
    drawn.append(element("th", { scope: "row", role: "rowheader", class: bad ? "num cell-bad" : "num" }, String(row.row)));
    for (let place = 0; place < this.sheet.width; place += 1) drawn.append(this.cell(line, place));
    return drawn;
  }

  cell(line, place) {
    const drawn = element("td", { role: "gridcell", id: `mend-${line}-${place}`, "aria-colindex": place + 2 }, this.sheet.text(line, place));
    if (this.sheet.isOpen(line, place)) {
      drawn.className = "cell-bad";
      drawn.setAttribute("aria-invalid", "true");
    } else if (this.sheet.isEdited(line, place)) drawn.className = "cell-changed";
    return drawn;
  }

  space(lines) {
    const row = element("tr", { role: "presentation", class: "mend-space" });
    row.append(element("td", { role: "presentation" }));
    row.firstChild.colSpan = this.sheet.width + 1;
    row.firstChild.style.blockSize = `${lines * this.rowHeight}px`; // by script, so that no style stands in the page
    return row;
  }

  drawn(line, place) { return this.grid.ownerDocument.getElementById(`mend-${line}-${place}`); }

  go(line, place, { extend = false } = {}) {
    const { sheet } = this;
    if (extend) this.from ??= [this.line, this.place];
    else this.from = null;
    this.line = Math.max(0, Math.min(line, sheet.height - 1));
    this.place = Math.max(0, Math.min(place, sheet.width - 1));
    this.intoSight();
    this.draw(!this.drawn(this.line, this.place));
    this.sideways();
    this.mark();
    this.grid.dispatchEvent(new Event("moved"));
  }

  // Every cell from where the selection began to where it is: {top, bottom, left, right}.
  get chosen() {
    const [line, place] = this.from ?? [this.line, this.place];
    return { top: Math.min(line, this.line), bottom: Math.max(line, this.line), left: Math.min(place, this.place), right: Math.max(place, this.place) };
  }

  intoSight() {
    const head = this.grid.tHead.offsetHeight;
    const [top, bottom] = [this.line * this.rowHeight, (this.line + 1) * this.rowHeight + head];
    if (top < this.scroll.scrollTop) this.scroll.scrollTop = top;
    else if (bottom > this.scroll.scrollTop + this.scroll.clientHeight) this.scroll.scrollTop = bottom - this.scroll.clientHeight;
  }

  sideways() {
    const cell = this.drawn(this.line, this.place);
    if (!cell) return;
    const fixed = cell.parentNode.firstChild.offsetWidth;
    const right = cell.offsetLeft + cell.offsetWidth - this.scroll.clientWidth;
    if (right > this.scroll.scrollLeft) this.scroll.scrollLeft = right;
    if (cell.offsetLeft - fixed < this.scroll.scrollLeft) this.scroll.scrollLeft = cell.offsetLeft - fixed;
  }

  mark() {
    for (const cell of this.body.querySelectorAll("[aria-selected], [aria-describedby]")) {
      cell.removeAttribute("aria-selected");
      cell.removeAttribute("aria-describedby");
    }
    const { top, bottom, left, right } = this.chosen;
    for (let line = Math.max(top, this.first); line <= bottom; line += 1) {
      for (let place = left; place <= right; place += 1) {
        const cell = this.drawn(line, place);
        if (!cell) break;
        cell.setAttribute("aria-selected", "true");
      }
      if (!this.drawn(line, left)) break;
    }
    const active = this.drawn(this.line, this.place);
    if (active) {
      active.setAttribute("aria-describedby", "mend-said");
      this.grid.setAttribute("aria-activedescendant", active.id);
    } else this.grid.removeAttribute("aria-activedescendant");
    for (const old of this.body.querySelectorAll(".is-active")) old.classList.remove("is-active");
    active?.classList.add("is-active");
  }
}

function element(name, attributes, text = "") {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text) made.textContent = text;
  return made;
}
