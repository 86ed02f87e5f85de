// A file dropped on the zone goes into its file field, as if chosen there. A file that is too large is told at once.
const zoneOf = (event) => event.target.closest?.("[data-drop]");

document.addEventListener("dragover", (event) => {
  const zone = zoneOf(event);
  if (!zone) return;
  event.preventDefault();
  zone.classList.add("over");
});

document.addEventListener("dragleave", (event) => zoneOf(event)?.classList.remove("over"));

document.addEventListener("drop", (event) => {
  const zone = zoneOf(event);
  if (!zone) return;
  event.preventDefault();
  zone.classList.remove("over");
  if (event.dataTransfer.files.length === 0) return;
  const [field, chosen] = [zone.querySelector("input[type=file]"), new DataTransfer()];
  chosen.items.add(event.dataTransfer.files[0]);
  field.files = chosen.files;
  field.dispatchEvent(new Event("change", { bubbles: true }));
});

document.addEventListener("change", (event) => {
  const zone = zoneOf(event);
  if (!zone || event.target.type !== "file") return;
  const isTooLarge = event.target.files[0]?.size > Number(zone.dataset.maxBytes);
  event.target.setCustomValidity(isTooLarge ? zone.dataset.tooLarge : "");
  event.target.reportValidity();
});
