// What was typed and not sent yet stays in this browser, so that nothing but the person throws it away.
const PREFIX = "waybill.mend.";
const SENDING = "waybill.mend.sending";

export function restore(sheet, key) {
  const kept = read(localStorage, PREFIX + key);
  const changes = Object.entries(kept ?? {}).flatMap(([row, cells]) =>
    Object.entries(cells).map(([place, text]) => ({ row: Number(row), place: Number(place), text })));
  sheet.put(changes.filter(({ row, place, text }) => sheet.byNumber.has(row) && place < sheet.width && typeof text === "string"));
  return sheet.counts();
}

// Edits of rows that are not at hand now (another rule, the next part) are kept with the others.
export function keep(sheet, key) {
  const others = Object.entries(read(localStorage, PREFIX + key) ?? {}).filter(([row]) => !sheet.byNumber.has(Number(row)));
  const all = Object.fromEntries([...others, ...sheet.edits]);
  write(localStorage, PREFIX + key, Object.keys(all).length ? all : null);
}

export const forget = (key) => write(localStorage, PREFIX + key, null);
export const sending = (key) => write(sessionStorage, SENDING, key);

// The page of the upload that was made of them: only now they are sent.
export function sent() {
  const key = read(sessionStorage, SENDING);
  if (key) forget(key);
  write(sessionStorage, SENDING, null);
}

function read(storage, key) {
  try { return JSON.parse(storage.getItem(key)); } catch { return null; }
}

function write(storage, key, value) {
  try {
    if (value === null) storage.removeItem(key);
    else storage.setItem(key, JSON.stringify(value));
  } catch { /* a browser that keeps nothing: the page warns before it is left */ }
}
