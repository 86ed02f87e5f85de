// Mending in place: reads the rows, then hands the grid to the modules beside this one.
import * as clipboard from "./clipboard.js";
import { Editor } from "./editor.js";
import * as keys from "./keys.js";
import { restore } from "./kept.js";
import * as replace from "./replace.js";
import * as sending from "./sending.js";
import { Sheet } from "./sheet.js";
import { View } from "./view.js";

const part = document.getElementById("mend");
if (part) start().catch(() => { document.getElementById("mend-failed").hidden = false; });

async function start() {
  const answer = await fetch(part.dataset.rows, { headers: { Accept: "application/json" } });
  if (!answer.ok) throw new Error(answer.status);
  const data = await answer.json();
  const sheet = new Sheet(data);
  const kept = restore(sheet, data.key);
  part.hidden = false;
  const view = new View(sheet, document.getElementById("mend-grid"), document.getElementById("mend-scroll"));
  const editor = new Editor(view, sheet);
  keys.listen(view, sheet, editor);
  clipboard.listen(view, sheet);
  replace.listen(sheet);
  const send = sending.listen(sheet, data.key);
  filter(sheet, send);
  buttons(view, sheet);
  explain(view, sheet);
  view.draw(true);
  if (!sheet.height || !sheet.isOpen(0, 0)) keys.nextFault(view, sheet, 1);
  view.grid.dispatchEvent(new Event("moved"));
  if (kept.cells) document.getElementById("mend-count").textContent += ", kept from before";
}

function filter(sheet, send) {
  const rule = document.getElementById("mend-rule");
  rule.addEventListener("change", () => {
    if (part.dataset.partial !== undefined) {
      send.leave(); // what was changed is kept
      location.search = rule.value ? new URLSearchParams({ rule: rule.value }) : "";
      return;
    }
    const [code, column] = rule.value.split(" ");
    sheet.filter((row) => !code || row.errors.some((error) => error.code === code && error.column === (column ?? "")));
  });
}

function buttons(view, sheet) {
  const [undo, redo] = ["undo", "redo"].map((which) => {
    const button = document.getElementById(`mend-${which}`);
    button.addEventListener("click", () => { keys.back(view, sheet, which); view.grid.focus(); });
    return button;
  });
  document.getElementById("mend-next").addEventListener("click", () => { keys.nextFault(view, sheet, 1); view.grid.focus(); });
  sheet.addEventListener("change", () => { [undo.disabled, redo.disabled] = [!sheet.done.length, !sheet.undone.length]; });
}

// What is wrong with the cell one is in, and what stood there.
function explain(view, sheet) {
  const said = document.getElementById("mend-said");
  const tell = () => {
    if (!sheet.height) { said.textContent = "No row fits."; return; }
    const { letters, header } = sheet.columns[view.place];
    const here = `${header || letters}, row ${sheet.at(view.line).row}`;
    const wrong = [...sheet.errors(view.line, view.place), ...sheet.rowErrors(view.line)].map((error) => error.said).join(" ");
    const before = sheet.isEdited(view.line, view.place) ? ` It was “${sheet.before(view.line, view.place)}”.` : "";
    said.textContent = `${here}: ${wrong || "nothing is wrong here."}${before}`;
  };
  view.grid.addEventListener("moved", tell);
  sheet.addEventListener("change", tell);
}
