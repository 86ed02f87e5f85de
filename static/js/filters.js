// Leaves empty filters out of the address, so that what one sends to a colleague says only what was chosen.
document.addEventListener("htmx:configRequest", (event) => {
  const { elt, verb, formData } = event.detail;
  if (verb !== "get" || !elt.matches("form.filters")) return;
  const names = new Set(formData.keys());
  for (const name of names) {
    const chosen = formData.getAll(name).filter((value) => value !== "");
    formData.delete(name);
    for (const value of chosen) formData.append(name, value);
  }
});
