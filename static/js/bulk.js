// The header box ticks a page of rows; only then "all that match" is offered. Says how many are ticked.
document.addEventListener("change", (event) => {
  const form = event.target.form;
  if (form?.dataset.bulk !== undefined) choose(form, event.target);
});

document.addEventListener("htmx:afterSettle", refreshAll);
refreshAll();

function choose(form, changed) {
  if (changed.dataset.bulkPage !== undefined) {
    for (const box of rows(form)) box.checked = changed.checked;
  }
  refresh(form);
}

function refreshAll() {
  for (const form of document.querySelectorAll("form[data-bulk]")) refresh(form);
}

function refresh(form) {
  const boxes = rows(form);
  const ticked = boxes.filter((box) => box.checked).length;
  const isWholePage = boxes.length > 0 && ticked === boxes.length;
  const page = [...form.elements].find((box) => box.dataset.bulkPage !== undefined);
  if (page) [page.checked, page.indeterminate] = [isWholePage, ticked > 0 && !isWholePage];
  const everything = form.querySelector("[data-bulk-matching] input");
  if (everything) {
    everything.closest("[data-bulk-matching]").hidden = !isWholePage;
    everything.checked &&= isWholePage;
  }
  form.querySelector("[data-bulk-count]").textContent = everything?.checked ? "All that match" : `${ticked} chosen`;
  for (const button of form.querySelectorAll("button")) button.disabled = ticked === 0;
}

function rows(form) {
  return [...form.elements].filter((box) => box.dataset.bulkRow !== undefined);
}
