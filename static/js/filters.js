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

// A pill or a page of the list changes the address: the form beside it says what is in force, and sends it along.
document.addEventListener("htmx:pushedIntoHistory", () => {
  const given = new URLSearchParams(location.search);
  for (const field of document.querySelectorAll("form.filters[hx-get] [name]")) {
    if (field === document.activeElement) continue;
    if (field.type === "checkbox") field.checked = given.getAll(field.name).includes(field.value);
    else field.value = given.get(field.name) ?? "";
  }
});
