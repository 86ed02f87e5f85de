// The changed rows go as one form; pressed twice, they are sent once. Leaving with changes warns first.
import { forget, keep, sending } from "./kept.js";

export function listen(sheet, key) {
  const form = document.getElementById("mend-send");
  const [send, drop] = [form.querySelector("[type=submit]"), document.getElementById("mend-forget")];
  const count = document.getElementById("mend-count");
  let leaves = false;

  const tell = () => {
    const { rows, cells } = sheet.counts();
    send.disabled = rows === 0;
    send.textContent = rows ? `Send ${rows} changed row${rows === 1 ? "" : "s"}` : "Send the changed rows";
    drop.hidden = rows === 0;
    count.textContent = rows ? `${cells} cell${cells === 1 ? "" : "s"} changed in ${rows} row${rows === 1 ? "" : "s"}, not sent yet` : "Nothing changed yet";
  };
  sheet.addEventListener("change", () => { keep(sheet, key); tell(); });
  tell();

  form.addEventListener("submit", (event) => {
    if (leaves) { event.preventDefault(); return; }
    leaves = true;
    form.elements.edits.value = JSON.stringify(Object.fromEntries(sheet.edits));
    sending(key);
  });
  drop.addEventListener("click", () => {
    if (!confirm("Forget every change that was not sent?")) return;
    const changes = [...sheet.edits].flatMap(([row, cells]) => Object.keys(cells).map((place) => (
      { row, place: Number(place), text: sheet.byNumber.get(row).cells[place] })));
    sheet.change(changes);
    forget(key);
  });
  addEventListener("beforeunload", (event) => { if (!leaves && sheet.edits.size) event.preventDefault(); });
  addEventListener("pageshow", (event) => { if (event.persisted) leaves = false; });
  return { leave: () => { leaves = true; } };
}
